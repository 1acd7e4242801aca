#include <numeric>
#include <set>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

constexpr int kInfinite = 0x3fffffff;

/// A random graph with sorted neighbour lists and no loops.
struct Graph {
  int n;
  std::vector<int> offsets{0}, neighbours, from;
  Graph(Random& random, int vertices, int edges, bool both_ways) : n(vertices) {
    std::set<std::pair<int, int>> all;
    for (int e = 0; e < edges; ++e) {
      const int a = random.between(0, n - 1), b = random.between(0, n - 1);
      if (a == b) continue;
      all.insert({a, b});
      if (both_ways) all.insert({b, a});
    }
    auto edge = all.begin();
    for (int v = 0; v < n; ++v) {
      for (; edge != all.end() && edge->first == v; ++edge) {
        from.push_back(v);
        neighbours.push_back(edge->second);
      }
      offsets.push_back(int(neighbours.size()));
    }
    // A buffer cannot be empty; no offset refers to this element.
    if (neighbours.empty()) {
      neighbours.push_back(0);
      from.push_back(0);
    }
  }
  int edges() const { return offsets.back(); }
  std::vector<int> depths(int source) const {
    std::vector<int> depth(u32(n), -1), queue{source};
    depth[u32(source)] = 0;
    for (size_t i = 0; i < queue.size(); ++i)
      for (int e = offsets[u32(queue[i])]; e < offsets[u32(queue[i] + 1)]; ++e) {
        int& other = depth[u32(neighbours[u32(e)])];
        if (other >= 0) continue;
        other = depth[u32(queue[i])] + 1;
        queue.push_back(neighbours[u32(e)]);
      }
    return depth;
  }
};

void bfs_frontier(Random& random, Scenario& s) {
  const int n = random.size(400), threads = random.block(128);
  const Graph graph(random, n, random.between(0, 3 * n), true);
  const auto expected = graph.depths(0);
  const int levels = *std::max_element(expected.begin(), expected.end()) + 1;
  std::vector<int> depth(u32(n), -1);
  depth[0] = 0;
  const auto offsets = s.input("row_offsets", graph.offsets), neighbours = s.input("neighbours", graph.neighbours);
  const auto in_depth = s.inout("depth", depth);
  // A queue and its length for each level; the order in a queue is undefined.
  const auto sizes = [&] {
    std::vector<int> one(u32(levels + 1));
    one[0] = 1;
    return s.inout("sizes", one);
  }();
  const auto queues = s.input("queues", std::vector<int>(size_t(levels + 1) * u32(n)));
  for (int level = 1; level <= levels; ++level)
    s.launch("bfs_frontier", {blocks_for(n, threads)}, {u32(threads)}, 0, offsets, neighbours,
             AtElement{queues, int64_t{level - 1} * n * 4}, AtElement{sizes, (level - 1) * 4},
             AtElement{queues, int64_t{level} * n * 4}, AtElement{sizes, level * 4}, in_depth, level);
  s.expect(in_depth, expected);
}

void bfs_block(Random& random, Scenario& s) {
  const int n = random.size(400), source = random.between(0, n - 1);
  const Graph graph(random, n, random.between(0, 3 * n), true);
  const auto offsets = s.input("row_offsets", graph.offsets), neighbours = s.input("neighbours", graph.neighbours);
  const auto queue = s.scratch<int>("queue", u32(n)), depth = s.inout("depth", std::vector<int>(u32(n), -1));
  s.launch("bfs_block", {1}, {u32(random.block(256))}, 0, offsets, neighbours, queue, depth, source);
  s.expect(depth, graph.depths(source));
}

void bellman_ford(Random& random, Scenario& s) {
  const int n = random.size(60), threads = random.block(128);
  const Graph graph(random, n, 4 * n, false);
  const auto weight = random.integers(graph.from.size(), 1, 50);
  std::vector<int> distance(u32(n), kInfinite), expected;
  distance[0] = 0;
  expected = distance;
  for (int round = 1; round < n; ++round)
    for (size_t e = 0; e < u32(graph.edges()); ++e)
      if (expected[u32(graph.from[e])] != kInfinite)
        expected[u32(graph.neighbours[e])] =
            std::min(expected[u32(graph.neighbours[e])], expected[u32(graph.from[e])] + weight[e]);
  const auto from = s.input("from", graph.from), to = s.input("to", graph.neighbours), w = s.input("weight", weight);
  const auto d = s.inout("distance", distance), changed = s.inout<int>("changed", {0});
  for (int round = 1; round < n; ++round)
    s.launch("bellman_ford", {blocks_for(graph.edges(), threads)}, {u32(threads)}, 0, from, to, w, graph.edges(), d,
             changed);
  s.expect(d, expected);
}

void floyd_warshall(Random& random, Scenario& s) {
  const int n = random.size(40), threads = random.block(64);
  std::vector<int> d(u32(n * n));
  for (int i = 0; i < n * n; ++i)
    d[u32(i)] = i / n == i % n ? 0 : random.once_in(3) ? random.between(1, 100) : kInfinite;
  const auto in = s.inout("d", d);
  for (int k = 0; k < n; ++k) {
    s.launch("floyd_warshall_step", {blocks_for(n, threads), u32(n)}, {u32(threads)}, 0, in, n, k);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        d[u32(i * n + j)] = std::min(d[u32(i * n + j)], d[u32(i * n + k)] + d[u32(k * n + j)]);
  }
  s.expect(in, d);
}

void union_find(Random& random, Scenario& s) {
  const int n = random.size(500), threads = random.block(128);
  const Graph graph(random, n, random.between(0, n), false);
  std::vector<int> parent(u32(n)), label(u32(n));
  std::iota(parent.begin(), parent.end(), 0);
  label = parent;
  for (bool changed = true; changed;) {  // the smallest label spreads
    changed = false;
    for (size_t e = 0; e < u32(graph.edges()); ++e) {
      int &a = label[u32(graph.from[e])], &b = label[u32(graph.neighbours[e])];
      changed = changed || a != b;
      a = b = std::min(a, b);
    }
  }
  const auto from = s.input("from", graph.from), to = s.input("to", graph.neighbours),
             trees = s.input("parent", parent);
  const auto out = s.output<int>("label", u32(n));
  s.launch("union_find", {blocks_for(graph.edges(), threads)}, {u32(threads)}, 0, from, to, graph.edges(), trees);
  s.launch("flatten", {blocks_for(n, threads)}, {u32(threads)}, 0, trees, out, n);
  s.expect(out, label);
}

void page_rank(Random& random, Scenario& s) {
  const int n = random.size(200), rounds = random.between(1, 5), threads = random.block(128);
  const Graph graph(random, n, 4 * n, false);  // its lists are read as incoming edges
  std::vector<int> out_degree(u32(n));
  for (int e = 0; e < graph.edges(); ++e) ++out_degree[u32(graph.neighbours[u32(e)])];
  std::vector<double> rank(u32(n), 1.0 / n);
  auto now = s.inout("rank", rank), next = s.output<double>("next", u32(n));
  const auto offsets = s.input("in_offsets", graph.offsets), from = s.input("in_from", graph.neighbours);
  const auto degree = s.input("out_degree", out_degree);
  for (int round = 0; round < rounds; ++round) {
    s.launch("page_rank", {blocks_for(n, threads)}, {u32(threads)}, 0, offsets, from, degree, now, next, n, 0.85);
    std::swap(now, next);
    std::vector<double> sums(u32(n), 0.15 / n);
    for (size_t e = 0; e < u32(graph.edges()); ++e) {
      const size_t u = u32(graph.neighbours[e]);
      sums[u32(graph.from[e])] += 0.85 * rank[u] / out_degree[u];
    }
    rank = sums;
  }
  s.expect(now, rank, near(1e-13, 0, "another order of the sum"));
}

void count_triangles(Random& random, Scenario& s) {
  const int n = random.size(70);
  const Graph graph(random, n, 6 * n, true);
  std::set<std::pair<int, int>> edges;
  for (size_t e = 0; e < u32(graph.edges()); ++e) edges.insert({graph.from[e], graph.neighbours[e]});
  uint64_t count = 0;
  for (const auto& [a, b] : edges)
    for (int c = b + 1; a < b && c < n; ++c) count += edges.contains({a, c}) && edges.contains({b, c}) ? 1 : 0;
  const auto offsets = s.input("offsets", graph.offsets), neighbours = s.input("neighbours", graph.neighbours);
  const auto total = s.inout<uint64_t>("total", {0});
  const int warps = random.between(1, 8);
  s.launch("count_triangles", {blocks_for(n, warps)}, {u32(32 * warps)}, 0, offsets, neighbours, n, total);
  s.expect<uint64_t>(total, {count});
}

void smith_waterman(Random& random, Scenario& s) {
  const auto a = random.integers<int8_t>(u32(random.size(120)), 'a', 'd');
  const auto b = random.integers<int8_t>(u32(random.size(120)), 'a', 'd');
  std::vector<std::vector<int>> h(a.size() + 1, std::vector<int>(b.size() + 1));
  int best = 0;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      const int score = a[i - 1] == b[j - 1] ? 3 : -2;
      h[i][j] = std::max({0, h[i - 1][j - 1] + score, h[i - 1][j] - 1, h[i][j - 1] - 1});
      best = std::max(best, h[i][j]);
    }
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.output<int>("best", 1);
  s.launch("smith_waterman", {1}, {u32(random.block(128))}, u32(int64_t(a.size()) + 1) * 12, in_a, in_b, int(a.size()),
           int(b.size()), out);
  s.expect<int>(out, {best});
}

void lcs_diagonal(Random& random, Scenario& s) {
  const int la = random.size(50), lb = random.size(50), threads = random.block(64);
  const auto a = random.integers<uint8_t>(u32(la), 'a', 'e'), b = random.integers<uint8_t>(u32(lb), 'a', 'e');
  std::vector<uint16_t> table(u32((la + 1) * (lb + 1)));
  const auto in_a = s.input("a", a), in_b = s.input("b", b), out = s.inout("table", table);
  const auto at = [&](int i, int j) -> uint16_t& { return table[u32(i * (lb + 1) + j)]; };
  for (int i = 1; i <= la; ++i)
    for (int j = 1; j <= lb; ++j)
      at(i, j) = a[u32(i - 1)] == b[u32(j - 1)] ? uint16_t(at(i - 1, j - 1) + 1) : std::max(at(i - 1, j), at(i, j - 1));
  for (int d = 2; d <= la + lb; ++d)
    s.launch("lcs_diagonal", {blocks_for(std::min(la, lb), threads)}, {u32(threads)}, 0, in_a, in_b, out, la, lb, d);
  s.expect(out, table);
}

int edit_distance(const int8_t* a, int la, const int8_t* b, int lb) {
  std::vector<std::vector<int>> d(u32(la + 1), std::vector<int>(u32(lb + 1)));
  for (int i = 0; i <= la; ++i)
    for (int j = 0; j <= lb; ++j)
      d[u32(i)][u32(j)] = i == 0   ? j
                          : j == 0 ? i
                                   : std::min({d[u32(i - 1)][u32(j)] + 1, d[u32(i)][u32(j - 1)] + 1,
                                               d[u32(i - 1)][u32(j - 1)] + (a[i - 1] != b[j - 1] ? 1 : 0)});
  return d[u32(la)][u32(lb)];
}

void levenshtein(Random& random, Scenario& s) {
  const int n = random.size(200), threads = random.block(64);
  const auto word = random.integers<int8_t>(u32(random.between(1, 30)), 'a', 'f');
  const auto others = random.integers<int8_t>(u32(n) * 32, 'a', 'f');
  const auto lengths = random.integers(u32(n), 0, 32);
  std::vector<int> expected;
  for (int i = 0; i < n; ++i)
    expected.push_back(edit_distance(word.data(), int(word.size()), &others[u32(i) * 32], lengths[u32(i)]));
  const auto in = s.input("word", word), in_others = s.input("others", others),
             in_lengths = s.input("lengths", lengths);
  const auto out = s.output<int>("distance", u32(n));
  s.launch("levenshtein", {blocks_for(n, threads)}, {u32(threads)}, 0, in, int(word.size()), in_others, in_lengths, n,
           out);
  s.expect(out, expected);
}

void knapsack(Random& random, Scenario& s) {
  const int items = random.between(1, 40), capacity = random.size(600);
  const auto weights = random.integers(u32(items), 1, 60), values = random.integers(u32(items), 1, 100);
  std::vector<int> best(u32(capacity + 1));
  for (size_t i = 0; i < weights.size(); ++i)
    for (int c = capacity; c >= weights[i]; --c)
      best[u32(c)] = std::max(best[u32(c)], best[u32(c - weights[i])] + values[i]);
  const auto w = s.input("weights", weights), v = s.input("values", values), out = s.output<int>("best", best.size());
  s.launch("knapsack", {1}, {u32(random.block(256))}, u32(capacity + 1) * 8, w, v, items, capacity, out);
  s.expect(out, best);
}

void k_means(Random& random, Scenario& s) {
  const int n = random.size(1000), k = random.between(1, 12);
  const auto points = random.integers(u32(2 * n), -1000, 1000), centres = random.integers(u32(2 * k), -1000, 1000);
  std::vector<int> assignment, sums(u32(3 * k));
  for (size_t p = 0; p < u32(n); ++p) {
    size_t best = 0;
    int64_t nearest = INT64_MAX;
    for (size_t c = 0; c < u32(k); ++c) {
      const int64_t dx = points[2 * p] - centres[2 * c], dy = points[2 * p + 1] - centres[2 * c + 1];
      if (dx * dx + dy * dy < nearest) {
        nearest = dx * dx + dy * dy;
        best = c;
      }
    }
    assignment.push_back(int(best));
    sums[3 * best] += points[2 * p];
    sums[3 * best + 1] += points[2 * p + 1];
    ++sums[3 * best + 2];
  }
  const auto in = s.input("points", points), in_centres = s.input("centres", centres);
  const auto out = s.output<int>("assignment", u32(n)), out_sums = s.inout("sums", std::vector<int>(sums.size()));
  s.launch("k_means", {u32(random.between(1, 4))}, {u32(random.block(128))}, u32(k) * 12, in, n, in_centres, k, out,
           out_sums);
  s.expect(out, assignment);
  s.expect(out_sums, sums);
}

void nearest_4(Random& random, Scenario& s) {
  const int n = random.between(4, 150), dims = random.between(1, 8), count = random.size(80),
            threads = random.block(64);
  const auto data = random.integers<int16_t>(u32(n * dims), -30, 30),
             queries = random.integers<int16_t>(u32(count * dims), -30, 30);
  std::vector<int> expected;
  for (int q = 0; q < count; ++q) {
    std::vector<std::pair<int, int>> order;
    for (int p = 0; p < n; ++p) {
      int d = 0;
      for (int x = 0; x < dims; ++x) {
        const int difference = data[u32(p * dims + x)] - queries[u32(q * dims + x)];
        d += difference * difference;
      }
      order.emplace_back(d, p);
    }
    std::sort(order.begin(), order.end());
    for (size_t i = 0; i < 4; ++i) expected.push_back(order[i].second);
  }
  const auto in = s.input("data", data), in_queries = s.input("queries", queries);
  const auto out = s.output<int>("out", expected.size());
  s.launch("nearest_4", {blocks_for(count, threads)}, {u32(threads)}, 0, in, n, dims, in_queries, count, out);
  s.expect(out, expected);
}

}  // namespace

void add_graphs(Corpus& corpus) {
  const std::string file = "graphs.cu";
  corpus.push_back({"bfs_frontier", file, bfs_frontier});
  corpus.push_back({"bfs_block", file, bfs_block});
  corpus.push_back({"bellman_ford", file, bellman_ford});
  corpus.push_back({"floyd_warshall", file, floyd_warshall});
  corpus.push_back({"union_find", file, union_find});
  corpus.push_back({"page_rank", file, page_rank});
  corpus.push_back({"count_triangles", file, count_triangles});
  corpus.push_back({"smith_waterman", file, smith_waterman});
  corpus.push_back({"lcs_diagonal", file, lcs_diagonal});
  corpus.push_back({"levenshtein", file, levenshtein});
  corpus.push_back({"knapsack", file, knapsack});
  corpus.push_back({"k_means", file, k_means});
  corpus.push_back({"nearest_4", file, nearest_4});
}

}  // namespace tilescope::differential
