// What a GPU reaches without memory, and how long a dependent load takes: figures that the lessons quote.
//
//     nvcc -O3 -arch=native tools/measure_limits.cu -o measure_limits && ./measure_limits
//
// First fused multiply-adds: of one register with itself, in outer products of 8 × 16 registers as a matrix product has
// them, and in the same outer products with operands that come from shared memory. For each TFLOP/s, multiply-adds per
// clock and multiprocessor, SM clock and power. Then one thread that follows a chain of addresses through a table:
// clocks and nanoseconds per load, for tables of several sizes.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    if (const cudaError_t status = (call); status != cudaSuccess) {        \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

constexpr int kChains = 16, kUnrolled = 64;

/// x = factor * x + addend in kChains independent chains of each thread.
__global__ void multiply_add(float* out, float factor, float addend, int iterations, unsigned long long* clocks) {
  float x[kChains];
  for (int chain = 0; chain < kChains; ++chain) x[chain] = factor * static_cast<float>(threadIdx.x + chain);
  const long long begin = clock64();
  for (int iteration = 0; iteration < iterations; ++iteration)
#pragma unroll
    for (int step = 0; step < kUnrolled / kChains; ++step)
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain) x[chain] = fmaf(x[chain], factor, addend);
  const long long end = clock64();
  float sum = 0;
  for (int chain = 0; chain < kChains; ++chain) sum += x[chain];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) clocks[blockIdx.x] = static_cast<unsigned long long>(end - begin);
}

constexpr int kRows = 8, kColumns = 16;

/// Outer products of 8 × 16. kFromShared: the operands of each are read anew from shared memory, 24 floats in six
/// loads.
template <bool kFromShared>
__global__ void __launch_bounds__(256)
    outer_products(float* out, float value, int iterations, unsigned long long* clocks) {
  constexpr int kSteps = 32;
  __shared__ alignas(16) float a_tile[kSteps][kRows * 16], b_tile[kSteps][kColumns * 16];
  for (int i = threadIdx.x; i < kSteps * kRows * 16; i += blockDim.x) a_tile[0][i] = value * (i % 61 - 30);
  for (int i = threadIdx.x; i < kSteps * kColumns * 16; i += blockDim.x) b_tile[0][i] = value * (i % 53 - 26);
  __syncthreads();
  const int row = threadIdx.x / 16 % 16 * kRows, column = threadIdx.x % 16 * 4;
  float sum[kRows][kColumns] = {}, a[kRows], b[kColumns];
  const auto load = [&](int step) {
    for (int i = 0; i < kRows; i += 4)
      *reinterpret_cast<float4*>(a + i) = *reinterpret_cast<const float4*>(&a_tile[step][row + i]);
    for (int j = 0; j < kColumns; j += 4)
      *reinterpret_cast<float4*>(b + j) = *reinterpret_cast<const float4*>(&b_tile[step][column + j * 16]);
  };
  load(0);
  const long long begin = clock64();
  for (int iteration = 0; iteration < iterations; ++iteration)
#pragma unroll 8
    for (int step = 0; step < kSteps; ++step) {
      if (kFromShared) load(step);
#pragma unroll
      for (int i = 0; i < kRows; ++i)
#pragma unroll
        for (int j = 0; j < kColumns; ++j) sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
    }
  const long long end = clock64();
  float total = 0;
  for (const auto& of_row : sum)
    for (const float one : of_row) total += one;
  out[blockIdx.x * blockDim.x + threadIdx.x] = total;
  if (threadIdx.x == 0) clocks[blockIdx.x] = static_cast<unsigned long long>(end - begin);
}

/// One thread follows next[] and measures the whole way.
__global__ void follow(const uint32_t* next, int steps, uint32_t start, uint32_t* last, long long* clocks) {
  uint32_t at = start;
  for (int step = 0; step < steps; ++step) at = next[at];  // warms the caches up
  const long long begin = clock64();
  for (int step = 0; step < steps; ++step) at = next[at];
  *clocks = clock64() - begin;
  *last = at;
}

/// Clock and power of the first GPU, from the driver's management library.
class Monitor {
 public:
  bool open() {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (library == nullptr) return false;
    const auto find = [&](const char* name) { return dlsym(library, name); };
    const auto init = reinterpret_cast<int (*)()>(find("nvmlInit_v2"));
    const auto device = reinterpret_cast<int (*)(unsigned, void**)>(find("nvmlDeviceGetHandleByIndex_v2"));
    clock_ = reinterpret_cast<int (*)(void*, int, unsigned*)>(find("nvmlDeviceGetClockInfo"));
    power_ = reinterpret_cast<int (*)(void*, unsigned*)>(find("nvmlDeviceGetPowerUsage"));
    return init != nullptr && device != nullptr && clock_ != nullptr && power_ != nullptr && init() == 0 &&
           device(0, &gpu_) == 0;
  }
  unsigned sm_mhz() const {
    constexpr int kSmClock = 1;
    unsigned clock = 0;
    clock_(gpu_, kSmClock, &clock);
    return clock;
  }
  unsigned watts() const {
    unsigned milliwatts = 0;
    power_(gpu_, &milliwatts);
    return milliwatts / 1000;
  }

 private:
  void* gpu_ = nullptr;
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
};
Monitor monitor;

/// `launch` starts blocks of `threads` threads that do `each` multiply-adds.
template <class Launch>
void measure_multiply_adds(const char* what, int blocks, int blocks_each, int threads, double each,
                           const Launch& launch) {
  float* out = nullptr;
  unsigned long long* clocks = nullptr;
  CHECK(cudaMalloc(&out, static_cast<size_t>(blocks) * threads * sizeof(float)));
  CHECK(cudaMallocManaged(&clocks, static_cast<size_t>(blocks) * sizeof(*clocks)));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  constexpr int kLaunches = 100;
  for (int i = 0; i < 5; ++i) launch(out, clocks);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(begin));
  for (int i = 0; i < kLaunches; ++i) launch(out, clocks);
  CHECK(cudaEventRecord(end));
  std::vector<unsigned> seen_clock, seen_power;
  while (cudaEventQuery(end) == cudaErrorNotReady) {
    seen_clock.push_back(monitor.sm_mhz());
    seen_power.push_back(monitor.watts());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(cudaEventSynchronize(end));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, begin, end));
  std::sort(seen_clock.begin(), seen_clock.end());
  std::sort(seen_power.begin(), seen_power.end());
  const double longest = static_cast<double>(*std::max_element(clocks, clocks + blocks));
  std::printf("%-44s %5.1f TFLOP/s, %6.2f multiply-adds per clock and SM, SM clock %u to %u MHz, %u W\n", what,
              2 * each * blocks * threads * kLaunches / ms / 1e9, blocks_each * threads * each / longest,
              seen_clock.front(), seen_clock.back(), seen_power[seen_power.size() / 2]);
  CHECK(cudaFree(out));
  CHECK(cudaFree(clocks));
}

void measure_all_multiply_adds(int multiprocessors) {
  constexpr int kIterations = 1 << 16, kProducts = 1 << 11, kSteps = 32;
  const auto repeated = [&](const char* what, float factor, float addend) {
    measure_multiply_adds(what, multiprocessors * 2, 2, 1024, double(kIterations) * kUnrolled,
                          [=](float* out, unsigned long long* clocks) {
                            multiply_add<<<multiprocessors * 2, 1024>>>(out, factor, addend, kIterations, clocks);
                          });
  };
  repeated("one register, of zeros", 0.0F, 0.0F);
  repeated("one register, whose bits keep changing", -0.99999994F, 1.7320508F);
  const double each = double(kProducts) * kSteps * kRows * kColumns;
  measure_multiply_adds("outer products of 8 x 16 registers", multiprocessors, 1, 256, each,
                        [=](float* out, unsigned long long* clocks) {
                          outer_products<false><<<multiprocessors, 256>>>(out, 0.01F, kProducts, clocks);
                        });
  measure_multiply_adds("outer products, operands from shared memory", multiprocessors, 1, 256, each,
                        [=](float* out, unsigned long long* clocks) {
                          outer_products<true><<<multiprocessors, 256>>>(out, 0.01F, kProducts, clocks);
                        });
}

void measure_latency(size_t bytes) {
  constexpr size_t kStride = 128 / sizeof(uint32_t);  // a line each
  const size_t lines = bytes / 128;
  std::vector<uint32_t> order(lines), next(lines * kStride);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(1);
  std::shuffle(order.begin(), order.end(), random);
  for (size_t i = 0; i < lines; ++i) next[order[i] * kStride] = static_cast<uint32_t>(order[(i + 1) % lines] * kStride);
  uint32_t *table = nullptr, *last = nullptr;
  long long* clocks = nullptr;
  CHECK(cudaMalloc(&table, next.size() * sizeof(uint32_t)));
  CHECK(cudaMalloc(&last, sizeof(uint32_t)));
  CHECK(cudaMallocManaged(&clocks, sizeof(long long)));
  CHECK(cudaMemcpy(table, next.data(), next.size() * sizeof(uint32_t), cudaMemcpyHostToDevice));
  const int steps = static_cast<int>(std::min<size_t>(lines, 1 << 18));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  follow<<<1, 1>>>(table, steps, order[0] * kStride, last, clocks);
  CHECK(cudaEventRecord(end));
  CHECK(cudaEventSynchronize(end));
  const double per_load = static_cast<double>(*clocks) / steps;
  std::printf("a chain through %8zu KiB: %6.1f clocks, %6.1f ns at %u MHz\n", bytes / 1024, per_load,
              per_load * 1000 / monitor.sm_mhz(), monitor.sm_mhz());
  CHECK(cudaFree(table));
  CHECK(cudaFree(last));
  CHECK(cudaFree(clocks));
}

int main() {
  cudaDeviceProp properties{};
  CHECK(cudaGetDeviceProperties(&properties, 0));
  if (!monitor.open()) {
    std::fprintf(stderr, "the driver's libnvidia-ml.so.1 cannot be used\n");
    return 1;
  }
  std::printf("%s, %d multiprocessors\n", properties.name, properties.multiProcessorCount);
  measure_all_multiply_adds(properties.multiProcessorCount);
  for (const size_t kib : {16UL, 64UL, 1024UL, 8192UL, 16384UL, 24576UL, 65536UL, 262144UL, 1048576UL})
    measure_latency(kib * 1024);
  return 0;
}
