// What is observed about memory accesses while blocks run: how the lanes of an access lie to one another, and what that
// costs in sectors and wavefronts.
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

/// What an access to shared memory costs.
struct BankCost {
  uint16_t wavefronts = 0;  // 0: not yet counted
  uint16_t passes = 0;      // over the banks, with an active lane: as many as there would be without conflicts
};

/// How 32 lanes lie to one another, with everything that can be said of it before the base address is known.
struct AccessPattern {
  enum class Shape : uint8_t { contiguous, uniform, scattered };

  alignas(64) LanePattern delta{};                     // of inactive lanes 0
  alignas(64) std::array<int32_t, 32> narrow_delta{};  // the same, where `narrow` says that they fit
  int64_t lowest = 0;                                  // smallest delta
  int64_t end = 0;                                     // largest delta, and the bytes of its lane
  uint64_t low_bits = 0;                               // all deltas or-ed: their alignment
  uint32_t mask = 0;
  uint32_t bytes_per_lane = 0;
  Shape shape = Shape::scattered;
  bool bounded = false;  // false: so far apart that no extent can hold it
  bool narrow = false;
  uint32_t lanes = 0;
  uint32_t useful_bytes = 0;          // distinct bytes
  std::array<uint8_t, 32> sectors{};  // by address of the lowest active lane modulo 32; 0: not yet counted
  std::array<std::array<BankCost, 4>, 2> bank_costs{};  // of a shared load, of a store; by the same modulo 4
  uint64_t record = 0;                                  // the last record that has it, and its number there
  uint32_t number = 0;
  enum class Granules : uint8_t { unknown, mask, scattered };
  Granules granules_form = Granules::unknown;
  std::vector<uint64_t> granules = {};  // of a mask: those that it touches in shared memory, from the lowest one on
  struct PastL1 {                       // as the source of a cp.async.cg
    const AccessPattern* target;        // forgotten when this pattern is
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
  /// Is called before all patterns are forgotten.
  void set_before_forgetting(std::function<void()> call) { before_forgetting_ = std::move(call); }

 private:
  static constexpr size_t kMostPatterns = 1 << 15;  // then all are forgotten: the kernel's accesses do not repeat
  std::unordered_map<uint64_t, std::vector<std::unique_ptr<AccessPattern>>> patterns_;
  size_t count_ = 0;
  uint64_t generation_ = 0;
  std::function<void()> before_forgetting_;
};

/// Fills in what is counted on first use.
uint32_t count_sectors(AccessPattern& pattern, uint64_t base);
/// The sectors of a cp.async.cg, of lanes that all write.
uint32_t count_sectors_past_l1(AccessPattern& source, uint64_t source_base, const AccessPattern& target,
                               uint64_t target_base);
BankCost count_bank_cost(AccessPattern& pattern, uint64_t base, bool store);

}  // namespace tilescope
