#include "tests/differential/fuzz_run.hpp"

#include <fstream>
#include <sstream>

namespace tilescope::differential {

CompileRequest FuzzRunner::request_for(const std::vector<FuzzKernel>& kernels, const std::string& name,
                                       std::optional<int> assembler_level) const {
  CompileRequest request;
  request.text = print_kernels(kernels);
  request.file = name + ".cu";
  request.cubin_target = "sm_80";  // the PTX's target: one compilation serves both
  if (assembler_level && gpu_ != nullptr) {
    if (const std::string architecture = gpu_->device().architecture; !architecture.empty())
      request.cubin_target = architecture;
    request.want_cubin = true;
    request.assembler_level = *assembler_level;
  }
  return request;
}

Result<CompiledModule> FuzzRunner::compile(const std::vector<FuzzKernel>& kernels, const std::string& name) {
  const std::string path = kept_ptx_ + "/" + name + ".ptx";
  if (!kept_ptx_.empty()) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    CompiledModule module;
    module.ptx = text.str();
    if (!module.ptx.empty()) return module;
  }
  if (compiler_ == nullptr) return fail(ErrorId::bad_argument, "PTX", path + " is not there");
  auto module = compiler_->compile(request_for(kernels, name, assembler_level_), {});
  if (module && !kept_ptx_.empty()) std::ofstream(path) << module->ptx;
  return module;
}

bool FuzzRunner::agrees_unoptimised(const FuzzKernel& kernel, const Outcome& simulated) {
  if (compiler_ == nullptr || assembler_level_) return false;
  const auto module = compiler_->compile(request_for({kernel}, "fuzz", 0), {});
  if (!module) return false;
  const auto scenario = scenario_of(kernel, 0);
  const auto measured = run_scenario(*gpu_, *module, *scenario, {});
  return measured && !difference_between(*scenario, simulated, *measured);
}

void FuzzRunner::run_one(const CompiledModule& module, const FuzzKernel& kernel, size_t number, FuzzReport& report) {
  const auto failed = [&](const char* kind, const std::string& what) {
    report.failures.push_back({kind, what, kernel});
  };
  const auto scenario = scenario_of(kernel, number);
  ++report.kernels;
  LaunchOptions options;
  options.step_budget = 50'000'000;
  const auto simulated = run_scenario(simulator_, module, *scenario, options);
  if (!simulated) return failed("error", "simulator: " + simulated.error().message);
  report.warp_instructions += simulated->warp_instructions;
  report.simulator_ms += simulated->elapsed_ms;
  if (!simulated->findings.empty()) return failed("false alarm", simulated->findings[0].message);
  if (gpu_ != nullptr) {
    const auto measured = run_scenario(*gpu_, module, *scenario, options);
    if (!measured) return failed("error", "GPU: " + measured.error().message);
    report.gpu_ms += measured->elapsed_ms;
    if (const auto difference = difference_between(*scenario, *simulated, *measured)) {
      if (difference_from_expected(*scenario, *simulated) || !agrees_unoptimised(kernel, *simulated))
        return failed("simulator", "not as on the GPU: " + *difference);
      report.compiler.push_back({"compiler", "ptxas, if it optimises: " + *difference, kernel});
      return;
    }
    if (const auto difference = difference_from_expected(*scenario, *measured)) {
      report.compiler.push_back({"compiler", *difference, kernel});
      return;
    }
  }
  if (const auto difference = difference_from_expected(*scenario, *simulated)) return failed("simulator", *difference);
  ++report.agreed;
}

FuzzReport FuzzRunner::run(uint64_t first, uint64_t count) {
  FuzzReport report;
  std::vector<FuzzKernel> kernels;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    FuzzKernel kernel = generate_kernel(seed);
    if (scenario_of(kernel, 0))
      kernels.push_back(std::move(kernel));
    else
      ++report.too_long;
  }
  if (kernels.empty()) return report;
  const auto module = compile(kernels, "fuzz_" + std::to_string(first) + "_" + std::to_string(count));
  if (!module) {
    report.failures.push_back({"error", module.error().message, kernels[0]});
    return report;
  }
  for (size_t i = 0; i < kernels.size(); ++i) run_one(*module, kernels[i], i, report);
  return report;
}

FuzzFailure FuzzRunner::minimised(const FuzzFailure& failure, int attempts) {
  FuzzFailure smallest = failure;
  if (compiler_ == nullptr) return smallest;
  const auto fails = [&](const FuzzKernel& kernel) {
    if (!scenario_of(kernel, 0)) return false;
    const auto module = compiler_->compile(request_for({kernel}, "fuzz", assembler_level_), {});
    if (!module) return false;
    FuzzReport report;
    run_one(*module, kernel, 0, report);
    if (report.failures.empty() || report.failures[0].kind != failure.kind) return false;
    smallest = report.failures[0];
    return true;
  };
  smallest.kernel = minimise(failure.kernel, fails, attempts);
  return smallest;
}

}  // namespace tilescope::differential
