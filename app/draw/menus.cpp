#include "app/draw/menus.hpp"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/draw/keys.hpp"

namespace tilescope {
namespace {

bool mouse_clicked() { return ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2); }

bool pointer_is_in(const ImGuiPopupData& popup) {
  return popup.Window != nullptr && popup.Window->Rect().Contains(ImGui::GetIO().MousePos);
}

}  // namespace

void open_menu(DrawState& screen, const char* id) {
  if (std::ranges::find(screen.menus_closed_by_click, ImGui::GetID(id)) == screen.menus_closed_by_click.end())
    ImGui::OpenPopup(id);
}

bool any_menu_open() { return !ImGui::GetCurrentContext()->OpenPopupStack.empty(); }

bool close_menus_by_input(DrawState& screen) {
  auto& open = ImGui::GetCurrentContext()->OpenPopupStack;
  if (mouse_clicked() || !(ImGui::IsMouseDown(0) || ImGui::IsMouseReleased(0))) screen.menus_closed_by_click.clear();
  if (open.empty()) return false;
  if (key_went_down(Key::escape)) {
    ImGui::ClosePopupToLevel(open.Size - 1, true);
    return true;
  }
  // ImGui would close them too, but would swallow the click. They are closed before anything is drawn, so that what is
  // under the pointer is pressed as if there had been no menu.
  if (!mouse_clicked() || std::any_of(open.begin(), open.end(), pointer_is_in)) return false;
  for (const ImGuiPopupData& popup : open) screen.menus_closed_by_click.push_back(popup.PopupId);
  ImGui::ClosePopupToLevel(0, true);
  return false;
}

}  // namespace tilescope
