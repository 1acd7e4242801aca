// The newest request wins, older results are marked, and the window's thread never waits.
#include "app/session/session.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "app/session/file_watch.hpp"
#include "tests/run/shared_engine.hpp"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

class SessionTest : public ::testing::Test {
 protected:
  SessionTest() : engine(testing::shared_engine()) {}

  void SetUp() override {
    if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  }

  /// Polls as the window does until no run is queued or in flight; false if that takes longer than `patience`.
  static bool settle(Session& session, std::chrono::seconds patience = 60s) {
    const auto start = Clock::now();
    do {
      session.poll();
      if (!session.busy()) {
        session.poll();  // takes over what ended since the last poll
        return true;
      }
      std::this_thread::sleep_for(2ms);
    } while (Clock::now() - start < patience);
    return false;
  }

  std::shared_ptr<Engine> engine;
};

TEST_F(SessionTest, RunsByItselfAndPasses) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  ASSERT_TRUE(settle(session));
  ASSERT_NE(session.result(), nullptr) << (session.error() ? session.error()->message : "");
  EXPECT_TRUE(session.result()->passed());
  EXPECT_FALSE(session.stale());
  EXPECT_GT(session.last_latency_ms(), 0);
  EXPECT_EQ(session.learned[session.lab().name], LabProgress()) << "opening a lab earns nothing";
}

TEST_F(SessionTest, AnotherLaunchIsShownWithoutARun) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  session.select_lab("softmax");
  session.select_rung("five-kernels");
  session.set_size("rows", 20);
  ASSERT_TRUE(settle(session));
  const auto first = session.result();
  ASSERT_NE(first, nullptr) << (session.error() ? session.error()->message : "");
  ASSERT_EQ(first->plan.launches.size(), 5U);
  session.auto_run = false;
  session.set_launch(1);
  ASSERT_TRUE(settle(session));
  const auto second = session.result();
  EXPECT_NE(second, first);
  EXPECT_EQ(second->launch, 1U);
  EXPECT_EQ(second->tiles.launch, 1U);
  EXPECT_FALSE(session.stale());
  EXPECT_EQ(second->date, first->date);
  EXPECT_EQ(second->total_ms, first->total_ms) << "it was run again";
  // Together with a second change the launch is run again, not derived from the result at hand.
  session.auto_run = true;
  session.set_size("rows", 21);
  session.set_launch(0);
  ASSERT_TRUE(settle(session));
  EXPECT_EQ(session.result()->launch, 0U);
  EXPECT_EQ(session.result()->config.size("rows"), 21);
}

TEST_F(SessionTest, ResultIsOfTheNewestRequest) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  for (const int64_t block : {64, 128, 512, 1024}) {
    session.set_param("BLOCK", block);
    session.poll();
  }
  ASSERT_TRUE(settle(session));
  ASSERT_NE(session.result(), nullptr);
  EXPECT_EQ(session.result()->request.config.param("BLOCK"), 1024);
  EXPECT_EQ(session.result()->plan.launches.front().block.x, 1024U);
}

TEST_F(SessionTest, ResultIsStaleUntilTheNewOneIsThere) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  ASSERT_TRUE(settle(session));
  session.auto_run = false;
  session.set_param("BLOCK", 64);
  session.poll();
  EXPECT_TRUE(session.stale());
  EXPECT_FALSE(session.busy());
  session.submit();
  ASSERT_TRUE(settle(session));
  EXPECT_FALSE(session.stale());
  EXPECT_EQ(session.result()->request.config.param("BLOCK"), 64);
}

TEST_F(SessionTest, GoingBackToTheShownRequestNeedsNoRun) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  ASSERT_TRUE(settle(session));
  const auto shown = session.result();
  const int64_t block = session.request().config.param("BLOCK");
  session.set_param("BLOCK", block == 64 ? 128 : 64);
  session.poll();
  session.set_param("BLOCK", block);
  session.poll();
  ASSERT_TRUE(settle(session));
  EXPECT_EQ(session.result(), shown);
  EXPECT_FALSE(session.stale());
  EXPECT_FALSE(session.error());
}

TEST_F(SessionTest, SettersNeverWaitForARun) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  session.set_size("n", int64_t{1} << 24);  // seconds of simulation
  session.poll();
  const auto start = Clock::now();
  for (int step = 0; step < 50; ++step) {
    session.set_param("BLOCK", step % 2 == 0 ? 64 : 128);
    session.poll();
  }
  EXPECT_LT(Clock::now() - start, 1s);
  session.cancel();
  EXPECT_TRUE(settle(session, 20s));
}

TEST_F(SessionTest, CancelEndsTheRunAndSaysSo) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  session.set_size("n", int64_t{1} << 24);
  session.poll();
  EXPECT_TRUE(session.busy());
  session.cancel();
  EXPECT_FALSE(session.busy());
  const auto start = Clock::now();
  while (!session.error() && Clock::now() - start < 20s) {
    std::this_thread::sleep_for(2ms);
    session.poll();
  }
  ASSERT_TRUE(session.error());
  EXPECT_EQ(session.error()->id, ErrorId::cancelled);
  EXPECT_EQ(session.result(), nullptr);
}

TEST_F(SessionTest, SourceThatDoesNotCompileIsAnErrorAndKeepsTheLastResult) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  ASSERT_TRUE(settle(session));
  const auto shown = session.result();
  session.set_source("extern \"C\" __global__ void broken(int n) { nonsense }");
  ASSERT_TRUE(settle(session));
  ASSERT_TRUE(session.error());
  EXPECT_EQ(session.error()->id, ErrorId::compile_failed);
  EXPECT_EQ(session.result(), shown);
  EXPECT_TRUE(session.stale());
  session.set_source(std::nullopt);
  ASSERT_TRUE(settle(session));
  EXPECT_FALSE(session.error());
  EXPECT_FALSE(session.stale());
}

TEST_F(SessionTest, AnErrorStaysInTheLabWhoseRunEndedInIt) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  session.auto_run = false;
  session.set_source("extern \"C\" __global__ void broken(int n) { nonsense }");
  session.submit();
  session.select_lab("softmax");
  ASSERT_TRUE(settle(session));
  EXPECT_FALSE(session.error());
  EXPECT_EQ(session.result(), nullptr);
}

TEST_F(SessionTest, ALabThatIsLeftAndEnteredBetweenTwoFramesRunsAgain) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  const std::string lab = session.lab().name;
  ASSERT_TRUE(settle(session));
  session.select_lab("softmax");
  session.select_lab(lab);
  ASSERT_TRUE(settle(session));
  EXPECT_NE(session.result(), nullptr);
}

TEST_F(SessionTest, ResetGivesTheValuesThatTheLabOpensWith) {
  Session session(engine);
  session.auto_run = false;
  session.set_device(DeviceKind::sim);
  const Config opened = session.request().config;
  session.set_param("BLOCK", 64);
  session.set_size("n", 1000);
  ASSERT_NE(session.request().config, opened);
  session.reset_values();
  EXPECT_EQ(session.request().config, opened);
}

TEST_F(SessionTest, WakesWhoeverWaitsWhenARunEnds) {
  std::atomic<int> woken = 0;
  Session session(engine);
  session.set_wake([&woken] { ++woken; });
  session.set_device(DeviceKind::sim);
  ASSERT_TRUE(settle(session));
  EXPECT_GE(woken, 1);
  session.set_wake({});
}

TEST_F(SessionTest, EachLabKeepsItsValues) {
  Session session(engine);
  session.auto_run = false;
  const std::string first = "vector-add", second = "vector-multiply";
  session.select_lab(first);
  session.set_param("BLOCK", 64);
  session.select_rung("grid-stride");
  session.select_lab(second);
  EXPECT_NE(session.request().config.param("BLOCK"), 64);
  session.select_lab(first);
  EXPECT_EQ(session.request().config.param("BLOCK"), 64);
  EXPECT_EQ(session.rung().name, "grid-stride");
}

TEST_F(SessionTest, ValuesAreKeptInsideTheirRanges) {
  Session session(engine);
  session.auto_run = false;
  session.select_lab("vector-add");
  session.set_device(DeviceKind::sim);
  session.set_size("n", int64_t{1} << 40);
  EXPECT_EQ(session.request().config.size("n"), session.lab().sizes.front().max_sim);
  session.set_size("n", -5);
  EXPECT_EQ(session.request().config.size("n"), session.lab().sizes.front().min);
  session.set_param("BLOCK", 300);
  EXPECT_EQ(session.request().config.param("BLOCK"), 256);
  session.set_param("NO_SUCH", 3);
  EXPECT_TRUE(validate(session.lab(), session.request().config, DeviceKind::sim));
}

TEST_F(SessionTest, BrokenSwitchesMakeTheSameRequestInAnyOrder) {
  Session session(engine);
  session.auto_run = false;
  session.select_lab("vector-add");
  session.set_broken("ONE_TOO_FAR", true);
  session.set_broken("DROP_MASK", true);
  const Request one = session.request();
  session.set_broken("DROP_MASK", false);
  session.set_broken("ONE_TOO_FAR", false);
  EXPECT_TRUE(session.request().broken.empty());
  session.set_broken("DROP_MASK", true);
  session.set_broken("ONE_TOO_FAR", true);
  EXPECT_EQ(session.request(), one);
}

TEST_F(SessionTest, ABrokenKernelHasFindingsAndCountsAsABugSeen) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  session.set_broken("DROP_MASK", true);
  ASSERT_TRUE(settle(session));
  ASSERT_NE(session.result(), nullptr) << (session.error() ? session.error()->message : "");
  EXPECT_FALSE(session.result()->findings.empty());
  EXPECT_EQ(session.learned[session.lab().name].broken, std::set<std::string>{"DROP_MASK"});
  session.set_broken("ONE_TOO_FAR", true);
  ASSERT_TRUE(settle(session));
  EXPECT_EQ(session.learned[session.lab().name].broken.size(), 1U) << "of two at once neither was seen alone";
}

TEST_F(SessionTest, AnEditThatPassesIsTheLearnersOwnAndOneThatChangesNothingIsNot) {
  Session session(engine);
  session.set_device(DeviceKind::sim);
  session.select_lab("vector-add");
  const std::string shipped = *read_source_file(engine->root() / "kernels" / "elementwise.cu");
  const auto own_edit = [&] { return session.learned["vector-add"].own_edit; };
  session.set_source("// a comment\n" + shipped + "\n\n");
  ASSERT_TRUE(settle(session));
  ASSERT_TRUE(session.result() != nullptr && session.result()->passed());
  EXPECT_FALSE(own_edit()) << "blanks and comments are no edit";
  session.set_source("#error not yet\n" + shipped);
  ASSERT_TRUE(settle(session));
  EXPECT_FALSE(own_edit()) << "it does not compile";
  session.set_source(shipped + "\n__device__ int mine() { return 1; }\n");
  session.set_broken("DROP_MASK", true);
  ASSERT_TRUE(settle(session));
  EXPECT_FALSE(own_edit()) << "a broken kernel has findings";
  EXPECT_TRUE(session.learned["vector-add"].broken.empty()) << "and an edited one shows no bug of the lab's";
  session.set_broken("DROP_MASK", false);
  ASSERT_TRUE(settle(session));
  ASSERT_TRUE(session.result() != nullptr && session.result()->passed());
  EXPECT_TRUE(own_edit());
}

TEST_F(SessionTest, ASweepWithoutAGpuEndsWithTheReason) {
  if (engine->gpu()) GTEST_SKIP() << "there is a GPU";
  Session session(engine);
  session.auto_run = false;
  session.start_bench();
  const auto start = Clock::now();
  while (session.bench_running() && Clock::now() - start < 60s) std::this_thread::sleep_for(2ms);
  session.poll();
  ASSERT_TRUE(session.bench_error());
  EXPECT_FALSE(session.bench_error()->message.empty());
}

}  // namespace
}  // namespace tilescope
