#include "engine/traffic/block_order/replay_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace tilescope {
namespace {

/// The same cache by its definition: a list, searched from the front.
struct ListOfUnits {
  uint64_t capacity;
  std::vector<uint32_t> bytes, recent = {};

  uint64_t read(uint32_t unit) {
    const auto found = std::find(recent.begin(), recent.end(), unit);
    const uint64_t missed = found == recent.end() ? bytes[unit] : 0;
    if (missed == 0) recent.erase(found);
    recent.insert(recent.begin(), unit);
    while (used() > capacity) recent.pop_back();
    return missed;
  }
  uint64_t used() const {
    uint64_t sum = 0;
    for (const uint32_t unit : recent) sum += bytes[unit];
    return sum;
  }
};

TEST(ReplayCache, OnePartitionReplacesWhatWasUsedLongestAgo) {
  std::mt19937 random(7);
  std::vector<uint32_t> bytes(40);
  for (uint32_t& one : bytes) one = 32 * (1 + random() % 64);
  ReplayCache cache(16384, 1, bytes);
  ListOfUnits list{16384, bytes};
  uint64_t missed = 0;
  for (int i = 0; i < 20000; ++i) {
    const uint32_t unit = std::min(random() % 40, random() % 40);
    const uint64_t got = cache.read(0, unit);
    ASSERT_EQ(got, list.read(unit)) << "read " << i;
    missed += got;
  }
  EXPECT_GT(missed, 100000U) << "the sequence must not fit";
}

TEST(ReplayCache, WhatBothSidesUseIsReadOnceAndTakesItsPlaceTwice) {
  const std::vector<uint32_t> bytes(4, 16384);  // spread over both partitions
  ReplayCache cache(4 * 16384, 2, bytes);       // 32 KiB each
  for (uint32_t unit = 0; unit < 2; ++unit) {
    EXPECT_EQ(cache.read(0, unit), 16384U);
    EXPECT_EQ(cache.read(1, unit), 0U) << "the half that belongs to side 0 is found there, the other was fetched";
  }
  for (uint32_t unit = 0; unit < 2; ++unit) EXPECT_EQ(cache.read(0, unit) + cache.read(1, unit), 0U) << "two fit";
  // A third one would fit if nothing were stored twice.
  cache.read(0, 2);
  cache.read(1, 2);
  EXPECT_EQ(cache.read(0, 0), 16384U);
}

TEST(ReplayCache, WhatOneSideAloneUsesTakesMoreThanItsOwnPartition) {
  const std::vector<uint32_t> bytes(2, 16384);
  ReplayCache cache(4 * 16384, 2, bytes);
  EXPECT_EQ(cache.read(0, 0), 16384U);
  EXPECT_EQ(cache.read(0, 1), 16384U);
  EXPECT_EQ(cache.read(0, 0) + cache.read(0, 1), 0U);
}

TEST(ReplayCache, WritesReachDeviceMemoryOnceHoweverOftenTheyHit) {
  const std::vector<uint32_t> bytes(3, 1024);
  ReplayCache cache(2048, 1, bytes);
  for (int i = 0; i < 5; ++i) cache.write(0);
  cache.write(1);
  cache.write(2);  // replaces 0
  EXPECT_EQ(cache.read(0, 0), 1024U) << "replaces 1";
  const std::vector<uint64_t> written = cache.write_back();
  EXPECT_EQ(written, (std::vector<uint64_t>{1024, 1024, 1024}));
}

TEST(ReplayCache, AUnitLargerThanTheCachePassesThrough) {
  const std::vector<uint32_t> bytes{4096, 512};
  ReplayCache cache(1024, 1, bytes);
  EXPECT_EQ(cache.read(0, 1), 512U);
  EXPECT_EQ(cache.read(0, 0), 4096U);
  EXPECT_EQ(cache.read(0, 0), 4096U);
  EXPECT_EQ(cache.read(0, 1), 0U);
}

}  // namespace
}  // namespace tilescope
