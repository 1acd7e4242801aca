#include "engine/gpu/whole_grid.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace tilescope {
namespace {

// Functions that a kernel calls count; those of other kernels in the module do not.
TEST(WholeGrid, TellsWhichKernelsWaitForTheirWholeGrid) {
  const std::string ptx =
      ".func (.param .b32 r) waits(.param .b64 a)\n{\n{ .reg .b32 %r<2>; }\nmov.u32 %r1, %envreg2;\nret;\n}\n"
      ".func through()\n{\ncall.uni waits, ();\nret;\n}\n.func alone()\n{\nret;\n}\n"
      ".visible .entry itself(.param .u64 a)\n{\nmov.u32 %r1, %envreg1;\nret;\n}\n"
      ".visible .entry calls()\n{\ncall.uni through, ();\nret;\n}\n"
      ".visible .entry other()\n{\ncall.uni alone, ();\nret;\n}\n";
  EXPECT_TRUE(waits_for_whole_grid(ptx, "itself"));
  EXPECT_TRUE(waits_for_whole_grid(ptx, "calls"));
  EXPECT_FALSE(waits_for_whole_grid(ptx, "other"));
  EXPECT_FALSE(waits_for_whole_grid(ptx, "absent"));
}

TEST(WholeGrid, OfNvrtcsKernelsOnlyThoseThatWaitForTheGridDo) {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/tests/sim/kernels/cooperative.ptx");
  const std::string ptx{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(waits_for_whole_grid(ptx, "whole_grid"));
  EXPECT_FALSE(waits_for_whole_grid(ptx, "tiles"));
  EXPECT_FALSE(waits_for_whole_grid(ptx, "count_with_few_atomics"));
}

}  // namespace
}  // namespace tilescope
