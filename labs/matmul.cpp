#include "labs/matmul.hpp"

#include <algorithm>

namespace tilescope {
namespace {

constexpr size_t kBits16 = size_t{1} << 16;

/// Every value of a type of 16 bits, by its bits.
std::vector<float> values_of(DType type) {
  HostBuffer all(type, kBits16);
  for (size_t bits = 0; bits < kBits16; ++bits) all.as<uint16_t>()[bits] = static_cast<uint16_t>(bits);
  std::vector<float> values(kBits16);
  for (size_t bits = 0; bits < kBits16; ++bits) values[bits] = static_cast<float>(value_at(all, bits));
  return values;
}

const std::vector<float>& table_of(DType type) {
  static const std::vector<float> halves = values_of(DType::f16), brains = values_of(DType::bf16);
  return type == DType::f16 ? halves : brains;
}

/// A matrix of floats or of a type of 16 bits, read as doubles.
class Values {
 public:
  explicit Values(const HostBuffer& buffer) {
    if (buffer.type == DType::f32)
      floats_ = buffer.as<float>().data();
    else
      bits_ = buffer.as<uint16_t>().data(), table_ = table_of(buffer.type).data();
  }
  double operator[](size_t index) const { return double{bits_ == nullptr ? floats_[index] : table_[bits_[index]]}; }

 private:
  const float *floats_ = nullptr, *table_ = nullptr;
  const uint16_t* bits_ = nullptr;
};

/// A rectangle of C: some rows, of each the columns [first, first + count).
struct Part {
  size_t row, rows, first, count;
};

void multiply_part(const Values& a, const Values& b, size_t depth, size_t columns, bool b_column_major,
                   const Part& part, double* expected) {
  std::fill_n(expected, part.rows * part.count, 0.0);
  std::vector<double> of_b(part.count);
  for (size_t k = 0; k < depth; ++k) {
    for (size_t j = 0; j < part.count; ++j)
      of_b[j] = b[b_column_major ? (part.first + j) * depth + k : k * columns + part.first + j];
    for (size_t i = 0; i < part.rows; ++i) {
      const double of_a = a[(part.row + i) * depth + k];
      double* sum = expected + i * part.count;
      for (size_t j = 0; j < part.count; ++j) sum[j] += of_a * of_b[j];
    }
  }
}

}  // namespace

Size make_matmul_size(std::string name, int64_t value, int64_t gpu_value, int64_t multiple, int64_t most) {
  static const std::map<std::string, Text> titles{{"M", {"M, rows of A and C", "M，A 与 C 的行数"}},
                                                  {"N", {"N, columns of B and C", "N，B 与 C 的列数"}},
                                                  {"K", {"K, depth", "K，深度"}}};
  const Text& title = titles.at(name);
  std::vector<int64_t> offered{1,    8,    17,   32,   64,   100,  128,   200,   256,   300,   512,   1000,
                               1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 65536, 131072};
  std::erase_if(offered, [&](int64_t stop) { return stop % multiple != 0; });
  return {.name = std::move(name),
          .title = title,
          .unit = {"elements", "元素"},
          .value = value,
          .gpu_value = gpu_value,
          .min = multiple,
          .max_sim = most,
          .max_gpu = most,
          .offered = std::move(offered),
          .multiple_of = multiple};
}

std::vector<BufferSpec> make_matmul_buffers(const Config& config, const MatmulOperands& operands, DType output) {
  const int64_t m = config.size("M"), n = config.size("N"), k = config.size("K");
  const std::vector<int64_t> of_b = operands.b_column_major ? std::vector{n, k} : std::vector{k, n};
  return {{.name = "a", .type = operands.type, .shape = {m, k}, .role = Role::input, .fill = Fill::normal},
          {.name = "b", .type = operands.type, .shape = of_b, .role = Role::input, .fill = Fill::normal},
          {.name = "c", .type = output, .shape = {m, n}, .role = Role::output, .fill = Fill::poison}};
}

void multiply_in_double(const Config& config, const MatmulOperands& operands, const HostBuffer& a, const HostBuffer& b,
                        size_t begin, size_t end, double* expected) {
  const auto depth = static_cast<size_t>(config.size("K")), columns = static_cast<size_t>(config.size("N"));
  const Values of_a(a), of_b(b);
  for (size_t at = begin; at < end;) {
    const size_t row = at / columns, column = at % columns;
    const bool whole_rows = column == 0 && end - at >= columns;
    const size_t rows = whole_rows ? (end - at) / columns : 1;
    const size_t count = whole_rows ? columns : std::min(columns - column, end - at);
    multiply_part(of_a, of_b, depth, columns, operands.b_column_major, {row, rows, column, count},
                  expected + (at - begin));
    at += rows * count;
  }
}

double matmul_flops(const Config& config) {
  return 2.0 * static_cast<double>(config.size("M")) * static_cast<double>(config.size("N")) *
         static_cast<double>(config.size("K"));
}

double matmul_bytes(const Config& config, DType operands, DType output) {
  const auto m = static_cast<double>(config.size("M")), n = static_cast<double>(config.size("N")),
             k = static_cast<double>(config.size("K"));
  return static_cast<double>(size_of(operands)) * (m * k + k * n) + static_cast<double>(size_of(output)) * m * n;
}

}  // namespace tilescope
