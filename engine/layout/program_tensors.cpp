#include "engine/layout/program_tensors.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/compile/triton/mlir_locations.hpp"
#include "engine/text.hpp"

namespace tilescope {
namespace {

using Kind = ProgramTensor::Kind;

/// "tensor<64x32x!tt.ptr<f16>, #blocked>" or "!ttg.memdesc<64x32xf16, #shared, #smem>": its parts.
struct TypeParts {
  std::vector<int64_t> shape;
  std::string element;  // a pointer: what it points to
  std::string_view layout;
};

/// From an opening angle bracket to behind the one that closes it; npos: it stays open.
size_t end_of_angles(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    if (text[at] == '<') ++depth;
    if (text[at] == '>' && text[at - 1] != '-' && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

/// What is in the angle brackets at `open`.
std::optional<TypeParts> parts_of_type(std::string_view text, size_t open) {
  const size_t end = end_of_angles(text, open);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view inside = text.substr(open + 1, end - open - 2);
  TypeParts parts;
  while (true) {
    int64_t side = 0;
    const auto read = std::from_chars(inside.data(), inside.data() + inside.size(), side);
    if (read.ec != std::errc{} || read.ptr == inside.data() + inside.size() || *read.ptr != 'x') break;
    parts.shape.push_back(side);
    inside.remove_prefix(static_cast<size_t>(read.ptr - inside.data()) + 1);
  }
  constexpr std::string_view kPointer = "!tt.ptr<";
  const size_t comma = inside.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view element = inside.substr(0, comma);
  if (element.starts_with(kPointer)) element = element.substr(kPointer.size(), element.find('>') - kPointer.size());
  parts.element = element;
  inside = inside.substr(comma + 1);
  while (inside.starts_with(' ')) inside.remove_prefix(1);
  // The layout ends at a comma that is in no brackets.
  int depth = 0;
  size_t length = 0;
  while (length < inside.size() && (depth > 0 || inside[length] != ',')) {
    depth += inside[length] == '<' || inside[length] == '[' || inside[length] == '{' ? 1 : 0;
    depth -= inside[length] == '>' || inside[length] == ']' || inside[length] == '}' ? 1 : 0;
    ++length;
  }
  parts.layout = inside.substr(0, length);
  return parts;
}

/// "f16" → 2, "bf16" → 2, "i1" → 1, "f8E4M3FN" → 1.
uint32_t bytes_of(std::string_view element) {
  const size_t digits = element.find_first_of("0123456789");
  uint32_t bits = 0;
  if (digits != std::string_view::npos) std::from_chars(element.data() + digits, element.data() + element.size(), bits);
  constexpr uint32_t kBitsOfByte = 8;
  return (bits + kBitsOfByte - 1) / kBitsOfByte;
}

struct Operation {
  std::string_view word;  // "tt.load"
  Kind kind;
};
constexpr std::array<Operation, 8> kOperations{{{"tt.load", Kind::load},
                                                {"ttg.async_copy_global_to_local", Kind::copy},
                                                {"tt.store", Kind::store},
                                                {"ttg.local_alloc", Kind::to_shared},
                                                {"ttg.local_store", Kind::to_shared},
                                                {"ttg.local_load", Kind::from_shared},
                                                {"tt.dot", Kind::dot},
                                                {"\"tt.reduce\"", Kind::reduce}}};

/// The operation of a line: "%a = tt.load …", or "tt.store …".
const Operation* operation_of(std::string_view line) {
  while (line.starts_with(' ')) line.remove_prefix(1);
  if (line.starts_with('%')) {
    const size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) return nullptr;
    line.remove_prefix(equals + 3);
  }
  const std::string_view word = line.substr(0, line.find_first_of(" (", 0));
  const auto found = std::ranges::find(kOperations, word, &Operation::word);
  return found == kOperations.end() ? nullptr : &*found;
}

class TensorReader {
 public:
  TensorReader(std::string_view ttgir, std::string_view file)
      : text_(ttgir), file_(file_part(file)), locations_(ttgir), aliases_(ttgir) {}

  std::vector<ProgramTensor> read() {
    const Operation* reduction = nullptr;  // its types stand where its block is closed
    for (size_t begin = 0; begin < text_.size();) {
      const size_t end = std::min(text_.find('\n', begin), text_.size());
      const std::string_view line = text_.substr(begin, end - begin);
      begin = end + 1;
      if (line.starts_with('#')) continue;
      const std::string code = without_locations(line);
      if (const Operation* operation = operation_of(code)) {
        if (operation->kind == Kind::reduce && code.ends_with("({"))
          reduction = operation;
        else
          take(*operation, code, line);
      } else if (reduction != nullptr && code.find("}) : (") < code.size()) {
        take(*std::exchange(reduction, nullptr), code, line);
      }
    }
    return std::move(found_);
  }

 private:
  /// The type behind the last arrow, or behind the last colon where there is no arrow.
  static std::string_view result_type(std::string_view code) {
    const size_t arrow = code.rfind(" -> ");
    if (arrow != std::string_view::npos) return code.substr(arrow + 4);
    const size_t colon = code.rfind(" : ");
    return colon == std::string_view::npos ? std::string_view{} : code.substr(colon + 3);
  }
  static std::optional<TypeParts> first_tensor(std::string_view text) {
    const size_t at = text.find("tensor<");
    return at == std::string_view::npos ? std::nullopt : parts_of_type(text, at + 6);
  }

  void take(const Operation& operation, std::string_view code, std::string_view line) {
    ProgramTensor tensor{.kind = operation.kind};
    const size_t colon = code.rfind(" : ");
    if (colon == std::string_view::npos) return;
    const std::string_view types = code.substr(colon + 3), result = result_type(code);
    const bool of_result = tensor.kind == Kind::dot || tensor.kind == Kind::reduce || tensor.kind == Kind::from_shared;
    const auto parts = first_tensor(of_result ? result : types);
    if (!parts) return;  // of single values, or of shared memory that is filled later
    const auto attribute = aliases_.read(parts->layout);
    const auto layout = attribute ? TensorLayout::make(*attribute, parts->shape) : std::nullopt;
    if (!layout) return;
    tensor.shape = parts->shape;
    tensor.element = parts->element;
    tensor.element_bytes = bytes_of(parts->element);
    tensor.attribute = *attribute;
    tensor.layout = *layout;
    if (!take_shared(types, result, tensor)) return;
    const MlirLocation location = locations_.of_line(line);
    tensor.name = location.name;
    for (const MlirPlace& place : location.places)
      if (tensor.line == 0 && file_part(place.file) == file_) tensor.line = place.line;
    if (tensor.line != 0 && tensor.element_bytes != 0) found_.push_back(std::move(tensor));
  }

  bool take_shared(std::string_view types, std::string_view result, ProgramTensor& tensor) {
    if (tensor.kind != Kind::to_shared && tensor.kind != Kind::from_shared && tensor.kind != Kind::copy) return true;
    const std::string_view text = tensor.kind == Kind::from_shared ? types : result;
    const auto parts = parts_of_type(text, text.find('<'));
    const auto attribute = parts ? aliases_.read(parts->layout) : std::nullopt;
    if (!attribute) return tensor.kind == Kind::copy;
    tensor.shared = SharedLayout::make(*attribute, parts->shape);
    tensor.shared_text = attribute->text;
    return tensor.shared.has_value() || tensor.kind == Kind::copy;
  }

  std::string_view text_, file_;
  MlirLocations locations_;
  LayoutAliases aliases_;
  std::vector<ProgramTensor> found_;
};

}  // namespace

std::vector<ProgramTensor> program_tensors(std::string_view ttgir, std::string_view file) {
  return TensorReader(ttgir, file).read();
}

bool is_same_tensor(const ProgramTensor& one, const ProgramTensor& other) {
  return one.kind == other.kind && one.name == other.name && one.line == other.line && one.shape == other.shape &&
         one.element == other.element && one.attribute.text == other.attribute.text &&
         one.shared_text == other.shared_text;
}

}  // namespace tilescope
