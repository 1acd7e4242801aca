// A RunResult of a vector add, hand-made from what each rung's lanes must do: the ground truth for testing the views
// without compiler or simulator.
#pragma once

#include <array>
#include <memory>

#include "engine/run_result.hpp"
#include "engine/traffic/access/coalesce.hpp"
#include "engine/traffic/access/ledger.hpp"
#include "engine/traffic/access/tile_map.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

struct VectorAdd {
  int64_t n = 98432;
  uint32_t block = 256;
  uint32_t tiles = 1;        // tiles per block, one after another
  uint32_t vector = 1;       // elements per lane and access
  bool grid_stride = false;  // a block's tiles are one grid apart
  int64_t offset_a = 0;      // elements by which reads of a are shifted
  int64_t spread = 1;        // elements between neighbouring lanes (in all three buffers; the blocks overlap)
  size_t access_budget = size_t{4} << 20;
  uint32_t processors = 132;
};

inline constexpr uint32_t kLineA = 39, kLineB = 40, kLineOut = 41;
inline constexpr uint32_t kTailLineA = 48, kTailLineOut = 49;  // the last block of a vector kernel, element by element

class VectorAddRecorder {
 public:
  explicit VectorAddRecorder(const VectorAdd& shape) : shape_(shape) {
    for (const bool tail : {false, true})
      for (int k = 0; k < 3; ++k) {
        const uint32_t line = tail ? (k == 2 ? kTailLineOut : kTailLineA) : kLineA + static_cast<uint32_t>(k);
        trace_.sites.push_back({.line = line,
                                .file = "kernels/elementwise.cu",
                                .space = Space::global,
                                .kind = k == 2 ? AccessKind::store : AccessKind::load,
                                .bytes_per_lane = tail ? 4 : 4 * shape.vector});
      }
    for (size_t site = 0; site < trace_.sites.size(); ++site)
      counts_.push_back({.site = static_cast<uint16_t>(site), .buffer = static_cast<int32_t>(site % 3)});
  }

  /// One access by one warp; element(lane) is a lane's first element, negative if the lane is inactive.
  template <class Element>
  void access(uint16_t site, uint32_t block, uint32_t warp, const Element& element) {
    const uint32_t bytes = trace_.sites[site].bytes_per_lane;
    std::array<uint64_t, 32> address{};
    Access one{.block = block, .warp = static_cast<uint16_t>(warp), .site = site};
    LanePattern pattern{};
    for (int lane = 0; lane < 32; ++lane) {
      const int64_t at = element(lane);
      if (at < 0) continue;
      const auto index = static_cast<size_t>(lane);
      address[index] = address_of(site % 3, (at + (site % 3 == 0 ? shape_.offset_a : 0)) * 4);
      if (one.mask == 0) one.base = address[index];
      one.mask |= 1U << lane;
      pattern[index] = static_cast<int64_t>(address[index] - one.base);
    }
    if (one.mask == 0) return;
    const GlobalCost cost = coalesce(address, one.mask, bytes);
    SiteCount& count = counts_[site];
    ++count.requests;
    count.lanes += static_cast<uint64_t>(__builtin_popcount(one.mask));
    count.sectors += cost.sectors;
    count.useful_bytes += cost.useful_bytes;
    if (!trace_.complete) return;
    if (trace_.patterns.empty() || trace_.patterns.back() != pattern) trace_.patterns.push_back(pattern);
    one.pattern = static_cast<uint32_t>(trace_.patterns.size() - 1);
    trace_.accesses.push_back(one);
  }

  void end_block() {
    if (trace_.complete) ++trace_.blocks_recorded;
    if (trace_.accesses.size() >= shape_.access_budget) trace_.complete = false;
  }

  std::shared_ptr<RunResult> result(uint32_t grid) {
    auto made = std::make_shared<RunResult>();
    const char* names[] = {"a", "b", "out"};
    for (int k = 0; k < 3; ++k)
      made->plan.buffers.push_back(
          {.name = names[k], .type = DType::f32, .shape = {shape_.n}, .role = k == 2 ? Role::output : Role::input});
    made->plan.source_file = "kernels/elementwise.cu";
    made->plan.launches.push_back({.kernel = "add", .grid = {grid, 1, 1}, .block = {shape_.block, 1, 1}});
    made->device.multiprocessors = shape_.processors;
    made->observed = true;
    Counters counters;
    for (const SiteCount& count : counts_) {
      const bool store = count.site % 3 == 2;
      (store ? counters.global_store_requests : counters.global_load_requests) += count.requests;
      (store ? counters.global_store_sectors : counters.global_load_sectors) += count.sectors;
      (store ? counters.global_store_bytes_useful : counters.global_load_bytes_useful) += count.useful_bytes;
    }
    made->traffic = make_ledger(trace_, counts_, counters, made->plan.buffers);
    made->tiles = make_tile_map(trace_, made->plan.launches[0], 0, made->plan.buffers);
    made->trace = std::move(trace_);
    return made;
  }

 private:
  VectorAdd shape_;
  AccessTrace trace_;
  std::vector<SiteCount> counts_;
};

inline std::shared_ptr<RunResult> make_vector_add(const VectorAdd& shape) {
  VectorAddRecorder recorder(shape);
  const int64_t tile = int64_t{shape.block} * shape.vector;
  const auto grid = static_cast<uint32_t>((shape.n + tile * shape.tiles - 1) / (tile * shape.tiles));
  const uint32_t warps = (shape.block + 31) / 32;
  for (uint32_t block = 0; block < grid; ++block) {
    const bool whole = (int64_t{block} + 1) * tile * shape.tiles <= shape.n;
    const bool by_element = shape.vector > 1 && !whole;
    const uint32_t steps = by_element ? shape.tiles * shape.vector : shape.tiles;
    for (uint32_t step = 0; step < steps; ++step)
      for (uint32_t warp = 0; warp < warps; ++warp)
        for (uint16_t k = 0; k < 3; ++k)
          recorder.access(static_cast<uint16_t>(by_element ? 3 + k : k), block, warp, [&](int lane) -> int64_t {
            const int64_t thread = warp * 32 + static_cast<uint32_t>(lane);
            if (thread >= shape.block) return -1;
            int64_t at = (int64_t{block} * shape.tiles + step) * tile + thread * shape.vector;
            if (shape.grid_stride) at = (int64_t{step} * grid + block) * tile + thread;
            if (by_element) at = int64_t{block} * shape.tiles * tile + int64_t{step} * shape.block + thread;
            at *= shape.spread;
            return at + (by_element ? 1 : shape.vector) <= shape.n ? at : -1;
          });
    recorder.end_block();
  }
  return recorder.result(grid);
}

}  // namespace tilescope::testing
