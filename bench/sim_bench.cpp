// Nanoseconds of host time per simulated warp instruction.
//
//   sim_bench                                     everything, with the host's own triple loop for scale
//   sim_bench --benchmark_filter=register_tiled
//
// plain: nothing but the computation; full: checks, traffic and the record of accesses; threads:2 uses two host
// threads.
#include <benchmark/benchmark.h>
#include <malloc.h>
#include <sys/resource.h>

#include <bit>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include "engine/compile/compiler.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

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

const CompiledModule& compiled(const std::string& file, const std::vector<Define>& defines) {
  static std::map<std::string, CompiledModule> modules;
  if (const auto known = modules.find(file); known != modules.end()) return known->second;
  CompileRequest request;
  request.text = read_file(std::string(TILESCOPE_SOURCE) + "/" + file);
  request.file = file;
  request.include_folders = {std::string(TILESCOPE_SOURCE) + "/kernels"};
  request.defines = defines;
  const auto compiler = value_or_exit(Compiler::open({}));
  return modules[file] = value_or_exit(compiler->compile(request, {}));
}

struct Workload {
  std::string kernel, file;
  std::vector<Define> defines;
  Dim3 grid, block;
  DType type = DType::f32;
  std::vector<size_t> elements;  // of each buffer; the last one is written
  std::vector<int> sizes;        // the arguments behind the buffers
  std::string label = {};        // of the size
};

/// Small whole numbers, so that no sum overflows or becomes a special value.
std::vector<std::byte> values_of(DType type, size_t count) {
  std::vector<std::byte> bytes(count * size_of(type));
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(i % 7) - 3.0F;
    const auto bits = std::bit_cast<uint32_t>(value);
    if (type == DType::f32) {
      std::memcpy(bytes.data() + i * 4, &bits, 4);
    } else {  // bf16: the upper half
      const auto half = static_cast<uint16_t>(bits >> 16);
      std::memcpy(bytes.data() + i * 2, &half, 2);
    }
  }
  return bytes;
}

void run(benchmark::State& state, const Workload& workload, bool full, int threads) {
  const CompiledModule& module = compiled(workload.file, workload.defines);
  const auto simulator = make_simulator(threads);
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  Launch launch;
  launch.kernel = workload.kernel;
  launch.grid = workload.grid;
  launch.block = workload.block;
  for (size_t i = 0; i < workload.elements.size(); ++i) {
    BufferRequest request;
    request.name = std::string(1, static_cast<char>('a' + i));
    request.count = workload.elements[i];
    const bool output = i + 1 == workload.elements.size();
    request.type = output ? DType::f32 : workload.type;
    request.index = i;
    buffers.push_back(value_or_exit(simulator->allocate(request)));
    if (!output) (void)simulator->upload(*buffers.back(), values_of(request.type, request.count), false);
    launch.arguments.emplace_back(BufferArgument{i});
  }
  for (int size : workload.sizes) launch.arguments.push_back(scalar(size));
  LaunchOptions options;
  options.checks = options.count_traffic = options.record_accesses = full;
  double instructions = 0, nanoseconds = 0;
  for (auto _ : state) {
    const auto report = value_or_exit(simulator->launch(module, launch, buffers, options, {}));
    if (!report.findings.empty()) state.SkipWithError(report.findings.front().message.c_str());
    instructions += static_cast<double>(report.counters.warp_instructions);
    nanoseconds += report.elapsed_ms * 1e6;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["ns_per_warp_instruction"] = nanoseconds / instructions;
  state.counters["warp_instructions"] = instructions / static_cast<double>(state.iterations());
  state.counters["peak_resident_MB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

/// What the same product costs in plain C++, one scalar multiplication and addition after the other.
void native_triple_loop(benchmark::State& state) {
  const auto size = static_cast<size_t>(state.range(0));
  std::vector<float> a(size * size, 1.0F), b(size * size, 2.0F), c(size * size);
  for (auto _ : state) {
    for (size_t row = 0; row < size; ++row) {
      for (size_t column = 0; column < size; ++column) {
        float sum = 0;
        for (size_t i = 0; i < size; ++i) sum += a[row * size + i] * b[i * size + column];
        c[row * size + column] = sum;
      }
    }
    benchmark::DoNotOptimize(c.data());
  }
}

Workload elementwise(const std::string& kernel) {
  constexpr uint32_t kElements = 1 << 20, kBlock = 256, kTiles = 4, kVector = 4;
  uint32_t elements = kBlock;
  if (kernel == "tiles_per_cta") elements *= kTiles;
  if (kernel == "vector_loads") elements *= kTiles * kVector;
  Workload workload;
  workload.kernel = kernel;
  workload.file = "kernels/elementwise.cu";
  workload.defines = {{"BLOCK", "256"}, {"TILES", "4"}, {"VEC", "4"}, {"OP", "Add"}};
  workload.grid = {kernel == "grid_stride" ? 1024 : kElements / elements, 1, 1};
  workload.block = {kBlock, 1, 1};
  workload.elements = {kElements, kElements, kElements};
  workload.sizes = {kElements};
  return workload;
}

Workload matmul(const std::string& kernel, int size, uint32_t tile, Dim3 block) {
  Workload workload;
  workload.kernel = kernel;
  workload.file = "tools/kernels/matmul_fp32.cu";
  workload.grid = {static_cast<uint32_t>(size) / tile, static_cast<uint32_t>(size) / tile, 1};
  workload.block = block;
  const auto elements = static_cast<size_t>(size) * static_cast<size_t>(size);
  workload.elements = {elements, elements, elements};
  workload.sizes = {size, size, size};
  workload.label = "/" + std::to_string(size);
  return workload;
}

void add(const Workload& workload, int most_threads = 1) {
  for (int threads = 1; threads <= most_threads; ++threads) {
    for (bool full : {false, true}) {
      const std::string name = workload.kernel + workload.label + (full ? "/full" : "/plain") +
                               (threads > 1 ? "/threads:" + std::to_string(threads) : "");
      benchmark::RegisterBenchmark(name.c_str(), run, workload, full, threads)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime();
    }
  }
}

void add_benchmarks() {
  for (const char* kernel : {"thread_per_element", "tile_per_cta", "tiles_per_cta", "grid_stride", "vector_loads"})
    add(elementwise(kernel));
  add(matmul("naive", 256, 16, {16, 16, 1}));
  add(matmul("shared_tiled", 512, 32, {32, 32, 1}));
  add(matmul("register_tiled", 512, 128, {256, 1, 1}));
  add(matmul("register_tiled", 1024, 128, {256, 1, 1}), 2);
  Workload tensor = matmul("mma_bf16", 512, 128, {256, 1, 1});
  tensor.file = "tools/kernels/mma_bf16.cu";
  tensor.type = DType::bf16;
  add(tensor);
  benchmark::RegisterBenchmark("native_triple_loop", native_triple_loop)
      ->Arg(1024)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace
}  // namespace tilescope

int main(int argc, char** argv) {
  // Otherwise the heap may give its end back to the system after every launch, and page faults take a third of the
  // time.
  constexpr int kMiB = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
  mallopt(M_TRIM_THRESHOLD, 128 * kMiB);
  benchmark::Initialize(&argc, argv);
  tilescope::add_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
