// The keys of the tile view's zoom.
#include <algorithm>

#include "app/draw/keys.hpp"
#include "app/views/playback.hpp"
#include "app/views/tiles/tiles_zoom.hpp"

namespace tilescope {
namespace {

Selection of_block(TraceIndex& index, const Selection& old, uint32_t block) {
  Selection chosen{.block = block, .access = {}, .lane = {}, .line = old.line, .buffer = {}, .element = {}};
  if (const auto access = index.shown_access({}, old, block)) chosen = select_access(index.result(), *access);
  return chosen;
}

}  // namespace

Selection neighbour(TraceIndex& index, const Selection& selection, TilesLevel level, int by) {
  const RunResult& result = index.result();
  const uint64_t blocks = result.tiles.grid.count();
  if (blocks == 0) return selection;
  const uint32_t block =
      std::min<uint32_t>(selection.block.value_or(usual_block(result)), static_cast<uint32_t>(blocks - 1));
  if (level <= TilesLevel::block) {
    const int64_t next = std::clamp<int64_t>(int64_t{block} + by, 0, static_cast<int64_t>(blocks) - 1);
    return of_block(index, selection, static_cast<uint32_t>(next));
  }
  const auto access = index.shown_access({}, selection, block);
  const auto place = access ? index.place(*access) : std::nullopt;
  if (!place) return selection;
  const BlockAccesses& accesses = index.block(place->block);
  if (level == TilesLevel::warp) {
    for (int64_t warp = int64_t{place->warp} + by; warp >= 0 && warp < accesses.warps(); warp += by)
      if (const auto found = accesses.find(place->statement, static_cast<uint32_t>(warp), place->step))
        return select_access(result, *found, selection.lane);
    return selection;
  }
  const WarpAccess shown = warp_access(result, *access);
  for (int lane = selection.lane ? *selection.lane + by : 0; lane >= 0 && lane < 32; lane += by)
    if (shown.is_active(lane)) return select_access(result, *access, lane);
  return selection;
}

void zoom_keys(PanelContext& context) {
  if (!context.result || !context.result->observed || context.result->tiles.grid.count() == 0) return;
  ViewState& view = context.view;
  for (const ImWchar code : ImGui::GetIO().InputQueueCharacters) {  // independent of the keyboard layout
    if (code == '+' || code == '=') change_level(view, +1);
    if (code == '-' || code == '_') change_level(view, -1);
  }
  if (key_repeats(Key::backspace)) change_level(view, -1);
  const int by = (key_repeats(Key::down) ? 1 : 0) - (key_repeats(Key::up) ? 1 : 0);
  if (by == 0) return;
  view.selection = neighbour(trace_index(view, context.result), view.selection, view.zoom.level, by);
  if (view.playback.position >= 0 && view.selection.block)
    view.playback.position = static_cast<double>(*view.selection.block) + 1;
}

}  // namespace tilescope
