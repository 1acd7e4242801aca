// A matrix product as the labs name it for the libraries of NVIDIA, and as these want it: column-major.
//
//     "matmul_f32"  "matmul_f16"  "matmul_bf16"  "matmul_tf32"            C = A · B, sums in float
//     "linear_relu_f16"  "linear_gelu_bf16"  …                            C = act(A · B + bias), bias of N elements
//
// Buffers are a, b and c; of a linear layer a, b, the product alone, bias and c.
#pragma once

#include <optional>
#include <string>

#include "engine/lab.hpp"

namespace tilescope {

enum class Epilogue { none, bias_relu, bias_gelu };

struct MatrixProduct {
  DType type = DType::f32;    // of all matrices; sums are floats
  bool tensor_float = false;  // floats may be rounded to TF32
  Epilogue epilogue = Epilogue::none;
  int64_t m = 0, n = 0, k = 0;
  bool b_column_major = false;  // B[k][n] at b[n * K + k], where the lab's B_LAYOUT is 1
};
/// Nothing where the operation is not such a product.
std::optional<MatrixProduct> product_named(const std::string& operation, const Config& config);

/// The same product for a library that reads matrices by columns. What it sees is Cᵀ = Bᵀ · Aᵀ: its first operand is
/// B's memory and its second A's, and c needs no transposing.
struct ColumnMajorProduct {
  int64_t rows, columns, depth;  // of its result: N, M, and K
  bool transpose_first;          // where B is by columns, its memory has K rows
  int64_t first_pitch, second_pitch, result_pitch;
};
ColumnMajorProduct column_major(const MatrixProduct& product);

/// Where in the lab's buffers the operands are.
struct ProductBuffers {
  size_t a = 0, b = 1, bias = 0, c = 2;
};
ProductBuffers buffers_of(const MatrixProduct& product);

/// cudaDataType of library_types.h.
int cuda_type_of(DType type);
/// cublasComputeType_t: sums in float, TF32 only where the product allows it.
int compute_type_of(const MatrixProduct& product);

}  // namespace tilescope
