// The functions reachable from a kernel, and which of them are subroutines: functions that are called through a
// pointer, that are recursive, or that are too large to inline at each call.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

struct CallPlan {
  std::vector<uint32_t> subroutines;  // indices into PtxModule::functions, callees before callers if possible
  std::vector<bool> is_copied;        // by function of the module: direct calls are replaced by its body
  std::vector<bool> has_address;      // by function of the module: its address is taken
};

CallPlan plan_calls(const PtxModule& module, const PtxFunction& kernel);

/// One call instruction: call (results), function, (parameters), prototype; each list may be missing.
struct PtxCallParts {
  std::string_view callee;              // for a direct call
  const PtxOperand* pointer = nullptr;  // for an indirect call
  const PtxOperand* results = nullptr;  // a vector of names
  const PtxOperand* parameters = nullptr;
};
bool is_call(const PtxInstruction& instruction);
PtxCallParts parts_of_call(const PtxInstruction& instruction);

/// The index of a function that is not a kernel, or kNoIndex.
uint32_t find_function(const PtxModule& module, std::string_view name);

}  // namespace tilescope
