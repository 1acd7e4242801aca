#include "engine/sim/lower/frame_variables.hpp"

#include <algorithm>

namespace tilescope {
namespace {

/// Return address and saved registers: the minimum of stack that a call takes.
constexpr uint64_t kCallBytes = 16;

}  // namespace

const FrameVariables::Variable* FrameVariables::find(std::string_view name) const {
  const auto found =
      std::find_if(list_.begin(), list_.end(), [&](const Variable& variable) { return variable.name == name; });
  return found == list_.end() ? nullptr : &*found;
}

void FrameVariables::add(const PtxVariable& variable) {
  const auto same =
      std::find_if(list_.begin(), list_.end(), [&](const Variable& other) { return other.name == variable.name; });
  if (same == list_.end()) {
    list_.push_back({variable.name, variable.bytes, variable.alignment, 0});
  } else {
    same->bytes = std::max(same->bytes, variable.bytes);
    same->alignment = std::max<uint64_t>(same->alignment, variable.alignment);
  }
}

uint64_t FrameVariables::bytes() {
  uint64_t end = begin_;
  for (size_t i = fixed_; i < list_.size(); ++i) {
    Variable& variable = list_[i];
    variable.offset = (end + variable.alignment - 1) / variable.alignment * variable.alignment;
    end = variable.offset + variable.bytes;
  }
  // Frames begin at multiples of 16, whatever they contain.
  return (end + 15) / 16 * 16 + kCallBytes;
}

void FrameVariables::resolve(PtxFunction& function, uint32_t first, uint32_t frame) const {
  for (size_t i = first; i < function.instructions.size(); ++i) resolve(function.instructions[i], frame);
  for (auto& [at, call] : function.calls) {
    if (at < first) continue;
    for (auto* list : {&call.results, &call.parameters})
      for (auto& argument : *list)
        if (const Variable* variable = find(argument.variable)) argument.offset = variable->offset;
  }
}

void FrameVariables::resolve(PtxInstruction& instruction, uint32_t frame) const {
  for (auto& operand : instruction.operands) {
    if (operand.kind != PtxOperand::Kind::address || operand.has_register) continue;
    const Variable* variable = find(operand.name);
    if (variable == nullptr) continue;
    operand.has_register = true;
    operand.reg = frame;
    operand.offset += static_cast<int64_t>(variable->offset);
  }
  // mov of a variable's name: its address, which differs from call to call.
  if (!instruction.opcode.starts_with("mov.") || instruction.operands.size() != 2) return;
  PtxOperand& source = instruction.operands[1];
  const Variable* variable = source.kind == PtxOperand::Kind::name ? find(source.name) : nullptr;
  if (variable == nullptr) return;
  PtxOperand base, distance;
  base.kind = PtxOperand::Kind::reg;
  base.reg = frame;
  distance.kind = PtxOperand::Kind::integer;
  distance.bits = static_cast<uint64_t>(source.offset) + variable->offset;
  instruction.opcode = "add.s64";
  instruction.operands = {instruction.operands[0], base, distance};
}

}  // namespace tilescope
