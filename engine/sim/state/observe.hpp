// What is observed about memory accesses while blocks run: the offsets of an access's lanes from each other, and their
// cost in sectors and wavefronts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "engine/trace.hpp"

namespace tilescope {

/// The cost of an access to shared memory.
struct BankCost {
  uint16_t wavefronts = 0;  // 0: not yet counted
  uint16_t passes = 0;      // passes over the banks with an active lane: the number of wavefronts without conflicts
};

/// The relative addresses of 32 lanes, with all facts that do not depend on the base address.
struct AccessPattern {
  enum class Shape : uint8_t { contiguous, uniform, scattered };

  alignas(64) LanePattern delta{};                     // 0 for inactive lanes
  alignas(64) std::array<int32_t, 32> narrow_delta{};  // the same in 32 bits, if `narrow` says that they fit
  int64_t lowest = 0;                                  // smallest delta
  int64_t end = 0;                                     // largest delta + bytes per lane
  uint64_t low_bits = 0;                               // all deltas or-ed: their alignment
  uint32_t mask = 0;
  uint32_t bytes_per_lane = 0;
  Shape shape = Shape::scattered;
  bool bounded = false;  // false: too far apart to fit in any extent
  bool narrow = false;
  uint32_t lanes = 0;
  uint32_t useful_bytes = 0;          // distinct bytes
  std::array<uint8_t, 32> sectors{};  // by address of the lowest active lane modulo 32; 0: not yet counted
  std::array<std::array<BankCost, 4>, 2> bank_costs{};  // for a shared load, for a store; by the same address modulo 4
  uint64_t record = 0;                                  // the last record that contains it, and its number there
  uint32_t number = 0;
  enum class Granules : uint8_t { unknown, mask, scattered };
  Granules granules_form = Granules::unknown;
  std::vector<uint64_t> granules = {};  // for Granules::mask: those touched in shared memory, from the lowest one on
  struct PastL1 {                       // as the source of a cp.async.cg
    const AccessPattern* target;        // becomes invalid when this pattern does
    uint8_t source_base, target_base;   // modulo 128 and 32
    uint8_t sectors;
  };
  std::vector<PastL1> past_l1 = {};
};

/// The memo of patterns of one host thread.
class PatternMemo {
 public:
  /// The pattern of the lanes in `mask`, relative to `base`; valid until `generation` changes.
  AccessPattern* find(const uint64_t* addresses, uint64_t base, uint32_t mask, uint32_t bytes_per_lane);
  uint64_t generation() const { return generation_; }
  /// Called before all patterns are dropped.
  void set_before_forgetting(std::function<void()> call) { before_forgetting_ = std::move(call); }

 private:
  static constexpr size_t kMostPatterns = 1 << 15;  // beyond this all are dropped: the kernel's accesses do not repeat
  std::unordered_map<uint64_t, std::vector<std::unique_ptr<AccessPattern>>> patterns_;
  size_t count_ = 0;
  uint64_t generation_ = 0;
  std::function<void()> before_forgetting_;
};

/// These fill in the counts on first use.
uint32_t count_sectors(AccessPattern& pattern, uint64_t base);
/// The sectors of a cp.async.cg, for lanes that all write.
uint32_t count_sectors_past_l1(AccessPattern& source, uint64_t source_base, const AccessPattern& target,
                               uint64_t target_base);
BankCost count_bank_cost(AccessPattern& pattern, uint64_t base, bool store);

}  // namespace tilescope
