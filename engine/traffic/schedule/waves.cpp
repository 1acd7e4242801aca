#include "engine/traffic/schedule/waves.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/traffic/schedule/occupancy.hpp"

namespace tilescope {
namespace {

constexpr uint32_t kWarpLanes = 32;
constexpr size_t kNumbersPerBlock = 3;

uint32_t warps_of(const BlockUsage& block) { return std::max(1U, (block.threads + kWarpLanes - 1) / kWarpLanes); }

uint64_t waves_of(uint64_t blocks, uint64_t resident) { return resident == 0 ? 0 : (blocks + resident - 1) / resident; }

/// Maximum number of blocks that one SM held at the same time; a block that begins when another ends takes its slot.
uint32_t most_at_a_time(std::vector<std::pair<double, int>>& events) {
  std::ranges::sort(events);  // ends (−1) sort before begins at the same time
  int held = 0, most = 0;
  for (const auto& [time, change] : events) most = std::max(most, held += change);
  return static_cast<uint32_t>(most);
}

void find_residency(BlockTimes& times) {
  uint32_t last = 0;
  for (const BlockSpan& span : times.blocks) last = std::max(last, span.multiprocessor);
  std::vector<std::vector<std::pair<double, int>>> events(size_t{last} + 1);
  double held_us = 0;
  for (const BlockSpan& span : times.blocks) {
    events[span.multiprocessor].emplace_back(span.begin_us, 1);
    events[span.multiprocessor].emplace_back(span.end_us, -1);
    held_us += span.end_us - span.begin_us;
  }
  for (auto& of_one : events) {
    if (of_one.empty()) continue;
    ++times.multiprocessors;
    times.most_resident = std::max(times.most_resident, most_at_a_time(of_one));
  }
  const double places_us = times.total_us * times.multiprocessors * times.most_resident;
  times.filled = places_us > 0 ? held_us / places_us : 0;
}

}  // namespace

WaveSchedule schedule_waves(const GpuSpec& gpu, const BlockUsage& block, const Occupancy& occupancy,
                            uint64_t grid_blocks) {
  return {.blocks = grid_blocks,
          .multiprocessors = gpu.multiprocessors,
          .blocks_per_multiprocessor =
              gpu.multiprocessors == 0 ? 0 : static_cast<uint32_t>(occupancy.resident_blocks / gpu.multiprocessors),
          .warps_per_block = warps_of(block)};
}

std::vector<ResourceLimit> resource_limits(const GpuSpec& gpu, const BlockUsage& block, const Occupancy& occupancy,
                                           uint64_t grid_blocks) {
  const std::array<std::pair<uint32_t, OccupancyLimit>, 5> all{{{occupancy.by_registers, OccupancyLimit::registers},
                                                                {occupancy.by_shared, OccupancyLimit::shared},
                                                                {occupancy.by_threads, OccupancyLimit::threads},
                                                                {occupancy.by_barriers, OccupancyLimit::barriers},
                                                                {occupancy.by_blocks, OccupancyLimit::blocks}}};
  constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  const auto least = std::ranges::min_element(all, {}, [](const auto& one) { return one.first; });
  std::vector<ResourceLimit> limits;
  for (const auto& one : all) {
    if (one.second == OccupancyLimit::barriers && one.first == kNone) continue;
    ResourceLimit row{.limit = one.second, .blocks = one.first, .limiting = one == *least};
    if (one.first == kNone) {
      row.blocks.reset();
      row.occupancy = 1;
    } else {
      row.occupancy =
          std::min(1.0, static_cast<double>(one.first) * warps_of(block) / gpu.max_warps_per_multiprocessor);
      row.waves = waves_of(grid_blocks, uint64_t{one.first} * gpu.multiprocessors);
    }
    limits.push_back(row);
  }
  return limits;
}

std::vector<GpuWaves> waves_on(std::span<const GpuSpec> gpus, const BlockUsage& block, uint64_t grid_blocks) {
  std::vector<GpuWaves> rows;
  for (const GpuSpec& gpu : gpus) {
    // The limit of the GPU, which a small grid would hide.
    const Occupancy occupancy = occupancy_of(gpu, block, std::numeric_limits<uint64_t>::max() / 2);
    rows.push_back({gpu.id, gpu.name, occupancy.limit, schedule_waves(gpu, block, occupancy, grid_blocks)});
  }
  return rows;
}

std::optional<BlockTimes> read_block_times(const HostBuffer& schedule, uint64_t grid_blocks) {
  if (schedule.type != DType::u64 || grid_blocks == 0 || schedule.count() < kNumbersPerBlock * grid_blocks) return {};
  constexpr uint64_t kMostMultiprocessors = 4096;  // no GPU has this many: a larger number is invalid
  const auto numbers = schedule.as<uint64_t>();
  uint64_t first = std::numeric_limits<uint64_t>::max(), last = 0;
  for (uint64_t block = 0; block < grid_blocks; ++block) {
    const uint64_t* of = numbers.data() + kNumbersPerBlock * block;
    if (of[0] >= kMostMultiprocessors || of[2] < of[1]) return {};
    first = std::min(first, of[1]);
    last = std::max(last, of[2]);
  }
  BlockTimes times;
  constexpr double kNanosecondsPerMicrosecond = 1000;
  const auto since_first = [&](uint64_t time) {
    return static_cast<double>(time - first) / kNanosecondsPerMicrosecond;
  };
  for (uint64_t block = 0; block < grid_blocks; ++block) {
    const uint64_t* of = numbers.data() + kNumbersPerBlock * block;
    times.blocks.push_back({static_cast<uint32_t>(of[0]), since_first(of[1]), since_first(of[2])});
  }
  times.total_us = since_first(last);
  times.order.resize(grid_blocks);
  std::iota(times.order.begin(), times.order.end(), 0U);
  std::ranges::stable_sort(times.order, {}, [&](uint32_t block) { return times.blocks[block].begin_us; });
  find_residency(times);
  return times;
}

}  // namespace tilescope
