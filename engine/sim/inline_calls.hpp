// Calls of device functions that the compiler left in the PTX (the slow paths of double-precision mathematics, above
// all) are replaced by the functions' bodies. What is passed goes through local memory, one variable for each
// parameter.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "engine/result.hpp"
#include "engine/sim/ast.hpp"

namespace tilescope {

struct InlinedFunction {
  PtxFunction function;
  std::deque<std::string> names;  // owns the new names that the function's views point into
};

/// Whether there is a call.
bool calls_functions(const PtxFunction& function);

/// The same function without calls. A call of a function that the module does not define stays, except that a failed
/// assertion is a trap. The error says that a function calls itself.
Result<std::shared_ptr<const InlinedFunction>> inline_calls(const PtxModule& module, const PtxFunction& function);

}  // namespace tilescope
