// Runs every kernel of tests/differential in random shapes on the simulator, and, where there is a GPU, runs the same
// PTX on it and compares the results.
//
//   differential --shapes 20 --report differential.json
//   differential --only matmul --seed 7          the cases whose name contains "matmul"
//   differential --ptx FOLDER                    stores the PTX there, or reads it there where NVRTC is missing
//
// Kernels are read from TILESCOPE_ROOT/tests/differential/kernels. The exit status is 0 if everything agreed and no
// check of the simulator reported a finding (the kernels are correct), else 1.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/gpu/gpu_executor.hpp"
#include "engine/sim/simulator.hpp"
#include "tests/differential/runner.hpp"

namespace tilescope::differential {
namespace {

using nlohmann::json;

struct Options {
  uint64_t shapes = 10, seed = 1;
  int threads = 0;
  std::string only = {}, report = {}, ptx = {};
  bool no_gpu = false;
};

/// The failures of one case, as far as they are distinguished.
struct Tally {
  uint64_t runs = 0, agreed_with_gpu = 0, agreed_with_reference = 0, warp_instructions = 0;
  double simulator_ms = 0, gpu_ms = 0;
  std::vector<std::string> findings, gpu_differences, reference_differences, errors;

  bool good() const {
    return findings.empty() && gpu_differences.empty() && reference_differences.empty() && errors.empty();
  }
  void add(const Tally& other) {
    runs += other.runs;
    agreed_with_gpu += other.agreed_with_gpu;
    agreed_with_reference += other.agreed_with_reference;
    warp_instructions += other.warp_instructions;
    simulator_ms += other.simulator_ms;
    gpu_ms += other.gpu_ms;
  }
};

json to_json(const Tally& tally) {
  return {{"runs", tally.runs},
          {"agreed_with_gpu", tally.agreed_with_gpu},
          {"agreed_with_reference", tally.agreed_with_reference},
          {"warp_instructions", tally.warp_instructions},
          {"simulator_ms", tally.simulator_ms},
          {"gpu_ms", tally.gpu_ms},
          {"false_alarms", tally.findings},
          {"gpu_differences", tally.gpu_differences},
          {"reference_differences", tally.reference_differences},
          {"errors", tally.errors}};
}

void run_shape(const Case& test, const CompiledModule& module, uint64_t seed, Executor& simulator, Executor* gpu,
               Tally& tally) {
  Random random(seed);
  Scenario scenario;
  test.draw(random, scenario);
  const std::string where = "seed " + std::to_string(seed) + ", " + text_of(scenario) + ": ";
  ++tally.runs;
  const auto simulated = run_scenario(simulator, module, scenario, {});
  if (!simulated) {
    tally.errors.push_back(where + "simulator: " + simulated.error().message);
    return;
  }
  tally.warp_instructions += simulated->warp_instructions;
  tally.simulator_ms += simulated->elapsed_ms;
  for (const Finding& finding : simulated->findings) tally.findings.push_back(where + finding.message);
  if (const auto difference = difference_from_expected(scenario, *simulated))
    tally.reference_differences.push_back(where + "simulator: " + *difference);
  else if (!scenario.expectations.empty())
    ++tally.agreed_with_reference;
  if (gpu == nullptr) return;
  const auto measured = run_scenario(*gpu, module, scenario, {});
  if (!measured) {
    tally.errors.push_back(where + "GPU: " + measured.error().message);
    return;
  }
  tally.gpu_ms += measured->elapsed_ms;
  // A GPU that differs from plain C++ means that the kernel or the reference is wrong.
  if (const auto difference = difference_from_expected(scenario, *measured))
    tally.reference_differences.push_back(where + "GPU: " + *difference);
  if (const auto difference = difference_between(scenario, *simulated, *measured))
    tally.gpu_differences.push_back(where + *difference);
  else
    ++tally.agreed_with_gpu;
}

void print(const Case& test, const Tally& tally, bool gpu) {
  std::printf("%-8s %-28s %3llu runs", tally.good() ? "ok" : "FAILED", test.name.c_str(),
              static_cast<unsigned long long>(tally.runs));
  if (gpu) std::printf(", %llu as on the GPU", static_cast<unsigned long long>(tally.agreed_with_gpu));
  std::printf(", %llu as plain C++, %.1f ms\n", static_cast<unsigned long long>(tally.agreed_with_reference),
              tally.simulator_ms);
  const struct {
    const char* what;
    const std::vector<std::string>& lines;
  } parts[] = {{"false alarm", tally.findings},
               {"GPU differs", tally.gpu_differences},
               {"reference differs", tally.reference_differences},
               {"error", tally.errors}};
  for (const auto& part : parts)
    if (!part.lines.empty())
      std::printf("         %s (%zu): %s\n", part.what, part.lines.size(), part.lines[0].c_str());
  std::fflush(stdout);
}

int run(const Options& options) {
  const char* root = std::getenv("TILESCOPE_ROOT");
  const std::string folder = std::string(root != nullptr ? root : TILESCOPE_SOURCE) + "/tests/differential/kernels";
  if (!options.ptx.empty()) std::filesystem::create_directories(options.ptx);
  auto compiler = Compiler::open({});
  Modules modules(compiler ? *compiler : nullptr, folder, options.ptx);
  const auto simulator = make_simulator(options.threads);
  auto gpu = options.no_gpu ? fail(ErrorId::no_gpu, "it was not asked for") : open_gpu();
  json report = {{"simulator", simulator->device().name}, {"shapes", options.shapes}, {"seed", options.seed}};
  report["gpu"] = gpu ? json((*gpu)->device().name) : json(nullptr);
  if (!gpu) std::printf("no GPU: %s\n", gpu.error().message.c_str());
  Tally total;
  size_t cases = 0, good = 0;
  for (const Case& test : corpus()) {
    if (test.name.find(options.only) == std::string::npos) continue;
    Tally tally;
    const auto module = modules.get(test.file);
    if (!module) tally.errors.push_back(module.error().message);
    for (uint64_t i = 0; module && i < options.shapes; ++i)
      run_shape(test, **module, options.seed + i, *simulator, gpu ? gpu->get() : nullptr, tally);
    print(test, tally, gpu.has_value());
    report["kernels"][test.name] = to_json(tally);
    total.add(tally);
    ++cases;
    good += tally.good() ? 1 : 0;
  }
  report["total"] = {{"kernels", cases},
                     {"kernels_ok", good},
                     {"runs", total.runs},
                     {"agreed_with_gpu", total.agreed_with_gpu},
                     {"agreed_with_reference", total.agreed_with_reference},
                     {"warp_instructions", total.warp_instructions},
                     {"simulator_ms", total.simulator_ms}};
  std::printf("%zu kernels, %zu ok; %llu runs, %llu as on the GPU, %llu as plain C++; %llu warp instructions\n", cases,
              good, static_cast<unsigned long long>(total.runs), static_cast<unsigned long long>(total.agreed_with_gpu),
              static_cast<unsigned long long>(total.agreed_with_reference),
              static_cast<unsigned long long>(total.warp_instructions));
  if (!options.report.empty()) std::ofstream(options.report) << report.dump(2) << "\n";
  return good == cases && cases > 0 ? 0 : 1;
}

}  // namespace
}  // namespace tilescope::differential

int main(int argc, char** argv) {
  tilescope::differential::Options options;
  CLI::App app("Runs the differential corpus on the simulator and the GPU");
  app.add_option("--shapes", options.shapes, "random shapes of each kernel");
  app.add_option("--seed", options.seed, "of the first shape");
  app.add_option("--threads", options.threads, "host threads of the simulator; 0: all");
  app.add_option("--only", options.only, "cases whose name contains this");
  app.add_option("--report", options.report, "JSON file to write");
  app.add_option("--ptx", options.ptx, "folder of kept PTX");
  app.add_flag("--no-gpu", options.no_gpu, "the simulator alone");
  CLI11_PARSE(app, argc, argv);
  return tilescope::differential::run(options);
}
