#include "engine/gpu/timing.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/gpu/gpu_fixture.hpp"

namespace tilescope {
namespace {

constexpr const char* kCount = R"(
extern "C" __global__ void count(float* y) { atomicAdd(y, 1.0f); }
)";

class GpuTimerTest : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (!gpu_) return;
    first_ = buffer_of({0});
    second_ = buffer_of({0});
    auto timer = GpuTimer::open(context_of(*first_));
    ASSERT_TRUE(timer) << timer.error().message;
    timer_ = std::move(*timer);
  }

  Result<TimedWork> counting(const std::vector<AddressSet>& sets) {
    const std::vector<Launch> launches{make_launch("count", 1, 1, {BufferArgument{0}})};
    return timer_->launches(compile(kCount), launches, sets);
  }

  std::shared_ptr<DeviceBuffer> first_, second_;
  std::unique_ptr<GpuTimer> timer_;
};

TEST_F(GpuTimerTest, FlushesMoreThanTheL2) { EXPECT_GT(timer_->flush_bytes(), 2 * gpu_->device().l2_bytes); }

TEST_F(GpuTimerTest, TakesEverySampleAfterOneThatIsNotCounted) {
  const auto work = counting({{first_->address()}});
  ASSERT_TRUE(work) << work.error().message;
  const auto samples = timer_->cold(*work, 7);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_EQ(samples->size(), 7u);
  EXPECT_THAT(*samples, testing::Each(testing::Gt(0)));
  EXPECT_EQ(contents_of(*first_)[0], 8);
}

TEST_F(GpuTimerTest, RotatesAGraphOverItsBufferSets) {
  const auto work = counting({{first_->address()}, {second_->address()}});
  ASSERT_TRUE(work) << work.error().message;
  const auto graph = timer_->capture(*work, 9);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(contents_of(*first_)[0], 0);  // capturing runs nothing
  const auto samples = timer_->batched(**graph, 3);
  ASSERT_TRUE(samples) << samples.error().message;
  EXPECT_EQ(samples->size(), 3u);
  EXPECT_EQ(contents_of(*first_)[0], 4 * 5);
  EXPECT_EQ(contents_of(*second_)[0], 4 * 4);
}

TEST_F(GpuTimerTest, CopiesBetweenTheGivenAddresses) {
  const auto from = buffer_of({1, 2, 3}), to = buffer_of({0, 0, 0});
  const CopyAddresses addresses{.to = to->address(), .from = from->address()};
  const TimedWork work = GpuTimer::copies(std::span(&addresses, 1), 2 * sizeof(float));
  ASSERT_TRUE(timer_->cold(work, 1));
  EXPECT_THAT(contents_of(*to), testing::ElementsAre(1, 2, 0));
}

}  // namespace
}  // namespace tilescope
