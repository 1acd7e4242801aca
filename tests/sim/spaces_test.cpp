// Stores and atomics to addresses that they must not write.
#include "run_kernel.hpp"

namespace tilescope {
namespace {

TEST(Spaces, WriteToConstantMemoryIsFoundAndDoesNotHappen) {
  Machinery machine;
  const size_t out = machine.input("out", std::vector<int>(32, 0));
  const auto report = machine.run(module_of("spaces"), "write_constant", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "read only write: write of 4 bytes at table+8 (constant of 16 bytes), kernels/spaces.cu:[write], "
            "block (0,0,0) thread (3,0,0)");
  EXPECT_EQ(report.findings[0].id, "read-only-write");
  EXPECT_EQ(machine.download<int>(out)[2], 3);
}
TEST(Spaces, WriteToAVariableOfTheModuleIsSilent) {
  Machinery machine;
  machine.input("out", std::vector<int>(32, 0));
  EXPECT_TRUE(machine.run(module_of("spaces"), "write_variable", {1, 1, 1}, {32, 1, 1}).findings.empty());
}
TEST(Spaces, AtomicOnALocalVariableIsFound) {
  Machinery machine;
  machine.input("out", std::vector<int>(64, 0));
  machine.value(4);
  const auto report = machine.run(module_of("spaces"), "atomic_on_local", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "atomic-on-local");
  EXPECT_EQ(report.findings[0].thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(report.findings[0].offset, 16);
}
TEST(Spaces, AtomicOnSharedMemoryThroughAGenericAddressIsSilent) {
  Machinery machine;
  const size_t out = machine.input("out", std::vector<int>(64, 0));
  const auto report = machine.run(module_of("spaces"), "atomic_on_shared", {1, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(machine.download<int>(out)[1 + 5], 0);
}

}  // namespace
}  // namespace tilescope
