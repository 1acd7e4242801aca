#include "engine/graph/graph_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

#include "engine/graph/operators.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostExtents = 8, kDeepestCall = 32;

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

tl::unexpected<Error> line_error(size_t line, const Phrase& what) {
  return fail(ErrorId::bad_graph, phrase("line {}", line), what);
}

/// The words and signs of one line, read from the left.
class Line {
 public:
  Line(std::string_view text, size_t number) : text_(text.substr(0, text.find('#'))), number_(number) {}

  size_t number() const { return number_; }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  bool take(char sign) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  /// Empty if there is none.
  std::string_view name() {
    skip_blanks();
    const size_t begin = at_;
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::optional<int64_t> number_here() {
    skip_blanks();
    int64_t value = 0;
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (problem != std::errc()) return std::nullopt;
    at_ += static_cast<size_t>(stop - begin);
    return value;
  }
  /// What is left, without blanks around it.
  std::string_view rest() {
    skip_blanks();
    std::string_view rest = text_.substr(at_);
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.back())) != 0) rest.remove_suffix(1);
    at_ = text_.size();
    return rest;
  }
  tl::unexpected<Error> error(const Phrase& what) const { return line_error(number_, what); }
  tl::unexpected<Error> unexpected_rest() {
    const std::string_view left = rest();
    return left.empty() ? error(phrase("it ends too early")) : error(phrase("'{}' is not understood", left));
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  std::string_view text_;
  size_t number_ = 0, at_ = 0;
};

/// TYPE[EXTENTS], of which either may be missing.
struct Declared {
  std::optional<DType> type;
  std::optional<Shape> shape;
};

Result<Declared> read_type(Line& line) {
  Declared declared;
  if (const std::string_view name = line.name(); !name.empty()) {
    declared.type = dtype_from(name);
    if (!declared.type) return line.error(phrase("there is no type '{}'", name));
  }
  if (!line.take('[')) return declared;
  Shape shape;
  while (!line.take(']')) {
    if (!shape.empty() && !line.take(',')) return line.unexpected_rest();
    const auto extent = line.number_here();
    if (!extent) return line.unexpected_rest();
    shape.push_back(*extent);
    if (shape.size() > kMostExtents) return line.error(phrase("a shape has at most {} extents", kMostExtents));
  }
  declared.shape = shape;
  return declared;
}

/// A node whose inputs are still names, and whose shape is not computed yet.
struct Read {
  GraphNode node;
  std::vector<std::string> inputs;
  Declared declared;
  size_t line = 0;
};

class Reader {
 public:
  Result<OperatorGraph> read(std::string_view text) {
    size_t number = 0;
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      Line line(text.substr(0, end), ++number);
      text.remove_prefix(std::min(end + 1, text.size()));
      if (line.at_end()) continue;
      if (auto good = read_line(line); !good) return forward(good);
    }
    return build();
  }

 private:
  Result<void> read_line(Line& line) {
    const std::string name(line.name());
    if (name.empty()) return line.unexpected_rest();
    if (const auto [known, added] = lines_.try_emplace(name, line.number()); !added)
      return line.error(phrase("'{}' is already defined in line {}", name, known->second));
    if (line.take(':')) return read_tensor(line, name);
    if (!line.take('=')) return line.error(phrase("after '{}' comes ':' or '='", name));
    return read_node(line, name);
  }

  Result<void> read_tensor(Line& line, const std::string& name) {
    const auto declared = read_type(line);
    if (!declared) return forward(declared);
    if (!declared->shape) return line.error(phrase("'{}' needs a shape, as in f16[1024, 64]", name));
    GraphTensor tensor{name, *declared->shape, declared->type.value_or(DType::f32), TensorRole::input};
    if (const std::string_view role = line.name(); !role.empty()) {
      const auto known = tensor_role_from(role);
      if (!known || *known == TensorRole::result)
        return line.error(phrase("'{}' is no role; the roles are input, weight and constant", role));
      tensor.role = *known;
    }
    if (!line.at_end()) return line.unexpected_rest();
    graph_.tensors.push_back(std::move(tensor));
    return {};
  }

  Result<void> read_node(Line& line, const std::string& name) {
    calls_ = 0;
    const size_t first = nodes_.size();
    auto call = read_call(line, name, 0);
    if (!call) return forward(call);
    if (line.take(':')) {
      const auto declared = read_type(line);
      if (!declared) return forward(declared);
      nodes_.back().declared = *declared;
    }
    if (line.take('@')) {
      const std::string module(line.rest());
      for (size_t node = first; node < nodes_.size(); ++node) nodes_[node].node.module = module;
    }
    if (!line.at_end()) return line.unexpected_rest();
    return {};
  }

  /// Adds the nodes of the calls within, then this one.
  Result<void> read_call(Line& line, const std::string& name, size_t depth) {
    if (depth > kDeepestCall) return line.error(phrase("calls are nested more than {} deep", kDeepestCall));
    Read one{.node = {.name = name}, .inputs = {}, .declared = {}, .line = line.number()};
    one.node.type = line.name();
    if (one.node.type.empty() || !line.take('(')) return line.error(phrase("after '=' comes an operator: relu(x)"));
    while (!line.take(')')) {
      if ((!one.inputs.empty() || !one.node.attributes.empty()) && !line.take(',')) return line.unexpected_rest();
      Line before = line;
      const std::string word(line.name());
      if (word.empty()) return line.unexpected_rest();
      if (line.take('=')) {
        const auto value = line.number_here();
        if (!value) return line.unexpected_rest();
        one.node.attributes[word] = *value;
      } else if (line.take('(')) {
        const std::string inner = fmt::format("{}.{}", name, ++calls_);
        line = before;
        if (auto good = read_call(line, inner, depth + 1); !good) return good;
        one.inputs.push_back(inner);
      } else {
        one.inputs.push_back(word);
      }
    }
    nodes_.push_back(std::move(one));
    return {};
  }

  /// Index of each tensor by name, with room for those that nodes write.
  Result<void> name_tensors() {
    for (size_t tensor = 0; tensor < graph_.tensors.size(); ++tensor) tensors_[graph_.tensors[tensor].name] = tensor;
    for (Read& one : nodes_) {
      one.node.output = graph_.tensors.size();
      if (!tensors_.try_emplace(one.node.name, one.node.output).second)
        return line_error(one.line, phrase("'{}' is already defined", one.node.name));
      graph_.tensors.push_back({.name = one.node.name, .role = TensorRole::result});
    }
    for (Read& one : nodes_)
      for (const std::string& input : one.inputs) {
        const auto found = tensors_.find(input);
        if (found == tensors_.end()) return line_error(one.line, phrase("there is no tensor '{}'", input));
        one.node.inputs.push_back(found->second);
      }
    return {};
  }

  Result<OperatorGraph> build() {
    if (auto named = name_tensors(); !named) return forward(named);
    std::map<std::string, const Read*> by_name;
    for (const Read& one : nodes_) {
      by_name[one.node.name] = &one;
      graph_.nodes.push_back(one.node);
    }
    if (auto sorted = sort_nodes(graph_); !sorted) return forward(sorted);
    for (const GraphNode& node : graph_.nodes)
      if (auto good = compute_shape(node, *by_name.at(node.name)); !good) return forward(good);
    if (auto good = check(graph_); !good) return forward(good);
    return std::move(graph_);
  }

  Result<void> compute_shape(const GraphNode& node, const Read& read) {
    std::vector<Shape> inputs;
    for (const size_t input : node.inputs) inputs.push_back(graph_.tensors[input].shape);
    const OperatorType* type = find_operator(node.type);
    const bool declares = type != nullptr && (type->kind == OperatorClass::view || type->kind == OperatorClass::copy);
    if (declares && !read.declared.shape)
      return line_error(read.line,
                        phrase("{} needs its shape, as in {} = {}(…) : [1024, 64]", node.type, node.name, node.type));
    const auto shape = infer_shape(node, inputs, read.declared.shape.value_or(Shape()));
    if (!shape) return line_error(read.line, shape.error().what.places().back());
    if (read.declared.shape && *read.declared.shape != *shape)
      return line_error(read.line, phrase("'{}' computes {}, not {}", node.name, text_of_shape(*shape),
                                          text_of_shape(*read.declared.shape)));
    GraphTensor& output = graph_.tensors[node.output];
    output.shape = *shape;
    output.type = read.declared.type.value_or(graph_.tensors[node.inputs.front()].type);
    return {};
  }

  OperatorGraph graph_;
  std::vector<Read> nodes_;
  std::map<std::string, size_t> lines_, tensors_;
  size_t calls_ = 0;
};

std::string extents_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

}  // namespace

Result<OperatorGraph> graph_from_text(std::string_view text) { return Reader().read(text); }

std::string text_of(const OperatorGraph& graph) {
  std::string text;
  for (const GraphTensor& tensor : graph.tensors)
    if (tensor.role != TensorRole::result)
      text += fmt::format("{}: {}{}{}{}\n", tensor.name, name_of(tensor.type), extents_text(tensor.shape),
                          tensor.role == TensorRole::input ? "" : " ",
                          tensor.role == TensorRole::input ? "" : name_of(tensor.role));
  for (const GraphNode& node : graph.nodes) {
    std::vector<std::string> arguments;
    for (const size_t input : node.inputs) arguments.push_back(graph.tensors[input].name);
    for (const auto& [name, value] : node.attributes) arguments.push_back(fmt::format("{}={}", name, value));
    const GraphTensor& output = graph.tensors[node.output];
    const OperatorClass kind = find_operator(node.type)->kind;
    const bool shaped = kind == OperatorClass::view || kind == OperatorClass::copy;
    const bool typed = output.type != graph.tensors[node.inputs.front()].type;
    text += fmt::format("{} = {}({})", output.name, node.type, fmt::join(arguments, ", "));
    if (shaped || typed)
      text += fmt::format(" : {}{}", typed ? name_of(output.type) : "", shaped ? extents_text(output.shape) : "");
    if (!node.module.empty()) text += " @ " + node.module;
    text += '\n';
  }
  return text;
}

}  // namespace tilescope
