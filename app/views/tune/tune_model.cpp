#include "app/views/tune/tune_model.hpp"

#include <algorithm>

#include "engine/tune/maps/tuned.hpp"

namespace tilescope {
namespace {

constexpr size_t kSeeds = 40;  // replays of each search

int rank_of(TuneState state) {
  switch (state) {
    case TuneState::timed:
      return 0;
    case TuneState::untried:
      return 1;
    case TuneState::wrong:
      return 2;
    case TuneState::failed:
      return 3;
    case TuneState::impossible:
      break;
  }
  return 4;
}

/// The sentences of the lab's own refusals, in place of those that a file keeps in English.
void refresh_reasons(const Session& session, const Rung& rung, TuneMap& map) {
  Config config = session.request().config;
  for (const auto& [name, value] : map.sizes) config.sizes[name] = value;
  for (const auto& [name, value] : map.params) config.params[name] = value;
  for (size_t i = 0; i < map.entries.size(); ++i) {
    if (map.entries[i].state != TuneState::impossible || !rung.check) continue;
    Config of = config;
    for (const auto& [name, value] : map.params_of(i)) of.params[name] = value;
    if (const auto possible = rung.check(of); !possible) map.entries[i].why = possible.error().what;
  }
}

}  // namespace

bool shows_before(const TuneEntry& one, const TuneEntry& other) {
  const int first = rank_of(one.state), second = rank_of(other.state);
  if (first != second) return first < second;
  if (one.state == TuneState::timed) {
    const bool again = one.final_ms > 0, other_again = other.final_ms > 0;
    return again != other_again ? again : one.milliseconds() < other.milliseconds();
  }
  const auto ctas = [](const TuneEntry& entry) { return entry.facts ? entry.facts->ctas_per_multiprocessor : 0U; };
  return ctas(one) > ctas(other);
}

void cut(const TuneMap& map, TuneSlice& slice) {
  const size_t axes = map.axes.size();
  slice.held.resize(axes);
  if (slice.down >= axes) slice.down = 0;
  if (slice.across >= axes || slice.across == slice.down) slice.across = axes > 1 ? (slice.down + 1) % axes : 0;
  slice.rows = map.axes[slice.down].values.size();
  slice.columns = axes > 1 ? map.axes[slice.across].values.size() : 1;
  slice.cells.assign(slice.rows * slice.columns, {});
  for (size_t i = 0; i < axes; ++i)  // a value of an earlier map
    if (slice.held[i] && std::ranges::count(map.axes[i].values, *slice.held[i]) == 0) slice.held[i].reset();
  for (size_t index = 0; index < map.entries.size(); ++index) {
    const TuneEntry& entry = map.entries[index];
    const auto place = [&](size_t axis) {
      const auto& values = map.axes[axis].values;
      return static_cast<size_t>(std::ranges::find(values, entry.values[axis]) - values.begin());
    };
    bool inside = true;
    for (size_t axis = 0; axis < axes; ++axis)
      if (axis != slice.down && axis != slice.across && slice.held[axis] && *slice.held[axis] != entry.values[axis])
        inside = false;
    if (!inside) continue;
    TuneCell& cell = slice.cells[place(slice.down) * slice.columns + (axes > 1 ? place(slice.across) : 0)];
    ++cell.entries;
    if (entry.state != TuneState::impossible) ++cell.possible;
    if (cell.entry && !shows_before(entry, map.entries[*cell.entry])) continue;
    cell.entry = index;
    cell.state = entry.state;
  }
}

const Rung* tuned_rung(const Session& session) {
  if (session.shows_own()) return nullptr;
  const Rung* rung = &session.rung();
  if (rung->pick) {
    const Session::Chosen* chosen = session.chosen();
    rung = chosen != nullptr ? chosen->resolved.rung : nullptr;
  }
  return rung != nullptr && !axes_of(session.lab(), *rung).empty() ? rung : nullptr;
}

SpaceRequest space_request(const Session& session, const Rung& rung) {
  const Request& request = session.request();
  SpaceRequest space{.lab = session.lab().name,
                     .rung = rung.name,
                     .config = request.config,
                     .gpu = request.gpu,
                     .device = request.device};
  std::vector<TuneAxis> axes = axes_of(session.lab(), rung);
  const auto count = [&] {
    size_t product = 1;
    for (const TuneAxis& axis : axes) product *= axis.values.size();
    return product;
  };
  while (count() > kMostConfigurations && axes.size() > 1) {
    space.fixed.push_back(axes.back().name);
    axes.pop_back();
  }
  // The sliders' values of the axes do not matter: the space stays the same while they move.
  for (const TuneAxis& axis : axes) space.config.params[axis.name] = axis.values.front();
  return space;
}

TuneContent tune_content(Session& session, const Rung& rung) {
  TuneContent content{.space = space_request(session, rung)};
  if (auto map = make_space(session.engine(), content.space))
    content.live = std::move(*map);
  else
    content.refused = map.error();
  const auto snapshot = session.tuning().snapshot();
  if (snapshot && snapshot->space == content.space) {
    content.live = snapshot->map;
    content.live_timed = snapshot->timed;
  }
  if (const auto gpu = session.engine().modelled_gpu(content.space.gpu))
    content.known = maps_of(session.lab(), rung.name, session.request().config, *gpu);
  for (TuneMap& map : content.known) refresh_reasons(session, rung, map);
  return content;
}

std::vector<RegretOfSeeds> tune_replays(const TuneMap& map, size_t trials) {
  std::vector<RegretOfSeeds> all;
  if (!map.complete() || map.count(TuneState::timed) < 2) return all;
  for (const SearchKind kind : kSearchKinds) all.push_back(replay_seeds(map, {.kind = kind, .trials = trials}, kSeeds));
  return all;
}

}  // namespace tilescope
