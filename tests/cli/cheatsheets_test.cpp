// The cheat sheets, docs/cheatsheets: their code runs without a finding, and their numbers are those of the GPU table,
// of findings.def and of the toolkit's headers.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <tuple>
#include <vector>

#include "engine/finding.hpp"
#include "engine/numbers.hpp"
#include "engine/specs.hpp"
#include "tests/cli/exec_program.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kRoot = TILESCOPE_SOURCE;

std::string sheet(const std::string& language, const std::string& name) {
  return read_file(kRoot / "docs/cheatsheets" / language / (name + ".md"));
}

std::vector<std::string> blocks_of(const std::string& text, const std::string& language) {
  std::vector<std::string> blocks;
  const std::string open = "```" + language + "\n", close = "\n```";
  for (size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    blocks.push_back(text.substr(at, text.find(close, at) + 1 - at));
  }
  return blocks;
}

/// Without comments, which are in the language of the page.
std::string code_of(const std::string& block, const char* comment) {
  return std::regex_replace(block, std::regex(std::string(" *(") + comment + ").*"), "");
}

struct KernelRun {
  std::string words, printed;
};
/// How each kernel of the pages is run, and what it computes.
const std::map<std::string, KernelRun>& cuda_runs() {
  static const std::map<std::string, KernelRun> runs{
      {"scale",
       {"--grid 4 --block 256 --arg buf:f32:1000:iota --arg buf:f32:1000:poison:out --arg f32:2 --arg i32:1000 "
        "--print 'out[998:1000]'",
        "[998] 1996 1998"}},
      {"sum",
       {"--grid 4 --block 256 --arg buf:f32:3000:ones --arg buf:f32:1:zero:out --arg i32:3000 --print 'out[0:1]'",
        "[0] 3000"}}};
  return runs;
}
const std::map<std::string, KernelRun>& triton_runs() {
  static const std::map<std::string, KernelRun> runs{
      {"scale",
       {"--grid 1 -D BLOCK=1024 --arg buf:f32:1000:iota --arg buf:f32:1000:poison:out --arg f32:2 --arg i32:1000 "
        "--print 'out[998:1000]'",
        "[998] 1996 1998"}},
      {"softmax",
       {"--grid 3 -D BLOCK=128 --arg buf:f32:300:ones --arg buf:f32:300:poison:out --arg i32:100 --print 'out[99:101]'",
        "[99] 0.01 0.01"}},
      {"matmul",
       {"--grid 2,1 -D BM=64 -D BN=64 -D BK=32 --arg buf:f16:7000:ones --arg buf:f16:4200:ones "
        "--arg buf:f32:6000:poison:out --arg i32:100 --arg i32:60 --arg i32:70 --print 'out[5998:6000]'",
        "[5998] 70 70"}}};
  return runs;
}

class CheatSheetCode : public ExecFolder {
 protected:
  void expect_runs(const std::string& block, const std::regex& kernel, const std::map<std::string, KernelRun>& runs,
                   const std::string& file) {
    std::smatch name;
    ASSERT_TRUE(std::regex_search(block, name, kernel)) << block;
    const auto known = runs.find(name[1]);
    ASSERT_NE(known, runs.end()) << "this test does not know how to run " << name[1];
    write(file, block);
    const ExecOutcome outcome = exec(file + " " + known->second.words);
    if (outcome.problems.find("was not found") != std::string::npos) GTEST_SKIP() << outcome.problems;
    EXPECT_EQ(outcome.status, 0) << name[1] << ":\n" << outcome.out << outcome.problems;
    EXPECT_THAT(outcome.out, HasSubstr(known->second.printed)) << name[1];
  }
};

TEST_F(CheatSheetCode, OfCudaRunsWithoutFindings) {
  for (const char* language : {"en", "zh"}) {
    const auto blocks = blocks_of(sheet(language, "cuda"), "cuda");
    EXPECT_EQ(blocks.size(), cuda_runs().size());
    for (const std::string& block : blocks)
      expect_runs(block, std::regex("__global__ void (\\w+)"), cuda_runs(), "sheet.cu");
  }
}

TEST_F(CheatSheetCode, OfTritonRunsWithoutFindings) {
  for (const char* language : {"en", "zh"}) {
    const auto blocks = blocks_of(sheet(language, "triton"), "python");
    EXPECT_EQ(blocks.size(), triton_runs().size());
    for (const std::string& block : blocks)
      expect_runs(block, std::regex("@triton\\.jit\ndef (\\w+)"), triton_runs(), "sheet.py");
  }
}

TEST(CheatSheets, HaveTheSameCodeInBothLanguages) {
  for (const auto& [name, language, comment] :
       {std::tuple("cuda", "cuda", "//"), std::tuple("triton", "python", "#")}) {
    const auto english = blocks_of(sheet("en", name), language), chinese = blocks_of(sheet("zh", name), language);
    ASSERT_EQ(english.size(), chinese.size());
    for (size_t i = 0; i < english.size(); ++i)
      EXPECT_EQ(code_of(english[i], comment), code_of(chinese[i], comment)) << name;
  }
}

TEST(CheatSheets, FitOnAPage) {
  for (const char* language : {"en", "zh"})
    for (const char* name : {"cuda", "triton", "errors", "questions"}) {
      const std::string text = sheet(language, name);
      EXPECT_LE(std::ranges::count(text, '\n'), 125) << language << "/" << name;
      EXPECT_GE(std::ranges::count(text, '\n'), 60) << language << "/" << name;
    }
}

/// " | 108 | 132 | 128 |": the three GPUs' values of a row.
std::string row(const std::vector<GpuSpec>& gpus, const std::function<std::string(const GpuSpec&)>& value) {
  std::string text = " |";
  for (const char* id : {"a100", "h100", "rtx-4090"})
    text += " " + value(*std::ranges::find(gpus, id, &GpuSpec::id)) + " |";
  return text;
}

TEST(CheatSheets, HaveTheLimitsOfTheGpuTable) {
  const auto gpus = read_gpu_specs(kRoot / "assets/gpus.toml");
  ASSERT_TRUE(gpus);
  const auto with_digits = [](double value, const char* format) { return fmt::format(fmt::runtime(format), value); };
  const std::vector<std::string> rows{
      row(*gpus, [&](const GpuSpec& one) { return one.architecture.substr(3, 1) + "." + one.architecture.substr(4); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.multiprocessors); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.max_threads_per_multiprocessor); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.max_warps_per_multiprocessor); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.max_blocks_per_multiprocessor); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.registers_per_multiprocessor); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.shared_bytes_per_multiprocessor / 1024); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.shared_bytes_per_block / 1024); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.l1_and_shared_bytes / 1024); }),
      row(*gpus, [&](const GpuSpec& one) { return with_separators(one.l2_bytes / 1024 / 1024); }),
      row(*gpus, [&](const GpuSpec& one) { return with_digits(one.memory_bytes_per_second / 1e12, "{:.2f}"); }),
      row(*gpus, [&](const GpuSpec& one) { return with_digits(one.peak.fp32.value_or(0) / 1e12, "{:.1f}"); }),
      row(*gpus, [&](const GpuSpec& one) { return with_digits(one.peak.fp16.value_or(0) / 1e12, "{:.0f}"); })};
  for (const char* language : {"en", "zh"})
    for (const std::string& one : rows) EXPECT_THAT(sheet(language, "cuda"), HasSubstr(one));
}

TEST(CheatSheets, NameEveryFinding) {
  for (const char* language : {"en", "zh"}) {
    const std::string text = sheet(language, "errors");
    for (const std::string_view id : kFindingIds) EXPECT_THAT(text, HasSubstr("`" + std::string(id) + "`")) << language;
  }
}

TEST_F(CheatSheetCode, NumbersOfErrorsAreThoseOfTheToolkit) {
  static const std::regex error("`(cudaError\\w+)` \\((\\d+)\\)");
  for (const char* language : {"en", "zh"}) {
    const std::string text = sheet(language, "errors");
    // Inside the kernel: what does not compile beside it is left out.
    std::string checks;
    size_t errors = 0;
    for (std::sregex_iterator at(text.begin(), text.end(), error), end; at != end; ++at, ++errors)
      checks += fmt::format("  static_assert({} == {}, \"\");\n", (*at)[1].str(), (*at)[2].str());
    EXPECT_GE(errors, 12U);
    write("numbers.cu",
          "#include <driver_types.h>\n__global__ void set(int* x) {\n" + checks + "  x[threadIdx.x] = 1;\n}\n");
    const ExecOutcome outcome = exec("numbers.cu --grid 1 --block 32 --arg buf:i32:32:poison");
    if (outcome.problems.find("was not found") != std::string::npos) GTEST_SKIP() << outcome.problems;
    EXPECT_EQ(outcome.status, 0) << outcome.problems;
  }
}

}  // namespace
}  // namespace tilescope
