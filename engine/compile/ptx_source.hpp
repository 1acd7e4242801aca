// Plain PTX as a source, of any compiler: nothing is compiled. A GPU's driver assembles it.
#pragma once

#include <memory>

#include "engine/compile/compiler.hpp"

namespace tilescope {

std::shared_ptr<Compiler> open_ptx_source();

}  // namespace tilescope
