// What the matrix multiplication labs share: C = A · B with A of M × K and B of K × N, all row-major unless a lab says
// otherwise; the product in double, its tolerance, and its cost.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// The memory layout of the operands.
struct MatmulOperands {
  DType type = DType::f16;      // for A and B
  bool b_column_major = false;  // B[k][n] at b[n * K + k]
};

/// M, N or K. `multiple` keeps rows aligned for copies of several elements each.
Size make_matmul_size(std::string name, int64_t value, int64_t gpu_value, int64_t multiple, int64_t most);

/// Inputs A and B of the operand type, and C of type `output`.
std::vector<BufferSpec> make_matmul_buffers(const Config& config, const MatmulOperands& operands, DType output);

/// Elements [begin, end) of A · B in double, indexed into row-major C. `a` and `b` are those of make_matmul_buffers.
void multiply_in_double(const Config& config, const MatmulOperands& operands, const HostBuffer& a, const HostBuffer& b,
                        size_t begin, size_t end, double* expected);

/// 2 M N K; and the bytes of reading A and B once and writing C once.
double matmul_flops(const Config& config);
double matmul_bytes(const Config& config, DType operands, DType output);

}  // namespace tilescope
