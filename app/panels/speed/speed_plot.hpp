// The plots of the speed panel.
#pragma once

#include <imgui.h>

#include "app/views/context.hpp"

namespace tilescope {

/// The report that the speed panel shows: a sweep of this machine, else a recording, else nothing.
struct ShownSpeed {
  std::shared_ptr<const SpeedReport> live;  // keeps `report` alive
  const SpeedReport* report = nullptr;      // null: nothing to show
};
ShownSpeed shown_speed(const PanelContext& context);
/// The badge, and the button that starts a sweep or shows its progress; their right edge at `right`.
void draw_speed_buttons(PanelContext& context, const SpeedReport* report, float right, float centre);
/// The plot of ViewState::bottom with its notes, or instructions if there is none.
void draw_speed_body(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size);

/// Whether a series belongs to the chosen rung; to the pinned result's rung, if that is a different one of this lab.
bool is_selected(const PanelContext& context, const TimingSeries& series);
bool is_pinned(const PanelContext& context, const TimingSeries& series);
/// The colour of a series in all plots and tables, and that of the pinned result.
ImU32 colour_of_series(const PanelContext& context, const TimingSeries& series);
ImU32 pinned_colour(const Theme& theme);
/// A point of a series in one sentence, with its interval and timing method.
std::string point_sentence(const PanelContext& context, const SpeedReport& report, const TimingSeries& series,
                           const TimingPoint& point);
/// The speed over the size, one line per rung and reference.
void draw_size_sweep(PanelContext& context, const SpeedReport& report, ImVec2 size);
/// The height of a ladder in which every bar has its name, in pixels.
float ladder_height(const PanelContext& context, const SpeedReport& report);
/// Bars relative to the lab's reference (ladder_reference), at the size of the ladder in the controls.
void draw_speed_ladder(PanelContext& context, const SpeedReport& report, ImVec2 size);

}  // namespace tilescope
