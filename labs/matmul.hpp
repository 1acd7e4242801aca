// What the labs on matrix multiplication share: C = A · B with A of M × K and B of K × N, all row-major unless a lab
// says otherwise; the product in double, what it may be off by, and what it costs.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// How the operands lie in memory.
struct MatmulOperands {
  DType type = DType::f16;      // of A and B
  bool b_column_major = false;  // B[k][n] at b[n * K + k]
};

/// M, N or K. `multiple` keeps rows aligned for copies of several elements.
Size make_matmul_size(std::string name, int64_t value, int64_t gpu_value, int64_t multiple, int64_t most);

/// A, B as inputs of the type, C of `output`.
std::vector<BufferSpec> make_matmul_buffers(const Config& config, const MatmulOperands& operands, DType output);

/// Elements [begin, end) of A · B in double, C flattened by rows. `a` and `b` as make_matmul_buffers describes them.
void multiply_in_double(const Config& config, const MatmulOperands& operands, const HostBuffer& a, const HostBuffer& b,
                        size_t begin, size_t end, double* expected);

/// 2 M N K, and the bytes of A and B read once and C written once.
double matmul_flops(const Config& config);
double matmul_bytes(const Config& config, DType operands, DType output);

}  // namespace tilescope
