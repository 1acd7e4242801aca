#include "engine/sim/program/launch_work.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

TEST(LaunchWork, AMatrixInstructionHasTheOperationsOfItsShape) {
  const InstructionWork half = work_of("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  EXPECT_EQ(half.rate, PeakRate::fp16);
  EXPECT_EQ(half.operations, 2 * 16 * 8 * 16);
  EXPECT_EQ(work_of("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32").rate, PeakRate::tf32);
  EXPECT_EQ(work_of("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32").rate, PeakRate::bf16);
  EXPECT_EQ(work_of("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32").rate, PeakRate::int8);
  EXPECT_EQ(work_of("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64").rate, PeakRate::fp64_tensor);
  EXPECT_EQ(work_of("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32").operations, 2 * 16 * 16 * 16);
}

TEST(LaunchWork, ArithmeticTakesAPlaceInThePipelineOfItsType) {
  EXPECT_EQ(work_of("fma.rn.f32").operations, 64);
  EXPECT_EQ(work_of("add.f32").operations, 64);
  EXPECT_EQ(work_of("fma.rn.f64").rate, PeakRate::fp64);
  EXPECT_EQ(work_of("fma.rn.f16x2").rate, PeakRate::fp32);
  for (const char* other : {"ld.global.v4.f32", "mov.f32", "add.s32", "bar.sync", "cp.async.cg.shared.global", ""})
    EXPECT_EQ(work_of(other).operations, 0) << other;
}

}  // namespace
}  // namespace tilescope
