#include "engine/sim/state/observe.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/traffic/access/coalesce.hpp"
#include "engine/traffic/access/shared_banks.hpp"

namespace tilescope {
namespace {

/// No extent is larger, so lanes farther apart than this cannot all be in one extent.
constexpr int64_t kFarthest = int64_t{1} << (kRegionBits - 1);

uint64_t pattern_hash(const LanePattern& delta, uint32_t mask, uint32_t bytes_per_lane) {
  uint64_t hash = (uint64_t{mask} << 8 | bytes_per_lane) * 0x9e3779b97f4a7c15;
  for (int64_t lane : delta) {
    hash ^= static_cast<uint64_t>(lane);
    hash *= 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  return hash;
}

/// The lanes' addresses for a base equal to `base` modulo 128.
std::array<uint64_t, 32> lane_addresses(const AccessPattern& pattern, uint64_t base) {
  std::array<uint64_t, 32> address{};
  for (size_t lane = 0; lane < 32; ++lane)
    address[lane] = (uint64_t{1} << 62) + base % kLineBytes + static_cast<uint64_t>(pattern.delta[lane]);
  return address;
}

void describe(AccessPattern& pattern) {
  bool contiguous = true, uniform = true;
  const auto first = static_cast<int64_t>(std::countr_zero(pattern.mask));
  for (uint32_t left = pattern.mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    const int64_t delta = pattern.delta[lane];
    pattern.lowest = std::min(pattern.lowest, delta);
    pattern.end = std::max(pattern.end, delta);
    pattern.low_bits |= static_cast<uint64_t>(delta);
    pattern.narrow_delta[lane] = static_cast<int32_t>(delta);
    uniform = uniform && delta == 0;
    contiguous = contiguous && delta == (static_cast<int64_t>(lane) - first) * pattern.bytes_per_lane;
  }
  pattern.bounded = pattern.lowest > -kFarthest && pattern.end < kFarthest;
  if (pattern.bounded) pattern.end += pattern.bytes_per_lane;
  pattern.narrow = pattern.lowest >= INT32_MIN && pattern.end <= INT32_MAX;
  pattern.lanes = static_cast<uint32_t>(std::popcount(pattern.mask));
  pattern.shape = contiguous ? AccessPattern::Shape::contiguous
                  : uniform  ? AccessPattern::Shape::uniform
                             : AccessPattern::Shape::scattered;
  pattern.useful_bytes = coalesce(lane_addresses(pattern, 0), pattern.mask, pattern.bytes_per_lane).useful_bytes;
}

}  // namespace

AccessPattern* PatternMemo::find(const uint64_t* addresses, uint64_t base, uint32_t mask, uint32_t bytes_per_lane) {
  LanePattern delta{};
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(left));
    delta[lane] = static_cast<int64_t>(addresses[lane] - base);
  }
  const uint64_t hash = pattern_hash(delta, mask, bytes_per_lane);
  for (const auto& pattern : patterns_[hash])
    if (pattern->mask == mask && pattern->bytes_per_lane == bytes_per_lane && pattern->delta == delta)
      return pattern.get();
  if (count_ >= kMostPatterns) {
    if (before_forgetting_) before_forgetting_();
    patterns_.clear();
    count_ = 0;
    ++generation_;
  }
  auto pattern = std::make_unique<AccessPattern>();
  pattern->delta = delta;
  pattern->mask = mask;
  pattern->bytes_per_lane = bytes_per_lane;
  describe(*pattern);
  ++count_;
  return patterns_[hash].emplace_back(std::move(pattern)).get();
}

uint32_t count_sectors(AccessPattern& pattern, uint64_t base) {
  const uint32_t sectors = coalesce(lane_addresses(pattern, base), pattern.mask, pattern.bytes_per_lane).sectors;
  pattern.sectors[base % 32] = static_cast<uint8_t>(sectors);
  return sectors;
}

uint32_t count_sectors_past_l1(AccessPattern& source, uint64_t source_base, const AccessPattern& target,
                               uint64_t target_base) {
  const auto source_in_line = static_cast<uint8_t>(source_base % kLineBytes);
  const auto target_in_piece = static_cast<uint8_t>(target_base % kSectorBytes);
  for (const AccessPattern::PastL1& known : source.past_l1)
    if (known.target == &target && known.source_base == source_in_line && known.target_base == target_in_piece)
      return known.sectors;
  const uint32_t sectors =
      sectors_past_l1(lane_addresses(source, source_base), lane_addresses(target, target_base), source.mask);
  constexpr size_t kMostKnown = 64;
  if (source.past_l1.size() == kMostKnown) source.past_l1.clear();
  source.past_l1.push_back({&target, source_in_line, target_in_piece, static_cast<uint8_t>(sectors)});
  return sectors;
}

BankCost count_bank_cost(AccessPattern& pattern, uint64_t base, bool store) {
  const auto cost = [&](uint64_t at) {
    return shared_cost(lane_addresses(pattern, at), pattern.mask, pattern.bytes_per_lane, store);
  };
  const uint32_t wavefronts = cost(base).wavefronts, passes = cost(0).passes;
  BankCost& counted = pattern.bank_costs[store ? 1 : 0][base % 4];
  counted.wavefronts = static_cast<uint16_t>(wavefronts);
  counted.passes = static_cast<uint16_t>(std::min(wavefronts, passes));
  return counted;
}

}  // namespace tilescope
