#include "engine/traffic/block_order/gpu_clusters.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace tilescope {
namespace {

constexpr uint32_t kUsualGpc = 16;  // SMs: up to 16 on an A100, 16 or 18 on an H100

// Traced on an H100: consecutive pairs of SMs belong to different CPCs in turn, so a GPC of 16 SMs has CPCs of 6, 6
// and 4.
constexpr uint32_t kCpcs = 3;
constexpr uint32_t cpc_of(uint32_t place_in_gpc) { return place_in_gpc / 2 % kCpcs; }

/// GPCs of the usual size; the last one takes the rest.
std::vector<uint32_t> usual_gpcs(uint32_t multiprocessors) {
  std::vector<uint32_t> sizes(std::max(1U, multiprocessors / kUsualGpc), kUsualGpc);
  sizes.back() = multiprocessors - kUsualGpc * static_cast<uint32_t>(sizes.size() - 1);
  return sizes;
}

}  // namespace

GpuClusters::GpuClusters(uint32_t multiprocessors, std::span<const uint32_t> gpcs)
    : is_known_(std::accumulate(gpcs.begin(), gpcs.end(), 0U) == multiprocessors),
      sizes_(is_known_ ? std::vector(gpcs.begin(), gpcs.end()) : usual_gpcs(multiprocessors)) {
  for (uint32_t gpc = 0; gpc < sizes_.size(); ++gpc) {
    std::array<uint32_t, kCpcs> cpcs{};
    for (uint32_t place = 0; place < sizes_[gpc]; ++place) ++cpcs[cpc_of(place)];
    for (uint32_t place = 0; place < sizes_[gpc]; ++place)
      places_.push_back({gpc, is_known_ ? cpcs[cpc_of(place)] : 0});
  }
}

}  // namespace tilescope
