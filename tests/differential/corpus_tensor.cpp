#include "tests/differential/corpus.hpp"

namespace tilescope::differential {
namespace {

const char* const kOrder = "tensor cores add in an order of their own";

struct Halves {
  std::vector<Half> bits;
  std::vector<float> wide;
  Halves(Random& random, int count) : bits(u32(count)) {
    for (Half& value : bits) wide.push_back(float_of(value = half_of(random.real(-1, 1))));
  }
};

/// A row-major, B column-major.
double product(const Halves& a, const Halves& b, int row, int col, int k) {
  double sum = 0;
  for (int x = 0; x < k; ++x) sum += double(a.wide[u32(row * k + x)]) * double(b.wide[u32(col * k + x)]);
  return sum;
}

void wmma_gemm(Random& random, Scenario& s) {
  const int m = 16 * random.between(1, 3), n = 16 * random.between(1, 5), k = 16 * random.between(1, 5);
  const Halves a(random, m * k), b(random, n * k);
  const auto before = random.reals(u32(m * n), -1, 1);
  std::vector<float> expected;
  for (int i = 0; i < m * n; ++i)
    expected.push_back(float(2 * product(a, b, i / n, i % n, k) - double(before[u32(i)])));
  const auto in_a = s.input("A", a.bits), in_b = s.input("B", b.bits);
  const auto c = s.inout("C", before, near(0, 1e-6 * k, kOrder));
  const int warps = random.between(1, 4);
  s.launch("wmma_gemm", {blocks_for(n / 16, warps), u32(m / 16)}, {u32(32 * warps)}, 0, in_a, in_b, c, m, n, k, 2.0F,
           -1.0F);
  s.expect(c, expected, near(0, 1e-5 * k, kOrder));
}

void wmma_bytes(Random& random, Scenario& s) {
  const int k = 16 * random.between(1, 8);
  const auto a = random.words<int8_t>(u32(16 * k)), b = random.words<int8_t>(u32(16 * k));
  std::vector<int> expected(256);
  for (int i = 0; i < 256; ++i)
    for (int x = 0; x < k; ++x) expected[u32(i)] += a[u32(i / 16 * k + x)] * b[u32(i % 16 * k + x)];
  const auto in_a = s.input("A", a), in_b = s.input("B", b), c = s.output<int>("C", 256);
  s.launch("wmma_bytes", {1}, {32}, 0, in_a, in_b, c, k);
  s.expect(c, expected);
}

void mma_ldmatrix(Random& random, Scenario& s) {
  const int m = 16 * random.between(1, 4), n = 8 * random.between(1, 6), k = 16 * random.between(1, 5);
  const Halves a(random, m * k), b(random, n * k);
  std::vector<float> expected;
  for (int i = 0; i < m * n; ++i) expected.push_back(float(product(a, b, i / n, i % n, k)));
  const auto in_a = s.input("A", a.bits), in_b = s.input("B", b.bits);
  const auto c = s.output<float>("C", u32(m * n), near(0, 1e-6 * k, kOrder));
  s.launch("mma_ldmatrix", {u32(n / 8), u32(m / 16)}, {32}, 0, in_a, in_b, c, n, k);
  s.expect(c, expected, near(0, 1e-5 * k, kOrder));
}

}  // namespace

void add_tensor(Corpus& corpus) {
  corpus.push_back({"wmma_gemm", "tensor.cu", wmma_gemm});
  corpus.push_back({"wmma_bytes", "tensor.cu", wmma_bytes});
  corpus.push_back({"mma_ldmatrix", "tensor.cu", mma_ldmatrix});
}

}  // namespace tilescope::differential
