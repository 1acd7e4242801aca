// The thread behind runs, steps and fusion accounts: only the newest request is served, and a cancelled one ends with a
// sentence.
#include "app/session/newest_wish.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <string>
#include <thread>

namespace tilescope {
namespace {

using Worker = NewestWish<int, std::string>;

/// Makes the number's text; while `hold` is set, only once it is stopped.
class Slow {
 public:
  Worker worker{[this](const int& wish, const std::stop_token& stop) -> Worker::Outcome {
    begun.release();
    while (hold && !stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (stop.stop_requested()) return fail(ErrorId::cancelled);
    return std::make_shared<const std::string>(std::to_string(wish));
  }};
  std::counting_semaphore<> begun{0};
  std::atomic<bool> hold = false;

  std::pair<int, Worker::Outcome> wait_for_end() {
    for (;;) {
      if (auto taken = worker.take()) return *taken;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
};

TEST(NewestWishes, GiveTheirProductOnce) {
  Slow slow;
  slow.worker.want(7);
  const auto [wish, outcome] = slow.wait_for_end();
  EXPECT_EQ(wish, 7);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(**outcome, "7");
  EXPECT_FALSE(slow.worker.take());
  EXPECT_EQ(slow.worker.product(7), nullptr);
}

TEST(NewestWishes, StopTheOneInFlightAndSkipThoseBetween) {
  Slow slow;
  slow.hold = true;
  slow.worker.want(1);
  slow.begun.acquire();
  slow.worker.want(2);
  slow.hold = false;
  slow.worker.want(3);
  const auto [wish, outcome] = slow.wait_for_end();
  EXPECT_EQ(wish, 3);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(**outcome, "3");
  EXPECT_FALSE(slow.worker.busy());
}

TEST(NewestWishes, EndWithAnErrorWhenTheyAreCancelledInFlight) {
  Slow slow;
  slow.hold = true;
  slow.worker.want(1);
  slow.begun.acquire();
  EXPECT_TRUE(slow.worker.busy());
  slow.worker.cancel();
  EXPECT_FALSE(slow.worker.busy());
  const auto [wish, outcome] = slow.wait_for_end();
  EXPECT_EQ(wish, 1);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().id, ErrorId::cancelled);
}

TEST(NewestWishes, EndWithAnErrorWhenTheyAreCancelledBeforeTheyBegin) {
  Slow slow;
  slow.hold = true;
  slow.worker.want(1);
  slow.begun.acquire();
  slow.worker.want(2);
  slow.worker.cancel();
  const auto [wish, outcome] = slow.wait_for_end();
  EXPECT_EQ(wish, 2);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().id, ErrorId::cancelled);
}

TEST(NewestWishes, CanBeWantedAgainAfterTheyWereTaken) {
  Slow slow;
  slow.worker.want(4);
  slow.wait_for_end();
  slow.worker.want(4);
  EXPECT_EQ(slow.wait_for_end().first, 4);
}

}  // namespace
}  // namespace tilescope
