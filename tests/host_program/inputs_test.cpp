// The inputs that the programs make are those of a run, bit for bit, and so is the checksum that they print. Their host
// side up to the device memory is compiled with a plain C++ compiler and run.
#include "engine/run/inputs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "engine/checksum.hpp"
#include "engine/compile/toolkit_folders.hpp"
#include "tests/host_program/programs.hpp"

namespace tilescope {
namespace {

using testing::default_request;
using testing::NamedRung;

/// What stands before all programs: the headers, and what the CUDA runtime would define.
constexpr const char* kPreamble = R"(#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "engine/checksum.hpp"

extern "C" const char* cudaGetErrorName(cudaError_t) { return ""; }
extern "C" const char* cudaGetErrorString(cudaError_t) { return ""; }

template <class T>
void tell(const char* program, const char* name, const std::vector<T>& elements) {
  std::printf("%s %s %016llx\n", program, name,
              static_cast<unsigned long long>(tilescope::checksum_of(std::as_bytes(std::span(elements)))));
}
)";

struct HostSide {
  NamedRung rung;
  std::string helpers, memory;     // the functions, and the statements that fill the vectors
  std::vector<std::string> names;  // of the vectors, without "h_"
  std::string key() const { return helpers + memory; }
};

HostSide host_side_of(const NamedRung& rung) {
  const std::string text = testing::program_of(default_request(*rung.lab, *rung.rung)).text;
  const size_t helpers = text.find("// ---- The host side ----"), main = text.find("int main() {\n", helpers);
  const size_t memory = main + std::string("int main() {\n").size();
  const size_t device = text.find("  // Device memory.", memory);
  EXPECT_TRUE(helpers != std::string::npos && main != std::string::npos && device != std::string::npos);
  HostSide side{
      .rung = rung, .helpers = text.substr(helpers, main - helpers), .memory = text.substr(memory, device - memory)};
  const std::regex vector("std::vector<[^>]*> h_([A-Za-z0-9_]+)\\(");
  for (std::sregex_iterator at(side.memory.begin(), side.memory.end(), vector), end; at != end; ++at)
    side.names.push_back((*at)[1]);
  return side;
}

/// One for each different host side: rungs of a lab mostly share theirs.
std::vector<HostSide> host_sides() {
  std::vector<HostSide> sides;
  std::set<std::string> seen;
  for (const NamedRung& rung : testing::rungs_in(KernelLanguage::cuda)) {
    HostSide side = host_side_of(rung);
    if (seen.insert(side.key()).second) sides.push_back(std::move(side));
  }
  return sides;
}

std::string whole_text(const std::vector<HostSide>& sides) {
  std::string text = kPreamble, calls;
  for (size_t i = 0; i < sides.size(); ++i) {
    text += fmt::format("namespace program_{} {{\n{}\nvoid run() {{\n{}", i, sides[i].helpers, sides[i].memory);
    for (const std::string& name : sides[i].names) text += fmt::format("  tell(\"{0}\", \"{1}\", h_{1});\n", i, name);
    const size_t output = sides[i].memory.find("host::fill_pattern(h_");
    if (output != std::string::npos) {  // what the program itself prints of an output
      const size_t name = output + std::string("host::fill_pattern(h_").size();
      const std::string vector = sides[i].memory.substr(name, sides[i].memory.find(',', name) - name);
      text += fmt::format("  std::printf(\"reported_{0}_\");\n  host::report(\"{1}\", h_{1});\n", i, vector);
    }
    text += "}\n}\n";
    calls += fmt::format("  program_{}::run();\n", i);
  }
  return text + "int main() {\n" + calls + "}\n";
}

std::string identifier_of(std::string name) {
  for (char& letter : name)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return name;
}

/// The headers of CUDA that the build found, or those of an installed toolkit: a program that was built elsewhere may
/// find them in a different folder.
std::filesystem::path cuda_include_folder() {
  std::vector<std::filesystem::path> folders{TILESCOPE_CUDA_INCLUDE, chosen_toolkit() / "include"};
  for (const auto& toolkits : {installed_toolkits(), downloaded_toolkits()})
    for (const auto& toolkit : toolkits) folders.push_back(toolkit / "include");
  std::error_code ignored;
  const auto found = std::ranges::find_if(
      folders, [&](const auto& folder) { return std::filesystem::exists(folder / "cuda_bf16.h", ignored); });
  return found != folders.end() ? *found : folders.front();
}

TEST(HostProgramInputs, AreThoseOfARunBitForBit) {
  if (testing::run_command("g++ --version").status != 0) GTEST_SKIP() << "no g++";
  const std::vector<HostSide> sides = host_sides();
  ASSERT_GE(sides.size(), labs().size());
  const testing::ScratchFolder folder;
  const auto source = folder.write("inputs.cpp", whole_text(sides));
  const std::string program = (folder / "inputs").string();
  const std::filesystem::path cuda = cuda_include_folder();
  const auto compiled =
      testing::run_command(fmt::format("g++ -std=c++20 -O1 -w -isystem {} -isystem {} -I {} -o {} {}", cuda.string(),
                                       (cuda / "cccl").string(), TILESCOPE_SOURCE, program, source.string()));
  ASSERT_EQ(compiled.status, 0) << compiled.output.substr(0, 4000);
  const auto ran = testing::run_command(program);
  ASSERT_EQ(ran.status, 0) << ran.output;

  size_t inputs = 0, outputs = 0;
  for (size_t i = 0; i < sides.size(); ++i) {
    SCOPED_TRACE(sides[i].rung.name());
    const Request request = default_request(*sides[i].rung.lab, *sides[i].rung.rung);
    const Plan plan = testing::shared_engine().plan(request).value();
    size_t random = 0, told = 0;
    for (size_t b = 0; b < plan.buffers.size(); ++b) {
      const std::string name = identifier_of(plan.buffers[b].name);
      if (std::ranges::find(sides[i].names, name) == sides[i].names.end()) continue;
      const auto contents = make_contents(plan.buffers[b], b, request.seed);
      ASSERT_TRUE(contents) << contents.error().message;
      const std::string checksum = fmt::format("{:016x}", checksum_of(contents->bytes));
      EXPECT_NE(ran.output.find(fmt::format("{} {} {}\n", i, name, checksum)), std::string::npos) << name;
      ++told;
      random += plan.buffers[b].fill == Fill::normal || plan.buffers[b].fill == Fill::uniform ? 1 : 0;
      const std::string reported = testing::checksum_in(ran.output, fmt::format("reported_{}_{}", i, name));
      if (reported.empty()) continue;
      EXPECT_EQ(reported, checksum) << name;
      ++outputs;
    }
    EXPECT_GE(random, 1U);
    EXPECT_GE(told + plan.variables.size(), sides[i].names.size());
    inputs += random;
  }
  EXPECT_GE(inputs, labs().size());
  EXPECT_GE(outputs, labs().size());
}

/// NumPy's side of the checksum, over bytes of every length modulo four.
TEST(HostProgramInputs, ThePythonChecksumIsTheSame) {
  if (testing::run_command("python3 -c 'import numpy'").status != 0) GTEST_SKIP() << "no NumPy";
  const auto rungs = testing::rungs_in(KernelLanguage::triton);
  ASSERT_FALSE(rungs.empty());
  const std::string text = testing::program_of(default_request(*rungs[0].lab, *rungs[0].rung)).text;
  const size_t begin = text.find("    words = "), end = text.find("    first = ", begin);
  ASSERT_NE(begin, std::string::npos);
  const testing::ScratchFolder folder;
  const auto script = folder.write("checksum.py",
                                   "import numpy as np\nfor count in range(1, 1000, 37):\n    data = "
                                   "bytes(i * i * 7 % 251 for i in range(count))\n" +
                                       text.substr(begin, end - begin) + "    print(f\"{count} {checksum:016x}\")\n");
  const auto ran = testing::run_command("python3 " + script.string());
  ASSERT_EQ(ran.status, 0) << ran.output;
  std::string expected;
  for (size_t count = 1; count < 1000; count += 37) {
    std::vector<std::byte> data(count);
    for (size_t i = 0; i < count; ++i) data[i] = static_cast<std::byte>(i * i * 7 % 251);
    expected += fmt::format("{} {:016x}\n", count, checksum_of(data));
  }
  EXPECT_EQ(ran.output, expected);
}

TEST(Checksum, ChangesWithEveryWordAndWithTheirOrder) {
  std::vector<std::byte> data(64);
  std::set<uint64_t> seen{checksum_of(data)};
  for (std::byte& byte : data) {
    byte = std::byte{0x80};
    EXPECT_TRUE(seen.insert(checksum_of(data)).second);
    byte = std::byte{0};
  }
  data[3] = std::byte{0x80};  // the sign of one float
  const uint64_t first = checksum_of(data);
  std::swap(data[3], data[7]);
  EXPECT_NE(checksum_of(data), first);
}

}  // namespace
}  // namespace tilescope
