// When interop may be used: the trial's answers, its faults, and children that answer, fail or hang. Needs no GPU.
#include "app/draw/gl/interop_trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <mutex>

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using State = InteropTrial::State;
using Answer = std::optional<std::string>;
using testing::HasSubstr;

const Answer kGood = std::nullopt;

/// Trials that end when the test says so.
class InteropTrialTest : public testing::Test {
 protected:
  InteropTrial::Procedure procedure() {
    return [this](std::stop_token stop) -> Answer {
      std::unique_lock lock(mutex_);
      ++started_;
      changed_.notify_all();
      if (!changed_.wait(lock, stop, [this] { return !answers_.empty(); })) return "it was stopped";
      const Answer answer = answers_.front();
      answers_.pop_front();
      return answer;
    };
  }
  void give(const Answer& answer) {
    std::scoped_lock lock(mutex_);
    answers_.push_back(answer);
    changed_.notify_all();
  }
  void wait_for_trial(int number) {
    std::unique_lock lock(mutex_);
    ASSERT_TRUE(changed_.wait_for(lock, 30s, [&] { return started_ >= number; })) << "no trial number " << number;
  }
  void wait_for_wakes(int number) {
    for (int i = 0; i < 30000 && wakes_ < number; ++i) std::this_thread::sleep_for(1ms);
    ASSERT_EQ(wakes_, number);
  }
  int started() {
    std::scoped_lock lock(mutex_);
    return started_;
  }
  std::function<void()> wake() {
    return [this] { ++wakes_; };
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Answer> answers_;
  int started_ = 0;
  std::atomic<int> wakes_{0};
};

TEST_F(InteropTrialTest, InteropIsNotUsedBeforeTheTrialHasAnswered) {
  InteropTrial trial(procedure(), 0, wake());
  wait_for_trial(1);
  EXPECT_EQ(trial.poll(0), State::trying);
  EXPECT_EQ(wakes_, 0);
  give(kGood);
  wait_for_wakes(1);
  EXPECT_EQ(trial.poll(0), State::good);
  EXPECT_EQ(trial.why_not(), "");
  EXPECT_EQ(trial.poll(0), State::good);
  EXPECT_EQ(started(), 1);
}

TEST_F(InteropTrialTest, AFailedTrialSaysWhyAndIsNotRepeated) {
  InteropTrial trial(procedure(), 3, wake());
  give("the picture was blank");
  wait_for_wakes(1);
  EXPECT_EQ(trial.poll(3), State::failed);
  EXPECT_EQ(trial.why_not(), "the picture was blank");
  EXPECT_EQ(trial.poll(4), State::failed) << "a fault mends nothing";
  EXPECT_EQ(trial.poll(4), State::failed);
  EXPECT_EQ(started(), 1);
}

TEST_F(InteropTrialTest, AFaultEndsTheUseOfInteropAtOnceAndForGood) {
  InteropTrial trial(procedure(), 0, wake());
  give(kGood);
  wait_for_wakes(1);
  ASSERT_EQ(trial.poll(0), State::good);
  EXPECT_EQ(trial.poll(1), State::faulted);
  EXPECT_EQ(trial.poll(1), State::faulted);
  EXPECT_EQ(trial.poll(2), State::faulted);
  EXPECT_EQ(started(), 1) << "a trial beside a window that has to draw";
}

TEST_F(InteropTrialTest, AnAnswerFromBeforeAFaultIsNotUsed) {
  InteropTrial trial(procedure(), 0, wake());
  give(kGood);
  wait_for_wakes(1);
  EXPECT_EQ(trial.poll(1), State::faulted) << "the answer came, but a kernel has faulted since";
  EXPECT_EQ(trial.poll(1), State::faulted);
}

TEST_F(InteropTrialTest, AFaultDuringATrialEndsIt) {
  InteropTrial trial(procedure(), 0, wake());
  wait_for_trial(1);
  EXPECT_EQ(trial.poll(1), State::faulted);
  wait_for_wakes(1);  // it was asked to stop: there is no answer
  EXPECT_EQ(trial.poll(1), State::faulted) << "that it was stopped is no reason against interop";
  EXPECT_EQ(started(), 1);
}

TEST_F(InteropTrialTest, ClosingTheWindowDoesNotWaitForATrial) {
  InteropTrial trial(procedure(), 0, wake());
  wait_for_trial(1);
}  // the test ends only if the trial is stopped

/// A program in place of tilescope; its arguments are in $1.
class StandInProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tilescope-trial-XXXXXX").string();
    close(mkstemp(name.data()));
    file_ = name;
    fs::permissions(file_, fs::perms::owner_all);
    record_ = {name + ".record", "this start"};
  }
  void TearDown() override {
    record_.forget();
    fs::remove(file_);
  }
  Answer answer_of(const std::string& script, std::chrono::milliseconds patience = 30s) {
    std::ofstream(file_) << "#!/bin/sh\n" << script << "\n";
    return trial_in_child(file_, record_, patience)({});
  }
  fs::path file_;
  InteropRecord record_;
};

TEST_F(StandInProgram, ThatPrintsTheOneLineHasShownThatInteropWorks) {
  EXPECT_EQ(answer_of("test $1 = interop-trial && echo '" + std::string(kInteropWorks) + "'"), kGood);
}

TEST_F(StandInProgram, ThatPrintsAnythingElseHasGivenTheReason) {
  EXPECT_EQ(answer_of("echo 'the picture was blank'; exit 3"), "the picture was blank");
  EXPECT_NE(answer_of("echo"), kGood);
  EXPECT_NE(answer_of("echo '" + std::string(kInteropWorks) + ", or not'"), kGood);
}

TEST_F(StandInProgram, ThatEndsWithoutAWordHasFailed) {
  EXPECT_THAT(answer_of("echo 'no libGL' >&2; exit 4").value_or(""), HasSubstr("it ended with status 4: no libGL"));
  EXPECT_THAT(answer_of("kill -SEGV $$").value_or(""), HasSubstr("ended by signal"));
}

TEST_F(StandInProgram, ThatDoesNotAnswerIsEnded) {
  const fs::path marker = file_.string() + ".lives";
  EXPECT_EQ(answer_of("sleep 2; touch '" + marker.string() + "'", 100ms), "it did not answer within 0.1 s");
  std::this_thread::sleep_for(2500ms);
  EXPECT_FALSE(fs::exists(marker)) << "it lived on";
  fs::remove(marker);
}

TEST_F(StandInProgram, ThatGivesNoAnswerIsNotStartedByLaterProcesses) {
  answer_of("sleep 5", 100ms);
  EXPECT_TRUE(record_.doubtful());
  record_.forget();
  answer_of("kill -SEGV $$");
  EXPECT_TRUE(record_.doubtful());
}

TEST_F(StandInProgram, ThatAnswersOrIsStoppedIsStartedAgainByLaterProcesses) {
  answer_of("echo '" + std::string(kInteropWorks) + "'");
  EXPECT_FALSE(record_.doubtful());
  answer_of("echo 'OpenGL is drawn by another GPU'");
  EXPECT_FALSE(record_.doubtful());
  std::ofstream(file_) << "#!/bin/sh\nsleep 5\n";
  std::stop_source stop;
  stop.request_stop();
  EXPECT_NE(trial_in_child(file_, record_, 10s)(stop.get_token()), kGood);
  EXPECT_FALSE(record_.doubtful()) << "the window was closed meanwhile";
}

TEST(TrialInChild, AProgramThatIsNotThereIsTheReason) {
  EXPECT_THAT(trial_in_child("/nonexistent/tilescope")({}).value_or(""), HasSubstr("cannot be started"));
}

TEST(TrialInChild, TheProgramLiesBesideTheTests) {
  EXPECT_EQ(tilescope_beside_this_program().filename(), "tilescope");
  EXPECT_EQ(tilescope_beside_this_program().parent_path(), fs::path(TILESCOPE_BINARY));
}

}  // namespace
}  // namespace tilescope
