// Several source files as one module: each is compiled by itself to relocatable PTX, and the PTX is linked.
#pragma once

#include <functional>

#include "engine/compile/compiler.hpp"

namespace tilescope {

using CompileOne = std::function<Result<CompiledModule>(const CompileRequest&)>;

/// The module of a request with more than one source. It has no machine code: a driver that loads it compiles the PTX.
Result<CompiledModule> compile_linked(const CompileRequest& request, const CompileOne& compile_one);

}  // namespace tilescope
