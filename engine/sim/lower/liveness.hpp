// Which registers hold a value that is still needed, and from that their slots: registers that are never needed at the
// same time share one, which keeps a warp's registers in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/result.hpp"
#include "engine/sim/lower/control_flow.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

/// Registers that an instruction reads and writes. A guarded write may leave the old value, so it needs that one too.
struct RegisterUse {
  std::vector<uint32_t> reads = {}, writes = {};
  bool guarded = false;
};

struct RegisterSlots {
  std::vector<uint16_t> slot;      // by register: slot of program.hpp, or of a predicate its index
  uint32_t slots = 0;              // of 64 bytes, in all
  uint32_t predicates = 1;         // with the one that is always true
  std::vector<uint32_t> at_entry;  // registers that may be read before they are written
};

/// Registers by block that are needed where the block begins.
std::vector<std::vector<bool>> live_at_begin(const PtxFunction& function, const ControlFlow& flow,
                                             const std::vector<RegisterUse>& uses);

/// Registers that are needed behind an instruction of a block that is laid out.
std::vector<bool> live_behind(const PtxFunction& function, const ControlFlow& flow,
                              const std::vector<RegisterUse>& uses, const std::vector<std::vector<bool>>& live,
                              uint32_t instruction);

/// A subroutine's registers share no slots with those of other functions, whose calls may be under way. The error says
/// that the function needs more slots than there are.
Result<RegisterSlots> assign_slots(const PtxFunction& function, const ControlFlow& flow,
                                   const std::vector<RegisterUse>& uses);

}  // namespace tilescope
