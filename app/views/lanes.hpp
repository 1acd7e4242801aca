// The 32 lanes of one access: numbered cells, element indices above, 32-byte sectors as brackets below.
#pragma once

#include "app/observed/trace_index.hpp"
#include "app/views/context.hpp"

namespace tilescope {

/// A label above or below the lanes: centred on `centre`, no wider than its neighbours allow.
struct LaneLabel {
  float centre = 0;
  size_t text = 0;  // index among the offered texts
  bool shown = false;
};
/// Chooses for each span the longest of its texts (widths[span][k], longest first) that fits; the last and shortest may
/// extend beyond its span if it overlaps no other label and stays inside [low, high].
std::vector<LaneLabel> place_labels(std::span<const std::pair<float, float>> spans,
                                    std::span<const std::vector<float>> widths, float low, float high, float gap);

/// Draws the lanes between `low` and `high`; the labels take 16 unscaled pixels above and 32 below. Hover and click set
/// the view's selection.
void draw_lane_row(PanelContext& context, const WarpAccess& access, ImVec2 low, ImVec2 high);

/// For the last item, a lane: if the pointer is on it, explains it and makes it ViewState::hover; a click selects it.
void point_at_lane(PanelContext& context, const WarpAccess& access, int lane);

}  // namespace tilescope
