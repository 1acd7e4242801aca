// The implementations of a lab at its small sizes, as a table of times.
#pragma once

#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

struct SmallSizesRow {
  std::string name;  // name of the series
  bool is_rung = true;
  std::string unavailable;                // why it has no times
  std::vector<const TimingPoint*> times;  // by size; null: not timed
  std::vector<bool> best;                 // by size: the shortest time, or within its noise
};
struct SmallSizesTable {
  std::vector<int64_t> sizes;
  std::vector<SmallSizesRow> rows;  // rungs, then references
  bool empty() const;               // nothing was timed at any of the sizes
};

/// The rows point into the report, which must outlive them.
SmallSizesTable make_small_sizes(const Lab& lab, const SpeedReport& report);

}  // namespace tilescope
