// Where the SMs of a GPU are: in graphics processing clusters (GPCs), and in these in parts (CPCs) that share a path to
// the L2. The SMs are numbered in the order in which the first wave of blocks fills them, one cluster after the other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilescope {

class GpuClusters {
 public:
  /// gpcs: the SMs of each cluster (GpuSpec::gpcs); if empty, 16 each.
  explicit GpuClusters(uint32_t multiprocessors, std::span<const uint32_t> gpcs = {});

  uint32_t multiprocessors() const { return static_cast<uint32_t>(places_.size()); }
  uint32_t count() const { return static_cast<uint32_t>(sizes_.size()); }
  uint32_t gpc_of(uint32_t multiprocessor) const { return places_[multiprocessor].gpc; }
  /// How many SMs its GPC has, and how many its CPC; 0 if that is not known.
  uint32_t in_gpc(uint32_t multiprocessor) const { return is_known_ ? sizes_[gpc_of(multiprocessor)] : 0; }
  uint32_t in_cpc(uint32_t multiprocessor) const { return places_[multiprocessor].in_cpc; }

 private:
  struct Place {
    uint32_t gpc = 0, in_cpc = 0;
  };
  const bool is_known_;
  std::vector<uint32_t> sizes_;  // by GPC
  std::vector<Place> places_;    // by SM
};

}  // namespace tilescope
