// Liveness of registers, and the slots assigned from it: registers that are never live at the same time share a slot,
// which keeps a warp's registers in the cache.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/result.hpp"
#include "engine/sim/lower/control_flow.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

/// Registers that an instruction reads and writes. A guarded write may leave the old value, so that value is live too.
struct RegisterUse {
  std::vector<uint32_t> reads = {}, writes = {};
  bool guarded = false;
};

struct RegisterSlots {
  std::vector<uint16_t> slot;      // by register: slot of program.hpp, or the index of a predicate
  uint32_t slots = 0;              // total number, of 64 bytes each
  uint32_t predicates = 1;         // including the one that is always true
  std::vector<uint32_t> at_entry;  // registers that may be read before they are written
};

/// By block: registers that are live at its start.
std::vector<std::vector<bool>> live_at_begin(const PtxFunction& function, const ControlFlow& flow,
                                             const std::vector<RegisterUse>& uses);

/// Registers that are live after an instruction of a reachable block.
std::vector<bool> live_behind(const PtxFunction& function, const ControlFlow& flow,
                              const std::vector<RegisterUse>& uses, const std::vector<std::vector<bool>>& live,
                              uint32_t instruction);

/// A subroutine's registers share no slots with those of other functions, whose calls may be active. An error if the
/// function needs more slots than there are.
Result<RegisterSlots> assign_slots(const PtxFunction& function, const ControlFlow& flow,
                                   const std::vector<RegisterUse>& uses);

}  // namespace tilescope
