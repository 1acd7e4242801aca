// Compiles several source files into one module: each separately to relocatable PTX, which is then linked.
#pragma once

#include <functional>

#include "engine/compile/compiler.hpp"

namespace tilescope {

using CompileOne = std::function<Result<CompiledModule>(const CompileRequest&)>;

/// The module of a request with several sources. It has no machine code: the driver that loads it compiles the PTX.
Result<CompiledModule> compile_linked(const CompileRequest& request, const CompileOne& compile_one);

}  // namespace tilescope
