#include "engine/sim/resolve_matrix.hpp"

#include <string>

namespace tilescope {
namespace {

bool is_shared(std::string_view part) {
  return part == "shared" || part == "shared::cta" || part == "shared::cluster";  // a cluster is one block here
}

/// The opcode without its state space, which it stores.
std::string without_space(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  std::string rest(parts[0]);
  resolved.is_generic = true;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (is_shared(parts[i]) || parts[i] == "global") {
      resolved.space = parts[i] == "global" ? Space::global : Space::shared;
      resolved.is_generic = false;
    } else {
      rest.append(".").append(parts[i]);
    }
  }
  return rest;
}

/// ldmatrix and stmatrix: each lane's address is that of a row of 16 bytes.
void resolve_rows(const std::vector<std::string_view>& parts, ResolvedInstruction& resolved) {
  constexpr uint32_t kRowBytes = 16;
  resolved.row = find_isa_row(without_space(parts, resolved));
  if (resolved.row == nullptr) return;
  for (std::string_view part : parts)
    if (part == "x1" || part == "x2" || part == "x4") resolved.elements = static_cast<uint32_t>(part[1] - '0');
  resolved.space = Space::shared;  // a generic address must lead there too
  resolved.is_memory = true;
  resolved.is_matrix = true;
  resolved.kind = parts[0] == "ldmatrix" ? AccessKind::load : AccessKind::store;
  resolved.register_bytes = 4;
  resolved.type.bytes = kRowBytes / resolved.elements;
}

/// cp.async: caching makes no difference, and the size is an operand.
void resolve_copy(const PtxInstruction& instruction, const std::vector<std::string_view>& parts,
                  ResolvedInstruction& resolved) {
  if (parts.size() >= 3 && (parts[2] == "ca" || parts[2] == "cg")) {
    if (instruction.operands.size() < 3 || instruction.operands[2].kind != PtxOperand::Kind::integer) return;
    const uint64_t bytes = instruction.operands[2].bits;
    if (bytes != 16 && (parts[2] == "cg" || (bytes != 4 && bytes != 8))) return;
    resolved.row = find_isa_row("cp.async");
    resolved.is_memory = true;
    resolved.is_copy = true;
    resolved.kind = AccessKind::async_copy;
    resolved.type.bytes = static_cast<uint32_t>(bytes);
  } else {
    resolved.row = find_isa_row(instruction.opcode);
  }
}

}  // namespace

bool resolve_matrix(const PtxInstruction& instruction, const std::vector<std::string_view>& parts,
                    ResolvedInstruction& resolved) {
  if (parts[0] == "ldmatrix" || parts[0] == "stmatrix")
    resolve_rows(parts, resolved);
  else if (parts[0] == "cp" && parts.size() > 1 && parts[1] == "async")
    resolve_copy(instruction, parts, resolved);
  else
    return false;
  return true;
}

}  // namespace tilescope
