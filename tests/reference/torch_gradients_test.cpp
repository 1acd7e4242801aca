// torch.autograd as a reference: whatever goes wrong with Python is one sentence, and where PyTorch is, it agrees with
// the formulas.
#include "engine/reference/torch_gradients.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/autograd/programs.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kAssets = fs::path(TILESCOPE_SOURCE) / "assets";

struct Example {
  TapeProgram program = *program_of_rung("chain", Save::all);
  std::vector<std::vector<float>> contents;
  std::vector<float> upstream;
  TapeProblem problem{.rows = 3, .columns = 20};

  Example() {
    contents.resize(program.values.size());
    for (size_t value = 0; value < contents.size(); ++value) {
      if (program.values[value].node) continue;
      contents[value].resize(program.values[value].shape == TapeShape::matrix ? 60 : 20);
      for (size_t i = 0; i < contents[value].size(); ++i)
        contents[value][i] = static_cast<float>((i * 37 + value * 11) % 17) / 8 - 1;
    }
    for (size_t i = 0; i < 60; ++i) upstream.push_back(static_cast<float>((i * 29) % 13) / 6 - 1);
    problem.inputs.assign(contents.begin(), contents.end());
    problem.upstream = upstream;
  }
  std::string error(const fs::path& assets, const std::string& interpreter) const {
    const auto gradients = torch_gradients(assets, program, problem, {}, interpreter);
    return gradients ? "no error" : gradients.error().message;
  }
};

/// A child that answers every request with this line: a shell script, so that no Python is needed.
class FakeChild {
 public:
  explicit FakeChild(const std::string& answer)
      : folder_(fs::temp_directory_path() / fmt::format("torch-gradients-{}", getpid())) {
    fs::create_directories(folder_ / "python");
    std::ofstream(folder_ / "python" / "autograd_child.py") << "while read -r line; do echo '" << answer << "'; done\n";
  }
  ~FakeChild() { fs::remove_all(folder_); }
  const fs::path& assets() const { return folder_; }

 private:
  fs::path folder_;
};

TEST(TorchGradients, WhateverGoesWrongIsOneSentence) {
  const Example example;
  EXPECT_THAT(example.error("/no/folder", ""), HasSubstr("PyTorch is not available: /no/folder"));
  EXPECT_THAT(example.error(kAssets, "/no/python"), HasSubstr("PyTorch is not available"));
  EXPECT_THAT(example.error(FakeChild("hello").assets(), "bash"),
              HasSubstr("its answer does not belong to the request"));
  EXPECT_THAT(example.error(FakeChild(R"({"ok": false, "reason": "it is Tuesday"})").assets(), "bash"),
              HasSubstr("it is Tuesday"));
  EXPECT_THAT(example.error(FakeChild(R"({"ok": false})").assets(), "bash"), HasSubstr("it gave no reason"));
  EXPECT_THAT(example.error(FakeChild(R"({"ok": true, "torch": "2"})").assets(), "bash"),
              HasSubstr("it wrote too few numbers for 'x'"));
}

TEST(TorchGradients, AgreeWithTheFormulas) {
  const Example example;
  const auto torch = torch_gradients(kAssets, example.program, example.problem, {});
  if (!torch) GTEST_SKIP() << torch.error().message;
  const TapeNumbers values = run_forward(example.program, example.problem);
  const TapeNumbers gradients = run_backward(make_tape(example.program), example.problem, values);
  for (size_t value = 0; value < values.size(); ++value) {
    const bool result = value == example.program.result();
    for (size_t i = 0; i < torch->values[value].size(); ++i)
      EXPECT_NEAR(torch->values[value][i], result ? values[value][i] : gradients[value][i], 1e-9);
  }
}

}  // namespace
}  // namespace tilescope
