#include "engine/gpu/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/gpu/context.hpp"
#include "engine/gpu/gpu_executor.hpp"
#include "engine/gpu/nvml.hpp"

namespace tilescope {
namespace {

using testing::HasSubstr;

/// Sets TILESCOPE_HIDE for one test.
class Hidden {
 public:
  explicit Hidden(const char* list) { setenv("TILESCOPE_HIDE", list, 1); }
  ~Hidden() { unsetenv("TILESCOPE_HIDE"); }
};

TEST(Driver, ThatIsHiddenIsMissingWithASentenceAndAHint) {
  for (const char* list : {"cuda", "nvrtc,cuda", "cuda,nvrtc", "a,cuda,b"}) {
    const Hidden hidden(list);
    const auto driver = open_driver();
    ASSERT_FALSE(driver) << list;
    EXPECT_EQ(driver.error().id, ErrorId::driver_missing);
    EXPECT_EQ(driver.error().message, "no NVIDIA driver: libcuda.so.1 could not be opened (hidden by TILESCOPE_HIDE)");
    EXPECT_THAT(driver.error().hint, HasSubstr("The simulator needs no driver"));
  }
}

TEST(Driver, IsHiddenByItsWholeNameOnly) {
  for (const char* list : {"", "nvrtc", "cuda2", "xcuda,nvrtc"}) {
    const Hidden hidden(list);
    const auto driver = open_driver();
    if (driver) continue;
    EXPECT_THAT(driver.error().message, testing::Not(HasSubstr("TILESCOPE_HIDE"))) << list;
  }
}

TEST(Driver, ThatIsHiddenLeavesNoGpu) {
  const Hidden hidden("cuda");
  const auto gpu = open_gpu();
  ASSERT_FALSE(gpu);
  EXPECT_EQ(gpu.error().id, ErrorId::driver_missing);
}

TEST(Driver, WhereItIsAbsentNamesTheLoadersReason) {
  const auto driver = open_driver();
  if (driver) GTEST_SKIP() << "there is a driver here";
  if (driver.error().id == ErrorId::no_gpu) GTEST_SKIP() << driver.error().message;
  EXPECT_EQ(driver.error().id, ErrorId::driver_missing);
  EXPECT_THAT(driver.error().message, HasSubstr("libcuda.so.1"));
}

TEST(PoisonedContext, FollowsFromFaultsOfKernelsAndNotFromBadCalls) {
  EXPECT_TRUE(poisons_context(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_TRUE(poisons_context(CUDA_ERROR_MISALIGNED_ADDRESS));
  EXPECT_TRUE(poisons_context(CUDA_ERROR_ASSERT));
  EXPECT_TRUE(poisons_context(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_FALSE(poisons_context(CUDA_SUCCESS));
  EXPECT_FALSE(poisons_context(CUDA_ERROR_INVALID_VALUE));
  EXPECT_FALSE(poisons_context(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_FALSE(poisons_context(CUDA_ERROR_NOT_READY));
}

TEST(Nvml, ForAGpuThatIsNotThereIsAbsent) { EXPECT_EQ(Nvml::open("ffff:ff:1f.0"), nullptr); }

}  // namespace
}  // namespace tilescope
