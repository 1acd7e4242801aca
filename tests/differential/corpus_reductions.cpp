#include <cmath>
#include <numeric>

#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

std::vector<int> sums_of_parts(const std::vector<int>& values, size_t part, size_t parts) {
  std::vector<int> sums(parts);
  for (size_t i = 0; i < values.size(); ++i) sums[i / part] += values[i];
  return sums;
}

/// One sum per block of `elements_per_thread` × threads elements.
auto block_sums(const std::string& kernel, int elements_per_thread, bool power_of_two) {
  return [=](Random& random, Scenario& s) {
    const int n = random.size(5000), threads = power_of_two ? random.power(1, 512) : random.block(512);
    const auto in = random.integers(u32(n), -1000, 1000);
    const uint32_t blocks = blocks_for(n, threads * elements_per_thread);
    const auto a = s.input("g_in", in);
    const auto out = s.output<int>("g_out", blocks);
    s.launch(kernel, {blocks}, {u32(threads)}, u32(threads) * 4, a, out, n);
    s.expect(out, sums_of_parts(in, size_t(threads) * size_t(elements_per_thread), blocks));
  };
}

template <int kThreads>
void reduce_unrolled(Random& random, Scenario& s) {
  const int n = random.size(8000);
  const uint32_t blocks = u32(random.between(1, 5));
  const auto in = random.integers(u32(n), -1000, 1000);
  const auto a = s.input("g_in", in);
  const auto out = s.output<int>("g_out", blocks);
  s.launch("reduce_unrolled_" + std::to_string(kThreads), {blocks}, {kThreads}, 0, a, out, n);
  std::vector<int> sums(blocks);
  for (size_t i = 0; i < in.size(); ++i) sums[i / (2 * kThreads) % blocks] += in[i];
  s.expect(out, sums);
}

void reduce_shuffle(Random& random, Scenario& s) {
  const int n = random.size(8000);
  const auto in = random.integers(u32(n), -100000, 100000);
  const auto a = s.input("in", in);
  const auto out = s.inout<int>("out", {0});
  s.launch("reduce_shuffle", {u32(random.between(1, 6))}, {u32(32 * random.between(1, 32))}, 0, a, out, n);
  s.expect<int>(out, {std::accumulate(in.begin(), in.end(), 0)});
}

void reduce_single_pass(Random& random, Scenario& s) {
  const int n = random.size(8000);
  const uint32_t blocks = u32(random.between(1, 20));
  const auto in = random.reals(u32(n), -1, 1);
  const auto a = s.input("in", in);
  const auto partial = s.scratch<float>("partial", blocks);
  const auto out = s.output<float>("out", 1);
  s.launch("reset_retirement", {1}, {1}, 0);
  s.launch("reduce_single_pass", {blocks}, {u32(random.power(1, 256))}, 0, a, partial, out, n);
  double sum = 0, size = 0;
  for (float value : in) {
    sum += double(value);
    size += std::abs(double(value));
  }
  s.expect<float>(out, {float(sum)}, near(0, size * 1e-5, "single-precision sum in another order"));
}

void row_argmax(Random& random, Scenario& s) {
  const int rows = random.between(1, 6), cols = random.size(700);
  // Few distinct values: ties are decided in favour of the smaller column.
  const auto in = random.integers<int>(u32(rows * cols), -20, 20);
  std::vector<float> m(in.begin(), in.end()), what;
  std::vector<int> where;
  for (int r = 0; r < rows; ++r) {
    const auto row = m.begin() + r * cols;
    const auto best = std::max_element(row, row + cols);
    where.push_back(int(best - row));
    what.push_back(*best);
  }
  const auto a = s.input("m", m);
  const auto out_where = s.output<int>("where", u32(rows));
  const auto out_what = s.output<float>("what", u32(rows));
  s.launch("row_argmax", {u32(rows)}, {u32(32 * random.between(1, 8))}, 0, a, cols, out_where, out_what);
  s.expect(out_where, where);
  s.expect(out_what, what);
}

void row_moments(Random& random, Scenario& s) {
  const int rows = random.between(1, 5), cols = random.size(1000);
  const auto in = random.reals(u32(rows * cols), -3, 5);
  std::vector<float> means, variances;
  for (int r = 0; r < rows; ++r) {
    double mean = 0, squares = 0;
    for (int c = 0; c < cols; ++c) mean += double(in[u32(r * cols + c)]) / cols;
    for (int c = 0; c < cols; ++c) squares += std::pow(double(in[u32(r * cols + c)]) - mean, 2) / cols;
    means.push_back(float(mean));
    variances.push_back(float(squares));
  }
  const auto a = s.input("in", in);
  const auto mean = s.output<float>("mean", u32(rows));
  const auto variance = s.output<float>("variance", u32(rows));
  s.launch("row_moments", {u32(rows)}, {u32(random.block(128))}, 0, a, mean, variance, cols);
  s.expect(mean, means, near(1e-5, 1e-5, "single precision against double"));
  s.expect(variance, variances, near(1e-4, 1e-5, "single precision against double"));
}

void dot_double(Random& random, Scenario& s) {
  const int n = random.size(6000), threads = random.power(1, 256);
  const auto x = random.reals<double>(u32(n), -1, 1), y = random.reals<double>(u32(n), -1, 1);
  const auto a = s.input("x", x), b = s.input("y", y);
  const auto out = s.inout<double>("out", {0.0}, near(1e-12, 1e-12, "blocks add in any order"));
  s.launch("dot_double", {u32(random.between(1, 6))}, {u32(threads)}, u32(threads) * 8, a, b, out, n);
  s.expect<double>(out, {std::inner_product(x.begin(), x.end(), y.begin(), 0.0)}, near(0, 1e-10, "another order"));
}

void min_max(Random& random, Scenario& s) {
  const int vectors = random.size(2000);
  const auto in = random.words<int>(u32(vectors) * 4);
  const auto a = s.input("in", in);
  const auto out = s.inout<int>("low_high", {INT32_MAX, INT32_MIN});
  s.launch("min_max", {u32(random.between(1, 5))}, {u32(32 * random.between(1, 16))}, 0, a, vectors, out);
  const auto [low, high] = std::minmax_element(in.begin(), in.end());
  s.expect<int>(out, {*low, *high});
}

}  // namespace

void add_reductions(Corpus& corpus) {
  const std::string file = "reductions.cu";
  corpus.push_back({"reduce_interleaved", file, block_sums("reduce_interleaved", 1, false)});
  corpus.push_back({"reduce_strided_index", file, block_sums("reduce_strided_index", 1, false)});
  corpus.push_back({"reduce_sequential", file, block_sums("reduce_sequential", 2, true)});
  corpus.push_back({"reduce_unrolled_256", file, reduce_unrolled<256>});
  corpus.push_back({"reduce_unrolled_64", file, reduce_unrolled<64>});
  corpus.push_back({"reduce_shuffle", file, reduce_shuffle});
  corpus.push_back({"reduce_single_pass", file, reduce_single_pass});
  corpus.push_back({"row_argmax", file, row_argmax});
  corpus.push_back({"row_moments", file, row_moments});
  corpus.push_back({"dot_double", file, dot_double});
  corpus.push_back({"min_max", file, min_max});
}

}  // namespace tilescope::differential
