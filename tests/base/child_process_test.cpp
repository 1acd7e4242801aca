#include "engine/child_process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace tilescope {
namespace {

using namespace std::chrono_literals;

TEST(ChildProcess, AnAnswerIsHeardFromAChildThatHasEndedWithoutReadingTheQuestion) {
  auto child = ChildProcess::start({"echo", "good"});
  ASSERT_TRUE(child) << child.error().reason;
  std::this_thread::sleep_for(200ms);  // it has ended: the question cannot be sent
  const auto answer = (*child)->ask("how is it?", 30s, {});
  ASSERT_TRUE(answer) << answer.error().reason;
  EXPECT_EQ(*answer, "good");
}

TEST(ChildProcess, AChildThatHasEndedWithoutAnAnswerIsAFailureWithItsStatus) {
  auto child = ChildProcess::start({"false"});
  ASSERT_TRUE(child) << child.error().reason;
  std::this_thread::sleep_for(200ms);
  const auto answer = (*child)->ask("how is it?", 30s, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().reason, "it ended with status 1");
  EXPECT_FALSE((*child)->alive());
}

TEST(ChildProcess, ALineIsAnsweredByALine) {
  auto child = ChildProcess::start({"cat"});
  ASSERT_TRUE(child) << child.error().reason;
  const std::string long_line(1 << 20, 'x');  // more than the socket takes at once
  for (const std::string& line : {std::string("one"), long_line, std::string("three")}) {
    const auto answer = (*child)->ask(line, 30s, {});
    ASSERT_TRUE(answer) << answer.error().reason;
    EXPECT_EQ(*answer, line);
  }
}

}  // namespace
}  // namespace tilescope
