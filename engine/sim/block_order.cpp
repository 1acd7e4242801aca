#include "engine/sim/block_order.hpp"

#include <algorithm>

namespace tilescope {

BlockOrder::State& BlockOrder::state(uint32_t block) {
  auto& place = states_[block];
  if (place == nullptr) place = std::make_unique<State>();
  return *place;
}

void BlockOrder::barrier(uint32_t block) {
  State& own = state(block);
  own.barrier_time = own.time++;
  if (!own.new_fences) return;
  own.new_fences = false;
  auto fenced = std::make_shared<std::vector<uint32_t>>();
  for (const Fence& fence : own.fences) {
    fenced->push_back(fence.own_time);
    own.fenced_block_time = std::max(own.fenced_block_time, fence.block_time);
  }
  own.fenced = std::move(fenced);
}

void BlockOrder::fence(uint32_t block, uint32_t warp) {
  State& own = state(block);
  if (own.fences.size() <= warp) own.fences.resize(warp + 1);
  own.fences[warp] = {own.time++, own.barrier_time};
  own.new_fences = true;
}

void BlockOrder::acquire(uint32_t block, uint64_t place) {
  const auto found = places_.find(place);
  if (found == places_.end()) return;
  State& own = state(block);
  const auto entries = static_cast<uint32_t>(found->second->entries.size());
  uint32_t& newest = own.newest[found->second.get()];
  if (newest == entries) return;
  newest = entries;
  own.seen.push_back({found->second.get(), entries});
}

void BlockOrder::publish(uint32_t block, uint32_t warp, uint64_t place) {
  State& own = state(block);
  const Fence fence = warp < own.fences.size() ? own.fences[warp] : Fence{};
  if (fence.own_time == 0 && own.fenced == nullptr) return;
  auto& at = places_[place];
  if (at == nullptr) at = std::make_unique<Place>();
  const Entry entry{block,
                    warp,
                    fence.own_time,
                    std::max(fence.block_time, own.fenced_block_time),
                    static_cast<uint32_t>(own.seen.size()),
                    own.fenced};
  auto& of_block = at->of_block[block];
  if (!of_block.empty()) {
    const Entry& last = at->entries[of_block.back()];
    if (last.warp == warp && last.own_time == entry.own_time && last.seen == entry.seen && last.fenced == entry.fenced)
      return;
  }
  of_block.push_back(static_cast<uint32_t>(at->entries.size()));
  at->entries.push_back(entry);
}

bool BlockOrder::is_before(uint32_t block, uint32_t warp, uint32_t time, uint32_t later) const {
  const auto found = states_.find(later);
  if (found == states_.end()) return false;
  const State& own = *found->second;
  if (const auto known = own.known.find(block); known != own.known.end() && known->second >= time) return true;
  struct Step {
    const State* state;
    uint32_t seen;
  };
  std::vector<Step> steps = {{&own, static_cast<uint32_t>(own.seen.size())}};
  std::unordered_map<const State*, uint32_t> looked_at;  // how much of what a block has seen
  std::unordered_map<const Place*, uint32_t> looked_through;
  for (size_t next = 0; next < steps.size(); ++next) {
    const auto [state, seen] = steps[next];
    uint32_t& done = looked_at[state];
    for (uint32_t i = seen; i-- > done;) {
      const auto& [place, entries] = state->seen[i];
      if (const auto of_block = place->of_block.find(block); of_block != place->of_block.end()) {
        for (uint32_t index : of_block->second) {
          if (index >= entries) break;
          const Entry& entry = place->entries[index];
          if (entry.block_time >= time) {
            uint32_t& known = own.known[block];
            known = std::max(known, entry.block_time);
            return true;
          }
          if (entry.warp == warp && entry.own_time >= time) return true;
          if (entry.fenced != nullptr && warp < entry.fenced->size() && (*entry.fenced)[warp] >= time) return true;
        }
      }
      uint32_t& through = looked_through[place];
      for (; through < entries; ++through) {
        const Entry& entry = place->entries[through];
        if (entry.seen != 0) steps.push_back({states_.at(entry.block).get(), entry.seen});
      }
    }
    done = std::max(done, seen);
  }
  return false;
}

}  // namespace tilescope
