// What all drawing code gets: texts, colours, fonts, and the screen's state of this frame and the last.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/marks.hpp"
#include "app/draw/strings.hpp"
#include "app/draw/theme.hpp"

namespace tilescope {

/// State that drawing code leaves for the rest of the frame, or reads from the last frame.
struct DrawState {
  float scale = 1.0F;            // the monitor's scale times the learner's
  bool animate = true;           // false for screenshots: nothing moves
  std::string explained;         // explanation of the thing under the pointer in this frame (explain); F1 pins it
  bool explanation_due = false;  // the pointer has rested long enough for the tooltip
  struct Tooltip {
    Mark explained, place;
  };
  std::optional<Tooltip> tooltip;               // the tooltip drawn in this frame
  float rail_right = 0, column_left = 1e9F;     // right end of the rail and left end of the controls, in pixels
  std::vector<Mark> keep_free;                  // areas of the last frame that tooltips must not cover: error messages
  Marks marks;                                  // positions of things on the screen in this frame; cleared by the shell
  std::vector<uint32_t> menus_closed_by_click;  // by the mouse button that is still down (app/draw/menus.hpp)
};

struct DrawContext {
  DrawState& screen;
  const Strings& strings;
  const Theme& theme;
  const Fonts& fonts;
  bool stale = false;  // what is drawn belongs to an older request: dimmed

  float px(float value) const { return value * screen.scale; }  // unscaled pixels → pixels
};

}  // namespace tilescope
