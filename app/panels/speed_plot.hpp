// The two plots of the speed panel.
#pragma once

#include <imgui.h>

#include "app/panel_context.hpp"

namespace tilescope {

/// GB/s over the size, one line per rung and reference.
void draw_size_sweep(PanelContext& context, const SpeedReport& report, ImVec2 size);
/// Bars as a share of the best reference, at the timed size nearest the current one.
void draw_speed_ladder(PanelContext& context, const SpeedReport& report, ImVec2 size);

}  // namespace tilescope
