#include "engine/autograd/tape.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace tilescope {
namespace {

constexpr std::array<std::pair<TapeOperator, std::string_view>, 5> kOperators{{{TapeOperator::add, "add"},
                                                                               {TapeOperator::mul, "mul"},
                                                                               {TapeOperator::relu, "relu"},
                                                                               {TapeOperator::gelu, "gelu"},
                                                                               {TapeOperator::layernorm, "layernorm"}}};
constexpr std::array<std::pair<Save, std::string_view>, 3> kSaves{
    {{Save::all, "all"}, {Save::inputs, "inputs"}, {Save::checkpoint, "checkpoint"}}};
constexpr int64_t kFloat = 4;  // bytes

/// Decides, step by step, what the backward pass finds in memory.
class TapeWriter {
 public:
  explicit TapeWriter(TapeProgram program) { tape_.program = std::move(program); }

  Tape write() {
    const auto& nodes = tape_.program.nodes;
    for (size_t node = 0; node < nodes.size(); ++node)
      tape_.steps.push_back({.kind = TapeStep::Kind::forward, .node = node, .keeps_extra = keeps_extra(nodes[node])});
    for (size_t node = nodes.size(); node-- > 0;) {
      note_saved(node);
      for (const size_t value : needed_by_backward(nodes[node])) provide(value);
      add_backward(node);
    }
    return std::move(tape_);
  }

 private:
  static bool keeps_extra(const TapeNode& node) { return node.save == Save::all && extra_of(node.op).has_value(); }

  /// Whether the forward pass leaves the value in memory for those that read it.
  bool is_freed(size_t value) const {
    const auto& node = tape_.program.values[value].node;
    return node && value != tape_.program.result() && tape_.program.nodes[*node].save == Save::checkpoint;
  }

  void note_saved(size_t node) {
    const TapeNode& one = tape_.program.nodes[node];
    for (const size_t value : needed_by_backward(one)) note_value(node, value, is_freed(value), false);
    if (keeps_extra(one)) tape_.saved.push_back({.node = node, .extra = extra_of(one.op), .shape = TapeShape::matrix});
  }

  void note_value(size_t node, size_t value, bool recomputed, bool for_recompute) {
    TapeSaved saved{.node = node, .value = value, .recomputed = recomputed, .for_recompute = for_recompute};
    saved.shape = tape_.program.values[value].shape;
    saved.held = !tape_.program.values[value].node || value == tape_.program.result();
    for (size_t i = 0; i < tape_.saved.size(); ++i)
      if (tape_.saved[i].value == value && !saved.shared_with) saved.shared_with = i;
    tape_.saved.push_back(saved);
  }

  /// Runs the forward kernels again that lead to a value which was not kept. What they read in turn is saved, or
  /// computed again as well.
  void provide(size_t value) {
    if (!is_freed(value) || !present_.insert(value).second) return;
    const size_t node = *tape_.program.values[value].node;
    for (const size_t input : tape_.program.nodes[node].inputs) {
      if (!is_freed(input)) note_value(node, input, false, true);
      provide(input);
    }
    tape_.steps.push_back({.kind = TapeStep::Kind::recompute, .node = node});
  }

  void add_backward(size_t node) {
    const TapeNode& one = tape_.program.nodes[node];
    TapeStep step{.kind = TapeStep::Kind::backward, .node = node, .keeps_extra = keeps_extra(one)};
    for (const size_t input : one.inputs)
      step.gradients.push_back({.value = input, .add = !written_.insert(input).second});
    tape_.steps.push_back(std::move(step));
  }

  Tape tape_;
  std::set<size_t> present_;  // freed values that have been computed again
  std::set<size_t> written_;  // values whose gradient has a part
};

}  // namespace

std::string_view name_of(TapeOperator op) {
  return std::ranges::find(kOperators, op, &decltype(kOperators)::value_type::first)->second;
}

std::optional<TapeOperator> tape_operator_from(std::string_view name) {
  const auto* const found = std::ranges::find(kOperators, name, &decltype(kOperators)::value_type::second);
  return found == kOperators.end() ? std::nullopt : std::optional(found->first);
}

std::string_view name_of(Save save) {
  return std::ranges::find(kSaves, save, &decltype(kSaves)::value_type::first)->second;
}

std::optional<Save> save_from(std::string_view name) {
  const auto* const found = std::ranges::find(kSaves, name, &decltype(kSaves)::value_type::second);
  return found == kSaves.end() ? std::nullopt : std::optional(found->first);
}

std::optional<size_t> TapeProgram::find(std::string_view name) const {
  const auto found = std::ranges::find(values, name, &TapeValue::name);
  return found == values.end() ? std::nullopt : std::optional(static_cast<size_t>(found - values.begin()));
}

int64_t TapeSaved::bytes(int64_t rows, int64_t columns, int64_t element) const {
  if (recomputed || held || shared_with) return 0;
  if (extra == TapeExtra::statistics) return 2 * kFloat * rows;  // mean and 1/σ of each row
  if (shape == TapeShape::vector) return kFloat * columns;
  return (extra ? kFloat : element) * rows * columns;
}

int64_t Tape::saved_bytes(int64_t rows, int64_t columns, int64_t element) const {
  int64_t bytes = 0;
  for (const TapeSaved& one : saved) bytes += one.bytes(rows, columns, element);
  return bytes;
}

size_t Tape::recomputations() const {
  return static_cast<size_t>(
      std::ranges::count(steps, TapeStep::Kind::recompute, [](const TapeStep& step) { return step.kind; }));
}

std::optional<TapeExtra> extra_of(TapeOperator op) {
  if (op == TapeOperator::gelu) return TapeExtra::tanh;
  if (op == TapeOperator::layernorm) return TapeExtra::statistics;
  return std::nullopt;
}

std::vector<size_t> needed_by_backward(const TapeNode& node) {
  switch (node.op) {
    case TapeOperator::add:
      return {};
    case TapeOperator::mul:
      return node.inputs[0] == node.inputs[1] ? std::vector{node.inputs[0]} : node.inputs;
    case TapeOperator::relu:
      return {node.output};
    case TapeOperator::gelu:
      return {node.inputs[0]};
    default:
      return {node.inputs[0], node.inputs[1]};
  }
}

Tape make_tape(TapeProgram program) { return TapeWriter(std::move(program)).write(); }

TapeProgram with_save(TapeProgram program, Save save) {
  for (TapeNode& node : program.nodes) node.save = save;
  return program;
}

}  // namespace tilescope
