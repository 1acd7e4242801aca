#include "engine/sim/lower/decode_operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "engine/sim/lower/call_graph.hpp"

namespace tilescope {
namespace {

uint32_t bytes_of(char kind) {
  switch (kind) {
    case '2':
    case 'h':
      return 2;
    case '4':
    case 'f':
      return 4;
    case 'q':
      return 16;
    default:
      return 8;
  }
}

uint64_t real_bits(const PtxOperand& operand, uint32_t bytes) {
  if (bytes == 8 && operand.single)
    return std::bit_cast<uint64_t>(double{std::bit_cast<float>(static_cast<uint32_t>(operand.bits))});
  if (bytes == 4 && !operand.single)
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  return operand.bits;
}

}  // namespace

tl::unexpected<Error> OperandDecoder::syntax(std::string_view what) const {
  return fail(ErrorId::ptx_syntax, instruction_->ptx_line, phrase("{} in '{}'", what, instruction_->text));
}

Result<Operation> OperandDecoder::decode(const PtxInstruction& instruction, const ResolvedInstruction& resolved,
                                         uint32_t position) {
  instruction_ = &instruction;
  resolved_ = &resolved;
  position_ = position;
  operation_ = {};
  operation_.run = resolved.row->run;
  operation_.extra = resolved.extra;
  sources_ = 0;
  fourth_ = 0;
  fifth_ = 0;
  has_immediate_ = false;
  fragments_ = 0;
  if (instruction.guard != kNoIndex)
    operation_.guard = static_cast<uint16_t>(slots_.slot[instruction.guard] * 2 + (instruction.guard_negated ? 1 : 0));
  if (auto done = all_operands(); !done) return forward(done);
  if (resolved.is_video)
    operation_.immediate = resolved.video;
  else if (!has_immediate_)
    operation_.immediate = pack(resolved.modifiers, fourth_) | static_cast<int64_t>(uint64_t{fifth_} << 48);
  return operation_;
}

Result<void> OperandDecoder::all_operands() {
  if (resolved_->is_copy) return async_copy();
  if (resolved_->is_texture) return texture_fetch();
  const auto& operands = instruction_->operands;
  std::string_view sources = sources_of(*resolved_->row);
  size_t next = 0;
  for (char kind : destinations_of(*resolved_->row)) {
    if (next >= operands.size()) return syntax("an operand is missing");
    if (auto done = destination(operands[next++], kind); !done) return done;
  }
  PtxOperand missing;
  missing.kind = PtxOperand::Kind::integer;
  while (!sources.empty()) {
    const char kind = sources[0];
    const bool optional = sources.size() > 1 && sources[1] == '?';
    sources.remove_prefix(optional ? 2 : 1);
    if (next >= operands.size() && !optional) return syntax("an operand is missing");
    if (auto done = source(next < operands.size() ? operands[next++] : missing, kind); !done) return done;
  }
  // A memory operation's operands may be followed by a cache policy, which makes no difference here; the clock is named
  // by its row.
  if (next < operands.size() && !resolved_->is_memory && !resolved_->row->opcode.starts_with("clock") &&
      resolved_->row->opcode != "createpolicy")
    return syntax("there are too many operands");
  if (instruction_->opcode.starts_with("cvta") && resolved_->space != Space::global)
    operation_.b = uniform_.constant(window_of(resolved_->space), 8);
  return uniform_.full() ? syntax("there are too many constants") : Result<void>{};
}

Result<void> OperandDecoder::destination(const PtxOperand& operand, char kind) {
  if (kind == 'v' || kind == 'w') return vector_operand(operand, kind, true);
  if (kind == 'F' || kind == 'E') return fragment(operand, kind, true);
  const PtxOperand* first = &operand;
  if (operand.kind == PtxOperand::Kind::pair) {
    first = &operand.elements[0];
    auto second = predicate(operand.elements[1]);
    if (!second) return forward(second);
    operation_.extra = static_cast<uint16_t>(*second / 2);
  }
  if (kind == 'p') {
    auto place = predicate(*first);
    if (!place) return forward(place);
    operation_.dst = static_cast<uint16_t>(*place / 2);
    if (operation_.dst == 0 && !instruction_->opcode.starts_with("setp")) return syntax("a result is missing");
    return {};
  }
  auto slot = register_slot(*first, kind == 'x' ? resolved_->modifiers.destination_bytes : bytes_of(kind), true);
  if (!slot) return forward(slot);
  operation_.dst = *slot;
  return {};
}

/// The slot of a register operand, or a slot for results that are not used.
Result<uint16_t> OperandDecoder::register_slot(const PtxOperand& operand, uint32_t bytes, bool may_be_sink) {
  if (operand.kind == PtxOperand::Kind::sink && may_be_sink) return waste_slot();
  if (operand.kind != PtxOperand::Kind::reg) return syntax("an operand should be a register");
  if (!operand.selector.empty() && !resolved_->is_video) return syntax("a part of a register is not possible here");
  const uint32_t declared = function_.registers[operand.reg].bytes;
  if (declared == 0 || std::max(2U, declared) != bytes)
    return syntax("a register has another width than its instruction");
  return slots_.slot[operand.reg];
}

uint16_t OperandDecoder::waste_slot() {
  if (!waste_) {
    waste_ = static_cast<uint16_t>(program_.register_slots);
    program_.register_slots += 8;  // enough for the widest result
  }
  return *waste_;
}

/// A predicate operand: its index · 2 + negated.
Result<uint16_t> OperandDecoder::predicate(const PtxOperand& operand) const {
  if (operand.kind == PtxOperand::Kind::sink) return uint16_t{0};
  if (operand.kind == PtxOperand::Kind::integer) return static_cast<uint16_t>(operand.bits != 0 ? 0 : 1);
  if (operand.kind != PtxOperand::Kind::reg || function_.registers[operand.reg].bytes != 0 || !operand.selector.empty())
    return syntax("an operand should be a predicate");
  return static_cast<uint16_t>(slots_.slot[operand.reg] * 2 + (operand.negated ? 1 : 0));
}

Result<void> OperandDecoder::source(const PtxOperand& operand, char kind) {
  if (kind == 'l') return label(operand);
  if (kind == 't') return table(operand);
  if (kind == 'm') return address(operand);
  if (kind == 'v' || kind == 'w') return vector_operand(operand, kind, false);
  if (kind == 'F' || kind == 'E') return fragment(operand, kind, false);
  const bool is_float = kind == 'f' || kind == 'd' || (kind == 'x' && resolved_->type.is_float);
  const uint32_t bytes = kind == 'x' ? resolved_->modifiers.source_bytes : bytes_of(kind);
  auto slot = kind == 'p' ? predicate(operand) : value_slot(operand, bytes, is_float);
  if (!slot) return forward(slot);
  return put_source(*slot);
}

Result<void> OperandDecoder::put_source(uint16_t slot) {
  switch (sources_++) {
    case 0:
      operation_.a = slot;
      return {};
    case 1:
      operation_.b = slot;
      return {};
    case 2:
      operation_.c = slot;
      return {};
    case 3:
      fourth_ = slot;
      return {};
    case 4:
      fifth_ = slot;
      return {};
    default:
      return syntax("there are too many operands");
  }
}

Result<uint16_t> OperandDecoder::value_slot(const PtxOperand& operand, uint32_t bytes, bool is_float) {
  switch (operand.kind) {
    case PtxOperand::Kind::reg:
      if (operand.negated && !resolved_->is_video) return syntax("only a predicate can be negated");
      return register_slot(operand, bytes, false);
    case PtxOperand::Kind::integer:
      if (is_float) return syntax("an operand should be a floating-point number");
      return uniform_.constant(operand.bits, bytes);
    case PtxOperand::Kind::real:
      return uniform_.constant(real_bits(operand, bytes), bytes);
    case PtxOperand::Kind::name:
      return named_slot(operand, bytes);
    default:
      return syntax("an operand is not understood");
  }
}

/// A special register, or the address of a variable.
Result<uint16_t> OperandDecoder::named_slot(const PtxOperand& operand, uint32_t bytes) {
  if (operand.name == "WARP_SZ") return uniform_.constant(32, bytes);
  if (const auto* special = find_special_register(operand.name)) {
    if (special->bytes != bytes) return syntax("a special register has another width");
    return special_slot(*special);
  }
  const auto place = find_variable(operand.name);
  if (const uint32_t function = place ? kNoIndex : find_function(*program_.module, operand.name); function != kNoIndex)
    return uniform_.constant(address_of_function(function), bytes);
  if (!place) return syntax(fmt::format("'{}' is not declared", operand.name));
  const uint64_t base = place->space == Space::global ? kModuleWindow : 0;
  return uniform_.constant(base + place->offset + static_cast<uint64_t>(operand.offset), bytes);
}

uint16_t OperandDecoder::special_slot(const SpecialRegisterInfo& special) {
  for (const auto& known : program_.specials)
    if (known.name == special.id) return known.slot;
  uint16_t slot = 0;
  if (special.by_warp) {
    slot = static_cast<uint16_t>(program_.register_slots);
    program_.register_slots += 2;
  } else {
    slot = uniform_.reserve(special.bytes);
  }
  program_.specials.push_back({special.id, slot});
  return slot;
}

std::optional<VariablePlace> OperandDecoder::find_variable(std::string_view name) const {
  for (const auto* places : {&kernel_variables_.places, &module_variables_.places})
    if (const auto found = places->find(name); found != places->end()) return found->second;
  return std::nullopt;
}

Result<void> OperandDecoder::label(const PtxOperand& operand) {
  const auto found = function_.labels.find(operand.name);
  if (found == function_.labels.end()) return syntax("there is no such label");
  const uint32_t target = flow_.position[block_of(found->second)];
  if (target <= position_) operation_.run = find_isa_row("bra.backward")->run;
  add_jump(target);
  has_immediate_ = true;
  return {};
}

Result<void> OperandDecoder::table(const PtxOperand& operand) {
  for (std::string_view name : function_.branch_targets.at(operand.name))
    tables_[next_operation()].push_back(flow_.position[block_of(function_.labels.at(name))]);
  has_immediate_ = true;
  return {};
}

uint32_t OperandDecoder::block_of(uint32_t instruction) const {
  const auto after = std::upper_bound(flow_.blocks.begin(), flow_.blocks.end(), instruction,
                                      [](uint32_t at, const BasicBlock& block) { return at < block.first; });
  return static_cast<uint32_t>(after - flow_.blocks.begin()) - 1;
}

Result<void> OperandDecoder::address(const PtxOperand& operand) {
  if (operand.kind != PtxOperand::Kind::address) return syntax("an operand should be an address");
  int64_t offset = operand.offset;
  uint16_t slot = 0;
  narrow_address_ = operand.has_register && function_.registers[operand.reg].bytes == 4;
  if (operand.has_register) {
    PtxOperand base;
    base.kind = PtxOperand::Kind::reg;
    base.reg = operand.reg;
    auto reg = register_slot(base, narrow_address_ ? 4 : 8, false);
    if (!reg) return forward(reg);
    slot = *reg;
  } else {
    if (!operand.name.empty()) {
      const auto place = find_variable(operand.name);
      if (!place) return syntax(fmt::format("'{}' is not declared", operand.name));
      offset = static_cast<int64_t>(static_cast<uint64_t>(offset) + place->offset +
                                    (place->space == Space::global ? kModuleWindow : 0));
    }
    if (resolved_->is_parameter) return parameter(static_cast<uint64_t>(offset));
    slot = uniform_.constant(0, 8);
  }
  if (resolved_->space != Space::global && !resolved_->is_generic)
    offset = static_cast<int64_t>(static_cast<uint64_t>(offset) + window_of(resolved_->space));
  operation_.immediate = offset;
  has_immediate_ = true;
  return put_source(slot);
}

/// The elements' values are contiguous in the uniform area when a launch begins.
Result<void> OperandDecoder::parameter(uint64_t offset) {
  const uint64_t bytes = uint64_t{resolved_->type.bytes} * resolved_->elements;
  if (offset > program_.parameter_bytes || bytes > program_.parameter_bytes - offset)
    return syntax("a load is outside of the parameters");
  const uint16_t slot = uniform_.reserve(resolved_->register_bytes * resolved_->elements);
  for (uint32_t i = 0; i < resolved_->elements; ++i) {
    ParameterSlot parameter;
    parameter.slot = static_cast<uint16_t>(slot + i * resolved_->register_bytes * 32 / kSlotBytes);
    parameter.offset = static_cast<uint32_t>(offset) + i * resolved_->type.bytes;
    parameter.bytes = static_cast<uint8_t>(resolved_->type.bytes);
    parameter.register_bytes = static_cast<uint8_t>(resolved_->register_bytes);
    parameter.is_signed = resolved_->type.is_signed;
    program_.parameter_slots.push_back(parameter);
  }
  return put_source(slot);
}

/// Up to four registers in dst, b, c and extra; for mov's {…} source, in b, c, extra and the fourth.
Result<void> OperandDecoder::vector_operand(const PtxOperand& operand, char kind, bool is_destination) {
  const bool is_vector = operand.kind == PtxOperand::Kind::vector;
  const size_t count = is_vector ? operand.elements.size() : 1;
  if (count == 0 || count > 4 || (kind == 'v' && count != resolved_->elements))
    return syntax("a vector has the wrong number of elements");
  uint32_t bytes = resolved_->register_bytes;
  if (kind == 'w')
    bytes = find_ptx_type(instruction_->opcode.substr(instruction_->opcode.rfind('.') + 1))->bytes /
            static_cast<uint32_t>(count);
  std::array<uint16_t*, 4> fields = {&operation_.dst, &operation_.b, &operation_.c, &operation_.extra};
  if (kind == 'w' && !is_destination) fields = {&operation_.b, &operation_.c, &operation_.extra, &fourth_};
  for (size_t i = 0; i < count; ++i) {
    const PtxOperand& element = is_vector ? operand.elements[i] : operand;
    auto slot = is_destination ? register_slot(element, bytes, true) : value_slot(element, bytes, false);
    if (!slot) return forward(slot);
    *fields[i] = *slot;
  }
  return {};
}

/// The registers are stored in Program::fragments.
Result<void> OperandDecoder::fragment(const PtxOperand& operand, char kind, bool is_destination) {
  const bool is_vector = operand.kind == PtxOperand::Kind::vector;
  const size_t count = is_vector ? operand.elements.size() : 1;
  if (fragments_ == 0) {
    if (program_.fragments.size() > 0xffff) return syntax("there are too many matrix instructions");
    operation_.extra = static_cast<uint16_t>(program_.fragments.size());
    program_.fragments.emplace_back();
  }
  auto& slots = program_.fragments.back().slots;
  if (count == 0 || count > slots[0].size() || fragments_ >= slots.size())
    return syntax("a fragment has the wrong number of registers");
  const uint32_t bytes = kind == 'E' ? 8 : 4;
  for (size_t i = 0; i < count; ++i) {
    const PtxOperand& element = is_vector ? operand.elements[i] : operand;
    auto slot = is_destination ? register_slot(element, bytes, true) : value_slot(element, bytes, false);
    if (!slot) return forward(slot);
    slots[fragments_][i] = *slot;
  }
  program_.fragments.back().counts[fragments_] = static_cast<uint8_t>(count);
  program_.fragments.back().shape = resolved_->fragment;
  ++fragments_;
  return {};
}

}  // namespace tilescope
