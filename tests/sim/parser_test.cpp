// NVRTC's output is parsed completely; anything else is an error with its line.
#include "engine/sim/ptx/parser.hpp"

#include <gtest/gtest.h>

#include "engine/sim/ptx/source_lines.hpp"
#include "ptx_text.hpp"
#include "run_kernel.hpp"

namespace tilescope {
namespace {

std::shared_ptr<const PtxModule> parsed(const std::string& text) {
  auto module = parse_ptx(text);
  EXPECT_TRUE(module.has_value()) << (module ? "" : module.error().message);
  return module ? *module : std::make_shared<PtxModule>();
}
std::string error_of(const std::string& text) {
  const auto module = parse_ptx(text);
  EXPECT_FALSE(module.has_value()) << text;
  if (module) return {};
  EXPECT_EQ(module.error().id, ErrorId::ptx_syntax);
  return module.error().message;
}

TEST(Parser, ReadsAModuleOfNvrtc) {
  const auto module = parsed(module_of("machinery").ptx);
  EXPECT_EQ(module->version, "9.0");
  EXPECT_EQ(module->target, "sm_80");
  EXPECT_EQ(module->files.at(1), "kernels/machinery.cu");
  const PtxFunction* by_value = nullptr;
  for (const auto& function : module->functions)
    if (function.name == "by_value") by_value = &function;
  ASSERT_NE(by_value, nullptr);
  EXPECT_TRUE(by_value->is_entry);
  ASSERT_EQ(by_value->parameters.size(), 5U);
  EXPECT_EQ(by_value->parameters[0].bytes, 16U);
  EXPECT_EQ(by_value->parameters[0].alignment, 4U);
  EXPECT_EQ(by_value->parameters[1].bytes, 2U);
  EXPECT_EQ(by_value->parameters[4].bytes, 8U);
}
TEST(Parser, ReadsInitialValuesAndAddressesOfVariables) {
  const auto module = parsed(
      ".version 8.0\n.target sm_80\n.address_size 64\n.global .align 4 .b32 table[2][2] = {{1, 2}, {-3, 0x10}};\n"
      ".global .align 8 .u64 pointer = generic(table)+4;\n.const .f32 half = 0f3F000000;\n");
  ASSERT_EQ(module->global.size(), 2U);
  EXPECT_EQ(module->global[0].bytes, 16U);
  EXPECT_EQ(module->global[0].initial[8], 0xfdU);
  EXPECT_EQ(module->global[0].initial[12], 0x10U);
  ASSERT_EQ(module->global[1].relocations.size(), 1U);
  EXPECT_EQ(module->global[1].relocations[0].name, "table");
  EXPECT_EQ(module->global[1].relocations[0].addend, 4);
  EXPECT_TRUE(module->global[1].relocations[0].generic);
  EXPECT_EQ(module->constant[0].initial[3], 0x3fU);
}
TEST(Parser, ReadsOperandsOfEveryForm) {
  const auto module =
      parsed(kernel_around("@!%p1 ld.global.v2.u32 {%r1, _}, [%rd1+-8];\nsetp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;\n"
                           "mov.b32 {%rs1, %rs2}, %r3;\nadd.f32 %f1, %f2, 0fBF800000;\nmov.u32 %r1, %tid.x;\n"));
  const auto& instructions = module->functions[0].instructions;
  ASSERT_EQ(instructions.size(), 5U);
  EXPECT_TRUE(instructions[0].guard_negated);
  EXPECT_EQ(instructions[0].text, "@!%p1 ld.global.v2.u32 {%r1, _}, [%rd1+-8]");
  EXPECT_EQ(instructions[0].operands[0].elements.size(), 2U);
  EXPECT_EQ(instructions[0].operands[1].offset, -8);
  EXPECT_EQ(instructions[1].operands[0].kind, PtxOperand::Kind::pair);
  EXPECT_EQ(static_cast<int64_t>(instructions[1].operands[2].bits), -5);
  EXPECT_TRUE(instructions[1].operands[3].negated);
  EXPECT_EQ(instructions[3].operands[2].bits, 0xbf800000U);
  EXPECT_EQ(instructions[4].operands[1].name, "%tid.x");
}
TEST(Parser, NamesInInnerScopesHideThoseOutside) {
  const auto module = parsed(kernel_around("{ .reg .b64 %r1; mov.u64 %r1, 1; }\nmov.u32 %r1, 1;"));
  const auto& function = module->functions[0];
  EXPECT_EQ(function.registers[function.instructions[0].operands[0].reg].bytes, 8U);
  EXPECT_EQ(function.registers[function.instructions[1].operands[0].reg].bytes, 4U);
}
TEST(Parser, LaunchBoundsAndTablesOfTargets) {
  const auto module = parsed(
      ".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 .ptr .global .align 16 p)\n.maxntid 256, 1, "
      "1\n"
      ".minnctapersm 2\n{\n.reg .b32 %r<2>;\nbrx.idx %r1, targets;\ntargets: .branchtargets A, B;\nA:\nB: ret;\n}\n");
  const auto& function = module->functions[0];
  EXPECT_EQ(function.max_threads[0], 256U);
  EXPECT_EQ(function.min_blocks, 2U);
  EXPECT_EQ(function.parameters[0].bytes, 8U);
  EXPECT_EQ(function.branch_targets.at("targets").size(), 2U);
}
TEST(Parser, InlinedCodeBelongsToTheKernelsOwnLine) {
  const auto module =
      parsed(kernel_around(".loc 1 10 0\nret;\n.loc 2 500 1, function_name $L__info_string0, inlined_at 1 12 3\nret;\n"
                           ".loc 2 70 5, function_name $L__info_string0, inlined_at 1 14 2\nret;\n"
                           ".loc 2 90 1, function_name $L__info_string1+4, inlined_at 2 70 5\nret;\n.loc 1 0 3\nret;\n"
                           ".loc 2 500 1\nret;\n.loc 2 300 1\nret;\n"
                           ".loc 1 4 3, function_name $L__info_string2, inlined_at 1 5 34\nret;",
                           ".file 1 \"k.cu\"\n.file 2 \"cuda_fp16.h\", 1700000000, 100\n"));
  const SourceLines lines(module->functions[0]);
  std::vector<uint32_t> found;
  for (const auto& instruction : module->functions[0].instructions)
    found.push_back(lines.find(instruction.location).line);
  EXPECT_EQ(found, (std::vector<uint32_t>{10, 12, 14, 14, 14, 12, 300, 4}));
  std::vector<uint32_t> innermost;
  for (const auto& instruction : module->functions[0].instructions)
    innermost.push_back(lines.innermost(instruction.location).line);
  EXPECT_EQ(innermost, (std::vector<uint32_t>{10, 500, 70, 90, 90, 500, 300, 4}));
}
TEST(Parser, CodeThatTritonInlinedBelongsToTheLineThatCalledIt) {
  const auto module = parsed(
      kernel_around(".loc 1 10 0 // k.py:10:0\nret;\n.loc 2 43 17 // standard.py:43:17 @[ k.py:13:22 ]\nret;\n"
                    ".loc 2 170 27 // standard.py:170:27 @[ standard.py:191:40 @[ k.py:7:9 @[ k.py:37:29 ] ] ]\nret;\n"
                    ".loc 1 7 15 // k.py:7:15 @[ k.py:29:32 ]\nret;\n.loc 2 50 1 // made up @[ k.py ]\nret;",
                    ".file 1 \"k.py\"\n.file 2 \"standard.py\"\n"));
  const SourceLines lines(module->functions[0]);
  std::vector<uint32_t> found;
  for (const auto& instruction : module->functions[0].instructions)
    found.push_back(lines.find(instruction.location).line);
  EXPECT_EQ(found, (std::vector<uint32_t>{10, 13, 7, 7, 50}));
}
TEST(Parser, ErrorsNameTheLineAndWhatIsWrong) {
  EXPECT_EQ(error_of(kernel_around("mov.u32 %r1, ;")), "PTX line 12: ';' is no operand");
  EXPECT_EQ(error_of(kernel_around("@%r1 ret;")), "PTX line 12: '%r1' is no predicate");
  EXPECT_EQ(error_of(kernel_around("A: A: ret;")), "PTX line 12: label 'A' is there twice");
  EXPECT_EQ(error_of(".version 8.0\n.address_size 32\n"), "PTX line 3: only 64-bit addresses are supported");
}
TEST(Parser, DamagedTextIsAnErrorAndNeverACrash) {
  const std::string whole = module_of("machinery").ptx;
  for (size_t length = 0; length < whole.size(); length += 97) (void)parse_ptx(whole.substr(0, length));
  for (size_t at = 0; at < whole.size(); at += 61) {
    std::string damaged = whole;
    damaged[at] = "{};,[]<\"@%.0"[at % 12];
    (void)parse_ptx(damaged);
  }
  for (const char* text :
       {".reg", "{", "}", ".entry", ".entry k", ".entry k(", ".entry k() {", ".global .b8 x[99999999999999999999];",
        ".global .b8 x[4] = {1,2,3,4,5};", ".entry k() { .reg .b32 %r<4294967295>; }", ".func"})
    (void)error_of(text);
  EXPECT_FALSE(parse_ptx(kernel_around(std::string(10000, '{'))).has_value());
  EXPECT_FALSE(parse_ptx(kernel_around("mov.b64 " + std::string(10000, '{'))).has_value());
}

}  // namespace
}  // namespace tilescope
