#include "engine/sim/lower/liveness.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "engine/sim/program/program.hpp"

namespace tilescope {
namespace {

/// Range of positions, in layout order and inclusive, in which a register is in use.
struct Interval {
  uint32_t first = kNoIndex, last = 0;
  void include(uint32_t position) {
    first = std::min(first, position);
    last = std::max(last, position);
  }
};

std::vector<Interval> find_intervals(const ControlFlow& flow, const std::vector<RegisterUse>& uses,
                                     const std::vector<std::vector<bool>>& live, size_t registers) {
  std::vector<Interval> intervals(registers);
  uint32_t position = 0;
  for (uint32_t index : flow.layout) {
    const BasicBlock& block = flow.blocks[index];
    const uint32_t begin = position;
    for (uint32_t i = block.first; i < block.end; ++i, ++position) {
      for (uint32_t reg : uses[i].reads) intervals[reg].include(position);
      for (uint32_t reg : uses[i].writes) intervals[reg].include(position);
    }
    const uint32_t end = position == begin ? begin : position - 1;
    for (size_t reg = 0; reg < registers; ++reg) {
      if (live[index][reg]) intervals[reg].include(begin);
      for (uint32_t successor : block.successors)
        if (live[successor][reg]) intervals[reg].include(end);
    }
    if (position == begin) ++position;  // an empty block has a position too
  }
  return intervals;
}

/// Positions, in the same numbering, at which the functions begin.
std::vector<uint32_t> entry_positions(const ControlFlow& flow) {
  std::vector<uint32_t> entries;
  uint32_t position = 0;
  for (uint32_t index : flow.layout) {
    if (std::find(flow.entries.begin(), flow.entries.end(), index) != flow.entries.end()) entries.push_back(position);
    const BasicBlock& block = flow.blocks[index];
    position += std::max(1U, block.end - block.first);
  }
  return entries;
}

/// Assigns slots of one width, each to one register at a time.
class SlotPool {
 public:
  uint32_t take(const Interval& interval) {
    // Reuses the slot that has been free the longest.
    if (!busy_.empty() && busy_.begin()->first < interval.first) {
      const uint32_t slot = busy_.begin()->second;
      busy_.erase(busy_.begin());
      busy_.emplace(interval.last, slot);
      return slot;
    }
    busy_.emplace(interval.last, count_);
    return count_++;
  }
  uint32_t count() const { return count_; }
  /// Slots in use stay occupied.
  void close() { busy_.clear(); }

 private:
  std::multimap<uint32_t, uint32_t> busy_;  // end of the use → slot
  uint32_t count_ = 0;
};

constexpr std::array<uint32_t, 5> kWidths = {16, 8, 4, 2, 0};  // bytes; 0: predicates
constexpr size_t kPredicates = 4;

size_t pool_of(uint32_t bytes) {
  if (bytes == 1) return 3;
  return static_cast<size_t>(std::find(kWidths.begin(), kWidths.end(), bytes) - kWidths.begin());
}

}  // namespace

std::vector<std::vector<bool>> live_at_begin(const PtxFunction& function, const ControlFlow& flow,
                                             const std::vector<RegisterUse>& uses) {
  const size_t registers = function.registers.size();
  std::vector<std::vector<bool>> live(flow.blocks.size(), std::vector<bool>(registers, false));
  for (bool changed = true; changed;) {
    changed = false;
    for (auto index = flow.layout.rbegin(); index != flow.layout.rend(); ++index) {
      const BasicBlock& block = flow.blocks[*index];
      std::vector<bool> needed(registers, false);
      for (uint32_t successor : block.successors)
        for (size_t reg = 0; reg < registers; ++reg)
          if (live[successor][reg]) needed[reg] = true;
      for (uint32_t i = block.end; i-- > block.first;) {
        if (!uses[i].guarded)
          for (uint32_t reg : uses[i].writes) needed[reg] = false;
        for (uint32_t reg : uses[i].reads) needed[reg] = true;
      }
      if (needed != live[*index]) {
        live[*index] = std::move(needed);
        changed = true;
      }
    }
  }
  return live;
}

std::vector<bool> live_behind(const PtxFunction& function, const ControlFlow& flow,
                              const std::vector<RegisterUse>& uses, const std::vector<std::vector<bool>>& live,
                              uint32_t instruction) {
  const auto after = std::upper_bound(flow.blocks.begin(), flow.blocks.end(), instruction,
                                      [](uint32_t at, const BasicBlock& block) { return at < block.first; });
  const BasicBlock& block = *(after - 1);
  std::vector<bool> needed(function.registers.size(), false);
  for (uint32_t successor : block.successors)
    for (size_t reg = 0; reg < needed.size(); ++reg)
      if (live[successor][reg]) needed[reg] = true;
  for (uint32_t i = block.end; i-- > instruction + 1;) {
    if (!uses[i].guarded)
      for (uint32_t reg : uses[i].writes) needed[reg] = false;
    for (uint32_t reg : uses[i].reads) needed[reg] = true;
  }
  return needed;
}

Result<RegisterSlots> assign_slots(const PtxFunction& function, const ControlFlow& flow,
                                   const std::vector<RegisterUse>& uses) {
  constexpr size_t kMostBits = size_t{1} << 31;  // limit on liveness bits: 256 MiB
  const size_t registers = function.registers.size();
  if (registers * flow.blocks.size() > kMostBits)
    return fail(ErrorId::ptx_syntax, 0, "the kernel is too large for the simulator");
  const auto live = live_at_begin(function, flow, uses);
  const auto intervals = find_intervals(flow, uses, live, registers);

  std::vector<uint32_t> order;
  for (uint32_t reg = 0; reg < registers; ++reg)
    if (intervals[reg].first != kNoIndex) order.push_back(reg);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return intervals[a].first != intervals[b].first ? intervals[a].first < intervals[b].first : a < b;
  });
  std::array<SlotPool, kWidths.size()> pools;
  RegisterSlots result;
  std::vector<uint32_t> place(registers, 0);
  const auto entries = entry_positions(flow);
  size_t entered = 0;
  for (uint32_t reg : order) {
    for (; entered < entries.size() && entries[entered] <= intervals[reg].first; ++entered)
      for (SlotPool& pool : pools) pool.close();
    place[reg] = pools[pool_of(function.registers[reg].bytes)].take(intervals[reg]);
  }

  // Wide slots first, so that each is aligned to its own size.
  std::array<uint32_t, kWidths.size()> base{}, units{};
  for (size_t pool = 0; pool < kPredicates; ++pool) {
    units[pool] = kWidths[pool] * 32 / static_cast<uint32_t>(kSlotBytes);
    base[pool] = result.slots;
    result.slots += pools[pool].count() * units[pool];
  }
  result.predicates = 1 + pools[kPredicates].count();
  constexpr uint32_t kReserved = 64;  // for the special registers of a warp
  if (result.slots + kReserved >= kUniformSlot || result.predicates >= kUniformSlot / 2)
    return fail(ErrorId::ptx_syntax, 0, "the kernel needs more registers than the simulator has");
  result.slot.assign(registers, 0);
  for (uint32_t reg : order) {
    const size_t pool = pool_of(function.registers[reg].bytes);
    result.slot[reg] =
        static_cast<uint16_t>(pool == kPredicates ? 1 + place[reg] : base[pool] + place[reg] * units[pool]);
  }
  for (uint32_t reg = 0; reg < registers; ++reg)
    if (std::any_of(flow.entries.begin(), flow.entries.end(), [&](uint32_t entry) { return live[entry][reg]; }))
      result.at_entry.push_back(reg);
  return result;
}

}  // namespace tilescope
