// Calls of device functions that the compiler left in the PTX. If possible, a call is replaced by the function's body,
// so that lanes diverge and reconverge as in the calling function. The rest (recursion, calls through pointers, large
// functions) are subroutines: their bodies precede the kernel's, so that the lanes of a warp that are inside functions
// run first, and all reconverge after the call.
//
//   instructions   subroutine 0 | subroutine 1 | … | the kernel       callees first
//   a frame        results | parameters | variables                   in local memory, one per active call
//
// Values are passed through local memory, with one variable for each parameter and result.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "engine/result.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

struct InlinedFunction {
  PtxFunction function;
  std::deque<std::string> names;  // owns the new names that the function's views refer to
};

/// Whether the function contains a call.
bool calls_functions(const PtxFunction& function);

/// The kernel with all functions reachable from it. A call of a function that neither the module nor the run time
/// (vprintf, malloc, free, __assertfail) defines stays unchanged.
Result<std::shared_ptr<const InlinedFunction>> inline_calls(const PtxModule& module, const PtxFunction& kernel);

/// Offsets of results and parameters in a frame. They depend only on their sizes, so that both sides of a call through
/// a pointer agree. `end` is where the rest of the frame begins.
struct FrameLayout {
  std::vector<uint64_t> results, parameters;
  uint64_t end = 0;
};
FrameLayout lay_out_frame(const std::vector<uint64_t>& results, const std::vector<uint64_t>& parameters);

}  // namespace tilescope
