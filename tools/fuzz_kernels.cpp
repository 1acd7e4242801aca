// Draws kernels from seeds and compares simulator, GPU (if there is one) and the kernels' own definition, bit for bit.
// The first failures are minimised and printed.
//
//   fuzz_kernels --kernels 2000 --report fuzz.json
//   fuzz_kernels --seed 4711 --kernels 1 --print     one kernel, with its source
//   fuzz_kernels --seed 756 --kernels 1 --opt-level 0   the GPU runs ptxas's output without optimisation
//   fuzz_kernels --ptx FOLDER                        stores the PTX there, or reads it there where NVRTC is missing
//
// The exit status is 0 if all agreed and no check of the simulator reported a finding, else 1. If GPU and simulator
// agree but differ from the definition, or if the GPU agrees with the definition once ptxas does not optimise, the
// compiler is at fault: this is reported but is not a failure.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/gpu/gpu_executor.hpp"
#include "engine/sim/simulator.hpp"
#include "tests/differential/fuzz_run.hpp"

namespace tilescope::differential {
namespace {

struct Options {
  uint64_t seed = 1, kernels = 1000, per_module = 40;
  double seconds = 1e9;
  int threads = 0, show = 3, attempts = 400;
  std::string report = {}, ptx = {};
  std::optional<int> assembler_level = {};
  bool no_gpu = false, print = false;
};

void add(FuzzReport& total, FuzzReport one) {
  total.kernels += one.kernels;
  total.too_long += one.too_long;
  total.agreed += one.agreed;
  total.warp_instructions += one.warp_instructions;
  total.simulator_ms += one.simulator_ms;
  total.gpu_ms += one.gpu_ms;
  for (FuzzFailure& failure : one.compiler) total.compiler.push_back(std::move(failure));
  for (FuzzFailure& failure : one.failures) total.failures.push_back(std::move(failure));
}

void show(FuzzRunner& runner, const FuzzFailure& failure, const Options& options) {
  const FuzzFailure small = runner.minimised(failure, options.attempts);
  const std::string source = print_kernels({small.kernel});
  std::printf("\n%s, seed %llu: %s\nmade smaller: %s\n%s\n", failure.kind.c_str(),
              static_cast<unsigned long long>(failure.kernel.seed), failure.what.c_str(), small.what.c_str(),
              source.substr(source.find("\n// seed")).c_str());
}

int run(const Options& options) {
  if (options.print) std::printf("%s", print_kernels({generate_kernel(options.seed)}).c_str());
  if (!options.ptx.empty()) std::filesystem::create_directories(options.ptx);
  auto compiler = Compiler::open({});
  const auto simulator = make_simulator(options.threads);
  auto gpu = options.no_gpu ? fail(ErrorId::no_gpu, "it was not asked for") : open_gpu();
  if (!gpu) std::printf("no GPU: %s\n", gpu.error().message.c_str());
  FuzzRunner runner(compiler ? *compiler : nullptr, *simulator, gpu ? gpu->get() : nullptr, options.ptx,
                    options.assembler_level);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  FuzzReport total;
  for (uint64_t done = 0; done < options.kernels && elapsed() < options.seconds; done += options.per_module)
    add(total, runner.run(options.seed + done, std::min(options.per_module, options.kernels - done)));
  for (size_t i = 0; i < total.failures.size() && i < static_cast<size_t>(options.show); ++i)
    show(runner, total.failures[i], options);
  for (const FuzzFailure& failure : total.compiler)
    std::printf("compiled wrongly, seed %llu: %s\n", static_cast<unsigned long long>(failure.kernel.seed),
                failure.what.c_str());
  std::printf(
      "%llu kernels (%llu more ran for too long to be used), %llu agreed, %zu failed, %zu compiled wrongly; %llu warp "
      "instructions; "
      "compared: definition, simulator%s; %.1f s\n",
      static_cast<unsigned long long>(total.kernels), static_cast<unsigned long long>(total.too_long),
      static_cast<unsigned long long>(total.agreed), total.failures.size(), total.compiler.size(),
      static_cast<unsigned long long>(total.warp_instructions), gpu ? ", GPU" : "", elapsed());
  const bool agreed = total.failures.empty() && total.kernels > 0;
  if (!options.report.empty()) {
    nlohmann::json report = {{"simulator", simulator->device().name},
                             {"seed", options.seed},
                             {"kernels", total.kernels},
                             {"agreed", total.agreed},
                             {"too_long", total.too_long},
                             {"warp_instructions", total.warp_instructions},
                             {"simulator_ms", total.simulator_ms},
                             {"gpu_ms", total.gpu_ms},
                             {"failures", nlohmann::json::array()}};
    report["gpu"] = gpu ? nlohmann::json((*gpu)->device().name) : nlohmann::json(nullptr);
    total.failures.insert(total.failures.end(), total.compiler.begin(), total.compiler.end());
    for (const FuzzFailure& failure : total.failures)
      report["failures"].push_back({{"kind", failure.kind}, {"seed", failure.kernel.seed}, {"what", failure.what}});
    std::ofstream(options.report) << report.dump(2) << "\n";
  }
  return agreed ? 0 : 1;
}

}  // namespace
}  // namespace tilescope::differential

int main(int argc, char** argv) {
  tilescope::differential::Options options;
  CLI::App app("Compares generated kernels on simulator, GPU and by their definition");
  app.add_option("--seed", options.seed, "of the first kernel");
  app.add_option("--kernels", options.kernels, "how many");
  app.add_option("--per-module", options.per_module, "kernels compiled together");
  app.add_option("--seconds", options.seconds, "draws no more after this time");
  app.add_option("--threads", options.threads, "host threads of the simulator; 0: all");
  app.add_option("--show", options.show, "failures to make small and print");
  app.add_option("--attempts", options.attempts, "compilations spent on making one small");
  app.add_option("--report", options.report, "JSON file to write");
  app.add_option("--ptx", options.ptx, "folder of kept PTX");
  app.add_option("--opt-level", options.assembler_level, "gives the GPU a cubin that ptxas optimised so much, 0 to 3")
      ->check(CLI::Range(0, 3));
  app.add_flag("--no-gpu", options.no_gpu, "the simulator alone");
  app.add_flag("--print", options.print, "prints the first kernel");
  CLI11_PARSE(app, argc, argv);
  return tilescope::differential::run(options);
}
