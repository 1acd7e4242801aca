#include "engine/traffic/block_traffic.hpp"

#include <array>
#include <bit>

#include "engine/traffic/coalesce.hpp"
#include "engine/traffic/shared_banks.hpp"

namespace tilescope {
namespace {

/// What one access costs; the same pattern at the same place in its line costs the same.
class AccessCosts {
 public:
  explicit AccessCosts(const AccessTrace& trace) : trace_(trace), newest_(trace.patterns.size(), kNone) {}

  const BlockTraffic& of(const Access& access, const Site& site, bool shared) {
    const auto base = static_cast<uint32_t>(access.base % kLineBytes);
    // The lanes of a store never share a pass, nor do the matrices of an ldmatrix, nor copies.
    const bool apart = site.kind == AccessKind::store || site.kind == AccessKind::async_copy || site.is_matrix;
    const Key key{access.mask, site.bytes_per_lane, base, shared, apart};
    uint32_t index = newest_[access.pattern];
    while (index != kNone && !(known_[index].key == key)) index = known_[index].older;
    if (index == kNone) {
      index = static_cast<uint32_t>(known_.size());
      known_.push_back({key, cost_of(access, key), newest_[access.pattern]});
      newest_[access.pattern] = index;
    }
    return known_[index].cost;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  struct Key {
    uint32_t mask, bytes_per_lane, base;
    bool shared, apart;
    bool operator==(const Key&) const = default;
  };
  struct Known {
    Key key;
    BlockTraffic cost;
    uint32_t older = kNone;  // of the same pattern
  };

  BlockTraffic cost_of(const Access& access, const Key& key) const {
    std::array<uint64_t, 32> address{};
    for (uint32_t left = access.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      address[static_cast<size_t>(lane)] = trace_.address(access, lane);
    }
    BlockTraffic cost;
    if (key.shared) {
      const SharedCost shared = shared_cost(address, access.mask, key.bytes_per_lane, key.apart);
      cost.shared_requests = 1;
      cost.shared_wavefronts = shared.wavefronts;
      cost.shared_passes = shared.passes;
    } else {
      const GlobalCost global = coalesce(address, access.mask, key.bytes_per_lane);
      cost.global_requests = 1;
      cost.global_sectors = global.sectors;
      cost.global_useful_bytes = global.useful_bytes;
    }
    return cost;
  }

  const AccessTrace& trace_;
  std::vector<uint32_t> newest_;  // by pattern: into known_
  std::vector<Known> known_;
};

void add(BlockTraffic& sum, const BlockTraffic& cost) {
  sum.global_requests += cost.global_requests;
  sum.global_sectors += cost.global_sectors;
  sum.global_useful_bytes += cost.global_useful_bytes;
  sum.shared_requests += cost.shared_requests;
  sum.shared_wavefronts += cost.shared_wavefronts;
  sum.shared_passes += cost.shared_passes;
}

/// Region 1 of the machine's own windows is shared memory, whatever space the instruction names.
constexpr int64_t kSharedRegion = 1 - 16;

}  // namespace

std::vector<BlockTraffic> traffic_of_blocks(const AccessTrace& trace, uint32_t launch, uint64_t blocks) {
  std::vector<BlockTraffic> sums(blocks);
  AccessCosts costs(trace);
  for (const Access& access : trace.accesses) {
    const Site& site = trace.sites[access.site];
    if (site.launch != launch || access.block >= blocks) continue;
    const bool shared = region_of(access.base).buffer == kSharedRegion;
    add(sums[access.block], costs.of(access, site, shared));
  }
  return sums;
}

}  // namespace tilescope
