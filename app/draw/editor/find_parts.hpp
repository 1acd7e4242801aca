// Parts of the bars for find, replace and go to line: a text field, and buttons with an icon or a word.
#pragma once

#include <imgui.h>

#include <string>

#include "app/draw/context.hpp"

namespace tilescope {

struct FindField {
  bool changed = false, enter = false, escape = false;
};
/// `hint` is the key of the text in an empty field; its explanation is under that key with "_meaning" appended. `width`
/// is in pixels.
FindField find_field(DrawContext& context, const char* name, const char* hint, std::string& text, ImVec2 low,
                     float width, bool takes_focus);

enum class FindSign { up, down, close };
/// A button centred vertically on `middle`, with its left edge at `x`; advances `x` to its right. Returns whether it
/// was pressed.
bool find_sign(DrawContext& context, const char* name, const char* meaning, FindSign sign, float& x, float middle);
/// The same with a word.
bool find_word(DrawContext& context, const char* name, const std::string& text, const char* meaning, float& x,
               float middle);

}  // namespace tilescope
