#include "engine/autograd/tape_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tilescope {
namespace {

constexpr size_t kLongestName = 24;

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

size_t operands_of(TapeOperator op) {
  if (op == TapeOperator::layernorm) return 3;
  return op == TapeOperator::relu || op == TapeOperator::gelu ? 1 : 2;
}

class ProgramReader {
 public:
  Result<TapeProgram> read(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      text_ = text.substr(0, end);
      text_ = text_.substr(0, text_.find('#'));
      at_ = 0;
      text.remove_prefix(std::min(end + 1, text.size()));
      if (at_end()) continue;
      if (auto good = read_line(); !good) return forward(good);
    }
    return finish();
  }

 private:
  tl::unexpected<Error> error_in(uint32_t line, const Phrase& what) const {
    return tl::unexpected<Error>(make_error(
        ErrorId::bad_graph, {phrase("line {}", line), what},
        phrase("Declare inputs as in x, w: matrix, and write each operator in a line, as in h = mul(x, w).")));
  }
  tl::unexpected<Error> error(const Phrase& what) const { return error_in(line_, what); }
  tl::unexpected<Error> unexpected_rest() {
    if (at_end()) return error(phrase("it ends too early"));
    std::string_view rest = text_.substr(at_);
    while (!rest.empty() && std::isspace(static_cast<unsigned char>(rest.back())) != 0) rest.remove_suffix(1);
    return error(phrase("'{}' is not understood", rest));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool at_end() {
    skip_blanks();
    return at_ == text_.size();
  }
  bool take(char sign) {
    if (at_end() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  /// Empty if there is none.
  std::string name() {
    if (at_end() || !starts_name(text_[at_])) return {};
    const size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  Result<void> read_line() {
    std::vector<std::string> names;
    do {
      names.push_back(name());
      if (names.back().empty()) return unexpected_rest();
    } while (take(','));
    if (take(':')) return read_inputs(names);
    if (names.size() > 1 || !take('=')) return error(phrase("after '{}' comes ':' or '='", names.back()));
    return read_operator(names.front());
  }

  Result<void> define(const std::string& name, TapeShape shape, std::optional<size_t> node) {
    if (name.size() > kLongestName) return error(phrase("the name '{}' is longer than {} letters", name, kLongestName));
    if (const auto known = program_.find(name))
      return error(phrase("'{}' is already defined in line {}", name, program_.values[*known].line));
    program_.values.push_back({.name = name, .shape = shape, .node = node, .line = line_});
    return {};
  }

  Result<void> read_inputs(const std::vector<std::string>& names) {
    const std::string shape = name();
    if (shape != "matrix" && shape != "vector")
      return shape.empty() ? unexpected_rest()
                           : error(phrase("'{}' is no shape; the shapes are matrix and vector", shape));
    if (!at_end()) return unexpected_rest();
    for (const std::string& one : names)
      if (auto good = define(one, shape == "matrix" ? TapeShape::matrix : TapeShape::vector, {}); !good) return good;
    return {};
  }

  Result<void> read_operator(const std::string& output) {
    const std::string called = name();
    if (called.empty()) return unexpected_rest();
    const auto op = tape_operator_from(called);
    if (!op)
      return error(phrase("there is no operator '{}'; the operators are add, mul, relu, gelu and layernorm", called));
    if (program_.nodes.size() == kMostTapeNodes)
      return error(phrase("a program has at most {} operators", kMostTapeNodes));
    TapeNode node{.op = *op, .line = line_};
    if (auto good = read_operands(node, called); !good) return good;
    if (auto good = read_save(node); !good) return good;
    if (auto good = define(output, TapeShape::matrix, program_.nodes.size()); !good) return good;
    node.output = program_.values.size() - 1;
    program_.nodes.push_back(std::move(node));
    return {};
  }

  Result<void> read_operands(TapeNode& node, const std::string& called) {
    if (!take('(')) return error(phrase("after '{}' comes '(' and what it reads", called));
    do {
      const std::string operand = name();
      if (operand.empty()) return unexpected_rest();
      if (take('(')) return error(phrase("write '{}(…)' in a line of its own, and its name here", operand));
      const auto value = program_.find(operand);
      if (!value) return error(phrase("'{}' is not defined above this line", operand));
      node.inputs.push_back(*value);
    } while (take(','));
    if (!take(')')) return unexpected_rest();
    const size_t wanted = operands_of(node.op);
    if (node.inputs.size() != wanted)
      return error(phrase("'{}' reads {} values, and {} are given", called, wanted, node.inputs.size()));
    for (size_t i = 0; i < wanted; ++i) {
      const TapeValue& value = program_.values[node.inputs[i]];
      const bool matrix = node.op != TapeOperator::layernorm || i == 0;
      if ((value.shape == TapeShape::matrix) == matrix) continue;
      return matrix ? error(phrase("'{}' wants a matrix, and '{}' is a vector", called, value.name))
                    : error(phrase("gamma and beta of '{}' are vectors, and '{}' is a matrix", called, value.name));
    }
    return {};
  }

  Result<void> read_save(TapeNode& node) {
    if (at_end()) return {};
    if (!take(':') || name() != "save" || !take('='))
      return error(phrase("after an operator comes nothing, or : save=all, : save=inputs or : save=checkpoint"));
    const std::string choice = name();
    const auto save = save_from(choice);
    if (!save) return error(phrase("save is all, inputs or checkpoint, not '{}'", choice));
    if (!at_end()) return unexpected_rest();
    node.save = *save;
    return {};
  }

  Result<TapeProgram> finish() {
    if (program_.nodes.empty()) return error_in(std::max(line_, 1U), phrase("the program has no operator"));
    std::vector<bool> read(program_.values.size(), false);
    for (const TapeNode& node : program_.nodes)
      for (const size_t input : node.inputs) read[input] = true;
    for (size_t value = 0; value < program_.values.size(); ++value)
      if (!read[value] && value != program_.result())
        return error_in(program_.values[value].line,
                        phrase("'{}' is never read; only the last line, '{}', is the result",
                               program_.values[value].name, program_.values[program_.result()].name));
    return std::move(program_);
  }

  TapeProgram program_;
  std::string_view text_;  // the line without its comment
  size_t at_ = 0;
  uint32_t line_ = 0;
};

std::string names_of(const TapeProgram& program, TapeShape shape) {
  std::string names;
  for (const TapeValue& value : program.values)
    if (!value.node && value.shape == shape) names.append(names.empty() ? "" : ", ").append(value.name);
  return names;
}

}  // namespace

Result<TapeProgram> program_from_text(std::string_view text) { return ProgramReader().read(text); }

std::string text_of(const TapeProgram& program) {
  std::string text;
  if (const std::string names = names_of(program, TapeShape::matrix); !names.empty()) text += names + ": matrix\n";
  if (const std::string names = names_of(program, TapeShape::vector); !names.empty()) text += names + ": vector\n";
  for (const TapeNode& node : program.nodes) {
    std::string operands;
    for (const size_t input : node.inputs)
      operands.append(operands.empty() ? "" : ", ").append(program.values[input].name);
    text += fmt::format("{} = {}({})", program.values[node.output].name, name_of(node.op), operands);
    if (node.save != Save::all) text += fmt::format(" : save={}", name_of(node.save));
    text += '\n';
  }
  return text;
}

}  // namespace tilescope
