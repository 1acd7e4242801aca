#include "engine/sim/lower/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "engine/sim/lower/resolve_async.hpp"
#include "engine/sim/lower/resolve_matrix.hpp"
#include "engine/sim/lower/resolve_video.hpp"

namespace tilescope {
std::vector<std::string_view> parts_of_opcode(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= opcode.size();) {
    const size_t end = std::min(opcode.find('.', begin), opcode.size());
    parts.push_back(opcode.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool names_shared_memory(std::string_view part) {
  return part == "shared" || part == "shared::cta" || part == "shared::cluster";  // a cluster is one block here
}

namespace {

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<Space> space_from(std::string_view word) {
  if (word == "global") return Space::global;
  if (names_shared_memory(word)) return Space::shared;
  if (word == "local") return Space::local;
  if (word == "const") return Space::constant;
  if (one_of(word, {"param", "param::entry"})) return Space::param;
  return std::nullopt;
}

OperationModifiers modifiers_from(const std::vector<std::string_view>& parts) {
  OperationModifiers modifiers;
  const bool compares = one_of(parts[0], {"setp", "set"});
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (part == "rz" || part == "rzi") modifiers.rounding = Rounding::zero;
    if (part == "rm" || part == "rmi") modifiers.rounding = Rounding::minus_infinity;
    if (part == "rp" || part == "rpi") modifiers.rounding = Rounding::plus_infinity;
    if (part == "rna") modifiers.rounding = Rounding::nearest_away;
    if (one_of(part, {"rni", "rzi", "rmi", "rpi"})) modifiers.to_integer = true;
    if (part == "ftz") modifiers.flush = true;
    if (part == "sat") modifiers.saturate = true;
    if (part == "satfinite") modifiers.saturate_finite = true;
    if (part == "relu") modifiers.relu = true;
    if (compares && part == "and") modifiers.combine = Combine::conjunction;
    if (compares && part == "or") modifiers.combine = Combine::disjunction;
    if (compares && part == "xor") modifiers.combine = Combine::exclusive;
  }
  return modifiers;
}

/// Bytes of the first register in an operand, or 0.
uint32_t width_of(const PtxFunction& function, const PtxOperand& operand) {
  if (operand.kind == PtxOperand::Kind::reg) return function.registers[operand.reg].bytes;
  for (const auto& element : operand.elements)
    if (const uint32_t bytes = width_of(function, element); bytes != 0) return bytes;
  return 0;
}

/// Moves the types, in order, after the other qualifiers, or before them: ptxas accepts them anywhere.
std::vector<std::string_view> with_types(std::vector<std::string_view> parts, bool last) {
  const auto is_type = [](std::string_view part) { return find_ptx_type(part) != nullptr; };
  std::stable_partition(parts.begin() + 1, parts.end(), [&](std::string_view part) { return is_type(part) != last; });
  return parts;
}

/// ld, st, atom, red: drops qualifiers without effect here (caching, ordering), and keeps space, operation and type.
void resolve_memory(const PtxFunction& function, const PtxInstruction& instruction,
                    const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  const std::string_view head = parts[0];
  const bool atomic = head == "atom" || head == "red";
  std::string rest;
  bool spaced = false, ordered = atomic;
  for (size_t i = 1; i < parts.size(); ++i) {
    const std::string_view part = parts[i];
    if (const auto space = space_from(part)) {
      resolved.space = *space;
      spaced = true;
    } else if (one_of(part, {"volatile", "relaxed", "acquire", "release", "acq_rel", "mmio"})) {
      ordered = true;
      resolved.releases = one_of(part, {"release", "acq_rel"});
    } else if (one_of(part, {"cta", "cluster"})) {  // a cluster is one block here
      resolved.within_block = true;
    } else if (part == "v2" || part == "v4") {
      resolved.elements = static_cast<uint32_t>(part[1] - '0');
    } else if (!one_of(part, {"weak", "gpu", "sys", "nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt"}) &&
               !part.starts_with("L1::") && !part.starts_with("L2::")) {
      rest.push_back('.');
      rest.append(part);
    }
  }
  resolved.is_generic = !spaced;
  resolved.is_strong = ordered;
  resolved.acquires = ordered && head != "st" && head != "red";
  const PtxType* type = find_ptx_type(parts.back());
  if (type == nullptr || type->bytes == 0) return;
  resolved.type = *type;
  resolved.sees_others = ordered && one_of(spaced ? name_of(resolved.space) : "global", {"global"});
  if (atomic) {
    resolved.is_memory = true;
    resolved.kind = head == "atom" ? AccessKind::atomic : AccessKind::reduction;
    resolved.register_bytes = std::max(2U, type->bytes);
    // For a vector, the number of elements follows the operation: red.add.v2.noftz.f16.
    std::string opcode = std::string(head) + rest;
    if (resolved.elements != 1) {
      const size_t place = opcode.find('.', head.size() + 1);
      opcode.insert(std::min(place, opcode.size()), fmt::format(".v{}", resolved.elements));
    }
    if (!spaced || resolved.space == Space::global || resolved.space == Space::shared)
      resolved.row = find_isa_row(opcode);
    resolved.takes_stale = std::ranges::any_of(parts, [](std::string_view part) {
      return one_of(part, {"cas", "min", "max", "and", "or"});
    });
    return;
  }
  const bool load = head != "st";
  resolved.kind = load ? AccessKind::load : AccessKind::store;
  const size_t value = load ? 0 : 1;
  if (std::string_view(rest).substr(1) != type->text || instruction.operands.size() < 2) return;
  if (type->bytes * resolved.elements > 16 || (!load && resolved.space == Space::constant)) return;
  resolved.register_bytes = width_of(function, instruction.operands[value]);
  if (resolved.register_bytes == 0) resolved.register_bytes = std::max(2U, type->bytes);
  resolved.register_bytes = std::max(2U, resolved.register_bytes);
  const PtxOperand& address = instruction.operands[load ? 1 : 0];
  resolved.is_parameter = load && resolved.space == Space::param && spaced && !address.has_register;
  resolved.is_memory = !resolved.is_parameter;
  resolved.row = resolved.is_parameter
                     ? find_isa_row(fmt::format("parameter.{}.{}", resolved.elements, resolved.register_bytes))
                     : find_isa_row(fmt::format("{}.{}.{}:{}", load ? "ld" : "st", resolved.elements, type->text,
                                                resolved.register_bytes));
}

void resolve_move(const PtxInstruction& instruction, ResolvedInstruction& resolved) {
  const auto& operands = instruction.operands;
  const PtxType* type = find_ptx_type(instruction.opcode.substr(instruction.opcode.rfind('.') + 1));
  if (operands.size() != 2 || type == nullptr) return;
  if (operands[0].kind == PtxOperand::Kind::vector)
    resolved.row = find_isa_row(fmt::format("unpack.{}.b{}", operands[0].elements.size(), type->bytes * 8));
  else if (operands[1].kind == PtxOperand::Kind::vector)
    resolved.row = find_isa_row(fmt::format("pack.{}.b{}", operands[1].elements.size(), type->bytes * 8));
  else if (one_of(operands[1].name, {"%clock", "%clock64", "%globaltimer", "%globaltimer_lo"}))
    resolved.row = find_isa_row(fmt::format("clock.{}", type->bytes));
  else if (type->bytes == 2 && operands[1].kind == PtxOperand::Kind::name && operands[1].name.starts_with('%'))
    resolved.row = find_isa_row("cvt.u16.u32");  // a special register, as before PTX 2.0
  else if (one_of(operands[1].name, {"%clock_hi", "%globaltimer_hi"}))
    resolved.row = find_isa_row("clock.high");
  else
    resolved.row = find_isa_row(instruction.opcode);
}

/// set: the comparison and the operands' type select the row, the result's type selects the value of a true comparison.
void resolve_set(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  const size_t count = parts.size();
  if (count < 4) return;
  std::string_view comparison;
  for (size_t i = 1; i + 2 < count; ++i) {
    if (one_of(parts[i], {"and", "or", "xor", "ftz"})) continue;
    if (!comparison.empty()) return;
    comparison = parts[i];
  }
  const std::string_view to = parts[count - 2], from = parts[count - 1];
  const bool packed = from == "f16x2" || from == "bf16x2";
  if (!one_of(to, {"u32", "s32", "f32", "f16", "bf16", "u16", "s16", "f16x2", "bf16x2"})) return;
  if (to.ends_with("x2") ? to != from : packed && !one_of(to, {"u32", "s32"})) return;
  const SetResult result = to == "f32"              ? SetResult::one_f32
                           : to.starts_with("f16")  ? SetResult::one_f16
                           : to.starts_with("bf16") ? SetResult::one_bf16
                                                    : SetResult::ones;
  resolved.extra = static_cast<uint16_t>(result);
  resolved.modifiers.destination_bytes = static_cast<uint8_t>(find_ptx_type(to)->bytes);
  resolved.row = find_isa_row(fmt::format("set.{}.{}", comparison, from));
}

/// Whether registers have the widths that a shape requires, so that the fast row of a conversion applies.
bool widths_fit(const PtxFunction& function, const PtxInstruction& instruction, const IsaRow& row) {
  std::string widths(destinations_of(row));
  widths += sources_of(row);
  if (widths.size() != instruction.operands.size()) return false;
  for (size_t i = 0; i < widths.size(); ++i) {
    const uint32_t wanted = widths[i] == '2' ? 2 : widths[i] == '4' || widths[i] == 'f' ? 4 : 8;
    const uint32_t given = width_of(function, instruction.operands[i]);
    if (given != 0 && given != wanted) return false;
  }
  return true;
}

void resolve_conversion(const PtxFunction& function, const PtxInstruction& instruction,
                        const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  resolved.row = find_isa_row(instruction.opcode);
  if (resolved.row != nullptr && resolved.row->shape.find('x') == std::string_view::npos &&
      widths_fit(function, instruction, *resolved.row))
    return;
  resolved.row = nullptr;
  if (parts.size() < 3 || instruction.operands.size() != 2) return;
  const PtxType* to = find_ptx_type(parts[parts.size() - 2]);
  const PtxType* from = find_ptx_type(parts.back());
  if (to == nullptr || from == nullptr || conversion_code(*to) == 0 || conversion_code(*from) == 0) return;
  // Modifiers other than those of the scalar formats are unknown.
  for (size_t i = 1; i + 2 < parts.size(); ++i)
    if (!one_of(parts[i],
                {"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "ftz", "sat", "relu", "satfinite"}))
      return;
  resolved.row = find_isa_row("cvt");
  resolved.type = *from;
  resolved.extra = static_cast<uint16_t>(conversion_code(*to) | conversion_code(*from) << 8);
  const auto bytes = [&](size_t operand, const PtxType& type) {
    const uint32_t width = width_of(function, instruction.operands[operand]);
    return static_cast<uint8_t>(width != 0 ? std::max(2U, width) : std::max(2U, type.bytes));
  };
  resolved.modifiers.destination_bytes = bytes(0, *to);
  resolved.modifiers.source_bytes = bytes(1, *from);
}

}  // namespace

uint16_t conversion_code(const PtxType& type) {
  constexpr std::array<std::string_view, 12> kTypes = {"u8",  "s8",  "u16", "s16",  "u32", "s32",
                                                       "u64", "s64", "f16", "bf16", "f32", "f64"};
  const auto found = std::find(kTypes.begin(), kTypes.end(), type.text);
  return found == kTypes.end() ? 0 : static_cast<uint16_t>(1 + (found - kTypes.begin()));
}

std::string_view destinations_of(const IsaRow& row) { return row.shape.substr(0, row.shape.find('=')); }
std::string_view sources_of(const IsaRow& row) { return row.shape.substr(row.shape.find('=') + 1); }

ResolvedInstruction resolve(const PtxFunction& function, const PtxInstruction& instruction) {
  const auto parts = parts_of_opcode(instruction.opcode);
  ResolvedInstruction resolved;
  resolved.modifiers = modifiers_from(parts);
  const std::string_view head = parts[0];
  if (resolve_matrix(parts, resolved) || resolve_async(instruction, parts, resolved)) return resolved;
  if (one_of(head, {"ld", "ldu", "st", "atom", "red"})) {
    resolve_memory(function, instruction, with_types(parts, true), resolved);
  } else if (head == "mov") {
    resolve_move(instruction, resolved);
  } else if (head == "set") {
    resolve_set(with_types(parts, true), resolved);
  } else if (head == "cvt") {
    resolve_conversion(function, instruction, with_types(parts, true), resolved);
  } else if (const auto video = resolve_video(instruction); video) {
    resolved.is_video = true;
    resolved.video = std::bit_cast<int64_t>(*video);
    resolved.row = find_isa_row("video");
  } else if (one_of(head, {"prefetch", "prefetchu", "discard", "applypriority", "createpolicy"})) {
    resolved.row = find_isa_row(head);
  } else if (one_of(head, {"bar", "barrier"}) && instruction.opcode.find(".red.") != std::string_view::npos) {
    resolved.row = find_isa_row(std::string(instruction.opcode) + (instruction.operands.size() == 4 ? ".counted" : ""));
  } else if (!one_of(head, {"video", "parameter", "pack", "unpack", "clock", "jump", "end"}) &&
             instruction.opcode != "bra.backward") {
    resolved.row = find_isa_row(instruction.opcode);
    resolved.is_texture = head == "tex";
    if (one_of(head, {"call malloc", "call free"})) resolved.sees_others = true;
    if (head == "cvta" && parts.size() > 2)
      resolved.space = space_from(parts[parts.size() - 2]).value_or(Space::global);
  }
  return resolved;
}

namespace {

void collect(const PtxOperand& operand, bool write, RegisterUse& use) {
  const bool address = operand.kind == PtxOperand::Kind::address;
  if (operand.kind == PtxOperand::Kind::reg || (address && operand.has_register))
    (write && !address ? use.writes : use.reads).push_back(operand.reg);
  for (const auto& element : operand.elements) collect(element, write && !address, use);
}

}  // namespace

RegisterUse register_use(const PtxInstruction& instruction, const IsaRow& row) {
  RegisterUse use;
  use.guarded = instruction.guard != kNoIndex;
  if (use.guarded) use.reads.push_back(instruction.guard);
  const size_t destinations = destinations_of(row).size();
  for (size_t i = 0; i < instruction.operands.size(); ++i) collect(instruction.operands[i], i < destinations, use);
  return use;
}

}  // namespace tilescope
