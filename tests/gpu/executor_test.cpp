#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "engine/gpu/context.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr const char* kKernels = R"(
extern "C" __global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
extern "C" __global__ void out_of_bounds(float* y) { y[(1ll << 40) + threadIdx.x] = 1; }
extern "C" __global__ void misaligned(float* y) { *(double*)((char*)y + 4 * threadIdx.x + 1) = 1; }
extern "C" __global__ void trap() { asm("trap;"); }
extern "C" __global__ void prints(int n) {
  if (threadIdx.x < n) printf("thread %d of %s: %.2f\n", threadIdx.x, "the GPU", 0.5 * threadIdx.x);
}
extern "C" __global__ void asserts(float* y) { assert(y[threadIdx.x] < 6); }
extern "C" __global__ void forever(volatile float* y) { while (y[0] == 0) {} }
extern "C" __global__ void reverse(float* y, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = y[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = tile[n - 1 - i];
}
)";

// Each block adds what its neighbour wrote before the grid barrier.
constexpr const char* kGridSync = R"(
#include <cooperative_groups.h>
extern "C" __global__ void rounds(float* y, int n) {
  const auto grid = cooperative_groups::this_grid();
  for (int i = 0; i < n; ++i) {
    const float next = y[(blockIdx.x + 1) % gridDim.x];
    grid.sync();
    if (threadIdx.x == 0) y[blockIdx.x] += next;
    grid.sync();
  }
}
)";

class GpuExecutorTest : public OnGpu {
 protected:
  /// Runs scale on new buffers: does the GPU still compute?
  void expect_gpu_works(const CompiledModule& module) {
    const std::vector<float> input{1, -2, 3};
    const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of(input), buffer_of({0, 0, 0})};
    const auto report = gpu_->launch(
        module, make_launch("scale", 1, 32, {BufferArgument{0}, BufferArgument{1}, scalar(2.0f), scalar(3)}), buffers,
        {}, {});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_THAT(contents_of(*buffers[1]), testing::ElementsAre(2, -4, 6));
  }
};

TEST_F(GpuExecutorTest, AKernelThatWaitsForItsWholeGridIsLaunchedCooperatively) {
  const CompiledModule module = compile(kGridSync);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({1, 2, 3, 4})};
  const auto report =
      gpu_->launch(module, make_launch("rounds", 4, 64, {BufferArgument{0}, scalar(2)}), buffers, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  // 1 2 3 4 → 3 5 7 5 → 8 12 12 8.
  EXPECT_THAT(contents_of(*buffers[0]), testing::ElementsAre(8, 12, 12, 8));
}

TEST_F(GpuExecutorTest, AGridThatWaitsAndIsTooLargeToRunAtOnceIsRefusedWithTheNumberThatFits) {
  const CompiledModule module = compile(kGridSync);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({1, 2, 3, 4})};
  const auto report =
      gpu_->launch(module, make_launch("rounds", 1000000, 64, {BufferArgument{0}, scalar(1)}), buffers, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().id, ErrorId::bad_launch);
  EXPECT_THAT(report.error().message, HasSubstr("waits for its whole grid"));
}

TEST_F(GpuExecutorTest, DescribesTheDevice) {
  const DeviceInfo device = gpu_->device();
  EXPECT_EQ(device.kind, DeviceKind::gpu);
  EXPECT_NE(device.name, "");
  EXPECT_THAT(device.architecture, testing::StartsWith("sm_"));
  EXPECT_GT(device.multiprocessors, 0u);
  EXPECT_GT(device.l2_bytes, 0u);
  EXPECT_GT(device.memory_bytes, uint64_t{1} << 30);
  EXPECT_GE(device.cuda_version, 12000);
}

TEST_F(GpuExecutorTest, RunsAKernelAndTimesIt) {
  const CompiledModule module = compile(kKernels);
  std::vector<float> input(100000);
  std::iota(input.begin(), input.end(), 0.0f);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of(input), buffer_of(std::vector<float>(100000))};
  const auto report = gpu_->launch(
      module, make_launch("scale", 391, 256, {BufferArgument{0}, BufferArgument{1}, scalar(0.5f), scalar(100000)}),
      buffers, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->elapsed_ms, 0);
  const std::vector<float> output = contents_of(*buffers[1]);
  for (size_t i = 0; i < output.size(); ++i) ASSERT_EQ(output[i], 0.5f * static_cast<float>(i));
}

TEST_F(GpuExecutorTest, MemoryBeginsAsZerosWhereThatIsAskedFor) {
  for (int round = 0; round < 2; ++round) {  // the second round may get the memory that the first one wrote to
    auto buffer = gpu_->allocate({.name = "y", .type = DType::f32, .count = 5000, .zeros = true});
    ASSERT_TRUE(buffer) << buffer.error().message;
    EXPECT_THAT(contents_of(**buffer), testing::Each(0));
    const std::vector<float> written(5000, 7);
    ASSERT_TRUE(gpu_->upload(**buffer, std::as_bytes(std::span(written)), false));
  }
}

TEST_F(GpuExecutorTest, PassesABufferFromItsOffsetOn) {
  const CompiledModule module = compile(kKernels);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({1, 2, 3, 4}), buffer_of({0, 0, 0, 0})};
  ASSERT_TRUE(gpu_->launch(
      module, make_launch("scale", 1, 32, {BufferArgument{0, 8}, BufferArgument{1, 4}, scalar(1.0f), scalar(2)}),
      buffers, {}, {}));
  EXPECT_THAT(contents_of(*buffers[1]), testing::ElementsAre(0, 3, 4, 0));
}

TEST_F(GpuExecutorTest, LetsTheDriverCompileThePtxWhereTheCubinIsForAnotherGpu) {
  CompiledModule module = compile(kKernels, gpu_->device().architecture == "sm_80" ? "sm_90" : "sm_80");
  ASSERT_FALSE(module.cubin.empty());
  expect_gpu_works(module);
  module.cubin.clear();
  expect_gpu_works(module);
}

TEST_F(GpuExecutorTest, GoesOnAfterAKernelThatFaults) {
  const CompiledModule module = compile(kKernels);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({0, 0}), buffer_of({5, 6})};
  const auto& counter = dynamic_cast<GpuExecutor&>(*gpu_);
  uint64_t faults = 0;
  for (const char* kernel : {"out_of_bounds", "misaligned", "trap"}) {
    std::vector<Argument> arguments;
    if (kernel != std::string("trap")) arguments.emplace_back(BufferArgument{0});
    const auto report = gpu_->launch(module, make_launch(kernel, 1, 32, arguments), buffers, {}, {});
    ASSERT_FALSE(report) << kernel;
    EXPECT_EQ(report.error().id, ErrorId::cuda_failed) << report.error().message;
    EXPECT_THAT(report.error().message, HasSubstr(std::string("kernel '") + kernel + "' failed on the GPU: "));
    EXPECT_THAT(report.error().hint, HasSubstr("--on sim"));
    EXPECT_EQ(counter.faults(), ++faults);
    expect_gpu_works(module);
    EXPECT_EQ(counter.faults(), faults);
  }
  EXPECT_THAT(contents_of(*buffers[1]), testing::ElementsAre(5, 6));  // what no kernel wrote is unchanged
}

TEST_F(GpuExecutorTest, GivesBackWhatAKernelPrintsAndNothingOfTheLaunchBefore) {
  const CompiledModule module = compile(kKernels);
  for (int lines : {3, 0, 1}) {
    const auto report = gpu_->launch(module, make_launch("prints", 1, 32, {scalar(lines)}), {}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    std::string expected;
    for (int i = 0; i < lines; ++i) expected += fmt::format("thread {} of the GPU: {:.2f}\n", i, 0.5 * i);
    EXPECT_EQ(report->output, expected);
  }
}

TEST_F(GpuExecutorTest, SaysInOneSentenceWhichAssertionFailedAndWhere) {
  const CompiledModule module = compile(kKernels);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({5, 6})};
  const auto report = gpu_->launch(module, make_launch("asserts", 1, 2, {BufferArgument{0}}), buffers, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().id, ErrorId::assertion_failed) << report.error().message;
  EXPECT_THAT(report.error().message,
              HasSubstr("assertion: 'y[threadIdx.x] < 6' does not hold in 'void asserts(float *)', test.cu:"));
  EXPECT_THAT(report.error().message, HasSubstr("block (0,0,0) thread (1,0,0)"));
  expect_gpu_works(module);
}

TEST_F(GpuExecutorTest, EndsAKernelThatLoopsForeverOnAStopRequest) {
  const CompiledModule module = compile(kKernels);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({0})};
  for (int round = 0; round < 2; ++round) {
    std::stop_source stop;
    std::jthread stopper([&stop] {
      std::this_thread::sleep_for(1s);  // long enough for the worker to create its context
      stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto report =
        gpu_->launch(module, make_launch("forever", 1, 1, {BufferArgument{0}}), buffers, {}, stop.get_token());
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().id, ErrorId::cancelled) << report.error().message;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
    expect_gpu_works(module);
  }
}

TEST_F(GpuExecutorTest, TimesLaunchesWithoutChangingContentsThatAreToBeSpared) {
  const CompiledModule module = compile(kKernels);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({1, 2, 3})};
  const std::vector<Launch> launches{make_launch("reverse", 1, 32, {BufferArgument{0}, scalar(3)}, 64)};
  auto& gpu = dynamic_cast<GpuExecutor&>(*gpu_);
  const auto timing = gpu.time(module, launches, buffers, true, {});
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_FALSE(timing->method.cold());  // a few microseconds: batched
  EXPECT_THAT(timing->milliseconds, testing::Each(testing::Gt(0)));
  EXPECT_THAT(contents_of(*buffers[0]), testing::ElementsAre(1, 2, 3));
}

using GpuExecutorDeathTest = GpuExecutorTest;

TEST_F(GpuExecutorDeathTest, WithoutAWorkerSaysAfterAFaultThatTheProgramHasToStartAgain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the fault makes the GPU unusable for a process: let it be a
                                                   // separate one
  const auto fault_in_process = [this] {
    setenv("TILESCOPE_HIDE", "worker", 1);
    gpu_ = *open_gpu();
    const CompiledModule module = compile(kKernels);
    expect_gpu_works(module);
    const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({0})};
    const auto report = gpu_->launch(module, make_launch("trap", 1, 32, {}), buffers, {}, {});
    const auto next = gpu_->allocate({.name = "x", .type = DType::f32, .count = 1});
    if (HasFailure() || report || next) exit(1);
    std::fprintf(stderr, "%s\n%s\n", report.error().message.c_str(), next.error().message.c_str());
    exit(0);
  };
  EXPECT_EXIT(fault_in_process(), testing::ExitedWithCode(0),
              "kernel 'trap' failed on the GPU: .*\n.*stopped all use of it by this process; start again");
}

TEST_F(GpuExecutorTest, NamesBytesNeededAndFreeWhereMemoryEnds) {
  const size_t count = gpu_->device().memory_bytes;  // of 4 bytes each
  const auto buffer = gpu_->allocate({.name = "x", .type = DType::f32, .count = count});
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().id, ErrorId::too_large_for_gpu);
  EXPECT_THAT(buffer.error().message, HasSubstr(std::to_string(4 * count) + " bytes"));
}

TEST_F(GpuExecutorTest, AllowsSharedMemoryUpToWhatTheDeviceHas) {
  const CompiledModule module = compile(kKernels);
  std::vector<float> values(20000);  // 80 kB: more than a kernel may have without opting in
  std::iota(values.begin(), values.end(), 0.0f);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of(values)};
  const auto report =
      gpu_->launch(module, make_launch("reverse", 1, 256, {BufferArgument{0}, scalar(20000)}, 80000), buffers, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  std::reverse(values.begin(), values.end());
  EXPECT_EQ(contents_of(*buffers[0]), values);

  const auto refused =
      gpu_->launch(module, make_launch("reverse", 1, 256, {BufferArgument{0}, scalar(1)}, 1 << 20), buffers, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id, ErrorId::bad_launch);
  EXPECT_THAT(refused.error().message, HasSubstr("shared memory = 1048576 bytes"));
}

TEST_F(GpuExecutorTest, RefusesLaunchesThatCudaDoesNotAllow) {
  const CompiledModule module = compile(kKernels);
  const std::vector<std::shared_ptr<DeviceBuffer>> buffers{buffer_of({1}), buffer_of({2})};
  const std::vector<Argument> arguments{BufferArgument{0}, BufferArgument{1}, scalar(1.0f), scalar(1)};
  const auto refusal = [&](const Launch& launch) {
    const auto report = gpu_->launch(module, launch, buffers, {}, {});
    EXPECT_FALSE(report);
    return report ? Error{} : report.error();
  };
  EXPECT_EQ(refusal(make_launch("scale", 1, 2048, arguments)).id, ErrorId::bad_launch);
  EXPECT_EQ(refusal(make_launch("scale", 0, 32, arguments)).id, ErrorId::bad_launch);
  Launch deep = make_launch("scale", 1, 1, arguments);
  deep.grid.z = 65536;
  EXPECT_EQ(refusal(deep).id, ErrorId::bad_launch);
  EXPECT_EQ(refusal(make_launch("nothing", 1, 32, arguments)).id, ErrorId::kernel_not_found);
  EXPECT_EQ(refusal(make_launch("scale", 1, 32, {BufferArgument{0}})).id, ErrorId::argument_count);
  EXPECT_EQ(refusal(make_launch("scale", 1, 32, {BufferArgument{0}, BufferArgument{1}, scalar(1.0), scalar(1)})).id,
            ErrorId::argument_size);
  expect_gpu_works(module);
}

TEST_F(GpuExecutorTest, WorksFromSeveralThreads) {
  const CompiledModule module = compile(kKernels);
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) expect_gpu_works(module);
    });
  }
}

}  // namespace
}  // namespace tilescope
