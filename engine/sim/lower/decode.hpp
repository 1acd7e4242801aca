// Decodes a kernel of a parsed module into a Program.
#pragma once

#include <memory>
#include <string>

#include "engine/result.hpp"
#include "engine/sim/program/program.hpp"

namespace tilescope {

/// The error is kernel_not_found, unknown_opcode (with the source line) or ptx_syntax.
Result<std::shared_ptr<const Program>> decode_kernel(std::shared_ptr<const PtxModule> module,
                                                     const std::string& kernel);

}  // namespace tilescope
