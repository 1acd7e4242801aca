// Direct labels at the ends of lines, moved apart so that none overlap. No ImGui.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilescope::plots {

/// Centres for labels of `height` that are wanted at `wanted`: neighbours are at least `height` apart, in the order of
/// their wanted positions (equal ones in the given order), with the smallest sum of squared moves, inside [low, high]
/// as far as they fit.
std::vector<float> spread_labels(std::span<const float> wanted, float height, float low, float high);

/// The labels to keep if only `room` of them fit: higher priority first, then earlier ones. Ascending indices.
std::vector<size_t> keep_labels(std::span<const int> priorities, size_t room);

/// The labels at fixed positions to keep so that centres are at least `height` apart: higher priority first, then
/// earlier ones.
std::vector<size_t> keep_apart(std::span<const float> centres, std::span<const int> priorities, float height);

}  // namespace tilescope::plots
