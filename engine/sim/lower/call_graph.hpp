// Which functions a kernel can come to, and which of them are subroutines: functions that are called through a pointer,
// that call themselves, or that are too large to be put in place of each of their calls.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

struct CallPlan {
  std::vector<uint32_t> subroutines;  // indices into PtxModule::functions, callees before their callers where possible
  std::vector<bool> is_copied;        // by function of the module: direct calls of it are replaced by its body
  std::vector<bool> has_address;      // by function of the module: its address is taken somewhere
};

CallPlan plan_calls(const PtxModule& module, const PtxFunction& kernel);

/// One call instruction, call (results), function, (parameters), prototype; each list may be missing.
struct PtxCallParts {
  std::string_view callee;              // of a direct call
  const PtxOperand* pointer = nullptr;  // of an indirect one
  const PtxOperand* results = nullptr;  // a vector of names
  const PtxOperand* parameters = nullptr;
};
bool is_call(const PtxInstruction& instruction);
PtxCallParts parts_of_call(const PtxInstruction& instruction);

/// The index of a function that is no kernel, or kNoIndex.
uint32_t find_function(const PtxModule& module, std::string_view name);

}  // namespace tilescope
