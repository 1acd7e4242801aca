// A small button with a frame, for rows of examples and choices.
#pragma once

#include <imgui.h>

#include <string>

#include "app/draw/context.hpp"

namespace tilescope {

constexpr float kSmallButtonHeight = 24;  // unscaled pixels

/// Its mark has the name of `id`. `lit`: it is the chosen one. Returns where it ends.
float small_button(DrawContext& context, const char* id, const std::string& text, const std::string& meaning,
                   ImVec2 low, bool lit, bool* pressed);
/// Its width in pixels.
float small_button_width(const DrawContext& context, const std::string& text);

}  // namespace tilescope
