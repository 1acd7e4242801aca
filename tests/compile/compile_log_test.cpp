// The messages below were printed by NVRTC 13.0 and ptxas 13.0.
#include "engine/compile/compile_log.hpp"

#include <gmock/gmock.h>

#include "engine/compile/cubin.hpp"
#include "engine/compile/ptx_text.hpp"

namespace tilescope {
namespace {

using testing::ElementsAre;
using Severity = CompileMessage::Severity;

const std::string front_end_log = R"(kernels/x.cu(2): warning #177-D: variable "y" was declared but never referenced
  int y;
      ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

kernels/x.cu(3): catastrophic error: #error directive: no
  #error no
   ^

1 catastrophic error detected in the compilation of "kernels/x.cu".
Compilation terminated.
)";

TEST(CompileLogTest, ReadsSeverityFileAndLine) {
  const auto messages = parse_compile_messages(front_end_log);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].severity, Severity::warning);
  EXPECT_EQ(messages[0].line, 2U);
  EXPECT_EQ(messages[0].text, "variable \"y\" was declared but never referenced");
  EXPECT_EQ(messages[1].severity, Severity::error);
  EXPECT_EQ(messages[1].file, "kernels/x.cu");
  EXPECT_EQ(messages[1].line, 3U);
  EXPECT_EQ(messages[1].text, "#error directive: no");
}

TEST(CompileLogTest, TheErrorTextLeavesOutWarningsAndSummary) {
  EXPECT_EQ(error_text(front_end_log), "kernels/x.cu(3): catastrophic error: #error directive: no\n  #error no\n   ^");
}

TEST(CompileLogTest, AnUnknownFormIsKeptWhole) { EXPECT_EQ(error_text("something else\n"), "something else"); }

TEST(CompileLogTest, ReadsTheLossOfPipeliningAsAWarning) {
  const auto messages = parse_compile_messages(
      "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
      "non wgmma instructions defining accumulator registers of a wgmma in function 'k'\n");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].severity, Severity::warning);
  EXPECT_THAT(messages[0].text, testing::StartsWith("ptxas: (C7514) Potential Performance Loss"));
}

TEST(CompileLogTest, ReadsAnOptionError) {
  const auto messages = parse_compile_messages("nvrtc: error: invalid value for --gpu-architecture (-arch)\n");
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(messages[0].severity, Severity::error);
  EXPECT_EQ(messages[0].text, "invalid value for --gpu-architecture (-arch)");
}

TEST(CompileLogTest, ReadsTheResourceUsageOfEachKernel) {
  const auto usage = parse_resource_usage(R"(ptxas info    : 4 bytes gmem
ptxas info    : Compiling entry function 'a' for 'sm_90'
ptxas info    : Function properties for a
ptxas         .     272 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 29 registers, used 1 barriers, 272 bytes cumulative stack size, 4096 bytes smem
ptxas info    : Compile time = 17.310 ms
ptxas info    : Compiling entry function 'b' for 'sm_90'
ptxas info    : Function properties for b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, 380 bytes cmem[0]
)");
  ASSERT_EQ(usage.size(), 2U);
  EXPECT_EQ(usage.at("a").registers, 29U);
  EXPECT_EQ(usage.at("a").static_shared_bytes, 4096U);
  EXPECT_EQ(usage.at("a").local_bytes, 272U);
  EXPECT_EQ(usage.at("a").spill_store_bytes, 12U);
  EXPECT_EQ(usage.at("a").spill_load_bytes, 16U);
  EXPECT_EQ(usage.at("b").registers, 12U);
  EXPECT_EQ(usage.at("b").static_shared_bytes, 0U);
}

const std::string ptx = R"(.version 9.0
.target sm_90
	// .globl	k
.extern .entry declared(.param .u64 declared_param_0);
.visible .entry k(
	.param .u64 .ptr .global .align 16 k_param_0,
	.param .align 8 .b8 k_param_1[56],
	.param .u8 k_param_2
)
.maxntid 256, 1, 1
{
	.loc	1 7 3
	ld.param.u64 	%rd1, [k_param_0];
	.loc	2 40 5
	ret;
}
.entry empty()
{
	ret;
}
	.file	1 "/home/me/x.cu"
	.file	2 "/usr/include/y.cuh"
)";

TEST(PtxTextTest, ListsKernelsWithTheSizesOfTheirParameters) {
  const auto kernels = kernels_of_ptx(ptx);
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels[0].name, "k");
  EXPECT_THAT(kernels[0].parameter_bytes, ElementsAre(8, 56, 1));
  EXPECT_EQ(kernels[1].name, "empty");
  EXPECT_TRUE(kernels[1].parameter_bytes.empty());
}

TEST(PtxTextTest, FindsTheSourceLineOfAPtxLine) {
  EXPECT_EQ(source_place_of_ptx_line(ptx, 13).file, "/home/me/x.cu");
  EXPECT_EQ(source_place_of_ptx_line(ptx, 13).line, 7U);
  EXPECT_EQ(source_place_of_ptx_line(ptx, 15).file, "/usr/include/y.cuh");
  EXPECT_EQ(source_place_of_ptx_line(ptx, 15).line, 40U);
  EXPECT_EQ(source_place_of_ptx_line(ptx, 3).line, 0U);
}

TEST(CompileLogTest, PutsTheSourceLineIntoErrorsOfTheAssembler) {
  EXPECT_EQ(place_ptxas_errors("ptxas application ptx input, line 13; error   : Unknown symbol '%r1'\n", ptx),
            "/home/me/x.cu(7): error: ptxas: Unknown symbol '%r1'\n");
}

TEST(CubinTest, BytesThatAreNoCubinGiveNothing) {
  std::vector<std::byte> bytes(300, std::byte{0x7f});
  EXPECT_TRUE(read_cubin(bytes).empty());
  EXPECT_TRUE(read_cubin({}).empty());
}

}  // namespace
}  // namespace tilescope
