// What everything that draws is given: texts, colours, fonts, and what the screen knows of this frame and the last.
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

/// What drawing leaves behind for the rest of the frame, or finds of the last one.
struct DrawState {
  float scale = 1.0F;            // the monitor's times the learner's
  bool animate = true;           // false while screenshots are taken: nothing moves
  std::string explained;         // what the thing under the pointer is, this frame (explain); F1 pins it
  bool explanation_due = false;  // long enough for the tooltip
  struct Tooltip {
    Mark explained, place;
  };
  std::optional<Tooltip> tooltip;               // the one that is drawn in this frame
  float rail_right = 0, column_left = 1e9F;     // where the rail ends and the controls begin, in pixels
  std::vector<Mark> keep_free;                  // where the last frame had what no tooltip covers: error messages
  Marks marks;                                  // where things are on the screen, this frame; cleared by the shell
  std::vector<uint32_t> menus_closed_by_click;  // by the button that is still down (app/draw/menus.hpp)
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
