// PTX from compilers and from inline assembly is parsed as ptxas parses it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/ptx_text.hpp"
#include "tests/sim/run_kernel.hpp"

namespace tilescope {
namespace {

/// Runs a body that leaves its result in %rd1, with one thread.
Result<uint64_t> try_run(const std::string& body, const std::string& before = "") {
  CompiledModule module;
  module.ptx = kernel_around("ld.param.u64 %rd8, [out];\n" + body + "\nst.global.u64 [%rd8], %rd1;\nret;", before);
  const size_t at = module.ptx.find("k()");
  module.ptx.replace(at, 3, "k(.param .u64 .ptr .global .align 8 out)");
  Machinery machine;
  const size_t out = machine.output<uint64_t>("out", 1);
  auto report = machine.try_run(module, "k", {1, 1, 1}, {1, 1, 1});
  if (!report) return tl::unexpected<Error>(report.error());
  EXPECT_TRUE(report->findings.empty()) << report->findings[0].message;
  return machine.download<uint64_t>(out)[0];
}
uint64_t run(const std::string& body, const std::string& before = "") {
  auto result = try_run(body, before);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return result.value_or(0xdeadbeef);
}
std::string error_of(const std::string& body) {
  const auto result = try_run(body);
  return result ? "" : result.error().message;
}

TEST(Syntax, RegistersOfAnInnerScopeHideThoseOutside) {
  EXPECT_EQ(
      run("mov.u32 %r1, 1;\n{\n.reg .b32 %r1, t;\nmov.u32 %r1, 2;\nmov.u32 t, %r1;\n{ .reg .b32 t; mov.u32 t, 9; }\n"
          "cvt.u64.u32 %rd2, t;\n}\ncvt.u64.u32 %rd1, %r1;\nmad.lo.u64 %rd1, %rd2, 10, %rd1;"),
      21U);
}
TEST(Syntax, LabelsOfOneNameInSeveralScopesAreApart) {
  const std::string loop =
      "{\n.reg .pred p;\nLOOP:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 p, %r1, BOUND;\n@p bra LOOP;\nbra.uni "
      "DONE;\nDONE:\n}\n";
  const auto bounded = [&](const std::string& bound) {
    std::string text = loop;
    return text.replace(text.find("BOUND"), 5, bound);
  };
  EXPECT_EQ(run("mov.u32 %r1, 0;\n" + bounded("3") + bounded("8") + bounded("2") + "cvt.u64.u32 %rd1, %r1;"), 9U);
}
TEST(Syntax, VariablesOfOneNameInSeveralScopesAreApart) {
  const std::string scope = "{\n.shared .u32 place;\nst.shared.u32 [place], N;\nmov.u32 %rN, place;\n}\n";
  const auto numbered = [&](const std::string& number) {
    std::string text = scope;
    for (size_t at = text.find('N'); at != std::string::npos; at = text.find('N')) text.replace(at, 1, number);
    return text;
  };
  EXPECT_EQ(run(numbered("1") + numbered("2") +
                "ld.shared.u32 %r3, [%r1];\nld.shared.u32 %r4, [%r2];\nmad.lo.u32 %r5, %r3, 10, %r4;\n"
                "cvt.u64.u32 %rd1, %r5;"),
            12U);
}
TEST(Syntax, TheSameLabelTwiceInOneScopeIsAnError) {
  EXPECT_EQ(error_of("L: L: ret;"), "PTX line 13: label 'L' is there twice");
}
TEST(Syntax, TablesOfBranchTargets) {
  EXPECT_EQ(run("mov.u32 %r1, 1;\n{\nts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA:\nmov.u64 %rd1, 1;\nbra C;\nB:\n"
                "mov.u64 %rd1, 2;\nC:\n}\n"),
            2U);
}
TEST(Syntax, VectorRegisters) {
  EXPECT_EQ(
      run(".reg .v4 .u32 v;\n.reg .v2 .f32 w;\nmov.u32 v.x, 1;\nmov.u32 v.y, 2;\nmov.u32 v.z, 3;\nmov.u32 v.w, 4;\n"
          ".shared .align 16 .b8 s[16];\nst.shared.v4.u32 [s], v;\nld.shared.v4.u32 {%r1, _, %r3, _}, [s];\n"
          "ld.shared.v2.f32 w, [s+8];\nmov.b32 %r4, w.y;\nmov.b64 %rd1, {%r3, %r4};"),
      0x400000003U);
}
TEST(Syntax, ConstantExpressions) {
  EXPECT_EQ(run("mov.u64 %rd1, 1+2*3;"), 7U);
  EXPECT_EQ(run("mov.u64 %rd1, (1+2)*3 - 4/2;"), 7U);
  EXPECT_EQ(run("mov.u64 %rd1, -7 / 2;"), static_cast<uint64_t>(-3));
  EXPECT_EQ(run("mov.u64 %rd1, 0x10 << 4 | 0b101;"), 0x105U);
  EXPECT_EQ(run("mov.u64 %rd1, -1 >> 60;"), ~uint64_t{0});
  EXPECT_EQ(run("mov.u64 %rd1, (.u64) -1 >> 60;"), 15U);
  EXPECT_EQ(run("mov.u64 %rd1, 3 > 2 ? 10U : 20;"), 10U);
  EXPECT_EQ(run("mov.u64 %rd1, !0 + ~0;"), 0U);
  EXPECT_EQ(run("mov.u64 %rd1, 017;"), 15U);
  EXPECT_EQ(run("mov.u64 %rd1, WARP_SZ * 2;"), 64U);
  EXPECT_NE(error_of("mov.u64 %rd1, 1 / 0;").find("divides by zero"), std::string::npos);
}
TEST(Syntax, AddressesWithOffsets) {
  const std::string before = ".global .align 8 .u64 table[4] = {10, 20, 30, 40};\n";
  EXPECT_EQ(run("ld.global.u64 %rd1, [table+8*2];", before), 30U);
  EXPECT_EQ(run("mov.u64 %rd2, table+24;\nld.global.u64 %rd1, [%rd2+-16];", before), 20U);
  EXPECT_EQ(run("mov.u64 %rd2, table;\nadd.u64 %rd2, %rd2, 32;\nld.global.u64 %rd1, [%rd2-8];", before), 40U);
}
TEST(Syntax, InitialValuesOfEveryKind) {
  EXPECT_EQ(run("ld.const.u32 %r1, [f];\nld.const.u32 %r2, [f+4];\nmov.b64 %rd1, {%r1, %r2};",
                ".const .align 4 .f32 f[3] = {1.5, 0f40000000};\n"),
            0x400000003fc00000U);
  EXPECT_EQ(run("ld.global.u8 %rd1, [m+1*3+2];", ".global .b8 m[2][3] = {{1, 2, 3}, {4, 5, 0xff & 6}};\n"), 6U);
  EXPECT_EQ(run("ld.global.u64 %rd2, [p];\nld.u32 %r1, [%rd2];\ncvt.u64.u32 %rd1, %r1;",
                ".global .u32 x[3] = {7, 8, 9};\n.global .u64 p = generic(x)+4;\n"),
            8U);
  // A structure as bytes, with a variable's address split into bytes.
  EXPECT_EQ(run("ld.global.u64 %rd2, [s];\nld.global.u32 %r1, [%rd2];\ncvt.u64.u32 %rd1, %r1;",
                ".global .u32 x = 77;\n.global .align 8 .b8 s[8] = {0xff(x), 0xff00(x), 0xff0000(x), 0xff000000(x), "
                "0xff00000000(x), 0xff0000000000(x), 0xff000000000000(x), 0xff00000000000000(x)};\n"),
            77U);
}
TEST(Syntax, SinksAndNegatedPredicatesAndPairs) {
  EXPECT_EQ(run("setp.eq.and.u32 %p1|%p2, 1, 1, !%p3;\nsetp.eq.u32 _|%p4, 1, 2;\nselp.u64 %rd1, 10, 20, %p4;\n"
                "@!%p1 add.u64 %rd1, %rd1, 1;\n@%p2 add.u64 %rd1, %rd1, 2;"),
            10U);
  EXPECT_EQ(run("mov.u64 %rd2, table;\natom.global.add.u64 _, [%rd2], 5;\nld.global.u64 %rd1, [table];",
                ".global .u64 table = 1;\n"),
            6U);
}
TEST(Syntax, DirectivesThatCompilersWrite) {
  const std::string before =
      ".file 1 \"k.cu\", 1700000000, 123\n.weak .global .align 4 .u32 w = 3;\n.visible .const .u32 c = 4;\n"
      ".extern .func (.param .b32 r) outside (.param .b64 a, .param .b32 b) .noreturn;\n"
      ".global .attribute(.managed) .u32 managed = 5;\n.section .debug_str\n{\n.b8 1,2,3\n}\n";
  EXPECT_EQ(run(".pragma \"nounroll\";\n.loc 1 5 3\nld.global.u32 %r1, [w];\n.loc 1 6 1, function_name $L__info0, "
                "inlined_at 1 5 3\nld.const.u32 %r2, [c];\nld.global.u32 %r3, [managed];\nadd.u32 %r1, %r1, %r2;\n"
                "add.u32 %r1, %r1, %r3;\ncvt.u64.u32 %rd1, %r1;",
                before),
            12U);
}
TEST(Syntax, CacheHintsAndOrderAndScopesOfMemoryInstructions) {
  const std::string before = ".global .align 16 .u32 x[4] = {1, 2, 3, 4};\n";
  for (const char* load : {"ld.global.L1::no_allocate.L2::128B.v4.u32 {%r1, %r2, %r3, %r4}, [x];",
                           "createpolicy.fractional.L2::evict_last.b64 %rd2, 1.0;\nld.global.L2::cache_hint.v4.u32 "
                           "{%r1, %r2, %r3, %r4}, [x], "
                           "%rd2;",
                           "ld.global.nc.L1::evict_last.L2::256B.v4.u32 {%r1, %r2, %r3, %r4}, [x];",
                           "ld.acquire.gpu.global.v4.u32 {%r1, %r2, %r3, %r4}, [x];",
                           "ld.volatile.global.v4.u32 {%r1, %r2, %r3, %r4}, [x];",
                           "ld.relaxed.sys.global.L1::evict_first.v4.u32 {%r1, %r2, %r3, %r4}, [x];"})
    EXPECT_EQ(run(std::string(load) + "\nmov.b64 %rd1, {%r3, %r4};", before), 0x400000003U) << load;
}

TEST(Syntax, AnUnknownInstructionIsNamedWithItsSourceLine) {
  CompiledModule module;
  module.ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"kernel.cu\"\n.visible .entry k()\n{\n"
      ".reg .b32 %r<3>;\n.loc 1 42 7\nfrobnicate.sync.u32 %r1, %r2;\nret;\n}\n";
  Machinery machine;
  const auto report = machine.try_run(module, "k", {1, 1, 1}, {1, 1, 1});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().message, "the simulator does not know the instruction 'frobnicate.sync.u32' (kernel.cu:42)");
}
TEST(Syntax, AKnownInstructionWithAnUnknownModifierIsAnErrorToo) {
  for (const char* opcode : {"add.rn.u32", "ld.global.v8.u32", "vadd.u32.u32.u32.wrap", "cvt.rq.f16.f32", "mul.mid.u32",
                             "st.const.u32", "set.lt.u64.u32", "atom.global.mul.u32", "prmt.b32.q4e"})
    EXPECT_NE(error_of(std::string(opcode) + " %r1, %r2, %r3;").find("does not know the instruction"),
              std::string::npos)
        << opcode;
}

}  // namespace
}  // namespace tilescope
