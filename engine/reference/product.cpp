#include "engine/reference/product.hpp"

#include <array>

namespace tilescope {
namespace {

// From library_types.h and cublas_api.h; the values have been stable since version 11 of the toolkit.
constexpr int kProductReal32 = 0, kReal16 = 2, kRealBrain16 = 14;
constexpr int kCompute32 = 68, kComputeTensorFloat = 77;

struct NamedType {
  const char* suffix;
  DType type;
  bool tensor_float;
};
constexpr std::array kTypes{NamedType{"_f32", DType::f32, false}, NamedType{"_tf32", DType::f32, true},
                            NamedType{"_f16", DType::f16, false}, NamedType{"_bf16", DType::bf16, false}};

std::optional<Epilogue> epilogue_named(const std::string& name) {
  if (name == "matmul") return Epilogue::none;
  if (name == "linear_relu") return Epilogue::bias_relu;
  if (name == "linear_gelu") return Epilogue::bias_gelu;
  return std::nullopt;
}

}  // namespace

std::optional<MatrixProduct> product_named(const std::string& operation, const Config& config) {
  const size_t last = operation.rfind('_');
  if (last == std::string::npos) return std::nullopt;
  const auto epilogue = epilogue_named(operation.substr(0, last));
  if (!epilogue) return std::nullopt;
  for (const NamedType& type : kTypes) {
    if (operation.substr(last) != type.suffix) continue;
    const auto layout = config.params.find("B_LAYOUT");
    return MatrixProduct{.type = type.type,
                         .tensor_float = type.tensor_float,
                         .epilogue = *epilogue,
                         .m = config.size("M"),
                         .n = config.size("N"),
                         .k = config.size("K"),
                         .b_column_major = layout != config.params.end() && layout->second == 1};
  }
  return std::nullopt;
}

ColumnMajorProduct column_major(const MatrixProduct& product) {
  return {.rows = product.n,
          .columns = product.m,
          .depth = product.k,
          .transpose_first = product.b_column_major,
          .first_pitch = product.b_column_major ? product.k : product.n,
          .second_pitch = product.k,
          .result_pitch = product.n};
}

ProductBuffers buffers_of(const MatrixProduct& product) {
  if (product.epilogue == Epilogue::none) return {};
  return {.a = 0, .b = 1, .bias = 3, .c = 4};
}

int cuda_type_of(DType type) {
  if (type == DType::f16) return kReal16;
  return type == DType::bf16 ? kRealBrain16 : kProductReal32;
}
int compute_type_of(const MatrixProduct& product) { return product.tensor_float ? kComputeTensorFloat : kCompute32; }

}  // namespace tilescope
