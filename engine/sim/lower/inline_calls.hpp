// Calls of device functions that the compiler left in the PTX. Where that is possible a call is replaced by the
// function's body, so that lanes part and meet as in the function that calls. What remains (recursion, calls through
// pointers, large functions) are subroutines: their bodies stand before the kernel's, so that of the lanes of a warp
// those inside of functions run first, and all meet again behind the call.
//
//   instructions   subroutine 0 | subroutine 1 | … | the kernel       callees first
//   a frame        results | parameters | variables                   in local memory, one for each call under way
//
// What is passed goes through local memory, one variable for each parameter and result.
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
  std::deque<std::string> names;  // owns the new names that the function's views point into
};

/// Whether there is a call.
bool calls_functions(const PtxFunction& function);

/// The kernel with all functions that it can come to. A call of a function that neither the module nor the run time
/// (vprintf, malloc, free, __assertfail) defines stays as it is.
Result<std::shared_ptr<const InlinedFunction>> inline_calls(const PtxModule& module, const PtxFunction& kernel);

/// Where results and parameters lie in a frame, by their sizes alone, so that both sides of a call through a pointer
/// know it. `end` is where the rest of the frame begins.
struct FrameLayout {
  std::vector<uint64_t> results, parameters;
  uint64_t end = 0;
};
FrameLayout lay_out_frame(const std::vector<uint64_t>& results, const std::vector<uint64_t>& parameters);

}  // namespace tilescope
