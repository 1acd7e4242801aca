#include <numeric>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

void find_pattern(Random& random, Scenario& s) {
  const int n = random.size(3000), m = random.between(1, 6), threads = random.block(256);
  const auto text = random.integers<int8_t>(u32(n), 'a', 'c'), pattern = random.integers<int8_t>(u32(m), 'a', 'c');
  int first = INT32_MAX, count = 0;
  for (int i = 0; i + m <= n; ++i)
    if (std::equal(pattern.begin(), pattern.end(), text.begin() + i)) {
      first = std::min(first, i);
      ++count;
    }
  const auto in = s.input("text", text), in_pattern = s.input("pattern", pattern);
  const auto out_first = s.inout<int>("first", {INT32_MAX}), out_count = s.inout<int>("count", {0});
  // Blocks have at least one thread per letter of the pattern: the threads fetch it.
  const uint32_t block = u32(std::max(threads, m));
  s.launch("find_pattern", {blocks_for(n, block)}, {block}, 0, in, n, in_pattern, m, out_first, out_count);
  s.expect<int>(out_first, {first});
  s.expect<int>(out_count, {count});
}

void count_text(Random& random, Scenario& s) {
  const int n = random.size(4000);
  auto text = random.words<uint8_t>(u32(n));
  for (uint8_t& c : text)
    if (random.once_in(3)) c = random.one_of<uint8_t>({' ', '\n', '\t'});
  const auto blank = [](uint8_t c) { return c == ' ' || c == '\n' || c == '\t'; };
  std::vector<int> counts(3);
  for (size_t i = 0; i < text.size(); ++i) {
    counts[0] += text[i] >> 6 != 2;
    counts[1] += !blank(text[i]) && (i == 0 || blank(text[i - 1]));
    counts[2] += text[i] == '\n';
  }
  const auto in = s.input("text", text), out = s.inout("counts", std::vector<int>(3));
  s.launch("count_text", {u32(random.between(1, 5))}, {u32(random.block(256))}, 0, in, n, out);
  s.expect(out, counts);
}

void to_upper(Random& random, Scenario& s) {
  const int n = random.size(2000);
  auto text = random.integers<int8_t>(u32(n), -128, 127);
  const auto in = s.inout("text", text);
  s.launch("to_upper", {u32(random.between(1, 5))}, {u32(random.block(128))}, 0, in, n);
  for (int8_t& c : text)
    if (c >= 'a' && c <= 'z') c = int8_t(c - 32);
  s.expect(in, text);
}

void run_length(Random& random, Scenario& s) {
  const int n = random.size(500), most = random.between(0, 3);
  const auto in = random.integers<uint8_t>(u32(n), 0, most);
  std::vector<uint8_t> symbols;
  std::vector<int> lengths;
  for (size_t i = 0; i < in.size(); ++i) {
    if (i == 0 || in[i] != in[i - 1]) {
      symbols.push_back(in[i]);
      lengths.push_back(0);
    }
    ++lengths.back();
  }
  const auto a = s.input("in", in), out_symbols = s.output<uint8_t>("symbols", u32(n));
  const auto out_lengths = s.output<int>("lengths", u32(n)), runs = s.output<int>("runs", 1);
  s.launch("run_length", {1}, {32}, 0, a, n, out_symbols, out_lengths, runs);
  s.expect(out_symbols, symbols);
  s.expect(out_lengths, lengths);
  s.expect<int>(runs, {int(lengths.size())});
}

void binary_search(Random& random, Scenario& s) {
  const int n = random.size(1000), m = random.size(1000), threads = random.block(256);
  auto sorted = random.integers<int64_t>(u32(n), -2000000000000, 2000000000000);
  std::sort(sorted.begin(), sorted.end());
  auto wanted = random.integers<int64_t>(u32(m), -2000000000000, 2000000000000);
  for (size_t i = 0; i < wanted.size(); i += 2) wanted[i] = random.one_of(sorted);
  std::vector<int> places;
  for (int64_t w : wanted) places.push_back(int(std::lower_bound(sorted.begin(), sorted.end(), w) - sorted.begin()));
  const auto in = s.input("sorted", sorted), in_wanted = s.input("wanted", wanted),
             out = s.output<int>("place", u32(m));
  s.launch("binary_search", {blocks_for(m, threads)}, {u32(threads)}, 0, in, n, in_wanted, m, out);
  s.expect(out, places);
}

struct Node {
  int key = 0, left = -1, right = -1;
  float payload = 0;
};

/// A search tree of distinct keys, in insertion order.
std::vector<Node> search_tree(Random& random, int n) {
  std::vector<Node> nodes;
  for (int i = 0; i < n; ++i) {
    Node fresh{random.between(0, 3 * n), -1, -1, random.real(0, 1)};
    if (nodes.empty()) {
      nodes.push_back(fresh);
      continue;
    }
    for (int at = 0; nodes[u32(at)].key != fresh.key;) {
      int& child = fresh.key < nodes[u32(at)].key ? nodes[u32(at)].left : nodes[u32(at)].right;
      if (child >= 0) {
        at = child;
        continue;
      }
      child = int(nodes.size());
      nodes.push_back(fresh);
      break;
    }
  }
  return nodes;
}

void tree_lookup(Random& random, Scenario& s) {
  const auto nodes = search_tree(random, random.size(300));
  const int n = random.size(500), threads = random.block(128);
  const auto keys = random.integers(u32(n), 0, int64_t(nodes.size()) * 3);
  std::vector<float> expected;
  for (int key : keys) {
    const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) { return node.key == key; });
    expected.push_back(found == nodes.end() ? -1.0F : found->payload);
  }
  const auto tree = s.input("nodes", nodes), in = s.input("keys", keys), out = s.output<float>("out", u32(n));
  s.launch("tree_lookup", {blocks_for(n, threads)}, {u32(threads)}, 0, tree, 0, in, n, out);
  s.expect(out, expected);
}

void tree_range_count(Random& random, Scenario& s) {
  const auto nodes = search_tree(random, random.size(200));
  const int n = random.size(200), threads = random.block(128);
  const auto ranges = random.integers(u32(2 * n), 0, int64_t(nodes.size()) * 3);
  std::vector<int> expected;
  for (size_t t = 0; t < u32(n); ++t)
    expected.push_back(int(std::count_if(nodes.begin(), nodes.end(), [&](const Node& node) {
      return node.key >= ranges[2 * t] && node.key <= ranges[2 * t + 1];
    })));
  const auto tree = s.input("nodes", nodes), in = s.input("ranges", ranges), out = s.output<int>("out", u32(n));
  s.launch("tree_range_count", {blocks_for(n, threads)}, {u32(threads)}, 0, tree, 0, in, n, out);
  s.expect(out, expected);
}

std::vector<int> shuffled(Random& random, int n) {
  std::vector<int> order(u32(n));
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[u32(i)], order[u32(random.between(0, i))]);
  return order;
}

void list_ranking(Random& random, Scenario& s) {
  const int n = random.size(512);
  const auto order = shuffled(random, n);
  std::vector<int> next(u32(n)), rank(u32(n));
  for (int i = 0; i < n; ++i) {
    next[u32(order[u32(i)])] = order[u32(std::min(i + 1, n - 1))];
    rank[u32(order[u32(i)])] = n - 1 - i;
  }
  const auto in = s.input("next", next), out = s.output<int>("rank", u32(n));
  s.launch("list_ranking", {1}, {u32((n + 31) / 32 * 32)}, u32(n) * 8, in, out, n);
  s.expect(out, rank);
}

void walk_nodes(Random& random, Scenario& s) {
  const int n = random.size(200), threads = random.block(64);
  const auto order = shuffled(random, n);
  std::vector<int64_t> sums(u32(n));
  for (size_t i = 0; i < u32(n); ++i)  // wraps as the kernel's sum does
    for (uint64_t k = i, sum = 0; k < u32(n); ++k) {
      sum = sum * 3 + k * k;
      sums[i] = int64_t(sum);
    }
  const auto nodes = s.scratch<uint64_t>("nodes", u32(2 * n));
  const auto in = s.input("order", order), out = s.output<int64_t>("sums", u32(n));
  s.launch("link_nodes", {blocks_for(n, threads)}, {u32(threads)}, 0, nodes, in, n);
  s.launch("walk_nodes", {blocks_for(n, threads)}, {u32(threads)}, 0, nodes, in, n, out);
  s.expect(out, sums);
}

void n_queens(Random& random, Scenario& s) {
  const uint64_t known[] = {0, 1, 0, 0, 2, 10, 4, 40, 92};  // OEIS A000170
  const int n = random.between(4, 8), threads = random.block(64);
  const auto out = s.inout<uint64_t>("solutions", {0});
  s.launch("n_queens", {blocks_for(n * n, threads)}, {u32(threads)}, 0, n, out);
  s.expect<uint64_t>(out, {known[n]});
}

void base64(Random& random, Scenario& s) {
  const int n = random.size(1000), groups = (n + 2) / 3, threads = random.block(128);
  const auto in = random.words<uint8_t>(u32(n));
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<int8_t> expected;
  uint32_t bits = 0, held = 0;
  for (uint8_t byte : in) {
    bits = bits << 8 | byte;
    for (held += 8; held >= 6; held -= 6) expected.push_back(int8_t(alphabet[bits >> (held - 6) & 63]));
  }
  if (held > 0) expected.push_back(int8_t(alphabet[bits << (6 - held) & 63]));
  while (expected.size() % 4 != 0) expected.push_back('=');
  const auto a = s.input("in", in), out = s.output<int8_t>("out", expected.size());
  s.launch("base64", {blocks_for(groups, threads)}, {u32(threads)}, 0, a, n, out);
  s.expect(out, expected);
}

void parse_numbers(Random& random, Scenario& s) {
  const int n = random.size(400), width = random.between(3, 9), threads = random.block(128);
  std::vector<int8_t> text;
  std::vector<int> values;
  for (int i = 0; i < n; ++i) {
    const int limit = width >= 7 ? 99999 : 9, value = random.between(-limit, limit);
    std::string word = std::to_string(value);
    if (value >= 0 && random.once_in(3)) word = "+" + word;
    const bool bad = random.once_in(4);
    if (bad) word = random.one_of<std::string>({"x", "1x", "--", "", "-", "1 2"});
    word.insert(0, u32(random.between(0, width - int(word.size()))), ' ');
    word.resize(u32(width), ' ');
    text.insert(text.end(), word.begin(), word.end());
    values.push_back(bad ? INT32_MIN : value);
  }
  const auto in = s.input("text", text), out = s.output<int>("values", u32(n));
  s.launch("parse_numbers", {blocks_for(n, threads)}, {u32(threads)}, 0, in, width, n, out);
  s.expect(out, values);
}

void interpreter(Random& random, Scenario& s) {
  const int length = random.between(1, 40), n = random.size(400), threads = random.block(128);
  // There is no plain version: only the executors are compared.
  const auto programs = s.input("programs", random.words<uint8_t>(u32(8 * length)));
  const auto inputs = s.input("inputs", random.integers(u32(n), -100, 100)), out = s.output<int>("out", u32(n));
  s.launch("interpreter", {blocks_for(n, threads)}, {u32(threads)}, 0, programs, length, inputs, n, out);
}

}  // namespace

void add_structures(Corpus& corpus) {
  const std::string file = "structures.cu";
  corpus.push_back({"find_pattern", file, find_pattern});
  corpus.push_back({"count_text", file, count_text});
  corpus.push_back({"to_upper", file, to_upper});
  corpus.push_back({"run_length", file, run_length});
  corpus.push_back({"binary_search", file, binary_search});
  corpus.push_back({"tree_lookup", file, tree_lookup});
  corpus.push_back({"tree_range_count", file, tree_range_count});
  corpus.push_back({"list_ranking", file, list_ranking});
  corpus.push_back({"walk_nodes", file, walk_nodes});
  corpus.push_back({"n_queens", file, n_queens});
  corpus.push_back({"base64", file, base64});
  corpus.push_back({"parse_numbers", file, parse_numbers});
  corpus.push_back({"interpreter", file, interpreter});
}

}  // namespace tilescope::differential
