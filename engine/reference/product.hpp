// A matrix product as labs name it for NVIDIA's libraries, and its column-major form that these libraries take.
//
//     "matmul_f32"  "matmul_f16"  "matmul_bf16"  "matmul_tf32"            C = A · B, accumulated in float
//     "linear_relu_f16"  "linear_gelu_bf16"  …                            C = act(A · B + bias), bias of N elements
//
// The buffers are a, b and c; for a linear layer a, b, the plain product, bias and c.
#pragma once

#include <optional>
#include <string>

#include "engine/lab.hpp"

namespace tilescope {

enum class Epilogue { none, bias_relu, bias_gelu };

struct MatrixProduct {
  DType type = DType::f32;    // the same for all matrices; accumulators are floats
  bool tensor_float = false;  // floats may be rounded to TF32
  Epilogue epilogue = Epilogue::none;
  int64_t m = 0, n = 0, k = 0;
  bool b_column_major = false;  // B[k][n] at b[n * K + k], if the lab's B_LAYOUT is 1
};
/// Nothing if the operation is not a matrix product of this form.
std::optional<MatrixProduct> product_named(const std::string& operation, const Config& config);

/// The same product for a library that reads matrices column-major. It computes Cᵀ = Bᵀ · Aᵀ: its first operand is B's
/// memory, its second A's, and c needs no transposition.
struct ColumnMajorProduct {
  int64_t rows, columns, depth;  // the result's extents: N, M, and K
  bool transpose_first;          // if B is column-major, its memory has K rows
  int64_t first_pitch, second_pitch, result_pitch;
};
ColumnMajorProduct column_major(const MatrixProduct& product);

/// Indices of the operands in the lab's buffers.
struct ProductBuffers {
  size_t a = 0, b = 1, bias = 0, c = 2;
};
ProductBuffers buffers_of(const MatrixProduct& product);

/// cudaDataType of library_types.h.
int cuda_type_of(DType type);
/// cublasComputeType_t: accumulation in float, TF32 only if the product allows it.
int compute_type_of(const MatrixProduct& product);

}  // namespace tilescope
