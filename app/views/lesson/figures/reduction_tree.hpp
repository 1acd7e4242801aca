// The steps of a tree reduction: in each, one half of the lanes that are left adds the other half's values. No drawing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilescope {

struct ReductionStep {
  size_t stride = 0;           // a lane adds the value of the lane `stride` above it
  std::vector<bool> active;    // by lane: adds in this step
  std::vector<double> values;  // by lane, after the step
};

/// halves: the lower half adds the upper half, then the lower quarter the next quarter, …; neighbours: lane 2i adds
/// lane 2i + 1, then lane 4i adds lane 4i + 2, ….
enum class ReductionOrder : uint8_t { halves, neighbours };
enum class ReductionOperator : uint8_t { sum, maximum };

/// The number of values must be a power of two.
std::vector<ReductionStep> reduction_steps(const std::vector<double>& values, ReductionOrder order,
                                           ReductionOperator op);

}  // namespace tilescope
