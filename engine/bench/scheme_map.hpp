// The fastest scheme at each shape: a SpeedReport over the shapes of Lab::scheme_map, as a grid.
//
//   winner   the scheme with the shortest median; a tie if the second's interval overlaps its own
//   margin   how much longer the second takes: 0.2 means 20% longer
//   picked   the scheme that the lab's own heuristic chooses, whether or not it was timed
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/run_result.hpp"
#include "engine/specs.hpp"

namespace tilescope {

struct SchemeCell {
  int64_t rows = 0, columns = 0;
  bool inside = false;                    // false: more elements than the map covers
  std::vector<const TimingPoint*> times;  // by scheme; null: not timed
  std::optional<size_t> winner, second;   // indices into SchemeMap::schemes
  double margin = 0;
  bool tie = false;
  std::optional<size_t> picked;
  double picked_loss = 0;  // how much longer the picked scheme takes than the winner; 0 if it wins or was not timed
  bool picked_another() const { return winner && picked && *picked != *winner; }
};

struct SchemeGrid {
  std::vector<int64_t> row_values, column_values;
  std::vector<SchemeCell> cells;  // row by row
  std::vector<uint32_t> idle;     // by row: SMs that get no block under the scheme with one block per row
  uint32_t multiprocessors = 0;
  size_t inside = 0, timed = 0, picked_winner = 0, ties_picked = 0;
  double worst_loss = 0;  // worst loss of a pick, over cells without a tie
  const SchemeCell& cell(size_t row, size_t column) const { return cells[row * column_values.size() + column]; }
};

/// The lab must have a scheme map. `report` must be one of that map and outlive the grid; null: nothing was timed.
SchemeGrid make_scheme_grid(const Lab& lab, const Config& config, const GpuSpec& gpu, const SpeedReport* report);

}  // namespace tilescope
