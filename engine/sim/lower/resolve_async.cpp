#include "engine/sim/lower/resolve_async.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tilescope {
namespace {

/// cp.async: the size is an operand; bypassing the L1 only affects what is counted.
void resolve_copy(const PtxInstruction& instruction, const std::vector<std::string_view>& parts,
                  ResolvedInstruction& resolved) {
  const auto is_listed = [&](std::string_view part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  const bool passes_l1 = is_listed("cg");
  if (passes_l1 || is_listed("ca")) {
    if (instruction.operands.size() < 3 || instruction.operands[2].kind != PtxOperand::Kind::integer) return;
    const uint64_t bytes = instruction.operands[2].bits;
    if (bytes != 16 && (passes_l1 || (bytes != 4 && bytes != 8))) return;
    resolved.row = find_isa_row(passes_l1 ? "cp.async.cg" : "cp.async.ca");
    resolved.is_memory = true;
    resolved.is_copy = true;
    resolved.kind = AccessKind::async_copy;
    resolved.type.bytes = static_cast<uint32_t>(bytes);
  } else {
    resolved.row = find_isa_row(instruction.opcode);
  }
}

/// mbarrier.arrive.release.cta.shared::cta.b64, cp.async.mbarrier.arrive.noinc.shared.b64
void resolve_mbarrier(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  constexpr std::array<std::string_view, 7> kDropped = {"release", "acquire", "relaxed", "cta",
                                                        "cluster", "b64",     "sys"};
  std::string opcode;
  resolved.is_generic = true;
  for (std::string_view part : parts) {
    if (names_shared_memory(part)) {
      resolved.space = Space::shared;
      resolved.is_generic = false;
    } else if (std::find(kDropped.begin(), kDropped.end(), part) == kDropped.end()) {
      opcode.append(opcode.empty() ? "" : ".").append(part);
    }
  }
  resolved.row = find_isa_row(opcode);
  resolved.is_memory = true;
  resolved.is_strong = true;
  resolved.kind = opcode == "mbarrier.init" ? AccessKind::store : AccessKind::atomic;
  resolved.space = Space::shared;
  resolved.type.bytes = 8;
}

}  // namespace

bool resolve_async(const PtxInstruction& instruction, const std::vector<std::string_view>& parts,
                   ResolvedInstruction& resolved) {
  if (instruction.opcode == "mbarrier.pending_count.b64")
    resolved.row = find_isa_row(instruction.opcode);
  else if (parts[0] == "mbarrier" || instruction.opcode.starts_with("cp.async.mbarrier"))
    resolve_mbarrier(parts, resolved);
  else if (parts[0] == "cp" && parts.size() > 1 && parts[1] == "async")
    resolve_copy(instruction, parts, resolved);
  else
    return false;
  return true;
}

}  // namespace tilescope
