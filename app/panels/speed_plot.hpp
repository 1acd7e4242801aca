// The plots of the speed panel.
#pragma once

#include <imgui.h>

#include "app/panel_context.hpp"

namespace tilescope {

/// What the speed panel shows: a sweep of this machine, else a recording, else nothing.
struct ShownSpeed {
  std::shared_ptr<const SpeedReport> live;  // keeps `report` alive
  const SpeedReport* report = nullptr;      // null: nothing to show
};
ShownSpeed shown_speed(const PanelContext& context);
/// The badge, and the button that starts a sweep or how far one is; their right edge at `right`.
void draw_speed_buttons(PanelContext& context, const SpeedReport* report, float right, float centre);
/// The plot of ViewState::bottom with its notes, or what to do where there is none.
void draw_speed_body(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size);

/// A point of a series in one sentence, with its interval and how it was timed.
std::string point_sentence(const PanelContext& context, const SpeedReport& report, const TimingSeries& series,
                           const TimingPoint& point);
/// The speed over the size, one line per rung and reference.
void draw_size_sweep(PanelContext& context, const SpeedReport& report, ImVec2 size);
/// Of a ladder in which every bar has its name, in pixels.
float ladder_height(const PanelContext& context, const SpeedReport& report);
/// Bars as a share of the lab's reference (ladder_reference), at the size of the ladder in the controls.
void draw_speed_ladder(PanelContext& context, const SpeedReport& report, ImVec2 size);

}  // namespace tilescope
