#include "engine/compile/ptx_source.hpp"

#include "engine/compile/ptx_text.hpp"

namespace tilescope {
namespace {

class PtxCompilation final : public Compilation {
 public:
  explicit PtxCompilation(Result<CompiledModule> module) : module_(std::move(module)) {}
  Result<CompiledModule> ptx() override { return module_; }
  Result<CompiledModule> machine_code() override { return module_; }

 private:
  Result<CompiledModule> module_;
};

class PtxSource final : public Compiler {
 public:
  std::unique_ptr<Compilation> start(const CompileRequest& request, std::stop_token) override {
    CompiledModule module;
    module.ptx = request.text;
    module.cubin_target = request.cubin_target;
    for (PtxKernel& kernel : kernels_of_ptx(module.ptx)) {
      KernelInfo info;
      info.name = std::move(kernel.name);
      info.parameter_bytes = std::move(kernel.parameter_bytes);
      module.kernels.push_back(std::move(info));
    }
    if (module.kernels.empty()) return std::make_unique<PtxCompilation>(fail(ErrorId::no_entry, request.file));
    return std::make_unique<PtxCompilation>(std::move(module));
  }
  std::string version() const override { return {}; }
  CompilerOrigin origin() const override { return {}; }
  std::string nearest_target(const std::string& architecture) const override { return architecture; }
};

}  // namespace

std::shared_ptr<Compiler> open_ptx_source() { return std::make_shared<PtxSource>(); }

}  // namespace tilescope
