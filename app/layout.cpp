#include <algorithm>
#include <cmath>

#include "app/screen.hpp"

namespace tilescope {

Layout lay_out(ViewState& view, float width, float height) {
  const float scale = view.scale;
  const auto px = [scale](float value) { return std::round(value * scale); };
  const bool narrow = width < px(1440);

  view.rail_width = std::clamp(view.rail_width, 140.0F, 320.0F);
  view.controls_width = std::clamp(view.controls_width, 264.0F, 440.0F);
  const float rail = px(view.rail_width), controls = width - px(view.controls_width);
  const float header = px(48), tabs = px(88), status = height - px(24);
  // Half of the height at most, whatever a taller window left behind.
  view.bottom_height = std::max(view.bottom_height, 120.0F);
  const float bottom = std::round(status - std::min(px(view.bottom_height), (status - tabs) * (narrow ? 0.42F : 0.6F)));

  Layout layout;
  layout.stacked = narrow;
  layout.logo = {0, 0, rail, header};
  layout.header = {rail, 0, width, header};
  layout.rail = {0, header, rail, status};
  layout.tabs = {rail, header, controls, tabs};
  layout.view = {rail, tabs, controls, bottom};
  layout.controls = {controls, header, width, status};
  layout.status = {0, status, width, height};
  if (narrow) {
    layout.bottom_tabs = {rail, bottom, controls, bottom + px(32)};
    layout.source = layout.speed = {rail, bottom + px(32), controls, status};
    return layout;
  }
  const float centre = (controls - rail) / scale;
  view.source_width = std::clamp(view.source_width, 320.0F, std::max(320.0F, centre - 360.0F));
  const float middle = rail + px(view.source_width);
  layout.source = {rail, bottom, middle, status};
  layout.speed = {middle, bottom, controls, status};
  return layout;
}

}  // namespace tilescope
