// The arguments passed to cuBLAS and cuBLASLt. Neither runs without a GPU, so the arguments go to a column-major
// multiplication written here from the BLAS standard, which is compared with the row-major product.
#include "engine/reference/product.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "engine/reference/cublaslt.hpp"

namespace tilescope {
namespace {

Config config_of(int64_t m, int64_t n, int64_t k, int64_t layout) {
  return {.sizes = {{"M", m}, {"N", n}, {"K", k}}, .params = {{"B_LAYOUT", layout}}};
}

/// GEMM of the BLAS: c = op(a) · op(b), rows × columns with a sum over depth; element (i, j) of a matrix with pitch p
/// is at i + j p, and op transposes if requested.
std::vector<double> multiply_by_columns(const ColumnMajorProduct& shape, const std::vector<double>& a,
                                        const std::vector<double>& b, size_t result_size) {
  std::vector<double> c(result_size, -1);
  const auto at = [](int64_t row, int64_t column, int64_t pitch) { return static_cast<size_t>(row + column * pitch); };
  for (int64_t i = 0; i < shape.rows; ++i)
    for (int64_t j = 0; j < shape.columns; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < shape.depth; ++k)
        sum += a.at(shape.transpose_first ? at(k, i, shape.first_pitch) : at(i, k, shape.first_pitch)) *
               b.at(at(k, j, shape.second_pitch));
      c.at(at(i, j, shape.result_pitch)) = sum;
    }
  return c;
}

TEST(Product, ByColumnsIsTheSameAsByRowsForBothLayoutsOfB) {
  constexpr int64_t kM = 3, kN = 5, kK = 4;  // all different, so that swapped ones are detected
  std::vector<double> a(kM * kK), b(kK * kN);
  std::iota(a.begin(), a.end(), 1);
  std::iota(b.begin(), b.end(), 100);
  for (const int64_t layout : {0, 1}) {
    std::vector<double> expected(kM * kN, 0);
    for (int64_t i = 0; i < kM; ++i)
      for (int64_t j = 0; j < kN; ++j)
        for (int64_t k = 0; k < kK; ++k)
          expected[static_cast<size_t>(i * kN + j)] +=
              a[static_cast<size_t>(i * kK + k)] * b[static_cast<size_t>(layout == 1 ? j * kK + k : k * kN + j)];
    const auto product = product_named("matmul_f32", config_of(kM, kN, kK, layout));
    ASSERT_TRUE(product);
    // The library's first operand is B in memory.
    EXPECT_EQ(multiply_by_columns(column_major(*product), b, a, expected.size()), expected) << layout;
  }
}

TEST(Product, ANameSaysTypeRoundingAndEpilogue) {
  const Config config = config_of(2, 3, 4, 0);
  const auto tensor = product_named("matmul_tf32", config);
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->type, DType::f32);
  EXPECT_TRUE(tensor->tensor_float);
  EXPECT_EQ(compute_type_of(*tensor), 77);  // CUBLAS_COMPUTE_32F_FAST_TF32
  const auto plain = product_named("matmul_f32", config);
  ASSERT_TRUE(plain);
  EXPECT_EQ(compute_type_of(*plain), 68);  // CUBLAS_COMPUTE_32F: TF32 is off
  const auto layer = product_named("linear_gelu_bf16", config);
  ASSERT_TRUE(layer);
  EXPECT_EQ(layer->type, DType::bf16);
  EXPECT_EQ(layer->epilogue, Epilogue::bias_gelu);
  EXPECT_EQ(cuda_type_of(layer->type), 14);  // CUDA_R_16BF
  EXPECT_EQ(product_named("linear_relu_f16", config)->epilogue, Epilogue::bias_relu);
}

TEST(Product, NoOtherNameIsOne) {
  const Config config = config_of(2, 3, 4, 0);
  for (const char* name : {"", "matmul", "matmul_", "matmul_f64", "geam", "linear_f16", "linear_tanh_f16", "_f16"})
    EXPECT_FALSE(product_named(name, config)) << name;
}

TEST(Product, OfALabWithoutTheParameterHasBByRows) {
  Config config = config_of(2, 3, 4, 0);
  config.params.clear();
  EXPECT_FALSE(product_named("matmul_f16", config)->b_column_major);
}

TEST(Product, ALayerHasItsBiasBetweenTheProductAndC) {
  const auto layer = product_named("linear_relu_f16", config_of(2, 3, 4, 0));
  const ProductBuffers at = buffers_of(*layer);
  EXPECT_EQ(at.a, 0U);
  EXPECT_EQ(at.b, 1U);
  EXPECT_EQ(at.bias, 3U);
  EXPECT_EQ(at.c, 4U);
  EXPECT_EQ(buffers_of(*product_named("matmul_f16", config_of(2, 3, 4, 0))).c, 2U);
}

TEST(CublasLt, NamesTilesAndClustersOfItsHeaderAndGivesTheNumberOfOthers) {
  EXPECT_EQ(cublaslt_tile_text(20), "128 × 128");  // CUBLASLT_MATMUL_TILE_128x128
  EXPECT_EQ(cublaslt_tile_text(23), "128 × 256");  // CUBLASLT_MATMUL_TILE_128x256
  EXPECT_EQ(cublaslt_tile_text(35), "256 × 32");   // CUBLASLT_MATMUL_TILE_256x32
  EXPECT_EQ(cublaslt_tile_text(777), "777");
  EXPECT_EQ(cublaslt_cluster_text(3), "2 × 1");   // CUBLASLT_CLUSTER_SHAPE_2x1x1
  EXPECT_EQ(cublaslt_cluster_text(14), "2 × 8");  // CUBLASLT_CLUSTER_SHAPE_2x8x1
  EXPECT_EQ(cublaslt_cluster_text(0), "");
  EXPECT_EQ(cublaslt_cluster_text(40), "40");
}

}  // namespace
}  // namespace tilescope
