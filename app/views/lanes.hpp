// The 32 lanes of one access: numbered cells, element indices above, 32-byte sectors as brackets below.
#pragma once

#include "app/observed/trace_index.hpp"
#include "app/views/context.hpp"

namespace tilescope {

/// A label over or under the lanes: centred on `centre`, no wider than its neighbours leave room for.
struct LaneLabel {
  float centre = 0;
  size_t text = 0;  // which of the offered texts
  bool shown = false;
};
/// Chooses for each span the longest of its texts (widths[span][k], longest first) that fits into it; the last and
/// shortest may reach beyond its span where it meets no other label and stays inside [low, high].
std::vector<LaneLabel> place_labels(std::span<const std::pair<float, float>> spans,
                                    std::span<const std::vector<float>> widths, float low, float high, float gap);

/// Draws the lanes between `low` and `high`; the labels above take 16 unscaled pixels, those below 32. Hover and click
/// go to the view's selection.
void draw_lane_row(PanelContext& context, const WarpAccess& access, ImVec2 low, ImVec2 high);

/// The last item is a lane and the pointer is on it: explains it, makes it ViewState::hover, and a click selects it.
void point_at_lane(PanelContext& context, const WarpAccess& access, int lane);

}  // namespace tilescope
