// Nanoseconds of host time per simulated warp instruction, on the rungs of kernels/elementwise.cu.
//
//   sim_bench --benchmark_filter=observed
//
// plain: nothing but the computation; observed: checks, traffic and the record of accesses. One host thread.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <fstream>
#include <sstream>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

constexpr int kElements = 1 << 20;
constexpr uint32_t kBlock = 256, kTiles = 4, kVector = 4;

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Whatever cannot be had ends the program: there is nothing to measure then.
template <class T>
T value_or_exit(Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

const CompiledModule& elementwise() {
  static const CompiledModule module = [] {
    CompileRequest request;
    request.text = read_file(std::string(TILESCOPE_SOURCE) + "/kernels/elementwise.cu");
    request.file = "kernels/elementwise.cu";
    request.defines = {{"BLOCK", std::to_string(kBlock)},
                       {"TILES", std::to_string(kTiles)},
                       {"VEC", std::to_string(kVector)},
                       {"OP", "Add"},
                       {"ONE_TOO_FAR", "0"},
                       {"DROP_MASK", "0"}};
    const auto compiler = value_or_exit(Compiler::open({}));
    return value_or_exit(compiler->compile(request, {}));
  }();
  return module;
}

uint32_t grid_of(const std::string& kernel) {
  uint32_t elements = kBlock;
  if (kernel == "tiles_per_cta") elements *= kTiles;
  if (kernel == "vector_loads") elements *= kTiles * kVector;
  return kernel == "grid_stride" ? 1024 : (kElements + elements - 1) / elements;
}

void run(benchmark::State& state, const std::string& kernel, bool observed) {
  const auto simulator = make_simulator(1);
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  const std::vector<float> ones(kElements, 1.0F);
  for (const char* name : {"a", "b", "out"}) {
    BufferRequest request;
    request.name = name;
    request.count = kElements;
    request.index = buffers.size();
    buffers.push_back(value_or_exit(simulator->allocate(request)));
    if (buffers.size() < 3) (void)simulator->upload(*buffers.back(), std::as_bytes(std::span(ones)), false);
  }
  Launch launch;
  launch.kernel = kernel;
  launch.grid = {grid_of(kernel), 1, 1};
  launch.block = {kBlock, 1, 1};
  launch.arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, scalar(int{kElements})};
  LaunchOptions options;
  options.checks = observed;
  options.count_traffic = observed;
  options.record_accesses = observed;
  double instructions = 0, nanoseconds = 0;
  for (auto _ : state) {
    const auto report = value_or_exit(simulator->launch(elementwise(), launch, buffers, options, {}));
    instructions += static_cast<double>(report.counters.warp_instructions);
    nanoseconds += report.elapsed_ms * 1e6;
  }
  state.counters["ns_per_warp_instruction"] = nanoseconds / instructions;
}

void add_benchmarks() {
  for (const char* kernel : {"thread_per_element", "tile_per_cta", "tiles_per_cta", "grid_stride", "vector_loads"}) {
    for (bool observed : {false, true}) {
      const std::string name = std::string(kernel) + (observed ? "/observed" : "/plain");
      benchmark::RegisterBenchmark(name.c_str(), run, kernel, observed)->Unit(benchmark::kMillisecond);
    }
  }
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  tilescope::add_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
