// Direct labels beside the ends of lines: moved apart so that none overlaps. No ImGui.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tilescope::plots {

/// Centres for labels `height` tall that want to be at `wanted`: neighbours at least `height` apart, in the order of
/// what they want (equal wishes in the order given), moved as little as possible in sum of squares, inside
/// [low, high] as far as they fit.
std::vector<float> spread_labels(std::span<const float> wanted, float height, float low, float high);

/// Which labels to keep when only `room` of them fit: higher priority first, then earlier ones. Ascending indices.
std::vector<size_t> keep_labels(std::span<const int> priorities, size_t room);

/// Which of the labels at fixed places to keep so that centres stay `height` apart: higher priority first, then
/// earlier.
std::vector<size_t> keep_apart(std::span<const float> centres, std::span<const int> priorities, float height);

}  // namespace tilescope::plots
