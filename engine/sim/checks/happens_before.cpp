#include "engine/sim/checks/happens_before.hpp"

#include <algorithm>

namespace tilescope {

HappensBefore::State& HappensBefore::state(uint32_t block) {
  auto& place = states_[block];
  if (place == nullptr) place = std::make_unique<State>();
  return *place;
}

void HappensBefore::barrier(uint32_t block) {
  State& own = state(block);
  own.met_time = own.barrier_time = own.time++;
  own.seen_by_all = static_cast<uint32_t>(own.seen.size());
  if (!own.new_fences) return;
  own.new_fences = false;
  auto fenced = std::make_shared<std::vector<uint32_t>>();
  for (const Fence& fence : own.fences) {
    fenced->push_back(fence.own_time);
    own.fenced_block_time = std::max(own.fenced_block_time, fence.block_time);
  }
  own.fenced = std::move(fenced);
}

void HappensBefore::fence(uint32_t block, uint32_t warp) {
  State& own = state(block);
  if (own.fences.size() <= warp) own.fences.resize(warp + 1);
  own.fences[warp] = {own.time++, own.barrier_time};
  own.new_fences = true;
}

void HappensBefore::meet(uint32_t block) {
  State& own = state(block);
  own.met_time = own.time;
  own.seen_by_all = static_cast<uint32_t>(own.seen.size());
}

void HappensBefore::acquire(uint32_t block, uint32_t warp, uint64_t place) {
  const auto found = places_.find(place);
  if (found == places_.end()) return;
  const Place& at = *found->second;
  const auto end = static_cast<uint32_t>(at.entries.size());
  if (at.first == end) return;
  State& own = state(block);
  std::vector<uint32_t>& newest = own.newest[&at];
  if (newest.size() <= warp) newest.resize(warp + 1);
  if (newest[warp] == end) return;
  newest[warp] = end;
  own.seen.push_back({&at, at.first, end, warp});
}

void HappensBefore::publish(uint32_t block, uint32_t warp, uint64_t place, bool replaces) {
  State& own = state(block);
  const Fence fence = warp < own.fences.size() ? own.fences[warp] : Fence{};
  const bool is_silent = fence.own_time == 0 && own.fenced == nullptr;
  if (is_silent && !replaces) return;
  auto found = places_.find(place);
  if (found == places_.end()) {
    if (is_silent) return;
    found = places_.emplace(place, std::make_unique<Place>()).first;
  }
  Place& at = *found->second;
  const auto end = static_cast<uint32_t>(at.entries.size());
  if (is_silent) {
    at.first = end;
    return;
  }
  const Entry entry{block,
                    warp,
                    fence.own_time,
                    std::max(fence.block_time, own.fenced_block_time),
                    static_cast<uint32_t>(own.seen.size()),
                    own.seen_by_all,
                    own.fenced};
  auto& of_block = at.of_block[block];
  if (!of_block.empty()) {
    const Entry& last = at.entries[of_block.back()];
    const bool is_same = last.warp == warp && last.own_time == entry.own_time && last.seen == entry.seen &&
                         last.seen_by_all == entry.seen_by_all && last.fenced == entry.fenced;
    if (is_same && (replaces ? of_block.back() + 1 == end : of_block.back() >= at.first)) {
      if (replaces) at.first = end - 1;
      return;
    }
  }
  if (replaces) at.first = end;
  of_block.push_back(end);
  at.entries.push_back(entry);
}

/// Searches backwards from what a warp has seen to its publisher, and to what that warp had seen.
struct HappensBefore::Search {
  struct Step {
    const State* state;
    uint32_t warp, seen, by_all;
  };
  struct Range {
    uint32_t first = 0, end = 0;
  };
  const std::unordered_map<uint32_t, std::unique_ptr<State>>& states;
  uint32_t block, warp, time;  // of the action that is searched for
  std::vector<Step> steps;
  std::unordered_map<uint64_t, Range> looked_at;  // by block state and warp: seen_by_all and seen
  std::unordered_map<const Place*, Range> looked_through;
  uint32_t found_time = 0;  // all actions of the block up to this time are found

  bool is_in(const Entry& entry) {
    if (entry.block_time >= time) {
      found_time = entry.block_time;
      return true;
    }
    if (entry.warp == warp && entry.own_time >= time) return true;
    return entry.fenced != nullptr && warp < entry.fenced->size() && (*entry.fenced)[warp] >= time;
  }
  bool is_in(const Seen& seen) {
    const auto of_block = seen.place->of_block.find(block);
    if (of_block == seen.place->of_block.end()) return false;
    const auto& indices = of_block->second;
    for (auto index = std::lower_bound(indices.begin(), indices.end(), seen.first);
         index != indices.end() && *index < seen.end; ++index)
      if (is_in(seen.place->entries[*index])) return true;
    return false;
  }
  void follow(const Place& place, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; ++i) {
      const Entry& entry = place.entries[i];
      if (entry.seen != 0) steps.push_back({states.at(entry.block).get(), entry.warp, entry.seen, entry.seen_by_all});
    }
  }
  void follow(const Seen& seen) {
    Range& done = looked_through[seen.place];
    if (done.end <= seen.first || seen.end <= done.first) {
      follow(*seen.place, seen.first, seen.end);
      done = {seen.first, seen.end};
      return;
    }
    if (seen.first < done.first) follow(*seen.place, seen.first, done.first);
    if (done.end < seen.end) follow(*seen.place, done.end, seen.end);
    done = {std::min(done.first, seen.first), std::max(done.end, seen.end)};
  }
  bool take(const Step& step) {
    const uint64_t key = reinterpret_cast<uintptr_t>(step.state) * 64 + step.warp;
    Range& done = looked_at[key];
    const Range old = done;
    done = {std::max(old.first, step.by_all), std::max(old.end, step.seen)};
    for (uint32_t i = step.seen; i-- > old.first;) {  // the most recently seen entry usually leads there soonest
      const Seen& seen = step.state->seen[i];
      const bool is_own = seen.warp == step.warp;
      if (is_own ? i < old.end : i >= step.by_all) continue;
      if (is_in(seen)) return true;
      follow(seen);
    }
    return false;
  }
};

bool HappensBefore::is_before(uint32_t block, uint32_t warp, uint32_t time, uint32_t later, uint32_t later_warp) const {
  const auto found = states_.find(later);
  if (found == states_.end()) return false;
  const State& own = *found->second;
  if (block == later) return warp == later_warp || own.met_time >= time;
  // Usually all of the block knows it, and the result is cached for all of its warps.
  constexpr uint32_t kAnyWarp = 32;
  const auto all = static_cast<uint32_t>(own.seen.size());
  for (const uint32_t as : {kAnyWarp, later_warp}) {
    const uint32_t seen = as == kAnyWarp ? own.seen_by_all : all;
    if (as != kAnyWarp && own.seen_by_all == all) return false;  // it has seen no more than the others
    const uint64_t key = uint64_t{block} * (kAnyWarp + 1) + as;
    if (const auto known = own.known.find(key); known != own.known.end() && known->second >= time) return true;
    Search search{states_, block, warp, time, {}, {}, {}};
    search.steps.push_back({&own, as, seen, own.seen_by_all});
    for (size_t next = 0; next < search.steps.size(); ++next) {
      const Search::Step step = search.steps[next];
      if (!search.take(step)) continue;
      if (search.found_time != 0) {
        uint32_t& known = own.known[key];
        known = std::max(known, search.found_time);
      }
      return true;
    }
  }
  return false;
}

}  // namespace tilescope
