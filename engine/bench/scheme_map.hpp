// Which scheme is the fastest at which shape: a SpeedReport over the shapes of Lab::scheme_map, as a grid.
//
//   winner   the scheme with the shortest median; a tie where the second's interval reaches into its own
//   margin   how much longer the second takes: 0.2 for a fifth
//   picked   what the lab's own choice takes there, whether or not it was timed
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
  bool inside = false;                    // false: more elements than the map goes to
  std::vector<const TimingPoint*> times;  // by scheme; null: not timed
  std::optional<size_t> winner, second;   // indices into SchemeMap::schemes
  double margin = 0;
  bool tie = false;
  std::optional<size_t> picked;
  double picked_loss = 0;  // how much longer the picked scheme takes than the winner; 0 where it wins or was not timed
  bool picked_another() const { return winner && picked && *picked != *winner; }
};

struct SchemeGrid {
  std::vector<int64_t> row_values, column_values;
  std::vector<SchemeCell> cells;  // row by row
  std::vector<uint32_t> idle;     // by row: multiprocessors without a block of the scheme that has one for each row
  uint32_t multiprocessors = 0;
  size_t inside = 0, timed = 0, picked_winner = 0, ties_picked = 0;
  double worst_loss = 0;  // of the picks, over those that are no tie
  const SchemeCell& cell(size_t row, size_t column) const { return cells[row * column_values.size() + column]; }
};

/// The lab must have a map. `report` must stay, and be one of that map; null: nothing was timed.
SchemeGrid make_scheme_grid(const Lab& lab, const Config& config, const GpuSpec& gpu, const SpeedReport* report);

}  // namespace tilescope
