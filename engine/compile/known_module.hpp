// A compilation whose outcome is known at its start: from the cache, or where there is nothing to compile.
#pragma once

#include <utility>

#include "engine/compile/compiler.hpp"

namespace tilescope {

class KnownModule final : public Compilation {
 public:
  explicit KnownModule(Result<CompiledModule> module) : module_(std::move(module)) {}
  Result<CompiledModule> ptx() override { return module_; }
  Result<CompiledModule> machine_code() override { return module_; }

 private:
  Result<CompiledModule> module_;
};

}  // namespace tilescope
