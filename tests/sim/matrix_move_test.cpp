// ldmatrix, stmatrix and movmatrix: the layout of PTX ISA 9.0, 9.7.15.5.15 to 9.7.15.5.17, their counters and checks.
#include "run_kernel.hpp"

namespace tilescope {
namespace {

/// A kernel of one warp with an array in shared memory and the lane in %lane; %in and %out hold its two parameters.
std::string around(const std::string& body) {
  return ".version 8.4\n.target sm_90\n.address_size 64\n.file 1 \"kernels/m.cu\"\n"
         ".visible .entry k(.param .u64 pin, .param .u64 pout)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<32>;\n"
         ".reg .b64 %in, %out, %rd<8>;\n.reg .b32 %lane;\n.shared .align 128 .b8 tile[4096];\n"
         "ld.param.u64 %in, [pin];\nld.param.u64 %out, [pout];\nmov.u32 %lane, %tid.x;\n" +
         body + "\nret;\n}\n";
}
CompiledModule module_around(const std::string& body) {
  CompiledModule module;
  module.ptx = around(body);
  return module;
}

/// Lane l moves 16 bytes of `in` to row l of the tile, rows `pitch` bytes apart.
std::string fill_rows(int pitch) {
  return "mul.wide.u32 %rd0, %lane, 16;\nadd.s64 %rd0, %in, %rd0;\nld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd0];\n"
         "mov.u32 %r4, tile;\nmad.lo.u32 %r5, %lane, " +
         std::to_string(pitch) + ", %r4;\nst.shared.v4.b32 [%r5], {%r0, %r1, %r2, %r3};\nbar.sync 0;\n";
}
/// Stores register r of every lane as word r · 32 + lane of `out`.
std::string store_registers(int first, int count) {
  std::string text = "mul.wide.u32 %rd1, %lane, 4;\nadd.s64 %rd1, %out, %rd1;\n";
  for (int i = 0; i < count; ++i)
    text += "st.global.b32 [%rd1+" + std::to_string(i * 128) + "], %r" + std::to_string(first + i) + ";\n";
  return text;
}

std::vector<uint16_t> counting_halves(size_t count) {
  std::vector<uint16_t> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<uint16_t>(i * 7 + 3);
  return values;
}
/// Element (row, column) of matrix m, whose rows are rows 8·m … of `in`.
uint16_t element(const std::vector<uint16_t>& in, size_t m, size_t row, size_t column) {
  return in[(8 * m + row) * 8 + column];
}

std::string vector_of(int first, int count) {
  std::string text = "{";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "%r" : ", %r") + std::to_string(first + i);
  return text + "}";
}

TEST(MatrixLoad, GivesEachLaneTwoNeighboursOfItsRowOrOfItsColumnTransposed) {
  for (int matrices : {1, 2, 4}) {
    for (bool transposed : {false, true}) {
      for (const char* space : {".shared", ".shared::cta"}) {
        const std::string opcode =
            "ldmatrix.sync.aligned.m8n8.x" + std::to_string(matrices) + (transposed ? ".trans" : "") + space + ".b16";
        SCOPED_TRACE(opcode);
        Machinery machine;
        const auto in = counting_halves(32 * 8);
        machine.input("in", in);
        const size_t out = machine.output<uint16_t>("out", 32 * 2 * static_cast<size_t>(matrices));
        const auto report = machine.run(module_around(fill_rows(16) + opcode + " " + vector_of(10, matrices) +
                                                      ", [%r5];\n" + store_registers(10, matrices)),
                                        "k", {1, 1, 1}, {32, 1, 1});
        EXPECT_TRUE(report.findings.empty());
        EXPECT_EQ(report.counters.shared_load_wavefronts, static_cast<uint64_t>(matrices));
        EXPECT_EQ(report.counters.shared_load_bank_conflicts, 0U);
        const auto result = machine.download<uint16_t>(out);
        for (size_t m = 0; m < static_cast<size_t>(matrices); ++m)
          for (size_t lane = 0; lane < 32; ++lane)
            for (size_t i = 0; i < 2; ++i) {
              const size_t row = lane / 4, column = lane % 4 * 2 + i;
              EXPECT_EQ(result[(m * 32 + lane) * 2 + i],
                        transposed ? element(in, m, column, row) : element(in, m, row, column));
            }
      }
    }
  }
}
TEST(MatrixLoad, ThroughAGenericAddressIsTheSame) {
  Machinery machine;
  const auto in = counting_halves(32 * 8);
  machine.input("in", in);
  const size_t out = machine.output<uint16_t>("out", 64);
  machine.run(module_around(fill_rows(16) +
                            "cvt.u64.u32 %rd2, %r5;\ncvta.shared.u64 %rd2, %rd2;\n"
                            "ldmatrix.sync.aligned.m8n8.x1.b16 {%r10}, [%rd2];\n" +
                            store_registers(10, 1)),
              "k", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(machine.download<uint16_t>(out), std::vector<uint16_t>(in.begin(), in.begin() + 64));
}
TEST(MatrixLoad, NeedsAWavefrontForEachRowThatSharesItsBanks) {
  // Rows with a pitch of 128 bytes all start at the same bank: eight wavefronts per matrix; with a pitch of 112 bytes
  // one suffices.
  for (int pitch : {128, 112}) {
    Machinery machine;
    machine.input("in", counting_halves(32 * 8));
    machine.output<uint16_t>("out", 256);
    const auto report = machine.run(
        module_around(fill_rows(pitch) + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r5];\n" +
                      store_registers(10, 4)),
        "k", {1, 1, 1}, {32, 1, 1});
    EXPECT_EQ(report.counters.shared_load_wavefronts, pitch == 128 ? 32U : 4U);
    EXPECT_EQ(report.counters.shared_load_bank_conflicts, pitch == 128 ? 28U : 0U);
  }
}
TEST(MatrixLoad, OfTheSameRowsByAllMatricesCountsEachMatrix) {
  Machinery machine;
  machine.input("in", counting_halves(32 * 8));
  machine.output<uint16_t>("out", 256);
  const auto report = machine.run(
      module_around(fill_rows(16) + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [tile];\n" +
                    store_registers(10, 4)),
      "k", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(report.counters.shared_load_wavefronts, 4U);
  EXPECT_TRUE(report.findings.empty());
}
TEST(MatrixStore, IsTheInverseOfALoad) {
  for (int matrices : {1, 2, 4}) {
    for (const char* transposed : {"", ".trans"}) {
      const std::string tail = ".sync.aligned.m8n8.x" + std::to_string(matrices) + transposed + ".shared.b16 ";
      SCOPED_TRACE(tail);
      Machinery machine;
      const auto in = counting_halves(32 * 8);
      machine.input("in", in);
      const size_t out = machine.output<uint16_t>("out", 64 * static_cast<size_t>(matrices));
      const std::string registers = vector_of(10, matrices);
      const auto report =
          machine.run(module_around(fill_rows(16) + "ldmatrix" + tail + registers + ", [%r5];\nstmatrix" + tail +
                                    "[%r5+1024], " + registers + ";\nbar.sync 0;\nmad.lo.u32 %r6, %lane, 4, %r4;\n" +
                                    [&] {
                                      std::string loads;
                                      for (int i = 0; i < matrices; ++i)
                                        loads += "ld.shared.b32 %r" + std::to_string(20 + i) + ", [%r6+" +
                                                 std::to_string(1024 + 128 * i) + "];\n";
                                      return loads;
                                    }() +
                                    store_registers(20, matrices)),
                      "k", {1, 1, 1}, {32, 1, 1});
      EXPECT_TRUE(report.findings.empty());
      EXPECT_EQ(machine.download<uint16_t>(out), std::vector<uint16_t>(in.begin(), in.begin() + 64 * matrices));
      EXPECT_EQ(report.counters.shared_store_wavefronts, 4U + static_cast<uint64_t>(matrices));
    }
  }
}
TEST(MatrixMove, TransposesAcrossTheLanes) {
  Machinery machine;
  const auto in = counting_halves(64);
  machine.input("in", in);
  const size_t out = machine.output<uint16_t>("out", 64);
  machine.run(module_around("mul.wide.u32 %rd0, %lane, 4;\nadd.s64 %rd0, %in, %rd0;\nld.global.b32 %r9, [%rd0];\n"
                            "movmatrix.sync.aligned.m8n8.trans.b16 %r10, %r9;\n" +
                            store_registers(10, 1)),
              "k", {1, 1, 1}, {32, 1, 1});
  const auto result = machine.download<uint16_t>(out);
  for (size_t row = 0; row < 8; ++row)
    for (size_t column = 0; column < 8; ++column) EXPECT_EQ(result[row * 8 + column], in[column * 8 + row]);
}
TEST(MatrixLoad, ChecksEachRowsAddress) {
  const struct {
    const char* address;
    const char* message;
  } cases[] = {{"[%r5+8]", "misaligned: read of 16 bytes at tile+8 (shared memory of 4096 bytes)"},
               {"[%r5+4096]", "out of bounds: read of 16 bytes at shared memory+4096 (window of 4096 bytes)"},
               {"[%r5+1024]", "uninitialised read: read of 16 bytes at tile+1024 (shared memory of 4096 bytes)"},
               {"[%r5+448]", "uninitialised read: read of 16 bytes at tile+512 (shared memory of 4096 bytes)"},
               {"[%r5]", ""}};
  for (const auto& test : cases) {
    SCOPED_TRACE(test.address);
    Machinery machine;
    machine.input("in", counting_halves(32 * 8));
    machine.output<uint16_t>("out", 64);
    const auto report = machine.run(module_around(fill_rows(16) + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, " +
                                                  test.address + ";\n" + store_registers(10, 1)),
                                    "k", {1, 1, 1}, {32, 1, 1});
    ASSERT_EQ(report.findings.size(), *test.message == 0 ? 0U : 1U);
    if (*test.message != 0) {
      EXPECT_TRUE(report.findings[0].message.starts_with(test.message)) << report.findings[0].message;
    }
  }
}
TEST(MatrixStore, ChecksEachRowsAddress) {
  Machinery machine;
  machine.input("in", counting_halves(32 * 8));
  machine.output<uint16_t>("out", 64);
  const auto report =
      machine.run(module_around(fill_rows(16) + "stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r5+4064], {%r0};\n"), "k",
                  {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "out-of-bounds");
  EXPECT_EQ(report.findings[0].count, 6U);
}
TEST(MatrixLoad, InABranchOfSomeLanesIsFound) {
  Machinery machine;
  machine.input("in", counting_halves(32 * 8));
  machine.output<uint16_t>("out", 64);
  const auto report = machine.run(module_around(fill_rows(16) +
                                                "setp.lt.u32 %p0, %lane, 16;\nmov.u32 %r10, 0;\n@!%p0 bra DONE;\n"
                                                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r5];\nDONE:\n" +
                                                store_registers(10, 1)),
                                  "k", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "divergent-warp-instruction");
}

}  // namespace
}  // namespace tilescope
