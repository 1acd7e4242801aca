#include "engine/layout/tensor_layout.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

namespace tilescope {
namespace {

constexpr size_t kLaneBits = 5;
constexpr int kDeepest = 8;  // a layout in a layout

/// Reads "#ttg.kind<{key = value, …}>"; a value is a number, a list, a list of lists, or a layout.
class AttributeReader {
 public:
  AttributeReader(std::string_view text, int depth) : text_(text), depth_(depth) {}

  /// Without the aliases in it, which `resolve` replaces.
  template <class Resolve>
  std::optional<LayoutAttribute> read(const Resolve& resolve) {
    LayoutAttribute attribute;
    if (!accept("#ttg.")) return std::nullopt;
    attribute.kind = word();
    if (!accept("<{")) return std::nullopt;
    attribute.text = "#ttg." + attribute.kind + "<{";
    bool first = true;
    while (!accept("}>")) {
      if (!first && !accept(",")) return std::nullopt;
      const std::string key = word();
      if (key.empty() || !accept("=")) return std::nullopt;
      attribute.text += (first ? "" : ", ") + key + " = ";
      first = false;
      if (!read_value(key, attribute, resolve)) return std::nullopt;
    }
    attribute.text += "}>";
    return attribute;
  }

 private:
  template <class Resolve>
  bool read_value(const std::string& key, LayoutAttribute& attribute, const Resolve& resolve) {
    skip();
    const std::string_view before = text_;
    if (text_.starts_with('#')) {
      const auto parent = resolve(take_layout(), depth_ + 1);
      if (!parent) return false;
      attribute.text += parent->text;
      attribute.parent = std::make_shared<const LayoutAttribute>(*parent);
      return true;
    }
    if (text_.starts_with("[[")) {
      if (!read_lists(attribute.bases[key])) return false;
    } else if (text_.starts_with('[')) {
      if (!read_list(attribute.lists[key])) return false;
    } else if (const auto value = number()) {
      attribute.numbers[key] = *value;
    } else if (word().empty()) {
      return false;
    }
    attribute.text += before.substr(0, before.size() - text_.size());
    return true;
  }
  bool read_list(std::vector<int64_t>& list) {
    if (!accept("[")) return false;
    if (accept("]")) return true;
    do {
      const auto value = number();
      if (!value) return false;
      list.push_back(*value);
    } while (accept(","));
    return accept("]");
  }
  bool read_lists(std::vector<std::vector<int64_t>>& lists) {
    if (!accept("[")) return false;
    do
      if (!read_list(lists.emplace_back())) return false;
    while (accept(","));
    return accept("]");
  }
  /// "#blocked", or "#ttg.blocked<{…}>" as a whole.
  std::string_view take_layout() {
    size_t end = 1;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) ++end;
    if (end < text_.size() && text_[end] == '<')
      for (int depth = 0; end < text_.size();) {
        const char c = text_[end++];
        depth += c == '<' ? 1 : c == '>' ? -1 : 0;
        if (depth == 0) break;
      }
    const std::string_view layout = text_.substr(0, end);
    text_.remove_prefix(end);
    return layout;
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  void skip() {
    while (text_.starts_with(' ')) text_.remove_prefix(1);
  }
  bool accept(std::string_view what) {
    skip();
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }
  std::string word() {
    skip();
    size_t end = 0;
    while (end < text_.size() && is_word(text_[end])) ++end;
    std::string found(text_.substr(0, end));
    text_.remove_prefix(end);
    return found;
  }
  std::optional<int64_t> number() {
    skip();
    int64_t value = 0;
    const auto read = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (read.ec != std::errc{}) return std::nullopt;
    text_.remove_prefix(static_cast<size_t>(read.ptr - text_.data()));
    return value;
  }

  std::string_view text_;
  int depth_;
};

bool is_power_of_two(int64_t value) { return value > 0 && std::has_single_bit(static_cast<uint64_t>(value)); }

const std::vector<int64_t>* list_of(const LayoutAttribute& attribute, const char* key, size_t size) {
  const auto found = attribute.lists.find(key);
  return found != attribute.lists.end() && found->second.size() == size ? &found->second : nullptr;
}
int64_t number_of(const LayoutAttribute& attribute, const char* key, int64_t otherwise) {
  const auto found = attribute.numbers.find(key);
  return found != attribute.numbers.end() ? found->second : otherwise;
}

bool is_zero(const Coordinates& basis) {
  return std::ranges::all_of(basis, [](int64_t part) { return part == 0; });
}

}  // namespace

LayoutAliases::LayoutAliases(std::string_view ttgir) {
  for (size_t begin = 0; begin < ttgir.size();) {
    const size_t end = std::min(ttgir.find('\n', begin), ttgir.size());
    const std::string_view line = ttgir.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = line.find(" = #ttg.");
    if (line.starts_with('#') && equals != std::string_view::npos)
      texts_[std::string(line.substr(0, equals))] = line.substr(equals + 3);
  }
}

std::optional<LayoutAttribute> LayoutAliases::read(std::string_view text) const {
  const auto resolve = [this](const auto& self, std::string_view one, int depth) -> std::optional<LayoutAttribute> {
    if (depth > kDeepest) return std::nullopt;
    if (const auto alias = texts_.find(one); alias != texts_.end()) one = alias->second;
    return AttributeReader(one, depth).read([&](std::string_view inner, int level) {
      return self(self, inner, level);
    });
  };
  return resolve(resolve, text, 0);
}

/// Builds a layout from pieces, each of which continues the dimension where the pieces before it ended.
class LayoutBuilder {
 public:
  explicit LayoutBuilder(const std::vector<int64_t>& shape) : extent_(shape.size(), 1) { layout_.shape_ = shape; }

  static std::optional<TensorLayout> build(const LayoutAttribute& attribute, const std::vector<int64_t>& shape) {
    if (shape.empty() || !std::ranges::all_of(shape, is_power_of_two)) return std::nullopt;
    LayoutBuilder builder(shape);
    const bool known = attribute.kind == "blocked"      ? builder.add_blocked(attribute)
                       : attribute.kind == "nvidia_mma" ? builder.add_mma(attribute)
                       : attribute.kind == "dot_op"     ? builder.add_operand(attribute)
                       : attribute.kind == "slice"      ? builder.add_slice(attribute)
                       : attribute.kind == "linear"     ? builder.add_linear(attribute)
                                                        : false;
    if (!known || builder.layout_.lanes_.size() != kLaneBits) return std::nullopt;
    return std::move(builder.layout_);
  }

 private:
  using Bases = TensorLayout::Bases;
  size_t rank() const { return extent_.size(); }

  void add(Bases& bases, size_t dim, int64_t count) {
    for (; count > 1; count /= 2) {
      Coordinates basis(rank(), 0);
      basis[dim] = extent_[dim];
      extent_[dim] *= 2;
      bases.push_back(std::move(basis));
    }
  }
  /// Bits that choose nothing: all of them hold the same elements.
  void add_repeats(Bases& bases, int64_t count) const {
    for (; count > 1; count /= 2) bases.emplace_back(rank(), 0);
  }

  /// A layout larger than the tensor repeats elements; a smaller one is repeated over it, in further registers.
  void fit(const std::vector<size_t>& order) {
    for (Bases* bases : {&layout_.registers_, &layout_.lanes_, &layout_.warps_})
      for (Coordinates& basis : *bases)
        for (size_t dim = 0; dim < rank(); ++dim)
          if (basis[dim] >= layout_.shape_[dim]) basis[dim] = 0;
    for (const size_t dim : order) {
      extent_[dim] = std::min(extent_[dim], layout_.shape_[dim]);
      add(layout_.registers_, dim, layout_.shape_[dim] / extent_[dim]);
    }
  }

  std::optional<std::vector<size_t>> order_of(const LayoutAttribute& attribute) const {
    const auto* order = list_of(attribute, "order", rank());
    if (order == nullptr) return std::nullopt;
    std::vector<size_t> dims;
    for (const int64_t dim : *order) {
      if (dim < 0 || static_cast<size_t>(dim) >= rank()) return std::nullopt;
      dims.push_back(static_cast<size_t>(dim));
    }
    return dims;
  }
  static bool are_powers(const std::vector<int64_t>* list) {
    return list != nullptr && std::ranges::all_of(*list, is_power_of_two);
  }

  bool add_blocked(const LayoutAttribute& attribute) {
    const auto order = order_of(attribute);
    const auto *each = list_of(attribute, "sizePerThread", rank()),
               *lanes = list_of(attribute, "threadsPerWarp", rank()),
               *warps = list_of(attribute, "warpsPerCTA", rank());
    if (!order || !are_powers(each) || !are_powers(lanes) || !are_powers(warps)) return false;
    for (const size_t dim : *order) add(layout_.registers_, dim, (*each)[dim]);
    for (const size_t dim : *order) add(layout_.lanes_, dim, (*lanes)[dim]);
    for (const size_t dim : *order) add(layout_.warps_, dim, (*warps)[dim]);
    fit(*order);
    return true;
  }

  /// The accumulator of mma.m16n8 (PTX ISA, "Matrix Fragments for mma.m16n8k16"): 2 elements of a row, 4 lanes along
  /// the row, 8 rows, and the same 8 rows below.
  bool add_mma(const LayoutAttribute& attribute) {
    const auto *warps = list_of(attribute, "warpsPerCTA", 2), *shape = list_of(attribute, "instrShape", 2);
    if (number_of(attribute, "versionMajor", 0) != 2 || rank() != 2 || !are_powers(warps) || shape == nullptr ||
        *shape != std::vector<int64_t>{16, 8})
      return false;
    add(layout_.registers_, 1, 2);
    add(layout_.lanes_, 1, 4);
    add(layout_.lanes_, 0, 8);
    add(layout_.registers_, 0, 2);
    add(layout_.warps_, 1, (*warps)[1]);
    add(layout_.warps_, 0, (*warps)[0]);
    fit({1, 0});
    return true;
  }

  /// Both operands of mma.m16n8: kWidth elements along K, 4 lanes along K, 8 lanes across. Warps that differ in K hold
  /// the same elements.
  bool add_operand(const LayoutAttribute& attribute) {
    if (attribute.parent == nullptr || rank() != 2) return false;
    const bool is_a = number_of(attribute, "opIdx", 0) == 0;
    const size_t k = is_a ? 1 : 0, across = 1 - k;
    if (attribute.parent->kind == "blocked") return add_fma_operand(*attribute.parent, k);
    const auto* warps = list_of(*attribute.parent, "warpsPerCTA", 2);
    const int64_t width = number_of(attribute, "kWidth", 0);
    if (attribute.parent->kind != "nvidia_mma" || number_of(*attribute.parent, "versionMajor", 0) != 2 ||
        !are_powers(warps) || !is_power_of_two(width))
      return false;
    add(layout_.registers_, k, width);
    add(layout_.lanes_, k, 4);
    add(layout_.lanes_, across, 8);
    add(layout_.registers_, across, is_a ? 2 : 1);
    add(layout_.registers_, k, 2);
    for (const size_t dim : {size_t{1}, size_t{0}})
      dim == k ? add_repeats(layout_.warps_, (*warps)[dim]) : add(layout_.warps_, dim, (*warps)[dim]);
    fit({k, across});
    return true;
  }

  /// An operand of a product without tensor cores: each thread holds whole rows of A and columns of B.
  bool add_fma_operand(const LayoutAttribute& parent, size_t k) {
    const auto order = order_of(parent);
    const auto *each = list_of(parent, "sizePerThread", 2), *lanes = list_of(parent, "threadsPerWarp", 2),
               *warps = list_of(parent, "warpsPerCTA", 2);
    if (!order || !are_powers(each) || !are_powers(lanes) || !are_powers(warps)) return false;
    for (const size_t dim : *order) add(layout_.registers_, dim, dim == k ? layout_.shape_[k] : (*each)[dim]);
    for (const size_t dim : *order)
      dim == k ? add_repeats(layout_.lanes_, (*lanes)[dim]) : add(layout_.lanes_, dim, (*lanes)[dim]);
    for (const size_t dim : *order)
      dim == k ? add_repeats(layout_.warps_, (*warps)[dim]) : add(layout_.warps_, dim, (*warps)[dim]);
    fit(*order);
    return true;
  }

  /// The parent's layout without one dimension; registers that then repeat an element are left out.
  bool add_slice(const LayoutAttribute& attribute) {
    const int64_t dim = number_of(attribute, "dim", -1);
    if (attribute.parent == nullptr || dim < 0 || static_cast<size_t>(dim) > rank()) return false;
    std::vector<int64_t> shape = layout_.shape_;
    shape.insert(shape.begin() + dim, 1);
    auto parent = build(*attribute.parent, shape);
    if (!parent) return false;
    for (const auto& [from, to] :
         {std::pair{&parent->registers_, &layout_.registers_}, std::pair{&parent->lanes_, &layout_.lanes_},
          std::pair{&parent->warps_, &layout_.warps_}})
      for (Coordinates& basis : *from) {
        basis.erase(basis.begin() + dim);
        if (from != &parent->registers_ || !is_zero(basis)) to->push_back(basis);
      }
    return true;
  }

  bool add_linear(const LayoutAttribute& attribute) {
    const auto take = [&](const char* key, Bases& bases) {
      const auto found = attribute.bases.find(key);
      if (found != attribute.bases.end()) bases = found->second;
      return std::ranges::all_of(bases, [&](const Coordinates& basis) { return basis.size() == rank(); });
    };
    return take("register", layout_.registers_) && take("lane", layout_.lanes_) && take("warp", layout_.warps_);
  }

  TensorLayout layout_;
  std::vector<int64_t> extent_;  // of what has been added, in each dimension
};

std::optional<TensorLayout> TensorLayout::make(const LayoutAttribute& attribute, const std::vector<int64_t>& shape) {
  return LayoutBuilder::build(attribute, shape);
}

Coordinates TensorLayout::element(uint32_t reg, uint32_t lane, uint32_t warp) const {
  Coordinates coordinates(shape_.size(), 0);
  const auto add = [&](const Bases& bases, uint32_t bits) {
    for (size_t bit = 0; bit < bases.size(); ++bit)
      if ((bits >> bit & 1) != 0)
        for (size_t dim = 0; dim < coordinates.size(); ++dim) coordinates[dim] ^= bases[bit][dim];
  };
  add(registers_, reg);
  add(lanes_, lane);
  add(warps_, warp);
  return coordinates;
}

uint32_t TensorLayout::repeated_registers() const {
  uint32_t bits = 0;
  for (size_t bit = 0; bit < registers_.size(); ++bit)
    if (is_zero(registers_[bit])) bits |= uint32_t{1} << bit;
  return bits;
}

std::optional<SharedLayout> SharedLayout::make(const LayoutAttribute& attribute, const std::vector<int64_t>& shape) {
  SharedLayout layout{.vec = number_of(attribute, "vec", 0),
                      .per_phase = number_of(attribute, "perPhase", 0),
                      .max_phase = number_of(attribute, "maxPhase", 0),
                      .shape = shape};
  const auto* order = list_of(attribute, "order", shape.size());
  const bool swizzled = attribute.kind == "swizzled_shared" && order != nullptr && layout.vec > 0 &&
                        layout.per_phase > 0 && layout.max_phase > 0;
  if (!swizzled) return std::nullopt;
  for (const int64_t dim : *order)
    if (dim < 0 || static_cast<size_t>(dim) >= shape.size()) return std::nullopt;
  layout.order = *order;
  return layout;
}

int64_t SharedLayout::offset(const Coordinates& element) const {
  const auto at = [&](size_t position) { return element[static_cast<size_t>(order[position])]; };
  int64_t offset = 0, size = 1;
  for (size_t position = 0; position < order.size(); ++position) {
    int64_t coordinate = at(position);
    if (position == 0 && order.size() > 1) {
      const int64_t phase = at(1) / per_phase % max_phase;
      coordinate = (coordinate / vec ^ phase) * vec + coordinate % vec;
    }
    offset += coordinate * size;
    size *= shape[static_cast<size_t>(order[position])];
  }
  return offset;
}

}  // namespace tilescope
