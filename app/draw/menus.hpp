// Menus and drop-downs: ImGui's popups with the usual ways to close them. Escape closes the topmost; a click outside
// closes all of them and also presses what is under the pointer.
//
//     if (hit_area("device", size)) open_menu(context.screen, "device menu");
//     if (ImGui::BeginPopup("device menu")) { …; ImGui::EndPopup(); }
#pragma once

#include "app/draw/context.hpp"

namespace tilescope {

/// ImGui::OpenPopup, unless the same click has just closed this menu: then it stays closed.
void open_menu(DrawState& screen, const char* id);
bool any_menu_open();
/// Call before anything of the frame is drawn. Returns whether it consumed the Escape key.
bool close_menus_by_input(DrawState& screen);

}  // namespace tilescope
