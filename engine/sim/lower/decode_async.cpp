// The operands of cp.async: two addresses, the size, and the operand that limits how much of the source is read.
#include "engine/sim/lower/decode_operands.hpp"
#include "engine/sim/program/copy_operation.hpp"

namespace tilescope {

Result<void> OperandDecoder::async_copy() {
  const auto& operands = instruction_->operands;
  const bool has_policy = instruction_->opcode.find("cache_hint") != std::string_view::npos;
  const size_t count = operands.size() - (has_policy ? 1 : 0);
  if (count < 3 || count > 4) return syntax("cp.async has the wrong number of operands");
  int32_t shared = 0, global = 0;
  auto target = copy_address(operands[0], Space::shared, shared, narrow_target_);
  if (!target) return forward(target);
  auto source = copy_address(operands[1], Space::global, global, narrow_address_);
  if (!source) return forward(source);
  operation_.a = *target;
  operation_.b = *source;
  operation_.immediate = pack_offsets(shared, global);
  has_immediate_ = true;
  operation_.extra = kWholeSource;
  if (count == 3) return {};
  const PtxOperand& last = operands[3];
  const bool ignores = last.kind == PtxOperand::Kind::reg && function_.registers[last.reg].bytes == 0;
  auto slot = ignores ? predicate(last) : value_slot(last, 4, false);
  if (!slot) return forward(slot);
  operation_.c = *slot;
  operation_.extra = ignores ? kIgnoredSource : kSourceSize;
  return {};
}

/// The slot of a base address. Without a register it contains the whole address, which in shared memory is an offset.
Result<uint16_t> OperandDecoder::copy_address(const PtxOperand& operand, Space space, int32_t& offset, bool& narrow) {
  if (operand.kind != PtxOperand::Kind::address) return syntax("an operand should be an address");
  narrow = operand.has_register && function_.registers[operand.reg].bytes == 4;
  if (operand.has_register) {
    PtxOperand base;
    base.kind = PtxOperand::Kind::reg;
    base.reg = operand.reg;
    offset = static_cast<int32_t>(operand.offset);
    return register_slot(base, narrow ? 4 : 8, false);
  }
  auto address = static_cast<uint64_t>(operand.offset);
  if (!operand.name.empty()) {
    const auto place = find_variable(operand.name);
    if (!place || place->space != space) return syntax("there is no such variable");
    address += place->offset + (space == Space::global ? kModuleWindow : 0);
  }
  return uniform_.constant(address, 8);
}

}  // namespace tilescope
