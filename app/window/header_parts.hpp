// The parts of the header. Private to app/window/header*.cpp. Each is drawn with its right edge at x and returns its
// left edge.
#pragma once

#include <imgui.h>

#include "app/views/context.hpp"

namespace tilescope {

class Screen;

/// All positions in the header are derived from these.
struct HeaderLine {
  ImVec2 origin;
  float centre, baseline;
  float width;  // the window's, unscaled
};

/// Whether the values match and what the checks found. A click goes to the error. `left`: start of the available space.
float draw_header_verdict(PanelContext& context, const HeaderLine& line, float x, float left);
/// The menus "?" and "⋯".
float draw_header_menus(PanelContext& context, Screen& screen, const HeaderLine& line, float x);

}  // namespace tilescope
