// The judge on submissions of every kind, for one small exercise.
#include "app/exercises/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "engine/clock.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

Exercise scale_by_two() {
  Exercise exercise;
  exercise.name = "double";
  exercise.folder = std::filesystem::path(TILESCOPE_SOURCE) / "tests/exercises/double";
  exercise.kernel = "twice";
  exercise.parameters = {{"x", "buf:f32:n:normal"}, {"out", "buf:f32:n:poison"}, {"n", "i32:n"}, {"factor", "f32:2"}};
  exercise.cases = {{.sizes = {{"n", {1000, 1000}}}},
                    {.sizes = {{"n", {31, 31}}}, .hidden = true},
                    {.sizes = {{"n", {2000, 3000}}}, .arguments = {{"factor", "f32:-3"}}, .hidden = true}};
  exercise.goals = {{.measure = Measure::sectors_per_request, .of = "x", .limit = 4.1}};
  return exercise;
}

class JudgeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { engine_ = Engine::open({}); }
  static void TearDownTestSuite() { engine_.reset(); }

  Judgement judge(const std::string& body, JudgeOptions options = {}) {
    return judge_text(
        "// Launch: twice<<<ceil(n / 256), 256>>>(x, out, n, factor)\n"
        "__global__ void twice(const float* x, float* out, int n, float factor) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
            body + "\n}\n",
        std::move(options));
  }
  Judgement judge_text(const std::string& text, JudgeOptions options = {}) {
    const auto start = std::chrono::steady_clock::now();
    auto judgement = tilescope::judge(engine_, exercise_, {.file = "mine.cu", .text = text}, options);
    seconds_ = milliseconds_since(start) / 1000;
    return judgement;
  }

  inline static std::shared_ptr<Engine> engine_;
  Exercise exercise_ = scale_by_two();
  double seconds_ = 0;
};

TEST_F(JudgeTest, ARightKernelMeetsEveryGoal) {
  const Judgement judgement = judge("if (i < n) out[i] = factor * x[i];");
  EXPECT_EQ(judgement.verdict, Judgement::Verdict::all_goals) << judgement.what;
  EXPECT_EQ(judgement.reason, "");
  EXPECT_EQ(judgement.correct_cases(), 3U) << "the last case has a factor of its own";
  EXPECT_EQ(judgement.goals[0].value, 125.0 / 32) << "the last warp has 8 lanes and asks for one sector";
}

TEST_F(JudgeTest, TheFirstWrongElementIsNamed) {
  const Judgement judgement = judge("if (i < n) out[i] = i == 7 ? 0 : factor * x[i];");
  EXPECT_EQ(judgement.reason, "result");
  EXPECT_THAT(judgement.what.english(), HasSubstr("out[7] should be "));
  EXPECT_THAT(judgement.what.english(), HasSubstr(" and is 0"));
  EXPECT_EQ(judgement.cases[0].index, std::vector<int64_t>{7});
}

TEST_F(JudgeTest, AnElementThatWasNeverWrittenIsNotCorrect) {
  EXPECT_THAT(judge("if (i < n - 1) out[i] = factor * x[i];").what.english(), HasSubstr("out[999] should be "));
  EXPECT_EQ(judge("").what, "out was never written");
}

TEST_F(JudgeTest, AKernelThatSuitsThePublicCasesIsRefusedInTheHiddenOnes) {
  const Judgement judgement = judge("if (i < 1000) out[i] = 2 * x[i];");
  EXPECT_EQ(judgement.cases[0].state, CaseOutcome::State::correct);
  EXPECT_EQ(judgement.cases[1].state, CaseOutcome::State::finding);
  EXPECT_EQ(judgement.cases[2].state, CaseOutcome::State::wrong);
  EXPECT_EQ(judgement.verdict, Judgement::Verdict::refused);
}

TEST_F(JudgeTest, AFindingRefusesEvenWhereTheNumbersAreRight) {
  const Judgement judgement = judge("out[i] = factor * x[i];");
  EXPECT_EQ(judgement.reason, "out-of-bounds");
  EXPECT_THAT(judgement.what.english(), HasSubstr("mine.cu:4"));
}

TEST_F(JudgeTest, CorrectAndSlowMissesTheGoal) {
  const Judgement judgement = judge_text(
      "// Launch: twice<<<1, 32>>>(x, out, n, factor)\n"
      "__global__ void twice(const float* x, float* out, int n, float factor) {\n"
      "  int each = (n + 31) / 32;\n"
      "  for (int i = threadIdx.x * each; i < min(n, (int)(threadIdx.x + 1) * each); ++i) out[i] = factor * x[i];\n"
      "}\n");
  EXPECT_EQ(judgement.verdict, Judgement::Verdict::correct);
  EXPECT_EQ(judgement.reason, "goal: sectors per request");
  EXPECT_THAT(judgement.what.english(), HasSubstr("and the goal is at most 4.1"));
}

TEST_F(JudgeTest, SizesFollowTheSeed) {
  const Judgement one = judge("", {.seed = 1}), other = judge("", {.seed = 2}), again = judge("", {.seed = 1});
  EXPECT_NE(one.cases[2].sizes, other.cases[2].sizes);
  EXPECT_EQ(one.cases[2].sizes, again.cases[2].sizes);
}

// What a learner may write, however bad: one sentence, within seconds.
TEST_F(JudgeTest, BadSubmissionsAreJudgedWithOneSentence) {
  struct Case {
    const char* what;
    std::string text;
    ::testing::Matcher<std::string> reason, sentence;
  };
  const std::string head = "// Launch: twice<<<ceil(n / 256), 256>>>(x, out, n, factor)\n";
  const std::string kernel = head + "__global__ void twice(const float* x, float* out, int n, float factor) {";
  const Case cases[] = {
      {"does not compile", kernel + " out[0] = y; }", ::testing::Eq("compile"), HasSubstr("y")},
      {"has no kernel", head + "int a;", AnyOf("compile", "error", "launch"), HasSubstr("twice")},
      {"has no launch", "__global__ void twice() {}", ::testing::Eq("launch"), HasSubstr("the file has none")},
      {"is empty", "", ::testing::Eq("launch"), HasSubstr("the file has none")},
      {"wants other arguments", head + "__global__ void twice(float* out) {}", ::testing::Eq("launch"), HasSubstr("1")},
      {"hangs in one thread", kernel + " volatile int go = 1; while (go) {} }", AnyOf("time", "step-limit", "deadlock"),
       ::testing::Not("")},
      {"writes far outside", kernel + " out[1 << 30] = 1; }", ::testing::Eq("out-of-bounds"), HasSubstr("out")},
      {"follows a null pointer", kernel + " *(int*)(size_t)(n - n) = 1; }", AnyOf("out-of-bounds", "trap"),
       ::testing::Not("")},
      {"traps", kernel + " __trap(); }", ::testing::Eq("trap"), ::testing::Not("")},
      {"allocates without end", kernel + " for (int i = 0; i < 100000; ++i) if (malloc(1 << 20) == nullptr) break; }",
       ::testing::Not(""), ::testing::Not("")},
      {"becomes a hundred million statements",
       "#define TEN(x) x x x x x x x x x x\n#define MANY(x) TEN(TEN(TEN(TEN(x))))\n" + kernel +
           " MANY(MANY(out[n - 1] += n;)) }",
       ::testing::Eq("time"), HasSubstr("compiling")},
      {"prints megabytes",
       "#include <cstdio>\n" + kernel +
           " for (int i = 0; i < 2000; ++i) printf(\"%d and much more text than that\\n\", i); }",
       ::testing::Not(""), ::testing::Not("")},
  };
  for (const Case& one : cases) {
    const Judgement judgement = judge_text(one.text, {.most_seconds = 4, .most_compile_seconds = 4});
    EXPECT_EQ(judgement.verdict, Judgement::Verdict::refused) << one.what;
    EXPECT_THAT(judgement.reason, one.reason) << one.what;
    EXPECT_THAT(judgement.what.english(), one.sentence) << one.what;
    EXPECT_LT(seconds_, 10) << one.what;
  }
}

TEST_F(JudgeTest, ACancelledJudgementEnds) {
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(judge("if (i < n) out[i] = 2 * x[i];", {.stop = source.get_token()}).reason, "cancelled");
}

TEST_F(JudgeTest, ABrokenReferenceIsNotTheLearnersFault) {
  exercise_.folder = "nowhere";
  const Judgement judgement = judge("if (i < n) out[i] = factor * x[i];");
  EXPECT_EQ(judgement.reason, "broken");
  ASSERT_TRUE(judgement.broken);
  EXPECT_THAT(judgement.broken->message, HasSubstr("reference.cu is missing"));
}

}  // namespace
}  // namespace tilescope
