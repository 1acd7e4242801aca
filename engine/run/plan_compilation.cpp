#include "engine/run/plan_compilation.hpp"

#include <utility>

#include "engine/kernel_language.hpp"
#include "engine/run/kernels.hpp"
#include "engine/run/template_arguments.hpp"
#include "engine/run/triton_launch.hpp"

namespace tilescope {
namespace {

CompileRequest request_for(const Plan& plan, std::span<const DeclaredKernel> declared,
                           const CompilationTarget& target) {
  CompileRequest request{.text = plan.source_text,
                         .file = plan.source_file,
                         .more_sources = plan.more_sources,
                         .headers = plan.headers,
                         .defines = plan.defines,
                         .include_folders = plan.include_folders,
                         .kernel_expressions = kernel_expressions(plan, declared),
                         .standard = plan.standard,
                         .cubin_target = target.architecture,
                         .want_cubin = true,
                         .native = target.native,
                         .machine_code = target.machine_code};
  if (!plan.architecture.empty()) request.ptx_target = plan.architecture;
  request.include_folders.push_back(target.kernels_folder);
  for (const Launch& launch : plan.launches) {
    if (plan.other_kernels == OtherKernels::left_out) request.only_kernels.push_back(launch.kernel);
    if (plan.other_kernels == OtherKernels::may_fail) request.wanted_kernels.push_back(launch.kernel);
  }
  return request;
}

}  // namespace

PlanCompilation::PlanCompilation(std::shared_ptr<Compiler> compiler, const Plan& plan, CompilationTarget target,
                                 std::stop_token stop)
    : compiler_(std::move(compiler)),
      stop_(std::move(stop)),
      declared_(language_of(plan.source_file) == KernelLanguage::cuda ? declared_kernels(plan)
                                                                      : std::vector<DeclaredKernel>()),
      request_(request_for(plan, declared_, target)),
      may_differ_(target.may_differ) {
  const auto start = Clock::now();
  if (language_of(plan.source_file) == KernelLanguage::triton) {
    auto kernels = triton_kernels(plan);
    if (!kernels)
      refused_ = kernels.error();
    else
      request_.triton = std::move(*kernels);
  }
  compilation_ = compiler_->start(request_, stop_);
  add_time_since(start);
}

Result<CompiledModule> PlanCompilation::wait_for(Result<CompiledModule> (Compilation::*what)()) {
  if (refused_) return tl::unexpected<Error>(*refused_);
  const auto start = Clock::now();
  const std::string usual = CompileRequest().cubin_target;
  auto module = ((*compilation_).*what)();
  if (!module && module.error().id == ErrorId::compile_failed && may_differ_ && request_.cubin_target != usual) {
    request_.cubin_target = usual;
    auto other = compiler_->start(request_, stop_);
    if (auto compiled = ((*other).*what)()) {
      module = std::move(compiled);
      compilation_ = std::move(other);
    }
  }
  add_time_since(start);
  return module;
}

void PlanCompilation::add_time_since(Clock::time_point start) {
  milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Error PlanCompilation::explained(const Error& error, std::span<const Launch> launches) const {
  if (!request_.triton.empty()) return error;
  return with_arguments_that_compile(error, *compiler_, request_, launches, declared_, stop_);
}

}  // namespace tilescope
