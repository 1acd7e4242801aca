#include "engine/reference/python.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace tilescope {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// How a well-behaved child begins: each line has its id, and hello is answered.
constexpr const char* kPrologue = R"(
next() { read -r line || exit 0; id=${line##*\"id\":}; id=${id%%[,\}]*}; }
answer() { echo "{\"id\": $id, $1}"; }
next
answer '"ok": true, "python": "3.12.3", "torch": "2.11.0", "torch_reason": "", "triton": "", "triton_reason": "no compiler", "gpu": "NVIDIA H200"'
)";

/// Here children are shell scripts, so that the protocol is tested without Python.
class FakeChild : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tilescope-child-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  PythonOptions options(const std::string& script) {
    std::ofstream(folder_ / "child.sh") << script;
    return {.script = folder_ / "child.sh", .interpreter = "bash", .start_timeout = 5s, .request_timeout = 5s};
  }
  Result<std::unique_ptr<PythonReference>> open(const std::string& script) {
    return PythonReference::open(options(script), {});
  }
  std::string failure_to_open(const std::string& script) {
    auto opened = open(script);
    EXPECT_FALSE(opened);
    if (opened) return {};
    EXPECT_EQ(opened.error().id, ErrorId::reference_unavailable);
    return opened.error().message;
  }
  /// The failure of timing after a successful hello.
  std::string failure_to_time(const std::string& rest, std::chrono::milliseconds timeout = 5s) {
    PythonOptions given = options(kPrologue + rest);
    given.request_timeout = timeout;
    auto opened = PythonReference::open(given, {});
    EXPECT_TRUE(opened) << opened.error().message;
    if (!opened) return {};
    auto times = (*opened)->time("torch", "add", 2, {});
    EXPECT_FALSE(times);
    return times ? "" : times.error().message;
  }
  std::filesystem::path folder_;
};

TEST_F(FakeChild, ThatAnswersGivesVersionsAndTimes) {
  auto python = open(std::string(kPrologue) + R"(
next; answer '"ok": true, "largest_error": 0'
next; answer '"ok": true, "milliseconds": [0.5, 0.25, 0.75]'
next)");
  ASSERT_TRUE(python) << python.error().message;
  EXPECT_EQ((*python)->versions().torch, "2.11.0");
  EXPECT_EQ((*python)->versions().gpu, "NVIDIA H200");
  EXPECT_EQ((*python)->missing("torch"), "");
  EXPECT_EQ((*python)->missing("triton"), "no compiler");
  ASSERT_TRUE((*python)->prepare({.operation = "add", .n = 1024}, {}));
  const auto times = (*python)->time("torch", "add", 3, {});
  ASSERT_TRUE(times) << times.error().message;
  EXPECT_THAT(*times, testing::ElementsAre(0.5, 0.25, 0.75));
}

TEST_F(FakeChild, IsToldWhatToTime) {
  auto python = open(std::string(kPrologue) + "next; echo \"$line\" > " + (folder_ / "request").string() +
                     "; answer '\"ok\": true'; next");
  ASSERT_TRUE(python);
  ASSERT_TRUE((*python)->prepare({.implementation = "triton",
                                  .operation = "mul",
                                  .n = 77,
                                  .sizes = {{"rows", 11}},
                                  .seed = 5,
                                  .sets = 3,
                                  .executions = 9},
                                 {}));
  std::ifstream request(folder_ / "request");
  std::string line;
  std::getline(request, line);
  for (const char* part : {"\"command\":\"prepare\"", "\"implementation\":\"triton\"", "\"operation\":\"mul\"",
                           "\"n\":77", "\"sizes\":{\"rows\":11}", "\"seed\":5", "\"sets\":3", "\"executions\":9"}) {
    EXPECT_THAT(line, HasSubstr(part));
  }
}

TEST_F(FakeChild, ThatRefusesIsQuoted) {
  EXPECT_EQ(failure_to_time("next; answer '\"ok\": false, \"reason\": \"the result of torch is wrong\"'; next"),
            "PyTorch is not available: the result of torch is wrong");
}

TEST_F(FakeChild, ThatDiesAtOnceIsReportedWithItsLastWords) {
  EXPECT_THAT(failure_to_open("echo one >&2; echo 'ImportError: libfoo' >&2; exit 3"),
              HasSubstr("it ended with status 3: ImportError: libfoo"));
}

TEST_F(FakeChild, ThatIsKilledIsReportedWithTheSignal) {
  EXPECT_THAT(failure_to_open("kill -SEGV $$"), HasSubstr("it was ended by signal Segmentation fault"));
}

TEST_F(FakeChild, ThatDiesInTheMiddleOfARequestIsReported) {
  EXPECT_THAT(failure_to_time("next; exit 7"), HasSubstr("it ended with status 7"));
}

TEST_F(FakeChild, ThatDiedStaysUnavailable) {
  auto python = open(std::string(kPrologue) + "exit 0");
  ASSERT_TRUE(python);
  EXPECT_FALSE((*python)->time("torch", "add", 2, {}));
  const auto again = (*python)->time("torch", "add", 2, {});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().message, HasSubstr("its process has ended"));
}

TEST_F(FakeChild, ThatHangsIsGivenUpAfterTheTimeout) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(failure_to_time("next; sleep 1000", 300ms), HasSubstr("it did not answer within 0.3 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

TEST_F(FakeChild, ThatClosesItsOutputAndLivesOnIsEnded) {
  EXPECT_THAT(failure_to_time("next; exec 0<&- 1>&-; sleep 1000"), HasSubstr("it closed its output"));
}

TEST_F(FakeChild, ThatTalksNonsenseIsQuoted) {
  EXPECT_THAT(failure_to_open("read -r line; echo 'Welcome to Python!'; sleep 1000"),
              HasSubstr("it answered 'Welcome to Python!', which is not JSON"));
  EXPECT_THAT(failure_to_open("read -r line; echo '[1, 2]'; sleep 1000"), HasSubstr("which is not JSON"));
}

TEST_F(FakeChild, ThatAnswersAnotherRequestIsNotBelieved) {
  EXPECT_THAT(failure_to_time("next; id=99; answer '\"ok\": true, \"milliseconds\": [1, 1]'; next"),
              HasSubstr("does not belong to the request"));
}

TEST_F(FakeChild, ThatGivesImpossibleTimesIsNotBelieved) {
  for (const char* times : {"[1]", "[1, 2, 3]", "[1, 0]", "[1, -2]", "[1, \"2\"]", "[1, null]", "7", "[1, 1e999]"}) {
    EXPECT_THAT(failure_to_time(std::string("next; answer '\"ok\": true, \"milliseconds\": ") + times + "'; next"),
                testing::AnyOf(HasSubstr("it was asked for 2 timings and gave"), HasSubstr("which is not JSON")))
        << times;
  }
}

TEST_F(FakeChild, ThatWritesWithoutEndIsGivenUp) {
  EXPECT_THAT(failure_to_time("next; while :; do printf '%65536s' ' '; done"), HasSubstr("it sends no end of line"));
}

TEST_F(FakeChild, IsEndedByAStopRequest) {
  auto python = open(std::string(kPrologue) + "next; sleep 1000");
  ASSERT_TRUE(python);
  std::stop_source stop;
  std::jthread stopper([&stop] {
    std::this_thread::sleep_for(100ms);
    stop.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  const auto times = (*python)->time("torch", "add", 2, stop.get_token());
  ASSERT_FALSE(times);
  EXPECT_EQ(times.error().id, ErrorId::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
}

TEST_F(FakeChild, TakesWhatItStartedWithIt) {
  auto python = open("sleep 1000 & echo $! > " + (folder_ / "grandchild").string() + kPrologue + "\nnext");
  ASSERT_TRUE(python) << python.error().message;
  pid_t grandchild = 0;
  std::ifstream(folder_ / "grandchild") >> grandchild;
  ASSERT_GT(grandchild, 0);
  ASSERT_EQ(::kill(grandchild, 0), 0);
  python->reset();
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    // It is not a child of this process, so a zombie may still answer until its new parent has reaped it.
    std::ifstream status("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name, state;
    gone = !(status >> pid >> name >> state) || state == "Z";
    if (!gone) std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(gone);
}

TEST_F(FakeChild, ThatNeedsAMissingInterpreterIsReported) {
  PythonOptions given = options("");
  given.interpreter = "/nonexistent/python3";
  const auto opened = PythonReference::open(given, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message,
            "the Python reference is not available: /nonexistent/python3 cannot be started: No such file or directory");
}

TEST_F(FakeChild, InterpreterIsTakenFromTheEnvironment) {
  PythonOptions given = options("");
  given.interpreter.clear();
  ASSERT_EQ(setenv("TILESCOPE_PYTHON", "/nonexistent/of-environment", 1), 0);
  const auto opened = PythonReference::open(given, {});
  unsetenv("TILESCOPE_PYTHON");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("/nonexistent/of-environment cannot be started"));
}

TEST_F(FakeChild, WhoseScriptIsMissingIsReported) {
  const auto opened = PythonReference::open({.script = folder_ / "none.py"}, {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("none.py is missing"));
}

/// The shipped script, under this machine's Python.
class ShippedChild : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = PythonReference::open(
        {.script = std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "python" / "reference_child.py"}, {});
    if (!opened && opened.error().message.find("cannot be started") != std::string::npos) {
      GTEST_SKIP() << opened.error().message;
    }
    ASSERT_TRUE(opened) << opened.error().message;
    python_ = std::move(*opened);
  }
  std::unique_ptr<PythonReference> python_;
};

TEST_F(ShippedChild, NamesAVersionOrTheReasonForEachLibrary) {
  const PythonVersions& versions = python_->versions();
  EXPECT_NE(versions.python, "");
  EXPECT_NE(versions.torch + versions.torch_reason, "");
  EXPECT_NE(versions.triton + versions.triton_reason, "");
}

TEST_F(ShippedChild, RefusesWithItsReasonWherePyTorchIsMissing) {
  if (python_->missing("torch").empty()) GTEST_SKIP() << "PyTorch is here";
  for (const std::string implementation : {"torch", "triton"}) {
    const auto prepared =
        python_->prepare({.implementation = implementation, .operation = "add", .n = 16, .flush_bytes = 16}, {});
    ASSERT_FALSE(prepared);
    EXPECT_THAT(prepared.error().message, HasSubstr(python_->missing("torch")));
  }
}

TEST_F(ShippedChild, TimesWhatItPreparedColdAndInGraphs) {
  for (const std::string implementation : {"torch", "triton"}) {
    if (!python_->missing(implementation).empty()) GTEST_SKIP() << python_->missing(implementation);
    for (const int executions : {0, 20}) {
      const auto prepared = python_->prepare({.implementation = implementation,
                                              .operation = "mul",
                                              .n = 98432,
                                              .sets = executions ? 4 : 1,
                                              .executions = executions,
                                              .flush_bytes = 1 << 20},
                                             {});
      ASSERT_TRUE(prepared) << prepared.error().message;
      const auto times = python_->time(implementation, "mul", 5, {});
      ASSERT_TRUE(times) << times.error().message;
    }
  }
}

TEST_F(ShippedChild, TransposesAMatrixOfAnyShape) {
  if (!python_->missing("torch").empty()) GTEST_SKIP() << python_->missing("torch");
  for (const int64_t rows : {1, 33, 1000}) {
    const auto prepared = python_->prepare(
        {.operation = "transpose", .n = rows, .sizes = {{"rows", rows}, {"columns", 77}}, .flush_bytes = 1 << 20}, {});
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_TRUE(python_->time("torch", "transpose", 3, {}));
  }
}

TEST_F(ShippedChild, KnowsNoOtherOperation) {
  if (!python_->missing("torch").empty()) GTEST_SKIP() << python_->missing("torch");
  const auto prepared = python_->prepare({.operation = "conv9", .n = 16, .flush_bytes = 16}, {});
  ASSERT_FALSE(prepared);
  EXPECT_THAT(prepared.error().message, HasSubstr("there is no operation 'conv9'"));
}

}  // namespace
}  // namespace tilescope
