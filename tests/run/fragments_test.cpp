// Fragments assembled lane by lane as fragments_of says, and multiplied by mma.sync on the simulator (whose products
// tests/ptx compares with an H200's): the result must be the product of the matrices.
#include "engine/traffic/access/fragments.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "engine/run/engine.hpp"
#include "tests/sim/run_kernel.hpp"

namespace tilescope {
namespace {

constexpr const char* kKernels = R"(
extern "C" __global__ void halves(const unsigned* a, const unsigned* b, float* c) {
  unsigned l = threadIdx.x;
  float d[4];
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[l * 4]), "r"(a[l * 4 + 1]), "r"(a[l * 4 + 2]), "r"(a[l * 4 + 3]), "r"(b[l * 2]), "r"(b[l * 2 + 1]), "f"(0.0f));
  for (int i = 0; i < 4; ++i) c[l * 4 + i] = d[i];
}
extern "C" __global__ void tf32(const unsigned* a, const unsigned* b, float* c) {
  unsigned l = threadIdx.x;
  float d[4];
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%10,%10,%10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[l * 4]), "r"(a[l * 4 + 1]), "r"(a[l * 4 + 2]), "r"(a[l * 4 + 3]), "r"(b[l * 2]), "r"(b[l * 2 + 1]), "f"(0.0f));
  for (int i = 0; i < 4; ++i) c[l * 4 + i] = d[i];
}
extern "C" __global__ void load(const unsigned short* in, unsigned* out) {
  __shared__ __align__(16) unsigned short tile[32 * 8];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = in[i];
  __syncthreads();
  unsigned r[4], at = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = r[i];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  for (int i = 0; i < 4; ++i) out[128 + threadIdx.x * 4 + i] = r[i];
}
)";

const CompiledModule& kernels() {
  static const CompiledModule module = [] {
    auto compiled = (*Engine::open({})->compiler())->compile({.text = kKernels, .file = "fragments.cu"}, {});
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().message);
    return compiled ? *compiled : CompiledModule{};
  }();
  return module;
}

constexpr const char* kHalves = "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1,%f2}, {%r1}, {%r2}, {%f3};";
constexpr const char* kTf32 = "@%p1 mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f1}, {%r1}, {%r2}, {%f3};";

/// Small whole numbers, exact in every type; no two rows or columns are alike.
float value_of(const FragmentMatrix& matrix, uint32_t row, uint32_t column) {
  return matrix.role == FragmentMatrix::Role::a ? static_cast<float>((row * 7 + column * 3) % 17)
                                                : static_cast<float>((row * 5 + column * 11) % 13);
}

std::vector<uint32_t> packed(const FragmentMatrix& matrix, size_t registers) {
  std::vector<uint32_t> words(32 * registers, 0);
  for (uint32_t row = 0; row < matrix.rows; ++row)
    for (uint32_t column = 0; column < matrix.columns; ++column) {
      const FragmentPlace place = matrix.place(row, column);
      const float value = value_of(matrix, row, column);
      uint32_t bits = 0;
      std::memcpy(&bits, &value, 4);
      uint32_t& word = words.at(place.lane * registers + place.reg);
      word |= matrix.per_register == 2 ? bits >> 16 << (place.part * 16) : bits;
    }
  return words;
}

void expect_product(const char* ptx, const char* kernel) {
  const auto matrices = fragments_of(ptx);
  ASSERT_TRUE(matrices) << ptx;
  const FragmentMatrix &a = (*matrices)[0], &b = (*matrices)[1], &c = (*matrices)[2];
  Machinery machinery;
  machinery.input("a", packed(a, 4));
  machinery.input("b", packed(b, 2));
  const size_t out = machinery.output<float>("c", 128);
  machinery.run(kernels(), kernel, {1}, {32});
  const auto got = machinery.download<float>(out);
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t column = 0; column < 8; ++column) {
      float sum = 0;
      for (uint32_t k = 0; k < a.columns; ++k) sum += value_of(a, row, k) * value_of(b, k, column);
      const FragmentPlace place = c.place(row, column);
      ASSERT_EQ(got[place.lane * 4 + place.reg], sum) << row << " " << column;
    }
}

TEST(Fragments, OfSixteenBitsMultiplyAsTheirMatricesDo) { expect_product(kHalves, "halves"); }
TEST(Fragments, OfTf32MultiplyAsTheirMatricesDo) { expect_product(kTf32, "tf32"); }

TEST(Fragments, OfLdmatrixAreWhatItLoads) {
  std::vector<uint16_t> tile(256);
  for (size_t i = 0; i < tile.size(); ++i) tile[i] = static_cast<uint16_t>(i);
  Machinery machinery;
  machinery.input("in", tile);
  const size_t out = machinery.output<uint32_t>("out", 256);
  machinery.run(kernels(), "load", {1}, {32});
  const auto got = machinery.download<uint32_t>(out);
  const char* forms[] = {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
                         "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];"};
  for (size_t form = 0; form < 2; ++form) {
    const auto matrices = fragments_of(forms[form]);
    ASSERT_TRUE(matrices);
    ASSERT_EQ(matrices->size(), 4U);
    for (uint32_t i = 0; i < 4; ++i)
      for (uint32_t row = 0; row < 8; ++row)
        for (uint32_t column = 0; column < 8; ++column) {
          const FragmentPlace place = (*matrices)[i].place(row, column);
          const uint32_t word = got[form * 128 + place.lane * 4 + place.reg];
          ASSERT_EQ(word >> (16 * place.part) & 0xffffU, (i * 8 + row) * 8 + column) << form << " " << i;
        }
  }
}

TEST(Fragments, AreOfNothingElse) {
  EXPECT_FALSE(fragments_of("fma.rn.f32 %f1, %f2, %f3, %f4;"));
  EXPECT_FALSE(fragments_of(""));
  EXPECT_FALSE(fragments_of("mma.sync"));
  EXPECT_FALSE(fragments_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1}, {%fd2}, {%fd3}, {%fd4};"));
}

}  // namespace
}  // namespace tilescope
