// Menus and drop-downs: ImGui's popups, closed as people expect. Escape closes the uppermost; a click outside closes
// all of them and also presses what is under the pointer.
//
//     if (hit_area("device", size)) open_menu(context.screen, "device menu");
//     if (ImGui::BeginPopup("device menu")) { …; ImGui::EndPopup(); }
#pragma once

#include "app/draw/context.hpp"

namespace tilescope {

/// ImGui::OpenPopup, unless the same click has just closed this menu: then it stays closed.
void open_menu(DrawState& screen, const char* id);
bool any_menu_open();
/// Call before anything of the frame is drawn. Returns whether it has used up the Escape key.
bool close_menus_by_input(DrawState& screen);

}  // namespace tilescope
