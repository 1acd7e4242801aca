#include "engine/compile/ptx_source.hpp"

#include "engine/compile/known_module.hpp"
#include "engine/compile/ptx_text.hpp"

namespace tilescope {
namespace {

class PtxSource final : public Compiler {
 public:
  std::unique_ptr<Compilation> start(const CompileRequest& request, std::stop_token) override {
    CompiledModule module;
    module.ptx = request.text;
    module.cubin_target = request.cubin_target;
    module.kernels = kernel_infos_of_ptx(module.ptx);
    if (module.kernels.empty()) return std::make_unique<KnownModule>(fail(ErrorId::no_entry, request.file));
    return std::make_unique<KnownModule>(std::move(module));
  }
};

}  // namespace

std::shared_ptr<Compiler> open_ptx_source() { return std::make_shared<PtxSource>(); }

}  // namespace tilescope
