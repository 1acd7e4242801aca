#include "engine/autograd/programs.hpp"

#include <algorithm>

#include "engine/autograd/tape_text.hpp"

namespace tilescope {
namespace {

constexpr TapeExample kExamples[] = {
    {"add",
     "a, b: matrix\n"
     "y = add(a, b)\n"},
    {"multiply",
     "a, b: matrix\n"
     "y = mul(a, b)\n"},
    {"relu",
     "x: matrix\n"
     "y = relu(x)\n"},
    {"gelu",
     "x: matrix\n"
     "y = gelu(x)\n"},
    {"layernorm",
     "x: matrix\n"
     "gamma, beta: vector\n"
     "y = layernorm(x, gamma, beta)\n"},
    {"chain",
     "x, w, b: matrix\n"
     "gamma, beta: vector\n"
     "p = mul(x, w)\n"
     "h = add(p, b)\n"
     "a = gelu(h)\n"
     "r = add(a, x)\n"
     "y = layernorm(r, gamma, beta)\n"},
};

}  // namespace

std::span<const TapeExample> tape_examples() { return kExamples; }

Save save_of_parameter(int64_t value) {
  if (value == 0) return Save::all;
  return value == 1 ? Save::inputs : Save::checkpoint;
}

std::optional<TapeProgram> program_of_rung(std::string_view rung, Save save) {
  const auto* const found = std::ranges::find(kExamples, rung, &TapeExample::rung);
  if (found == std::end(kExamples)) return std::nullopt;
  auto program = program_from_text(found->text);
  if (!program) return std::nullopt;
  return with_save(std::move(*program), save);
}

std::vector<std::string> kernels_of(const Tape& tape, const TapeStep& step) {
  const TapeOperator op = tape.program.nodes[step.node].op;
  std::string name(name_of(op));
  if (step.kind != TapeStep::Kind::backward) return {step.keeps_extra ? name + "_saving" : name};
  name += "_backward";
  std::vector<std::string> kernels{step.keeps_extra ? name + "_saved" : name};
  if (op == TapeOperator::layernorm) {
    kernels.push_back(name + "_weights");
    kernels.push_back(name + "_slabs");
  }
  return kernels;
}

}  // namespace tilescope
