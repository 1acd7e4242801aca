#include "engine/traffic/turn_queue.hpp"

#include <gtest/gtest.h>

#include <queue>
#include <random>

namespace tilescope {
namespace {

struct Later {
  bool operator()(const Turn& a, const Turn& b) const { return b < a; }
};

TEST(TurnQueue, GivesTurnsInTheOrderOfTimeAndRankLikeAHeap) {
  std::mt19937 random(3);
  for (const double spread : {0.0, 0.02, 0.8}) {
    constexpr uint32_t kPlaces = 100;
    std::vector<double> pace(kPlaces);
    for (double& one : pace) one = 1 + spread * (random() / 4294967296.0 - 0.5);
    const auto [shortest, longest] = std::minmax_element(pace.begin(), pace.end());
    TurnQueue queue(*shortest, *longest);
    std::priority_queue<Turn, std::vector<Turn>, Later> heap;
    for (uint32_t place = 0; place < kPlaces; ++place) {
      queue.push({0, kPlaces - place, place});
      heap.push({0, kPlaces - place, place});
    }
    for (int taken = 0; taken < 20000;) {
      for (const Turn& turn : queue.next()) {
        ASSERT_EQ(turn.place, heap.top().place) << taken;
        ASSERT_EQ(turn.time, heap.top().time);
        heap.pop();
        ++taken;
        const Turn next{turn.time + pace[turn.place], turn.rank, turn.place};
        queue.push(next);
        heap.push(next);
      }
    }
  }
}

TEST(TurnQueue, IsEmptyOnceNobodyComesBack) {
  TurnQueue queue(1, 1);
  queue.push({0, 0, 0});
  queue.push({0.9, 1, 1});
  ASSERT_EQ(queue.next().size(), 1U);
  const std::vector<Turn>& second = queue.next();
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].place, 1U);
  EXPECT_TRUE(queue.next().empty());
}

}  // namespace
}  // namespace tilescope
