#include <algorithm>
#include <cmath>

#include "app/window/screen.hpp"

namespace tilescope {
namespace {

// Unscaled pixels. Sizes that the learner has not dragged grow with the window.
constexpr float kLeastSource = 320, kLeastSpeed = 360, kUsualSpeed = 416;
constexpr float kHundredColumns = 1040;  // 100 columns of code, line numbers and the margin
constexpr float kSourceShare = 0.58F;    // of the width between rail and controls, if that is more
constexpr float kSideBySide = 1440;      // width from which source and speed stand side by side
constexpr float kStepsForRail = 288;     // the most that the steps take in a narrow window
constexpr float kLeastBottom = 120, kUsualBottom = 368, kBottomShare = 0.414F;

float source_width_of(const ViewState& view, float centre) {
  const float most = std::max(kLeastSource, centre - kLeastSpeed);
  if (view.source_width > 0) return std::clamp(view.source_width, kLeastSource, most);
  const float wide = std::max(kHundredColumns, kSourceShare * centre);
  return std::clamp(centre - kUsualSpeed, kLeastSource, wide);
}

float bottom_height_of(const ViewState& view, float room) {
  if (view.bottom_height > 0) return std::max(view.bottom_height, kLeastBottom);
  return std::max(kUsualBottom, std::round(kBottomShare * room));
}

}  // namespace

Layout lay_out(ViewState& view, float width, float height, bool steps) {
  const float scale = view.scale;
  const auto px = [scale](float value) { return std::round(value * scale); };
  // A smaller window shows the upper left of the smallest layout.
  width = std::max(width, px(kSmallestWidth));
  height = std::max(height, px(kSmallestHeight));
  view.steps_width = std::clamp(view.steps_width, 300.0F, 520.0F);
  // In a wide window the steps stand beside the view, above the lower part; in a narrow one in the rail's place.
  const bool for_rail = steps && width < px(kSideBySide);
  const float beside = steps && !for_rail ? px(view.steps_width) : 0;
  const bool narrow = width < px(kSideBySide);

  view.rail_width = std::clamp(view.rail_width, 140.0F, 320.0F);
  view.controls_width = std::clamp(view.controls_width, 264.0F, 440.0F);
  const float rail_end = px(for_rail ? std::min(view.steps_width, kStepsForRail) : view.rail_width),
              rail = rail_end + beside, lower = view.source_maximised ? rail : rail_end,
              controls = width - px(view.controls_width);
  const float header = px(48), tabs = px(88), status = height - px(24);
  // A height dragged in a taller window leaves the view 58 % of this one, or 40 % if the layout is wide.
  const float wanted = px(bottom_height_of(view, (status - tabs) / scale));
  float bottom = std::round(status - std::min(wanted, (status - tabs) * (narrow ? 0.42F : 0.6F)));
  if (view.lower_hidden) bottom = status - px(kLowerStrip);
  if (view.source_maximised) bottom = tabs;

  Layout layout;
  layout.stacked = narrow;
  layout.logo = {0, 0, rail_end, header};
  layout.header = {rail_end, 0, width, header};
  if (!for_rail) layout.rail = {0, header, rail_end, status};
  if (for_rail)
    layout.steps = {0, header, rail, status};
  else if (steps)
    layout.steps = {rail_end, header, rail, view.source_maximised ? status : bottom};
  layout.tabs = {rail, header, controls, tabs};
  layout.view = {rail, tabs, controls, bottom};
  layout.controls = {controls, header, width, status};
  layout.status = {0, status, width, height};
  if (view.source_maximised) {
    layout.source = {lower, bottom, controls, status};
    return layout;
  }
  if (view.lower_hidden) {
    layout.strip = {lower, bottom, controls, status};
    return layout;
  }
  if (narrow) {
    layout.bottom_tabs = {lower, bottom, controls, bottom + px(32)};
    layout.source = layout.speed = {lower, bottom + px(32), controls, status};
    return layout;
  }
  const float centre = (controls - lower) / scale;
  const float middle = lower + px(source_width_of(view, centre));
  layout.source = {lower, bottom, middle, status};
  layout.speed = {middle, bottom, controls, status};
  return layout;
}

}  // namespace tilescope
