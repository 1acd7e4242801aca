#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

const char* const kRounding = "single precision against double";

/// C = A B in double precision.
template <class T>
std::vector<double> product(const std::vector<T>& a, const std::vector<T>& b, int m, int n, int k) {
  std::vector<double> c(u32(m) * size_t(n));
  for (int row = 0; row < m; ++row)
    for (int inner = 0; inner < k; ++inner)
      for (int col = 0; col < n; ++col)
        c[u32(row * n + col)] += double(a[u32(row * k + inner)]) * double(b[u32(inner * n + col)]);
  return c;
}
std::vector<float> singles(const std::vector<double>& values) { return {values.begin(), values.end()}; }

void matmul_naive(Random& random, Scenario& s) {
  const int m = random.size(60), n = random.size(60), k = random.size(60);
  const auto a = random.reals(u32(m * k), -1, 1), b = random.reals(u32(k * n), -1, 1);
  const auto in_a = s.input("A", a), in_b = s.input("B", b), c = s.output<float>("C", u32(m * n));
  const uint32_t x = u32(random.power(1, 32)), y = u32(random.between(1, 16));
  s.launch("matmul_naive", {blocks_for(n, x), blocks_for(m, y)}, {x, y}, 0, in_a, in_b, c, m, n, k);
  s.expect(c, singles(product(a, b, m, n, k)), near(0, 1e-6 * (k + 2), kRounding));
}

template <int kTile>
void matmul_tiled(Random& random, Scenario& s) {
  const int m = random.size(70), n = random.size(70), k = random.size(70);
  const auto a = random.reals(u32(m * k), -1, 1), b = random.reals(u32(k * n), -1, 1);
  const auto before = random.reals(u32(m * n), -1, 1);
  const auto in_a = s.input("A", a), in_b = s.input("B", b), c = s.inout("C", before);
  s.launch("matmul_tiled_" + std::to_string(kTile), {blocks_for(n, kTile), blocks_for(m, kTile)}, {kTile, kTile}, 0,
           in_a, in_b, c, m, n, k, 1.5F, -0.5F);
  auto expected = product(a, b, m, n, k);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = 1.5 * expected[i] - 0.5 * double(before[i]);
  s.expect(c, singles(expected), near(0, 2e-6 * (k + 2), kRounding));
}

void matmul_double_buffered(Random& random, Scenario& s) {
  const int m = random.size(80), n = random.size(80), k = random.size(80);
  const auto a = random.reals(u32(m * k), -1, 1), b = random.reals(u32(k * n), -1, 1);
  const auto in_a = s.input("A", a), in_b = s.input("B", b), c = s.output<float>("C", u32(m * n));
  s.launch("matmul_double_buffered", {blocks_for(n, 32), blocks_for(m, 32)}, {64}, 0, in_a, in_b, c, m, n, k);
  s.expect(c, singles(product(a, b, m, n, k)), near(0, 1e-6 * (k + 2), kRounding));
}

void matmul_double(Random& random, Scenario& s) {
  const int n = random.size(48);
  const auto a = random.reals<double>(u32(n * n), -1, 1), b = random.reals<double>(u32(n * n), -1, 1);
  const auto in_a = s.input("A", a), in_b = s.input("B", b), c = s.output<double>("C", u32(n * n));
  s.launch("matmul_double", {blocks_for(n, 8), blocks_for(n, 8)}, {8, 8}, 0, in_a, in_b, c, n);
  s.expect(c, product(a, b, n, n, n), near(0, 1e-14 * (n + 2), "fused and unfused"));
}

void matmul_half(Random& random, Scenario& s) {
  const int m = random.size(40), n = random.size(40), k = random.size(40);
  std::vector<Half> a(u32(m * k)), b(u32(k * n));
  std::vector<float> wide_a, wide_b;
  for (Half& value : a) wide_a.push_back(float_of(value = half_of(random.real(-1, 1))));
  for (Half& value : b) wide_b.push_back(float_of(value = half_of(random.real(-1, 1))));
  std::vector<Half> expected;
  for (double value : product(wide_a, wide_b, m, n, k)) expected.push_back(half_of(float(value)));
  const auto in_a = s.input("A", a), in_b = s.input("B", b), c = s.output<Half>("C", u32(m * n));
  s.launch("matmul_half", {blocks_for(n, 16), blocks_for(m, 8)}, {16, 8}, 0, in_a, in_b, c, m, n, k);
  s.expect(c, expected, near(1e-3, 1e-6 * (k + 2), "rounding to half"));
}

void matmul_dp4a(Random& random, Scenario& s) {
  const int m = random.size(40), n = random.size(40), quads = random.size(24), k = 4 * quads;
  const auto a = random.words<int8_t>(u32(m * k)), b = random.words<int8_t>(u32(n * k));
  std::vector<int> expected(u32(m * n));
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int x = 0; x < k; ++x) expected[u32(i * n + j)] += a[u32(i * k + x)] * b[u32(j * k + x)];
  const auto in_a = s.input("A", a), in_b = s.input("B", b), c = s.output<int>("C", u32(m * n));
  s.launch("matmul_dp4a", {blocks_for(n, 32), blocks_for(m, 4)}, {32, 4}, 0, in_a, in_b, c, m, n, quads);
  s.expect(c, expected);
}

void transpose_padded(Random& random, Scenario& s) {
  const int width = random.size(150), height = random.size(150);
  const auto in = random.reals(u32(width * height), -1, 1);
  std::vector<float> expected(in.size());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) expected[u32(x * height + y)] = in[u32(y * width + x)];
  const auto a = s.input("idata", in), out = s.output<float>("odata", in.size());
  s.launch("transpose_padded", {blocks_for(width, 32), blocks_for(height, 32)}, {32, 8}, 0, out, a, width, height);
  s.expect(out, expected);
}

void transpose_in_place(Random& random, Scenario& s) {
  const int n = random.size(100);
  const auto in = random.words<uint16_t>(u32(n * n));
  auto expected = in;
  for (int y = 0; y < n; ++y)
    for (int x = 0; x < n; ++x) expected[u32(x * n + y)] = in[u32(y * n + x)];
  const auto m = s.inout("m", in);
  s.launch("transpose_in_place", {blocks_for(n, 16), blocks_for(n, 16)}, {16, 16}, 0, m, n);
  s.expect(m, expected);
}

void gemv_batched(Random& random, Scenario& s) {
  const int batch = random.between(1, 4), rows = random.size(40), cols = random.size(150);
  const auto a = random.reals(u32(batch * rows * cols), -1, 1), x = random.reals(u32(batch * cols), -1, 1);
  std::vector<double> expected(u32(batch * rows));
  for (int i = 0; i < batch * rows; ++i)
    for (int c = 0; c < cols; ++c)
      expected[u32(i)] += double(a[u32(i * cols + c)]) * double(x[u32(i / rows * cols + c)]);
  const auto in_a = s.input("A", a), in_x = s.input("x", x), y = s.output<float>("y", u32(batch * rows));
  const uint32_t warps = u32(random.between(1, 8));
  s.launch("gemv_batched", {blocks_for(rows, warps), u32(batch)}, {32, warps}, 0, in_a, in_x, y, rows, cols);
  s.expect(y, singles(expected), near(0, 1e-6 * (cols + 2), kRounding));
}

/// A sparse matrix in CSR form; some rows are empty, some long.
struct Sparse {
  int rows, cols;
  std::vector<int> row_ptr{0}, row, col;
  std::vector<float> val;

  Sparse(Random& random, int most_per_row) : rows(random.size(300)), cols(random.size(300)) {
    for (int r = 0; r < rows; ++r) {
      for (int left = random.once_in(4) ? 0 : random.between(0, most_per_row); left > 0; --left) {
        row.push_back(r);
        col.push_back(random.between(0, cols - 1));
        val.push_back(random.real(-1, 1));
      }
      row_ptr.push_back(int(col.size()));
    }
    // A buffer cannot be empty: one entry that no row refers to.
    if (col.empty()) {
      row.push_back(0);
      col.push_back(0);
      val.push_back(0);
    }
  }
  std::vector<float> times(const std::vector<float>& x) const {
    std::vector<double> y(u32(rows));
    for (size_t i = 0; i < col.size(); ++i) y[u32(row[i])] += double(val[i]) * double(x[u32(col[i])]);
    return singles(y);
  }
};

void spmv_csr(const std::string& kernel, int threads_per_row, Random& random, Scenario& s) {
  const Sparse m(random, 60);
  const auto x = random.reals(u32(m.cols), -1, 1);
  const auto row_ptr = s.input("row_ptr", m.row_ptr), col = s.input("col", m.col), val = s.input("val", m.val);
  const auto in_x = s.input("x", x), y = s.output<float>("y", u32(m.rows));
  const int threads = 32 * random.between(1, 8);
  s.launch(kernel, {blocks_for(int64_t{m.rows} * threads_per_row, threads)}, {u32(threads)}, 0, m.rows, row_ptr, col,
           val, in_x, y);
  s.expect(y, m.times(x), near(0, 1e-4, kRounding));
}

void spmv_ell(Random& random, Scenario& s) {
  const Sparse m(random, 12);
  const int per_row = 12;
  const auto x = random.reals(u32(m.cols), -1, 1);
  std::vector<int> indices(u32(m.rows * per_row), -1);
  std::vector<float> data(indices.size());
  for (int r = 0; r < m.rows; ++r)
    for (int j = m.row_ptr[u32(r)]; j < m.row_ptr[u32(r + 1)]; ++j) {
      const size_t at = u32(m.rows * (j - m.row_ptr[u32(r)]) + r);
      indices[at] = m.col[u32(j)];
      data[at] = m.val[u32(j)];
    }
  const auto in_indices = s.input("indices", indices), in_data = s.input("data", data), in_x = s.input("x", x);
  const auto y = s.output<float>("y", u32(m.rows));
  const int threads = random.block(256);
  s.launch("spmv_ell", {blocks_for(m.rows, threads)}, {u32(threads)}, 0, m.rows, per_row, in_indices, in_data, in_x, y);
  s.expect(y, m.times(x), near(0, 1e-5, kRounding));
}

void spmv_coo(Random& random, Scenario& s) {
  const Sparse m(random, 20);
  const auto val = random.integers(m.col.size(), -9, 9), x = random.integers(u32(m.cols), -9, 9);
  std::vector<int> expected(u32(m.rows));
  for (size_t i = 0; i < m.col.size(); ++i) expected[u32(m.row[i])] += val[i] * x[u32(m.col[i])];
  const auto row = s.input("row", m.row), col = s.input("col", m.col), in_val = s.input("val", val);
  const auto in_x = s.input("x", x), y = s.inout("y", std::vector<int>(u32(m.rows)));
  s.launch("spmv_coo", {u32(random.between(1, 6))}, {u32(random.block(256))}, 0, int(m.col.size()), row, col, in_val,
           in_x, y);
  s.expect(y, expected);
}

}  // namespace

void add_matrices(Corpus& corpus) {
  const std::string file = "matrices.cu";
  corpus.push_back({"matmul_naive", file, matmul_naive});
  corpus.push_back({"matmul_tiled_16", file, matmul_tiled<16>});
  corpus.push_back({"matmul_tiled_8", file, matmul_tiled<8>});
  corpus.push_back({"matmul_double_buffered", file, matmul_double_buffered});
  corpus.push_back({"matmul_double", file, matmul_double});
  corpus.push_back({"matmul_half", file, matmul_half});
  corpus.push_back({"matmul_dp4a", file, matmul_dp4a});
  corpus.push_back({"transpose_padded", file, transpose_padded});
  corpus.push_back({"transpose_in_place", file, transpose_in_place});
  corpus.push_back({"gemv_batched", file, gemv_batched});
  corpus.push_back(
      {"spmv_csr_scalar", file, [](Random& random, Scenario& s) { spmv_csr("spmv_csr_scalar", 1, random, s); }});
  corpus.push_back(
      {"spmv_csr_vector", file, [](Random& random, Scenario& s) { spmv_csr("spmv_csr_vector", 32, random, s); }});
  corpus.push_back({"spmv_ell", file, spmv_ell});
  corpus.push_back({"spmv_coo", file, spmv_coo});
}

}  // namespace tilescope::differential
