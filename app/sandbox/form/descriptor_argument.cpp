// --arg desc:TYPE:SHAPE:INIT:block=BLOCK[:OPTION…]
#include <algorithm>

#include "app/sandbox/form/arguments.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostDimensions = 5;
constexpr long double kArgumentLargestCount = 0x1p40L;
constexpr int64_t kAlignment = 16;  // bytes, for every row of a tensor (triton/tools/tensor_descriptor.py)
constexpr int64_t kLargestExtent = int64_t{1} << 31;  // a launch passes extents in 32 bits, too

/// "32x64" or "BM,BN": whole numbers.
Result<std::vector<int64_t>> read_extents(const std::string& spec, const std::string& text, const NameLookup& names) {
  std::vector<int64_t> extents;
  for (const std::string& one : split_extents(text)) {
    const auto value = evaluate_whole(one, names, 1, static_cast<long double>(kLargestExtent - 1));
    if (!value)
      return fail(ErrorId::bad_argument, spec,
                  phrase("'{}' is not a number from 1 to 2^31: {}", one, problem_text(value.error())));
    extents.push_back(static_cast<int64_t>(*value));
  }
  return extents;
}

std::vector<int64_t> contiguous(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

Result<void> read_option(const std::string& spec, const std::string& text, const NameLookup& names,
                         TensorDescriptor& tensor) {
  const Assignment option = split_argument(text);
  if (option.name == "padding" && (option.value == "nan" || option.value == "zero")) {
    tensor.nan_padding = option.value == "nan";
    return {};
  }
  if (option.name != "block" && option.name != "strides")
    return fail(ErrorId::bad_argument, spec,
                phrase("there is no option '{}'; there are block=…, strides=… and padding=nan", text));
  auto extents = read_extents(spec, option.value, names);
  if (!extents) return forward(extents);
  (option.name == "block" ? tensor.block : tensor.strides) = std::move(*extents);
  return {};
}

/// What Triton's TensorDescriptor asserts.
Result<void> check(const std::string& spec, DType type, const TensorDescriptor& tensor) {
  const size_t rank = tensor.shape.size();
  if (rank > kMostDimensions)
    return fail(ErrorId::bad_argument, spec, phrase("a descriptor has at most {} dimensions", kMostDimensions));
  if (tensor.block.empty())
    return fail(ErrorId::bad_argument, spec, "a descriptor needs the shape of its blocks, block=32x64");
  if (tensor.block.size() != rank || tensor.strides.size() != rank)
    return fail(ErrorId::bad_argument, spec,
                phrase("the shape has {} dimensions, so block and strides need as many", rank));
  if (tensor.strides.back() != 1)
    return fail(ErrorId::bad_argument, spec, "the last stride of a descriptor is 1: its rows are contiguous");
  const auto bytes = static_cast<int64_t>(size_of(type));
  for (size_t i = 0; i + 1 < rank; ++i)
    if (tensor.strides[i] * bytes % kAlignment != 0)
      return fail(ErrorId::bad_argument, spec,
                  phrase("the rows of a descriptor begin at multiples of 16 bytes, and a stride of {} elements has {}",
                         tensor.strides[i], tensor.strides[i] * bytes));
  if (tensor.nan_padding && !is_floating(type))
    return fail(ErrorId::bad_argument, spec, "padding=nan is for floating-point elements");
  return {};
}

}  // namespace

Result<ParsedDescriptor> parse_descriptor(const std::string& spec, const NameLookup& names) {
  const auto parts = split(spec, ':', spec.size());
  if (parts.size() < 5)
    return fail(ErrorId::bad_argument, spec, "a tensor descriptor is desc:TYPE:SHAPE:INIT:block=BLOCK[:OPTION…]");
  auto buffer = parse_contents(spec, parts[1], parts[2], parts[3], names);
  if (!buffer) return forward(buffer);
  ParsedDescriptor parsed{.buffer = std::move(*buffer), .tensor = {}};
  TensorDescriptor& tensor = parsed.tensor;
  tensor.shape = parsed.buffer.shape;
  if (std::ranges::any_of(tensor.shape, [](int64_t extent) { return extent >= kLargestExtent; }))
    return fail(ErrorId::bad_argument, spec, "an extent of a descriptor is less than 2^31");
  for (size_t i = 4; i < parts.size(); ++i)
    if (auto read = read_option(spec, parts[i], names, tensor); !read) return forward(read);
  const bool is_contiguous = tensor.strides.empty();
  if (is_contiguous) tensor.strides = contiguous(tensor.shape);
  if (auto checked = check(spec, parsed.buffer.type, tensor); !checked) return forward(checked);
  if (is_contiguous) return parsed;
  long double last = 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    last += static_cast<long double>(tensor.shape[i] - 1) * static_cast<long double>(tensor.strides[i]);
  if (last >= kArgumentLargestCount)
    return fail(ErrorId::bad_argument, spec, "with these strides it has more than 2^40 elements");
  parsed.buffer.shape = {static_cast<int64_t>(last) + 1};
  return parsed;
}

}  // namespace tilescope
