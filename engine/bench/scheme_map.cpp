#include "engine/bench/scheme_map.hpp"

#include <algorithm>

#include "engine/bench/timed_place.hpp"

namespace tilescope {
namespace {

void find_winner(SchemeCell& cell) {
  for (size_t i = 0; i < cell.times.size(); ++i) {
    const TimingPoint* time = cell.times[i];
    if (time == nullptr) continue;
    if (!cell.winner || time->median_ms < cell.times[*cell.winner]->median_ms) {
      cell.second = cell.winner;
      cell.winner = i;
    } else if (!cell.second || time->median_ms < cell.times[*cell.second]->median_ms) {
      cell.second = i;
    }
  }
  if (!cell.second) return;
  const TimingPoint &first = *cell.times[*cell.winner], &second = *cell.times[*cell.second];
  cell.margin = second.median_ms / first.median_ms - 1;
  cell.tie = second.low_ms <= first.high_ms;
}

std::optional<size_t> picked_scheme(const Lab& lab, const Config& config, const GpuSpec& gpu) {
  const SchemeMap& map = *lab.scheme_map;
  const Rung* automatic = find_rung(lab, map.automatic);
  if (automatic == nullptr || !automatic->pick) return {};
  const std::string name = automatic->pick(config, gpu).rung;
  for (size_t i = 0; i < map.schemes.size(); ++i)
    if (map.schemes[i].rung == name) return i;
  return {};
}

/// Within the noise, a pick is as good as the winner.
bool is_as_good(const SchemeCell& cell) {
  const TimingPoint* time = cell.times[*cell.picked];
  return time != nullptr && time->low_ms <= cell.times[*cell.winner]->high_ms;
}

void sum_up(SchemeGrid& grid, const SchemeCell& cell) {
  grid.inside += cell.inside ? 1 : 0;
  if (!cell.winner) return;
  ++grid.timed;
  if (!cell.picked) return;
  if (!cell.picked_another())
    ++grid.picked_winner;
  else if (is_as_good(cell))
    ++grid.ties_picked;
  else
    grid.worst_loss = std::max(grid.worst_loss, cell.picked_loss);
}

}  // namespace

SchemeGrid make_scheme_grid(const Lab& lab, const Config& config, const GpuSpec& gpu, const SpeedReport* report) {
  const SchemeMap& map = *lab.scheme_map;
  SchemeGrid grid{.row_values = map.row_values, .column_values = map.column_values};
  grid.multiprocessors = gpu.multiprocessors;
  for (const int64_t rows : map.row_values) {
    const auto busy = static_cast<uint32_t>(std::min<int64_t>(rows, gpu.multiprocessors));
    grid.idle.push_back(gpu.multiprocessors - busy);
    for (const int64_t columns : map.column_values) {
      SchemeCell cell{.rows = rows, .columns = columns, .inside = rows <= map.most_elements / columns};
      cell.times.resize(map.schemes.size());
      Config here = config;
      here.sizes[map.rows] = rows;
      here.sizes[map.columns] = columns;
      if (cell.inside) cell.picked = picked_scheme(lab, here, gpu);
      const auto place = report != nullptr && cell.inside ? exact_place(lab, *report, here) : std::nullopt;
      for (size_t i = 0; place && i < map.schemes.size(); ++i)
        cell.times[i] = timed_point(*report, map.schemes[i].rung, *place);
      find_winner(cell);
      if (cell.picked_another() && cell.times[*cell.picked] != nullptr)
        cell.picked_loss = cell.times[*cell.picked]->median_ms / cell.times[*cell.winner]->median_ms - 1;
      sum_up(grid, cell);
      grid.cells.push_back(std::move(cell));
    }
  }
  return grid;
}

}  // namespace tilescope
