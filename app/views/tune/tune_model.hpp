// The content of the tune view without ImGui: which maps there are, and a map cut to two of its axes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/session/session.hpp"
#include "app/session/tune_worker.hpp"
#include "engine/tune/search.hpp"

namespace tilescope {

/// A cell of the heat map: the entries that share two values.
struct TuneCell {
  std::optional<size_t> entry;  // the shown one: the fastest, else one that is not tried, wrong, or impossible
  TuneState state = TuneState::impossible;
  size_t entries = 0, possible = 0;
};

/// Two axes of a map; each other axis is held at a value, or at its best.
struct TuneSlice {
  size_t down = 0, across = 1;
  std::vector<std::optional<int64_t>> held;  // by axis; nothing: the best
  std::vector<TuneCell> cells;               // row by row
  size_t rows = 0, columns = 0;
  const TuneCell& cell(size_t row, size_t column) const { return cells[row * columns + column]; }
};
/// Chooses the cells anew. Indices of axes out of range are corrected.
void cut(const TuneMap& map, TuneSlice& slice);

/// Which entry is better to show: a timed one before others, the faster of two, more CTAs per SM of two untried.
bool shows_before(const TuneEntry& one, const TuneEntry& other);

/// The rung that is tuned: the shown one, or the one that it picks. Null: it has nothing to tune.
const Rung* tuned_rung(const Session& session);

/// The axes that do not fit into a space of kMostConfigurations are held at the sliders' values: the last ones first.
SpaceRequest space_request(const Session& session, const Rung& rung);

/// Everything that the view can show for the session's rung.
struct TuneContent {
  SpaceRequest space;            // at the sliders' values
  std::optional<TuneMap> live;   // at these sizes: the space, with what was compiled and measured here
  std::optional<Error> refused;  // why there is none
  std::vector<TuneMap> known;    // cached and recorded, nearest sizes first
  bool live_timed = false;
};
TuneContent tune_content(Session& session, const Rung& rung);

/// Median regret of the three searches over a complete map.
std::vector<RegretOfSeeds> tune_replays(const TuneMap& map, size_t trials);

}  // namespace tilescope
