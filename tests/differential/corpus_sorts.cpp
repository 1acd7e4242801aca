#include <numeric>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

void bitonic_shared(Random& random, Scenario& s) {
  const int length = random.power(2, 1024), rows = random.between(1, 3);
  const bool ascending = !random.once_in(3);
  // Distinct keys: the order of equal keys is undefined.
  std::vector<uint32_t> keys, values, key_order, value_order;
  for (int row = 0; row < rows; ++row) {
    std::vector<uint32_t> one(u32(length)), order(u32(length));
    for (uint32_t i = 0; i < one.size(); ++i) one[i] = (uint32_t(random.bits()) & ~1023U) | i;
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return ascending ? one[a] < one[b] : one[a] > one[b]; });
    for (uint32_t i = 0; i < one.size(); ++i) {
      keys.push_back(one[i]);
      values.push_back(i);
      key_order.push_back(one[order[i]]);
      value_order.push_back(order[i]);
    }
  }
  const auto k = s.inout("keys", keys), v = s.inout("values", values);
  s.launch("bitonic_shared", {u32(rows)}, {u32(length / 2)}, u32(length) * 8, k, v, uint32_t(length),
           uint32_t(ascending));
  s.expect(k, key_order);
  s.expect(v, value_order);
}

void bitonic_step(Random& random, Scenario& s) {
  const int n = random.power(2, 2048), threads = random.block(256);
  const auto values = random.reals(u32(n), -100, 100);
  const auto data = s.inout("dev_values", values);
  for (int k = 2; k <= n; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1)
      s.launch("bitonic_step", {blocks_for(n, threads)}, {u32(threads)}, 0, data, j, k, n);
  s.expect(data, sorted(values));
}

void odd_even_transposition(Random& random, Scenario& s) {
  const int n = random.size(400);
  const auto values = random.integers(u32(n), -500, 500);
  const auto data = s.inout("data", values);
  s.launch("odd_even_transposition", {1}, {u32(random.block(256))}, 0, data, n);
  s.expect(data, sorted(values));
}

void radix_split(Random& random, Scenario& s) {
  const int n = random.size(512), threads = (n + 31) / 32 * 32, bits = random.between(1, 32);
  const auto values = random.integers<uint32_t>(u32(n), 0, (int64_t{1} << bits) - 1);
  const auto data = s.inout("data", values);
  s.launch("radix_split", {1}, {u32(threads)}, u32(threads) * 4, data, n, bits);
  s.expect(data, sorted(values));
}

void radix_sort(Random& random, Scenario& s) {
  const int n = random.size(3000), threads = random.between(1, 8) * 32;
  const uint32_t blocks = blocks_for(n, threads);
  const auto values = random.integers<uint32_t>(u32(n), 0, 0xffff);
  auto from = s.inout("keys", values), to = s.output<uint32_t>("sorted", u32(n));
  const auto counts = s.output<uint32_t>("counts", blocks * 16);
  for (int shift = 0; shift < 16; shift += 4) {
    s.launch("radix_count", {blocks}, {u32(threads)}, 0, from, n, shift, counts);
    s.launch("radix_offsets", {1}, {32}, 0, counts, int(blocks * 16));
    s.launch("radix_scatter", {blocks}, {u32(threads)}, 0, from, to, n, shift, counts);
    std::swap(from, to);
  }
  s.expect(from, sorted(values));
}

void merge_by_rank(Random& random, Scenario& s) {
  const int n = random.size(2500), threads = random.block(256);
  const auto values = random.integers(u32(n), -300, 300);
  auto from = s.inout("from", values), to = s.output<int>("to", u32(n));
  for (int width = 1; width < n; width *= 2) {
    s.launch("merge_by_rank", {blocks_for(n, threads)}, {u32(threads)}, 0, from, to, n, width);
    std::swap(from, to);
  }
  s.expect(from, sorted(values));
}

void merge_path(Random& random, Scenario& s) {
  const int na = random.size(1500), nb = random.size(1500), per_thread = random.between(1, 19);
  const auto a = sorted(random.integers(u32(na), -300, 300)), b = sorted(random.integers(u32(nb), -300, 300));
  std::vector<int> merged(a.size() + b.size());
  std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<int>("out", merged.size());
  const int threads = random.block(128);
  s.launch("merge_path", {blocks_for(na + nb, int64_t{threads} * per_thread)}, {u32(threads)}, 0, in_a, na, in_b, nb,
           out, per_thread);
  s.expect(out, merged);
}

void quick_sort_rows(Random& random, Scenario& s) {
  const int rows = random.between(1, 70), cols = random.size(120), threads = random.block(64);
  auto values = random.integers(u32(rows * cols), -90, 90);
  const auto data = s.inout("data", values);
  s.launch("quick_sort_rows", {blocks_for(rows, threads)}, {u32(threads)}, 0, data, rows, cols);
  for (int row = 0; row < rows; ++row) std::sort(values.begin() + row * cols, values.begin() + (row + 1) * cols);
  s.expect(data, values);
}

void counting_sort_bytes(Random& random, Scenario& s) {
  const int n = random.size(4000);
  const auto values = random.words<uint8_t>(u32(n));
  const auto in = s.input("in", values), out = s.output<uint8_t>("out", u32(n));
  s.launch("counting_sort_bytes", {1}, {u32(random.block(512))}, 0, in, out, n);
  s.expect(out, sorted(values));
}

template <class T>
void rank_sort(const std::string& kernel, Random& random, Scenario& s) {
  const int n = random.size(500);
  const auto values = random.integers<T>(u32(n), -200, 200);
  const auto in = s.input("in", values), out = s.output<T>("out", u32(n));
  s.launch(kernel, {blocks_for(n, 64)}, {64}, 0, in, out, n);
  s.expect(out, sorted(values));
}

}  // namespace

void add_sorts(Corpus& corpus) {
  const std::string file = "sorts.cu";
  corpus.push_back({"bitonic_shared", file, bitonic_shared});
  corpus.push_back({"bitonic_step", file, bitonic_step});
  corpus.push_back({"odd_even_transposition", file, odd_even_transposition});
  corpus.push_back({"radix_split", file, radix_split});
  corpus.push_back({"radix_sort", file, radix_sort});
  corpus.push_back({"merge_by_rank", file, merge_by_rank});
  corpus.push_back({"merge_path", file, merge_path});
  corpus.push_back({"quick_sort_rows", file, quick_sort_rows});
  corpus.push_back({"counting_sort_bytes", file, counting_sort_bytes});
  corpus.push_back({"rank_sort_double", file,
                    [](Random& random, Scenario& s) { rank_sort<double>("rank_sort_double", random, s); }});
  corpus.push_back(
      {"rank_sort_short", file, [](Random& random, Scenario& s) { rank_sort<int16_t>("rank_sort_short", random, s); }});
}

}  // namespace tilescope::differential
