// What a launch refuses, with the error.
#include <gtest/gtest.h>

#include "ptx_text.hpp"
#include "run_kernel.hpp"

namespace tilescope {
namespace {

CompiledModule module_from(const std::string& ptx) {
  CompiledModule module;
  module.ptx = ptx;
  return module;
}
Error error_of(const Result<LaunchReport>& report) {
  EXPECT_FALSE(report.has_value());
  return report ? Error{} : report.error();
}

TEST(Launch, AnInstructionThatIsNotKnownIsNamedWithItsLine) {
  Machinery machine;
  const auto error = error_of(machine.try_run(
      module_from(kernel_around(".loc 1 7 3\nfrobnicate.rn.f32 %f1, %f2;\nret;", ".file 1 \"kernels/x.cu\"\n")), "k",
      {1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(error.id, ErrorId::unknown_opcode);
  EXPECT_EQ(error.message, "the simulator does not know the instruction 'frobnicate.rn.f32' (kernels/x.cu:7)");
}
TEST(Launch, AKernelThatIsNotThereIsAnErrorThatListsThoseThatAre) {
  Machinery machine;
  const auto error = error_of(machine.try_run(module_of("vector_add"), "add", {1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(error.id, ErrorId::kernel_not_found);
  EXPECT_EQ(error.message,
            "there is no kernel 'add' in kernels/vector_add.cu; it has add_scalar, add_float2, add_float4, "
            "add_grid_stride, add_shifted, add_double, add_uneven");
}
TEST(Launch, ArgumentsMustFitInNumberAndSize) {
  Machinery machine;
  machine.input("a", std::vector<float>(1));
  EXPECT_EQ(error_of(machine.try_run(module_of("vector_add"), "add_scalar", {1, 1, 1}, {32, 1, 1})).message,
            "kernel 'add_scalar' takes 4 arguments and 1 were given");
  machine.input("b", std::vector<float>(1));
  machine.output<float>("out", 1);
  machine.value(1.0);
  const auto error = error_of(machine.try_run(module_of("vector_add"), "add_scalar", {1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(error.id, ErrorId::argument_size);
  EXPECT_EQ(error.message, "argument 4 of kernel 'add_scalar' is 4 bytes wide and '1.000000' gives 8");
}
TEST(Launch, GridAndBlockStayInsideTheLimitsOfCuda) {
  const std::pair<Dim3, Dim3> refused[] = {{{0, 1, 1}, {32, 1, 1}},     {{1, 1, 1}, {0, 1, 1}},
                                           {{1, 1, 1}, {1025, 1, 1}},   {{1, 1, 1}, {64, 32, 1}},
                                           {{1, 65536, 1}, {32, 1, 1}}, {{0x80000000U, 1, 1}, {32, 1, 1}},
                                           {{1, 1, 1}, {1, 1, 65}}};
  for (const auto& [grid, block] : refused) {
    Machinery machine;
    EXPECT_EQ(error_of(machine.try_run(module_from(kernel_around("ret;")), "k", grid, block)).id, ErrorId::bad_launch);
  }
  Machinery machine;
  EXPECT_TRUE(machine.try_run(module_from(kernel_around("ret;")), "k", {3, 2, 2}, {8, 4, 2}).has_value());
  machine.launch.shared_bytes = 228 * 1024;
  EXPECT_EQ(error_of(machine.try_run(module_from(kernel_around("ret;")), "k", {1, 1, 1}, {32, 1, 1})).message,
            "shared memory = 233472 is not possible: the limit is 232448 bytes");
}
TEST(Launch, BlocksLargerThanTheKernelsBoundsAreRefused) {
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n.maxntid 64, 1, 1\n{\nret;\n}\n";
  Machinery machine;
  EXPECT_TRUE(machine.try_run(module_from(ptx), "k", {1, 1, 1}, {64, 1, 1}).has_value());
  EXPECT_EQ(error_of(machine.try_run(module_from(ptx), "k", {1, 1, 1}, {96, 1, 1})).message,
            "threads per block = 96 is not possible: the kernel's launch bounds allow 64");
}
TEST(Launch, DamagedPtxIsAnErrorWithItsLine) {
  Machinery machine;
  const auto error =
      error_of(machine.try_run(module_from(kernel_around("add.s32 %r1, %r2;")), "k", {1, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(error.id, ErrorId::ptx_syntax);
  EXPECT_EQ(error.message, "PTX line 12: an operand is missing in 'add.s32 %r1, %r2'");
}
TEST(Launch, OneModuleGivesTheSameWhenItIsLaunchedAgain) {
  Machinery machine;
  const size_t out = machine.output<float>("out", 32);
  const auto module = module_of("machinery");
  machine.run(module, "variables", {1, 1, 1}, {32, 1, 1});
  const auto first = machine.download<float>(out);
  machine.run(module, "variables", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(machine.download<float>(out), first);
}

}  // namespace
}  // namespace tilescope
