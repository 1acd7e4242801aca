// tilescope gradcheck: right gradients pass, planted and own wrong ones do not, and bad input gets one sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands/gradcheck_command.hpp"
#include "app/commands/parse.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

const std::shared_ptr<Engine>& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({.root = TILESCOPE_SOURCE});
  return shared;
}

struct Ran {
  int status = 0;
  std::string out, problems;
};

Ran run(std::vector<std::string> words) {
  words.insert(words.begin(), {"tilescope", "gradcheck"});
  std::vector<const char*> arguments;
  arguments.reserve(words.size());
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const auto invocation = parse_command_line(static_cast<int>(arguments.size()), arguments.data(), {});
  EXPECT_TRUE(invocation) << invocation.error().message;
  if (!invocation) return {};
  std::ostringstream out, problems;
  Ran ran;
  ran.status = gradcheck_command(engine(), std::get<GradcheckOptions>(*invocation), out, problems);
  ran.out = out.str();
  ran.problems = problems.str();
  return ran;
}

/// Types of the matrices.
class GradcheckOf : public testing::TestWithParam<const char*> {
 protected:
  static Ran run_lab(std::vector<std::string> words) {
    words.insert(words.begin(), {"autograd", "--json", "--set", std::string("DTYPE=") + GetParam()});
    return run(words);
  }
};

TEST_P(GradcheckOf, AllGradientsOfTheLabAreRight) {
  for (const char* save : {"all", "inputs", "checkpoint"}) {
    const Ran ran = run_lab({"--set", std::string("SAVE=") + save, "--size", "rows=9"});
    EXPECT_EQ(ran.status, 0) << ran.out << ran.problems;
    const json all = json::parse(ran.out);
    ASSERT_EQ(all.size(), 6U);
    for (const json& rung : all) {
      EXPECT_TRUE(rung["passed"].get<bool>()) << rung["rung"];
      for (const json& one : rung["outputs"]) {
        EXPECT_LT(one["difference_error"].get<double>(), one["tolerance"]["absolute"].get<double>() / 10);
        EXPECT_NEAR(one["cosine"].get<double>(), 1, GetParam() == std::string("fp32") ? 1e-9 : 1e-4);
      }
    }
  }
}

TEST_P(GradcheckOf, APlantedGradientIsCaughtWhereItIsWrongAndNowhereElse) {
  const auto wrong = [](const std::string& rung, const std::string& planted) {
    const Ran ran = run_lab({"--rung", rung, "--break", planted});
    EXPECT_EQ(ran.status, 1) << planted;
    std::string names;
    const json object = json::parse(ran.out);
    for (const json& one : object["outputs"])
      if (!one["passed"].get<bool>()) names += (names.empty() ? "" : " ") + one["name"].get<std::string>();
    return names;
  };
  EXPECT_EQ(wrong("gelu", "MISSING_TERM"), "dx");
  EXPECT_EQ(wrong("layernorm", "NO_MEANS"), "dx");
  EXPECT_EQ(wrong("chain", "MISSING_TERM"), "dx dw db");
  EXPECT_EQ(wrong("chain", "OVERWRITE"), "dx");
  EXPECT_EQ(wrong("chain", "NO_MEANS"), "dx dw db");
}

INSTANTIATE_TEST_SUITE_P(Types, GradcheckOf, testing::Values("fp32", "bf16"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(Gradcheck, AStepTenTimesSmallerHasAHundredthOfTheErrorUntilRounding) {
  const Ran ran = run({"autograd", "--rung", "gelu", "--step-sizes", "--json"});
  ASSERT_EQ(ran.status, 0);
  const json steps = json::parse(ran.out)["steps"];
  const auto error = [&](size_t i) { return steps[i]["largest_error"].get<double>(); };
  EXPECT_NEAR(error(1) / error(2), 100, 10);
  EXPECT_NEAR(error(2) / error(3), 100, 10);
  EXPECT_GT(error(8), 10 * error(6));
}

class OwnProgram : public testing::Test {
 protected:
  void SetUp() override { file_ = std::filesystem::temp_directory_path() / fmt::format("gradcheck-{}.txt", getpid()); }
  void TearDown() override { std::filesystem::remove(file_); }
  Ran check(const std::string& text, std::vector<std::string> more = {}) {
    std::ofstream(file_) << text;
    more.insert(more.begin(), {"--program", file_.string()});
    return run(more);
  }
  std::filesystem::path file_;
};

TEST_F(OwnProgram, PrintsItsStepsWhatItKeepsAndItsGradients) {
  const Ran ran = check("x, w: matrix\nh = mul(x, w)\na = gelu(h) : save=inputs\ny = add(a, x)\n",
                        {"--json", "--size", "rows=3", "--size", "columns=20"});
  EXPECT_EQ(ran.status, 0) << ran.problems;
  const json object = json::parse(ran.out);
  EXPECT_EQ(object["saved_bytes"], 3 * 20 * 4) << "h";
  EXPECT_EQ(object["steps"].size(), 6U);
  EXPECT_EQ(object["steps"][4]["kernels"], json::array({"gelu_backward"}));
  ASSERT_EQ(object["gradients"].size(), 2U);
  EXPECT_EQ(object["gradients"][0]["parts"], 2);
  for (const json& one : object["gradients"]) EXPECT_TRUE(one["passed"].get<bool>());
}

TEST_F(OwnProgram, BadInputGetsOneSentence) {
  EXPECT_THAT(check("x: matrix\ny = relu(z)\n").problems, HasSubstr("line 2: 'z' is not defined above this line"));
  EXPECT_THAT(check("x: matrix\ny = relu(x)\n", {"--size", "n=4"}).problems,
              HasSubstr("a program has rows and columns"));
  EXPECT_THAT(check("x: matrix\ny = relu(x)\n", {"--size", "columns=4"}).problems, HasSubstr("allowed is 16 to"));
  EXPECT_EQ(run({"--program", "/no/program"}).status, 2);
}

/// A file with a forward and a backward kernel; `slope` is what the backward kernel multiplies dy by.
class OwnFile : public testing::Test {
 protected:
  void SetUp() override { file_ = std::filesystem::temp_directory_path() / fmt::format("gradcheck-{}.cu", getpid()); }
  void TearDown() override { std::filesystem::remove(file_); }

  Ran check(const std::string& forward, const std::string& slope, std::vector<std::string> more = {}) {
    std::ofstream(file_) << "// Launch: forward<<<ceil(n / 64), 64>>>(x, y, n)\n"
                            "// Launch: backward<<<ceil(n / 64), 64>>>(dy, x, dx, n)\n"
                            "__global__ void forward(const float* x, float* y, int n) {\n"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  if (i < n) y[i] = "
                         << forward
                         << ";\n}\n__global__ void backward(const float* dy, const float* x, float* dx, int n) {\n"
                            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                            "  if (i < n) dx[i] = dy[i] * ("
                         << slope << ");\n}\n";
    std::vector<std::string> words{
        file_.string(), "--forward",          "forward", "--backward", "backward", "--arg", "x=buf:f32:n:normal",
        "--arg",        "y=buf:f32:n:poison", "--arg",   "n=i32:n",    "--size",   "n=300"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  std::filesystem::path file_;
};

TEST_F(OwnFile, ARightGradientPasses) {
  EXPECT_EQ(check("x[i] * x[i] * x[i]", "3 * x[i] * x[i]").status, 0);
  EXPECT_EQ(check("sinf(x[i])", "cosf(x[i])").status, 0);
  EXPECT_EQ(check("fmaxf(x[i], 0)", "x[i] > 0").status, 0) << "elements near the kink are left out";
}

TEST_F(OwnFile, AWrongGradientIsCaught) {
  for (const char* slope : {"x[i] * x[i]", "3 * x[i]", "-3 * x[i] * x[i]", "3.02f * x[i] * x[i]", "0 * x[i]"}) {
    const Ran ran = check("x[i] * x[i] * x[i]", slope);
    EXPECT_EQ(ran.status, 1) << slope;
    EXPECT_THAT(ran.out, HasSubstr("WRONG"));
  }
}

TEST_F(OwnFile, ANaNIsCaught) {
  const Ran ran = check("x[i]", "i % 2 == 0 ? 1.0f : nanf(\"\")");
  EXPECT_EQ(ran.status, 1) << ran.out;
}

TEST_F(OwnFile, AKernelThatReadsOutOfBoundsIsReported) {
  const Ran ran = check("x[i + 64]", "1");
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.problems, HasSubstr("out of bounds"));
}

TEST_F(OwnFile, SeveralInputsAndResultsAreCheckedTogether) {
  std::ofstream(file_)
      << "// Launch: both<<<1, 64>>>(a, b, s, p)\n"
         "// Launch: back<<<1, 64>>>(ds, dp, a, b, da, db)\n"
         "__global__ void both(const float* a, const float* b, float* s, float* p) {\n"
         "  int i = threadIdx.x;\n  s[i] = a[i] + b[i];\n  p[i] = a[i] * b[i];\n}\n"
         "__global__ void back(const float* ds, const float* dp, const float* a, const float* b,\n"
         "                     float* da, float* db) {\n"
         "  int i = threadIdx.x;\n  da[i] = ds[i] + dp[i] * b[i];\n  db[i] = ds[i] + dp[i] * a[i];\n}\n";
  std::vector<std::string> words{file_.string(), "--forward", "both", "--backward", "back", "--json"};
  for (const char* one : {"a=buf:f32:64:normal", "b=buf:f32:64:normal", "s=buf:f32:64:poison", "p=buf:f32:64:poison"})
    words.insert(words.end(), {"--arg", one});
  const Ran ran = run(words);
  EXPECT_EQ(ran.status, 0) << ran.out << ran.problems;
  EXPECT_EQ(json::parse(ran.out)["gradients"].size(), 2U);
}

TEST_F(OwnFile, BadInputGetsOneSentence) {
  const auto says = [&](std::vector<std::string> words) {
    const Ran ran = run(std::move(words));
    EXPECT_GE(ran.status, 2);
    return ran.problems.substr(0, ran.problems.find('\n'));
  };
  ASSERT_EQ(check("x[i]", "1").status, 0);
  const std::string file = file_.string();
  EXPECT_THAT(says({"softmax"}), HasSubstr("gradcheck takes the lab autograd or a .cu file"));
  EXPECT_THAT(says({"no-lab"}), HasSubstr("there is no lab 'no-lab'"));
  EXPECT_THAT(says({"autograd", "--rung", "nothing"}), HasSubstr("has no rung 'nothing'"));
  EXPECT_THAT(says({file}), HasSubstr("a file needs --forward KERNEL and --backward KERNEL"));
  EXPECT_THAT(says({"/no/file.cu", "--forward", "a", "--backward", "b"}), HasSubstr("cannot read /no/file.cu"));
  EXPECT_THAT(says({file, "--forward", "forward", "--backward", "other"}), HasSubstr("no launch line of 'other'"));
  EXPECT_THAT(says({file, "--forward", "forward", "--backward", "backward", "--size", "n=9"}),
              HasSubstr("no --arg says what it is"));
  EXPECT_THAT(says({file, "--forward", "forward", "--backward", "backward", "--size", "n=0"}),
              HasSubstr("a size is at least 1"));
  EXPECT_THAT(says({file, "--forward", "forward", "--backward", "forward", "--size", "n=9", "--arg",
                    "x=buf:f32:n:normal", "--arg", "y=buf:f32:n:poison", "--arg", "n=i32:n"}),
              HasSubstr("reads no gradient of a result"));
  EXPECT_THAT(says({file, "--forward", "forward", "--backward", "backward", "--on", "gpu"}),
              HasSubstr("checked on the simulator"));
  EXPECT_THAT(says({file, "--forward", "forward", "--backward", "backward", "--torch"}),
              HasSubstr("--torch and --step-sizes are for the lab"));
  EXPECT_THAT(
      says({file, "--forward", "forward", "--backward", "backward", "--size", "n=9", "--arg", "buf:f32:n:zero"}),
      HasSubstr("name what it is for"));
}

}  // namespace
}  // namespace tilescope
