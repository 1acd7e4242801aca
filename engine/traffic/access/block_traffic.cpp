#include "engine/traffic/access/block_traffic.hpp"

#include <array>
#include <bit>

#include "engine/traffic/access/coalesce.hpp"
#include "engine/traffic/access/shared_banks.hpp"

namespace tilescope {
namespace {

/// The cost of one access, cached: the same pattern at the same offset in its line costs the same.
class AccessCosts {
 public:
  explicit AccessCosts(const AccessTrace& trace) : trace_(trace), newest_(trace.patterns.size(), kNone) {}

  /// target: the write of a copy that bypasses the L1; null for all others.
  const BlockTraffic& of(const Access& access, const Site& site, bool shared, const Access* target) {
    const auto base = static_cast<uint32_t>(access.base % kLineBytes);
    const Key key{access.mask,
                  site.bytes_per_lane,
                  base,
                  target == nullptr ? kNone : target->pattern,
                  target == nullptr ? 0 : static_cast<uint32_t>(target->base % kSectorBytes),
                  shared,
                  lanes_apart(site)};
    uint32_t index = newest_[access.pattern];
    while (index != kNone && !(known_[index].key == key)) index = known_[index].older;
    if (index == kNone) {
      index = static_cast<uint32_t>(known_.size());
      known_.push_back({key, cost_of(access, key, target), newest_[access.pattern]});
      newest_[access.pattern] = index;
    }
    return known_[index].cost;
  }

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  struct Key {
    uint32_t mask, bytes_per_lane, base;
    uint32_t target_pattern, target_base;
    bool shared, apart;
    bool operator==(const Key&) const = default;
  };
  struct Known {
    Key key;
    BlockTraffic cost;
    uint32_t older = kNone;  // of the same pattern
  };

  std::array<uint64_t, 32> addresses_of(const Access& access) const {
    std::array<uint64_t, 32> address{};
    for (uint32_t left = access.mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      address[static_cast<size_t>(lane)] = trace_.address(access, lane);
    }
    return address;
  }

  BlockTraffic cost_of(const Access& access, const Key& key, const Access* target) const {
    const std::array<uint64_t, 32> address = addresses_of(access);
    BlockTraffic cost;
    if (key.shared) {
      const SharedCost shared = shared_cost(address, access.mask, key.bytes_per_lane, key.apart);
      cost.shared_requests = 1;
      cost.shared_wavefronts = shared.wavefronts;
      cost.shared_passes = shared.passes;
    } else {
      const GlobalCost global = coalesce(address, access.mask, key.bytes_per_lane);
      cost.global_requests = 1;
      cost.global_sectors =
          target == nullptr ? global.sectors : sectors_past_l1(address, addresses_of(*target), access.mask);
      cost.global_useful_bytes = global.useful_bytes;
    }
    return cost;
  }

  const AccessTrace& trace_;
  std::vector<uint32_t> newest_;  // by pattern: index into known_
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

/// The write of a cp.async.cg: the warp's next access, at the site after its own. Null if it is not a copy, or if
/// accesses to shared memory are not recorded.
const Access* target_of_copy(const AccessTrace& trace, size_t index) {
  const Access& access = trace.accesses[index];
  const Site& site = trace.sites[access.site];
  if (site.kind != AccessKind::async_copy || site.space == Space::shared ||
      site.ptx.find("cp.async.cg") == std::string::npos)
    return nullptr;
  if (index + 1 == trace.accesses.size()) return nullptr;
  const Access& next = trace.accesses[index + 1];
  return next.block == access.block && next.warp == access.warp && next.site == access.site + 1 ? &next : nullptr;
}

/// Region 1 of the machine's own windows is shared memory, whatever space the instruction names.
constexpr int64_t kSharedRegion = 1 - 16;

}  // namespace

std::vector<BlockTraffic> traffic_of_blocks(const AccessTrace& trace, uint32_t launch, uint64_t blocks) {
  std::vector<BlockTraffic> sums(blocks);
  AccessCosts costs(trace);
  for (size_t i = 0; i < trace.accesses.size(); ++i) {
    const Access& access = trace.accesses[i];
    const Site& site = trace.sites[access.site];
    if (site.launch != launch || access.block >= blocks) continue;
    add(sums[access.block], costs.of(access, site, is_shared(access), target_of_copy(trace, i)));
  }
  return sums;
}

BlockTraffic traffic_of(const AccessTrace& trace, size_t first, size_t last) {
  BlockTraffic sum;
  AccessCosts costs(trace);
  for (size_t i = first; i < last; ++i) {
    const Access& access = trace.accesses[i];
    add(sum, costs.of(access, trace.sites[access.site], is_shared(access), target_of_copy(trace, i)));
  }
  return sum;
}

bool is_shared(const Access& access) { return region_of(access.base).buffer == kSharedRegion; }

bool lanes_apart(const Site& site) {
  return site.kind == AccessKind::store || site.kind == AccessKind::async_copy || site.is_matrix;
}

}  // namespace tilescope
