// PTX text → PtxModule.
#pragma once

#include <memory>
#include <string>

#include "engine/result.hpp"
#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

/// The error, if any, is ptx_syntax with the line of the PTX text.
Result<std::shared_ptr<const PtxModule>> parse_ptx(std::string text);

}  // namespace tilescope
