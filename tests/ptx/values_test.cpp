// Single instructions on single values, calculated by hand from the semantics in the PTX ISA.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/sim/ptx_text.hpp"
#include "tests/sim/run_kernel.hpp"

namespace tilescope {
namespace {

/// Registers 2 to 5 of every kind hold the inputs; the result is in register 1 of the kind that the text names.
uint64_t result_of(const std::string& text, const std::vector<uint64_t>& inputs) {
  std::string body = "ld.param.u64 %rd8, [out];\nmov.u64 %rd1, 0;\nmov.u32 %r1, 0;\nmov.u16 %rs1, 0;\n";
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t n = i + 2;
    body +=
        fmt::format("mov.u64 %rd{0}, {1};\ncvt.u32.u64 %r{0}, %rd{0};\ncvt.u16.u64 %rs{0}, %rd{0};\n", n, inputs[i]);
    body += fmt::format("mov.b32 %f{0}, %r{0};\nmov.b64 %fd{0}, %rd{0};\nsetp.ne.u64 %p{0}, %rd{0}, 0;\n", n);
  }
  body += text + "\n";
  if (text.find(" %rs1") != std::string::npos) body += "cvt.u64.u16 %rd1, %rs1;\n";
  if (text.find(" %r1") != std::string::npos) body += "cvt.u64.u32 %rd1, %r1;\n";
  if (text.find(" %f1") != std::string::npos) body += "mov.b32 %r1, %f1;\ncvt.u64.u32 %rd1, %r1;\n";
  if (text.find(" %fd1") != std::string::npos) body += "mov.b64 %rd1, %fd1;\n";
  if (text.find(" %p1") != std::string::npos) body += "selp.u64 %rd1, 1, 0, %p1;\n";
  if (text.find("|%p6") != std::string::npos) body += "@%p6 add.u64 %rd1, %rd1, 0x100000000;\n";
  CompiledModule module;
  module.ptx = kernel_around(body + "st.global.u64 [%rd8], %rd1;\nret;");
  const size_t at = module.ptx.find("k()");
  module.ptx.replace(at, 3, "k(.param .u64 out)");
  Machinery machine;
  const size_t out = machine.output<uint64_t>("out", 1);
  machine.run(module, "k", {1, 1, 1}, {1, 1, 1});
  return machine.download<uint64_t>(out)[0];
}

struct Row {
  const char* text;
  std::vector<uint64_t> inputs;
  uint64_t expected;
};
void check(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(result_of(row.text, row.inputs), row.expected) << row.text;
}

TEST(Values, VideoInstructionsOfOneResult) {
  check({
      // The byte 0x80 is −128 as signed, 128 as unsigned.
      {"vadd.s32.s32.s32 %r1, %r2.b1, %r3.h1;", {0x00008000, 0x00070000}, 0xffffff87},
      {"vadd.u32.u32.u32 %r1, %r2.b1, %r3.h1;", {0x00008000, 0x00070000}, 0x87},
      {"vadd.s32.s32.s32.sat %r1, %r2, %r3;", {0x7fffffff, 1}, 0x7fffffff},
      {"vadd.u32.u32.u32.sat %r1, %r2, %r3;", {0xffffffff, 1}, 0xffffffff},
      {"vsub.u32.u32.u32.sat %r1, %r2, %r3;", {1, 2}, 0},
      {"vsub.s32.u32.u32 %r1, %r2, %r3;", {1, 2}, 0xffffffff},
      {"vadd.s32.u32.u32.add %r1, %r2, %r3, %r4;", {1, 2, 40}, 43},
      {"vadd.s32.s32.s32.min %r1, %r2, %r3, %r4;", {1, 2, 0xffffffff}, 0xffffffff},
      {"vadd.u32.u32.u32.min %r1, %r2, %r3, %r4;", {1, 2, 0xffffffff}, 3},
      {"vadd.u32.u32.u32.max %r1, %r2, %r3, %r4;", {1, 2, 0xffffffff}, 0xffffffff},
      // A result that overflows a word is compared before it is truncated: here 2^32 − 1, and −1 as a large unsigned
      // number.
      {"vabsdiff.s32.s32.s32.max %r1, %r2, %r3, %r4;", {0x7fffffff, 0x80000000, 1}, 0xffffffff},
      {"vmax.s32.u32.u32.min %r1, %r2, %r3, %r4;", {0xffffffff, 0, 5}, 5},
      {"vmin.u32.s32.s32.max %r1, %r2, %r3, %r4;", {0xffffffff, 3, 5}, 0xffffffff},
      // A shifted word has 34 bits when it is saturated: 2^34 has none of its bits there.
      {"vshl.s32.u32.u32.sat.clamp %r1, %r2, %r3;", {1, 32}, 0x7fffffff},
      {"vshl.s32.u32.u32.sat.clamp %r1, %r2, %r3;", {4, 32}, 0},
      // Into part of the last operand.
      {"vadd.u32.u32.u32 %r1.b2, %r2, %r3, %r4;", {0x111, 1, 0xaabbccdd}, 0xaa12ccdd},
      {"vadd.u32.u32.u32.sat %r1.b2, %r2, %r3, %r4;", {0x111, 1, 0xaabbccdd}, 0xaaffccdd},
      {"vsub.s32.s32.s32.sat %r1.h1, %r2, %r3, %r4;", {0, 70000, 0xaabbccdd}, 0x8000ccdd},
      {"vabsdiff.u32.s32.s32 %r1, %r2, %r3;", {0xfffffffe, 3}, 5},
      {"vmin.s32.s32.s32 %r1, %r2.b0, %r3.b0;", {0x80, 0x7f}, 0xffffff80},
      {"vmax.s32.u32.u32 %r1, %r2.b0, %r3.b0;", {0x80, 0x7f}, 0x80},
      {"vshl.u32.u32.u32.clamp %r1, %r2, %r3;", {3, 33}, 0},
      {"vshl.u32.u32.u32.wrap %r1, %r2, %r3;", {3, 33}, 6},
      {"vshr.s32.s32.u32.clamp %r1, %r2, %r3;", {0x80000000, 99}, 0xffffffff},
      {"vshr.u32.u32.u32.wrap.add %r1, %r2, %r3, %r4;", {0x80, 36, 1}, 9},
      {"vmad.s32.s32.s32 %r1, %r2.h0, %r3.h1, %r4;", {0xffff, 0x00050000, 7}, 2},
      {"vmad.s32.u32.u32 %r1, -%r2, %r3, %r4;", {3, 5, 20}, 5},
      {"vmad.s32.u32.u32 %r1, %r2, %r3, -%r4;", {3, 5, 20}, 0xfffffffb},
      {"vmad.u32.u32.u32.po %r1, %r2, %r3, %r4;", {3, 5, 20}, 36},
      {"vmad.u32.u32.u32.shr7 %r1, %r2, %r3, %r4;", {0x80, 5, 0x80}, 6},
      {"vmad.u32.u32.u32.sat.shr15 %r1, %r2, %r3, %r4;", {0x7fffffff, 0x7fffffff, 0}, 0xffffffff},
      // Contrary to the ISA, but as on an H200 (forms_h200.txt): the words are signed, so the product is 1.
      {"vmad.u32.u32.u32.sat.shr15 %r1, %r2, %r3, %r4;", {0xffffffff, 0xffffffff, 0x7fff}, 1},
      {"vmad.s32.s32.s32.sat %r1, %r2, %r3, %r4;", {0x80000000, 2, 0}, 0x80000000},
      {"vset.s32.s32.lt %r1, %r2, %r3;", {0xffffffff, 0}, 1},
      {"vset.u32.u32.lt %r1, %r2, %r3;", {0xffffffff, 0}, 0},
      {"vset.u32.u32.ne.add %r1, %r2, %r3, %r4;", {1, 2, 9}, 10},
  });
}

TEST(Values, VideoInstructionsOfTwoAndFourResults) {
  check({
      {"vadd4.u32.u32.u32 %r1, %r2, %r3, %r4;", {0xff010203, 0x01010101, 0}, 0x00020304},
      {"vadd4.u32.u32.u32.sat %r1, %r2, %r3, %r4;", {0xff010203, 0x01010101, 0}, 0xff020304},
      {"vadd4.s32.s32.s32.sat %r1, %r2, %r3, %r4;", {0x7f800203, 0x01ff0101, 0}, 0x7f800304},
      {"vadd2.s32.s32.s32 %r1, %r2, %r3, %r4;", {0x7fff0001, 0x00010001, 0}, 0x80000002},
      {"vsub4.u32.u32.u32.add %r1, %r2, %r3, %r4;", {0x05050505, 0x01020304, 100}, 110},
      {"vsub2.s32.u32.u32.sat %r1, %r2, %r3, %r4;", {0xffff0000, 0x0000ffff, 0}, 0x7fff8000},
      {"vavrg4.u32.u32.u32 %r1, %r2, %r3, %r4;", {0x01020304, 0x02020202, 0}, 0x02020303},
      {"vavrg2.s32.s32.s32 %r1, %r2, %r3, %r4;", {0xffff0003, 0xfffe0004, 0}, 0xfffe0004},
      {"vabsdiff4.u32.u32.u32.add %r1, %r2, %r3, %r4;", {0x10000501, 0x00100502, 1}, 34},
      {"vmin4.s32.s32.s32 %r1, %r2, %r3, %r4;", {0x80010203, 0x01020102, 0}, 0x80010102},
      {"vmax2.u32.u32.u32 %r1, %r2, %r3, %r4;", {0x80000001, 0x00010002, 0}, 0x80000002},
      // Only some elements are computed; the others come from the last operand.
      {"vadd4.u32.u32.u32 %r1.b20, %r2, %r3, %r4;", {0x01010101, 0x02020202, 0xaabbccdd}, 0xaa03cc03},
      {"vadd2.u32.u32.u32 %r1.h1, %r2, %r3, %r4;", {0x00010001, 0x00020002, 0xaabbccdd}, 0x0003ccdd},
      // Elements of both operands: h10 is all of a, h32 all of b.
      {"vadd2.u32.u32.u32 %r1, %r2.h23, %r3, %r4;", {0x00010002, 0x00100020, 0}, 0x00300030},
      {"vadd4.u32.u32.u32 %r1, %r2.b7654, %r3, %r4;", {0x01010101, 0x02030405, 0}, 0x0406080a},
      {"vset4.u32.u32.lt %r1, %r2, %r3, %r4;", {0x01020304, 0x02020202, 0}, 0x01000000},
      {"vset2.s32.s32.ge.add %r1, %r2, %r3, %r4;", {0xffff0001, 0x00000000, 5}, 6},
  });
}

TEST(Values, SetGivesAllOnesOrOne) {
  check({
      {"set.lt.u32.s32 %r1, %r2, %r3;", {0xffffffff, 0}, 0xffffffff},
      {"set.lt.s32.u32 %r1, %r2, %r3;", {0xffffffff, 0}, 0},
      {"set.gt.f32.u32 %f1, %r2, %r3;", {0xffffffff, 0}, 0x3f800000},
      {"set.eq.and.u32.u16 %r1, %rs2, %rs3, %p4;", {0x10007, 0x20007, 1}, 0xffffffff},
      {"set.eq.and.u32.u16 %r1, %rs2, %rs3, !%p4;", {0x10007, 0x20007, 1}, 0},
      {"set.ne.or.f32.f64 %f1, %fd2, %fd3, %p4;", {0, 0, 1}, 0x3f800000},
      {"set.lt.xor.s32.s64 %r1, %rd2, %rd3, %p4;", {0xffffffffffffffff, 0, 1}, 0},
      {"set.ltu.ftz.u32.f32 %r1, %f2, %f3;", {1, 2}, 0},  // both are flushed to 0
      {"set.ltu.u32.f32 %r1, %f2, %f3;", {1, 2}, 0xffffffff},
      {"set.eq.f16.f16 %rs1, %rs2, %rs3;", {0x3c00, 0x3c00}, 0x3c00},
      {"set.eq.ftz.f16.f16 %rs1, %rs2, %rs3;", {0x0001, 0x8002}, 0x3c00},
      {"set.lt.bf16.bf16 %rs1, %rs2, %rs3;", {0x3f00, 0x3f80}, 0x3f80},
      {"set.lt.u16.f16 %rs1, %rs2, %rs3;", {0x3c00, 0x4000}, 0xffff},
      {"set.num.f16x2.f16x2 %r1, %r2, %r3;", {0x3c007e00, 0x3c003c00}, 0x3c000000},
      {"set.le.u32.f16x2 %r1, %r2, %r3;", {0x3c004000, 0x3c003c00}, 0xffff0000},
      {"set.gt.or.bf16x2.bf16x2 %r1, %r2, %r3, %p4;", {0, 0, 1}, 0x3f803f80},
  });
}

TEST(Values, ComparisonsOfPackedHalvesSetTwoPredicates) {
  const auto lower = [](const char* text, std::vector<uint64_t> inputs) { return result_of(text, inputs); };
  EXPECT_EQ(lower("setp.lt.f16x2 %p1|%p6, %r2, %r3;", {0x3c003c00, 0x3c004000}), 1U);
  EXPECT_EQ(lower("setp.lt.f16x2 %p6|%p7, %r2, %r3;\nmov.pred %p1, %p7;", {0x3c003c00, 0x3c004000}), 0U);
  EXPECT_EQ(lower("setp.lt.and.f16x2 %p6|%p7, %r2, %r3, %p4;\nmov.pred %p1, %p6;", {0, 0x40004000, 0}), 0U);
  EXPECT_EQ(lower("setp.eq.ftz.f16 %p1, %rs2, %rs3;", {0x0001, 0x8002}), 1U);
  EXPECT_EQ(lower("setp.eq.f16 %p1, %rs2, %rs3;", {0x0001, 0x8002}), 0U);
}

TEST(Values, SelectionByASign) {
  check({
      {"slct.u32.s32 %r1, %r2, %r3, %r4;", {10, 20, 0x80000000}, 20},
      {"slct.b16.s32 %rs1, %rs2, %rs3, %r4;", {10, 20, 0}, 10},
      {"slct.f64.s32 %fd1, %fd2, %fd3, %r4;", {10, 20, 0xffffffff}, 20},
      {"slct.u32.f32 %r1, %r2, %r3, %f4;", {10, 20, 0x80000000}, 10},  // −0 is not negative
      {"slct.u64.f32 %rd1, %rd2, %rd3, %f4;", {10, 20, 0x7fc00000}, 20},
      {"slct.f32.f32 %f1, %f2, %f3, %f4;", {10, 20, 0x80000001}, 20},
      {"slct.ftz.f32.f32 %f1, %f2, %f3, %f4;", {10, 20, 0x80000001}, 10},
  });
}

TEST(Values, BitInstructions) {
  check({
      {"prmt.b32.f4e %r1, %r2, %r3, %r4;", {0x33221100, 0x77665544, 1}, 0x44332211},
      {"prmt.b32.b4e %r1, %r2, %r3, %r4;", {0x33221100, 0x77665544, 1}, 0x66770011},
      {"prmt.b32.rc8 %r1, %r2, %r3, %r4;", {0x33221100, 0x77665544, 2}, 0x22222222},
      {"prmt.b32.ecl %r1, %r2, %r3, %r4;", {0x33221100, 0x77665544, 2}, 0x33222222},
      {"prmt.b32.ecr %r1, %r2, %r3, %r4;", {0x33221100, 0x77665544, 1}, 0x11111100},
      {"prmt.b32.rc16 %r1, %r2, %r3, %r4;", {0x33221100, 0x77665544, 1}, 0x33223322},
      {"fns.b32 %r1, %r2, %r3, %r4;", {0b10110, 0, 2}, 2},
      {"fns.b32 %r1, %r2, %r3, %r4;", {0b10110, 4, 0xffffffff}, 4},
      {"fns.b32 %r1, %r2, %r3, %r4;", {0b10110, 3, 0xfffffffe}, 1},
      {"fns.b32 %r1, %r2, %r3, %r4;", {0b10110, 4, 0}, 4},
      {"fns.b32 %r1, %r2, %r3, %r4;", {0b10110, 3, 0}, 0xffffffff},
      {"fns.b32 %r1, %r2, %r3, %r4;", {0b10110, 0, 4}, 0xffffffff},
      {"szext.clamp.s32 %r1, %r2, %r3;", {0x1fa, 8}, 0xfffffffa},
      {"szext.clamp.u32 %r1, %r2, %r3;", {0x1fa, 8}, 0xfa},
      {"szext.clamp.s32 %r1, %r2, %r3;", {0x1fa, 40}, 0x1fa},
      {"szext.wrap.s32 %r1, %r2, %r3;", {0x1fa, 40}, 0xfffffffa},
      {"szext.wrap.s32 %r1, %r2, %r3;", {0x1fa, 0}, 0},
      {"lop3.or.b32 %r1|%p6, %r2, %r3, %r4, 0x80, %p5;", {6, 3, 2, 0}, 0x100000002},
      {"lop3.and.b32 %r1|%p6, %r2, %r3, %r4, 0x80, %p5;", {6, 3, 2, 0}, 2},
      {"lop3.or.b32 %r1|%p6, %r2, %r3, %r4, 0x80, !%p5;", {4, 3, 2, 0}, 0x100000000},
  });
}

TEST(Values, IntegerArithmetic) {
  check({
      {"mul24.hi.u32 %r1, %r2, %r3;", {0xff800000, 0x00ffffff}, 0x7fffff80},
      {"mul24.hi.s32 %r1, %r2, %r3;", {0x00800000, 0x00000002}, 0xffffff00},
      {"mad24.hi.u32 %r1, %r2, %r3, %r4;", {0x00010000, 0x00010000, 5}, 0x10005},
      {"mad24.hi.sat.s32 %r1, %r2, %r3, %r4;", {0x007fffff, 0x007fffff, 0x7fffffff}, 0x7fffffff},
      {"mad.hi.sat.s32 %r1, %r2, %r3, %r4;", {0x80000000, 0x80000000, 0x7fffffff}, 0x7fffffff},
      {"mad.hi.u16 %rs1, %rs2, %rs3, %rs4;", {0x8000, 4, 1}, 3},
      {"mad.hi.s16 %rs1, %rs2, %rs3, %rs4;", {0x8000, 4, 1}, 0xffff},
      {"sad.u16 %rs1, %rs2, %rs3, %rs4;", {1, 0xffff, 1}, 0xffff},
      {"sad.s16 %rs1, %rs2, %rs3, %rs4;", {1, 0xffff, 1}, 3},
      {"sad.u64 %rd1, %rd2, %rd3, %rd4;", {1, 0x100000001, 1}, 0x100000001},
      {"sad.s64 %rd1, %rd2, %rd3, %rd4;", {0xffffffffffffffff, 1, 1}, 3},
      {"dp2a.lo.s32.s32 %r1, %r2, %r3, %r4;", {0xffff0002, 0x050403ff, 10}, 5},        // 2·−1 + −1·3 + 10
      {"dp2a.hi.u32.u32 %r1, %r2, %r3, %r4;", {0xffff0002, 0x050403ff, 10}, 0x5000d},  // 2·4 + 65535·5 + 10
      {"dp4a.u32.s32 %r1, %r2, %r3, %r4;", {0xff010203, 0xff010101, 0}, 0xffffff07},
      {"add.u16x2 %r1, %r2, %r3;", {0xffff0001, 0x00010001}, 0x00000002},
      {"min.s16x2 %r1, %r2, %r3;", {0xffff0001, 0x00010002}, 0xffff0001},
      {"min.u16x2 %r1, %r2, %r3;", {0xffff0001, 0x00010002}, 0x00010001},
      {"min.relu.s16x2 %r1, %r2, %r3;", {0xffff0001, 0x00010002}, 0x00000001},
      {"max.relu.s32 %r1, %r2, %r3;", {0xffffffff, 0xfffffffe}, 0},
      {"max.s32.relu %r1, %r2, %r3;", {0xffffffff, 0xfffffffe}, 0},  // as NVRTC emits it
      {"min.s16x2.relu %r1, %r2, %r3;", {0xffff0001, 0x00010002}, 0x00000001},
      {"cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, %r4;", {300, 0xffffffff, 0xaabbccdd}, 0xccddff00},
      {"cvt.pack.sat.s16.s32 %r1, %r2, %r3;", {0x7fffffff, 0xffff0000}, 0x7fff8000},
      {"cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4;", {100, 0xffffff00, 0x00bbccdd}, 0xbbccdd78},
  });
}
TEST(Values, CarryGoesThroughChainsOfEveryWidth) {
  check({
      {"add.cc.u32 %r6, %r2, %r3;\naddc.u32 %r1, %r4, 0;", {0xffffffff, 1, 5}, 6},
      {"add.cc.u64 %rd6, %rd2, %rd3;\naddc.u64 %rd1, %rd4, 0;", {0xffffffffffffffff, 1, 5}, 6},
      {"sub.cc.u64 %rd6, %rd2, %rd3;\nsubc.u64 %rd1, %rd4, 0;", {0, 1, 5}, 4},
      {"mad.lo.cc.u64 %rd6, %rd2, %rd3, %rd4;\nmadc.hi.u64 %rd1, %rd2, %rd3, 0;", {0x8000000000000000, 2, 0}, 1},
      {"mad.hi.cc.s32 %r6, %r2, %r3, %r4;\naddc.u32 %r1, 0, 0;", {0x80000000, 2, 1}, 1},  // −1 + 1
  });
}

TEST(Values, FloatingPointForms) {
  check({
      {"min.xorsign.abs.f32 %f1, %f2, %f3;", {0xc0000000, 0x3f800000}, 0xbf800000},
      {"max.xorsign.abs.f32 %f1, %f2, %f3;", {0xc0000000, 0xbf800000}, 0x40000000},
      {"min.NaN.xorsign.abs.f32 %f1, %f2, %f3;", {0xc0000000, 0x7fc00000}, 0x7fffffff},
      {"max.xorsign.abs.f16x2 %r1, %r2, %r3;", {0xc0003c00, 0x3c00c000}, 0xc000c000},
      {"cvt.rn.satfinite.f16.f32 %rs1, %f2;", {0x7f800000}, 0x7bff},
      {"cvt.rn.f16.f32 %rs1, %f2;", {0x7f800000}, 0x7c00},
      {"cvt.rn.satfinite.bf16x2.f32 %r1, %f2, %f3;", {0xff800000, 0x3f800000}, 0xff7f3f80},
      {"cvt.rna.tf32.f32 %r1, %f2;", {0x3f801000}, 0x3f802000},
      {"cvt.rn.tf32.f32 %r1, %f2;", {0x3f801000}, 0x3f800000},
      {"cvt.rn.satfinite.e4m3x2.f32 %rs1, %f2, %f3;", {0x43e00000, 0x3f800000}, 0x7e38},  // 448, 1
      {"cvt.rn.satfinite.e4m3x2.f32 %rs1, %f2, %f3;", {0x447a0000, 0xbb000000}, 0x7e81},  // 1000, −2^-9
      {"cvt.rn.satfinite.e4m3x2.f32 %rs1, %f2, %f3;", {0x7fc00000, 0x3a800000}, 0x7f00},  // NaN; 2^-10: ties to even
      {"cvt.rn.satfinite.e5m2x2.f32 %rs1, %f2, %f3;", {0x47800000, 0x3fa00000}, 0x7b3d},  // 65536, 1.25
      {"cvt.rn.satfinite.relu.e5m2x2.f32 %rs1, %f2, %f3;", {0xbf800000, 0x3fa00000}, 0x003d},
      {"cvt.rn.f16x2.e4m3x2 %r1, %rs2;", {0x7e01}, 0x5f001800},  // 448, 2^-9
      {"cvt.rn.f16x2.e5m2x2 %r1, %rs2;", {0x7c3d}, 0x7c003d00},
      {"cvt.rn.satfinite.e5m2x2.f16x2 %rs1, %r2;", {0x7bff3c00}, 0x7b3c},
      // A result that rounds up to the smallest normal number is flushed, unless 24 bits hold it exactly.
      {"mul.f32 %f1, %f2, %f3;", {0x00ffffff, 0x3f000000}, 0x00800000},
      {"mul.ftz.f32 %f1, %f2, %f3;", {0x00ffffff, 0x3f000000}, 0},
      {"mul.ftz.f32 %f1, %f2, %f3;", {0x80ffffff, 0x3f000000}, 0x80000000},
      {"fma.rn.ftz.f32 %f1, %f2, %f3, %f4;", {0x00ffffff, 0x3f000000, 0}, 0},
      {"fma.rn.ftz.f32 %f1, %f2, %f3, %f4;", {0x01000000, 0x3f000000, 0}, 0x00800000},
      {"mul.rp.ftz.f32 %f1, %f2, %f3;", {0x00ffffff, 0x3f000000}, 0},
  });
}

TEST(Values, SixteenBytesMoveAsOne) {
  check({
      {".reg .b128 %q<3>;\nmov.b128 %q1, {%rd2, %rd3};\nmov.b128 %q2, %q1;\nmov.b128 {%rd6, %rd7}, %q2;\nmov.u64 %rd1, "
       "%rd7;",
       {1, 0x123456789abcdef0},
       0x123456789abcdef0},
      {".reg .b128 %q<3>;\nmov.b128 %q1, {%r2, %r3, %r4, %r5};\nmov.b128 {%rd6, %rd7}, %q1;\nmov.u64 %rd1, %rd7;",
       {1, 2, 3, 4},
       0x0000000400000003},
      {".reg .b128 %q<3>;\n.local .align 16 .b8 place[32];\nmov.b128 %q1, {%rd2, %rd3};\nst.local.b128 [place+16], "
       "%q1;\nld.local.b128 %q2, [place+16];\nmov.b128 {%rd1, %rd7}, %q2;",
       {77, 5},
       77},
  });
}

}  // namespace
}  // namespace tilescope
