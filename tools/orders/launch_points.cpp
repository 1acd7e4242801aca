// Launches each matrix product of a file once, for Nsight Compute to count. The results are not checked.
//
//     launch_points POINTS             lines of NUMBER,type,bm,bn,bk,stages,warps,ctas_per_sm,m,n,k,group
//     launch_points POINTS --warm      after launches for a third of a second each, which ncu leaves out with
//                                      --profile-from-start off, and with nothing of them left in the L2
//     launch_points POINTS --time      the median time of ten launches each, warm
//     launch_points POINTS --trace     the second launch of each, with cubins that note where each CTA is (trace.py);
//                                      with --warm after launches for a third of a second
//
// build.sh makes the cubins, which are in the current folder. Shared memory is padded so that no more CTAs than wanted
// fit on an SM.
#include <cuda.h>
#include <cudaProfiler.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

void check(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return;
  const char* text = "?";
  cuGetErrorString(result, &text);
  std::fprintf(stderr, "%s: %s\n", what, text);
  std::exit(1);
}

CUdeviceptr allocate(size_t bytes) {
  CUdeviceptr memory = 0;
  check(cuMemAlloc(&memory, bytes), "cuMemAlloc");
  return memory;
}

/// Small random halves of both signs; as floats they have any magnitude.
void fill(CUdeviceptr memory, size_t bytes) {
  std::vector<unsigned short> values(size_t{1} << 26);
  unsigned state = 1;
  for (auto& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<unsigned short>(0x3000U | (state >> 16 & 0x83ffU));
  }
  for (size_t at = 0; at < bytes; at += values.size() * 2)
    check(cuMemcpyHtoD(memory + at, values.data(), std::min(values.size() * 2, bytes - at)), "cuMemcpyHtoD");
}

int attribute(CUdevice_attribute which) {
  int value = 0;
  check(cuDeviceGetAttribute(&value, which, 0), "cuDeviceGetAttribute");
  return value;
}

struct Point {
  int number, bm, bn, bk, stages, warps, ctas, m, n, k, group;
  std::string type;
  int rows() const { return (m + bm - 1) / bm; }
  int columns() const { return (n + bn - 1) / bn; }
};

class Launcher {
 public:
  Launcher() : a_(allocate(kMostBytes)), b_(allocate(kMostBytes)), c_(allocate(kMostBytes)) {
    fill(a_, kMostBytes);
    fill(b_, kMostBytes);
    check(cuEventCreate(&begin_, CU_EVENT_DEFAULT), "cuEventCreate");
    check(cuEventCreate(&end_, CU_EVENT_DEFAULT), "cuEventCreate");
  }

  /// The clock drops to what the power limit allows before the measurement starts.
  void warm_up(const Point& point) {
    constexpr float kMilliseconds = 333;
    for (float passed = 0; passed < kMilliseconds;) passed += launch(point);
  }

  /// Fills the L2 with other data.
  void flush() {
    check(cuMemsetD8(c_, 0, size_t{512} << 20), "cuMemsetD8");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
  }

  void time(const Point& point) {
    constexpr int kLaunches = 10;
    warm_up(point);
    std::array<float, kLaunches> milliseconds{};
    for (float& one : milliseconds) one = launch(point);
    std::nth_element(milliseconds.begin(), milliseconds.begin() + kLaunches / 2, milliseconds.end());
    std::printf("timed %d %.6f\n", point.number, milliseconds[kLaunches / 2]);
  }

  /// Writes what the CTAs noted to "trace.NUMBER": their marks, in launch order.
  void trace(const Point& point, bool warm) {
    launch(point);
    constexpr size_t kMarkBytes = 20 * 8;  // struct Mark of trace.py
    CUdeviceptr pointer = 0;
    size_t bytes = 0;
    check(cuModuleGetGlobal(&pointer, &bytes, module_of(point), "marks"), "marks");
    std::vector<char> marks(kMarkBytes * static_cast<size_t>(point.rows()) * static_cast<size_t>(point.columns()));
    CUdeviceptr memory = allocate(marks.size());
    if (warm) {
      warm_up(point);
      flush();
    }
    check(cuMemcpyHtoD(pointer, &memory, sizeof memory), "cuMemcpyHtoD");
    launch(point);
    check(cuMemcpyDtoH(marks.data(), memory, marks.size()), "cuMemcpyDtoH");
    const CUdeviceptr none = 0;
    check(cuMemcpyHtoD(pointer, &none, sizeof none), "cuMemcpyHtoD");
    check(cuMemFree(memory), "cuMemFree");
    std::ofstream("trace." + std::to_string(point.number), std::ios::binary)
        .write(marks.data(), static_cast<std::streamsize>(marks.size()));
  }

  /// Returns milliseconds.
  float launch(Point point) {
    CUmodule module = module_of(point);
    CUfunction function = nullptr;
    check(cuModuleGetFunction(&function, module, point.group == 0 ? "matmul_hilbert" : "matmul_grouped"), "function");
    if (point.group != 0) {
      CUdeviceptr rows = 0;
      size_t bytes = 0;
      check(cuModuleGetGlobal(&rows, &bytes, module, "tile_rows_of_group"), "cuModuleGetGlobal");
      check(cuMemcpyHtoD(rows, &point.group, sizeof point.group), "cuMemcpyHtoD");
    }
    const int of_sm = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    const int reserved = attribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
    const int most_of_cta = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    const int element = point.type == "fp32" ? 4 : 2;
    const int needed = (point.bm + point.bn) * point.bk * element * point.stages;
    const int padded = std::min((of_sm / point.ctas - reserved) / 128 * 128, most_of_cta);
    const int shared = std::max(needed, padded);
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared), "shared memory");
    check(cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100), "carve-out");
    void* arguments[] = {&a_, &b_, &c_, &point.m, &point.n, &point.k};
    check(cuEventRecord(begin_, nullptr), "cuEventRecord");
    check(cuLaunchKernel(function, static_cast<unsigned>(point.rows() * point.columns()), 1, 1,
                         static_cast<unsigned>(32 * point.warps), 1, 1, static_cast<unsigned>(shared), nullptr,
                         arguments, nullptr),
          "cuLaunchKernel");
    check(cuEventRecord(end_, nullptr), "cuEventRecord");
    check(cuEventSynchronize(end_), "cuEventSynchronize");
    float milliseconds = 0;
    check(cuEventElapsedTime(&milliseconds, begin_, end_), "cuEventElapsedTime");
    return milliseconds;
  }

 private:
  CUmodule module_of(const Point& point) {
    std::ostringstream name;
    name << point.type << '-' << point.bm << '-' << point.bn << '-' << point.bk << '-' << point.stages << '-'
         << point.warps << ".cubin";
    CUmodule& module = modules_[name.str()];
    if (module == nullptr) check(cuModuleLoad(&module, name.str().c_str()), name.str().c_str());
    return module;
  }

  static constexpr size_t kMostBytes = size_t{20480} * 20480 * 4;
  CUdeviceptr a_, b_, c_;
  CUevent begin_ = nullptr, end_ = nullptr;
  std::map<std::string, CUmodule> modules_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> options(argv + std::min(argc, 2), argv + argc);
  const auto has = [&](const char* option) { return std::count(options.begin(), options.end(), option) != 0; };
  const bool warm = has("--warm"), timing = has("--time"), tracing = has("--trace");
  if (argc < 2 || options.size() != static_cast<size_t>(warm) + timing + tracing || (timing && options.size() > 1))
    return std::fprintf(stderr, "launch_points POINTS [--warm] [--trace] | --time\n"), 1;
  check(cuInit(0), "cuInit");
  CUdevice device = 0;
  CUcontext context = nullptr;
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "context");
  check(cuCtxSetCurrent(context), "context");
  Launcher launcher;
  std::ifstream file(argv[1]);
  for (std::string line; std::getline(file, line);) {
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream in(line);
    Point point{};
    if (in >> point.number >> point.type >> point.bm >> point.bn >> point.bk >> point.stages >> point.warps >>
        point.ctas >> point.m >> point.n >> point.k >> point.group) {
      if (timing) {
        launcher.time(point);
      } else if (tracing) {
        launcher.trace(point, warm);
      } else {
        if (warm) {
          launcher.warm_up(point);
          launcher.flush();
          check(cuProfilerStart(), "cuProfilerStart");
        }
        launcher.launch(point);
        if (warm) check(cuProfilerStop(), "cuProfilerStop");
        std::printf("launched %d\n", point.number);
      }
      std::fflush(stdout);
    }
  }
}
