// The patterns in which the lanes of a warp access memory in tools/record_counters.cpp, counted by the simulator and by
// the hardware.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/differential/random.hpp"

namespace tilescope::differential {

/// Offsets of 32 lanes and which of them are active: the shapes that kernels have, then random ones.
struct LanePlaces {
  std::string name = {};
  std::vector<uint32_t> offsets = std::vector<uint32_t>(32);
  uint32_t mask = 0xffffffff;
};

inline std::vector<LanePlaces> places_of_lanes(uint32_t lane_bytes, uint32_t alignment, uint32_t range_bytes,
                                               uint64_t seed) {
  std::vector<LanePlaces> patterns;
  const uint32_t unit = lane_bytes;
  const auto wrap = [&](uint32_t offset) { return offset % range_bytes / alignment * alignment; };
  const auto strided = [&](const std::string& name, uint32_t stride, uint32_t first) {
    LanePlaces pattern{name};
    for (uint32_t lane = 0; lane < 32; ++lane) pattern.offsets[lane] = wrap(first + lane * stride);
    patterns.push_back(std::move(pattern));
  };
  for (const uint32_t stride : {0U, 1U, 2U, 3U, 4U, 8U, 16U, 17U, 31U, 32U, 33U})
    strided("stride " + std::to_string(stride), stride * unit, 0);
  strided("contiguous from 1", unit, unit);
  strided("contiguous from 7", unit, 7 * unit);
  for (const uint32_t group : {2U, 4U, 8U, 16U}) {
    LanePlaces pattern{"groups of " + std::to_string(group) + " lanes alike"};
    for (uint32_t lane = 0; lane < 32; ++lane) pattern.offsets[lane] = wrap(lane / group * unit);
    patterns.push_back(pattern);
    pattern.name = "lanes alike modulo " + std::to_string(group);
    for (uint32_t lane = 0; lane < 32; ++lane) pattern.offsets[lane] = wrap(lane % group * unit);
    patterns.push_back(std::move(pattern));
  }
  Random random(seed);
  for (int i = 0; i < 6; ++i) {
    LanePlaces pattern{"random " + std::to_string(i)};
    // Small ranges make lanes share lines, sectors, banks and words.
    const uint32_t range = std::min(range_bytes, 64U << (2 * i));
    for (uint32_t& offset : pattern.offsets) offset = wrap(static_cast<uint32_t>(random.bits() % range));
    if (i % 2 == 1) pattern.mask = static_cast<uint32_t>(random.bits()) | 1;
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace tilescope::differential
