// What the bars of find are made of: a field for a text, signs and words that are pressed.
#pragma once

#include <imgui.h>

#include <string>

#include "app/panel_context.hpp"

namespace tilescope {

struct FindField {
  bool changed = false, enter = false, escape = false;
};
/// `hint` is a string of the interface; what it means has the same name with "_meaning" behind it.
FindField find_field(PanelContext& context, const char* name, const char* hint, std::string& text, ImVec2 low,
                     float width, bool takes_focus);

enum class FindSign { up, down, close };
/// A sign that is pressed, centred on `middle`. Advances `x`.
bool find_sign(PanelContext& context, const char* name, const char* meaning, FindSign sign, float& x, float middle);
/// A word that is pressed. Advances `x`.
bool find_word(PanelContext& context, const char* name, const std::string& text, const char* meaning, float& x,
               float middle);

}  // namespace tilescope
