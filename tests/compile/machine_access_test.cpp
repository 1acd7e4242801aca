// Truth: the output of nvdisasm from the CUDA Toolkit for the same cubins (tools/list_machine_code.py).
#include "engine/compile/machine_access.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "tests/compile/compile_fixture.hpp"

namespace tilescope {
namespace {

std::string folder() { return std::string(TILESCOPE_SOURCE) + "/tests/compile/machine_code/"; }

std::vector<std::byte> cubin_for(const std::string& target) {
  std::ifstream file(folder() + "accesses." + target + ".cubin", std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  const std::string text = content.str();
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

std::set<std::string> rows_for(const std::string& target) {
  const std::vector<std::byte> cubin = cubin_for(target);
  std::set<std::string> rows;
  for (const char* kernel : {"widths", "copies", "atomics", "merged", "kept"})
    for (const MachineAccess& access : machine_accesses(cubin, kernel))
      rows.insert(fmt::format("{} {} {:04x} {} {}", target, kernel, access.address, access.name, access.line));
  return rows;
}

TEST(MachineAccess, EveryMemoryInstructionIsTheOneThatNvdisasmShows) {
  std::ifstream file(folder() + "accesses.txt");
  std::map<std::string, std::set<std::string>> expected;
  for (std::string line; std::getline(file, line);) expected[line.substr(0, line.find(' '))].insert(line);
  ASSERT_EQ(expected.size(), 3U);
  for (const auto& [target, rows] : expected) {
    EXPECT_GT(rows.size(), 50U);
    EXPECT_EQ(rows_for(target), rows) << target;
  }
}

TEST(MachineAccess, ItsLineIsOfTheSourceFile) {
  const auto accesses = machine_accesses(cubin_for("sm_90"), "kept");
  ASSERT_FALSE(accesses.empty());
  for (const MachineAccess& access : accesses) EXPECT_TRUE(access.file.ends_with("accesses.cu")) << access.file;
}

/// The load is in a function of a header; line 4 calls it directly, and line 7 through a function of the source.
using MachineAccessOfHeaders = CompilerTest;
TEST_F(MachineAccessOfHeaders, BelongsToTheLineOfTheSourceAtWhichItWasInlined) {
  write_bytes(folder_ / "load.cuh", "__device__ inline float load(const float* at) {\n  return *at;\n}\n");
  CompileRequest request;
  request.file = "kernels/x.cu";
  request.include_folders = {folder_.string()};
  request.want_cubin = true;
  request.text =
      "#include \"load.cuh\"\n"
      "extern \"C\" __global__ void direct(const float* x, float* y) {\n"
      "  int i = threadIdx.x;\n"
      "  y[i] = load(x + i);\n"
      "}\n"
      "__device__ float twice(const float* x) {\n"
      "  return load(x) + load(x + 32);\n"
      "}\n"
      "extern \"C\" __global__ void through(const float* x, float* y) { y[threadIdx.x] = twice(x + threadIdx.x); }\n";
  const auto module = compiler_->compile(request, {});
  ASSERT_TRUE(module) << module.error().message;
  for (const auto& [kernel, line, loads] : {std::tuple("direct", 4U, 1U), std::tuple("through", 7U, 2U)}) {
    uint32_t found = 0;
    for (const MachineAccess& access : machine_accesses(module->cubin, kernel)) {
      if (access.kind != AccessKind::load) continue;
      EXPECT_EQ(access.line, line) << access.file;
      EXPECT_TRUE(access.file.ends_with("x.cu")) << access.file;
      ++found;
    }
    EXPECT_EQ(found, loads) << kernel;
  }
}

TEST(MachineAccess, AKernelThatIsNotThereAndBytesThatAreNoCubinHaveNone) {
  EXPECT_TRUE(machine_accesses(cubin_for("sm_90"), "absent").empty());
  EXPECT_TRUE(machine_accesses({}, "kept").empty());
  std::vector<std::byte> noise(4096, std::byte{0x5a});
  EXPECT_TRUE(machine_accesses(noise, "kept").empty());
}

TEST(MachineAccess, ADamagedCubinIsReadWithoutLeavingIt) {
  const std::vector<std::byte> whole = cubin_for("sm_90");
  for (size_t length = 0; length < whole.size(); length += 97)
    machine_accesses(std::span(whole).first(length), "merged");
  std::vector<std::byte> altered = whole;
  for (size_t at = 0; at < altered.size(); at += 13) {
    altered[at] ^= std::byte{0xa5};
    machine_accesses(altered, "merged");
  }
}

}  // namespace
}  // namespace tilescope
