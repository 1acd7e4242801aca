// The two menus at the right of the header: "?" has the help, "⋯" the other window commands. Commands with a key show
// it.
#include <algorithm>
#include <cmath>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/open_address.hpp"
#include "app/views/sheet_names.hpp"
#include "app/window/export.hpp"
#include "app/window/header_parts.hpp"
#include "app/window/screen.hpp"
#include "app/window/tour.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kButton = 28, kMenusRow = 26, kMenusWidth = 272, kRound = 9;

/// Label at the left, key or value at the right, a check mark if it `holds` now. Returns whether it was chosen.
bool item(PanelContext& context, const char* name, const std::string& label, const std::string& detail,
          bool holds = false) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const float height = context.px(kMenusRow), width = context.px(kMenusWidth);
  const ImVec2 low = ImGui::GetCursorScreenPos(), high{low.x + width, low.y + height};
  const bool chosen = hit_area(name, {width, height});
  const bool hovered = ImGui::IsItemHovered();
  mark(context, std::string("menu.") + name, low, high);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) list->AddRectFilled(low, high, theme.raised, context.px(4));
  const float middle = (low.y + high.y) / 2, top = centred_top(font, middle);
  if (holds) draw_check(list, {low.x + context.px(14), middle}, context.px(10), theme.accent, context.px(1.5F));
  const float right = high.x - context.px(10);
  const float of_detail = detail.empty() ? 0 : text_size(font, detail).x + context.px(12);
  draw_text(list, font, {low.x + context.px(28), top}, theme.text,
            fit_text(font, label, right - of_detail - low.x - context.px(28)));
  draw_text_right(list, font, {right, top}, theme.muted, detail);
  if (chosen) ImGui::CloseCurrentPopup();
  return chosen;
}

void gap(PanelContext& context) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float y = std::floor(at.y + context.px(4)), thickness = std::max(1.0F, std::round(context.view.scale));
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + context.px(kMenusWidth), y + thickness},
                                            context.theme.separator);
  ImGui::Dummy({1, context.px(9)});
}

/// "UI scale   −  100 %  +"; the menu stays open for repeated presses.
void scale_row(PanelContext& context, Screen& screen) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 low = ImGui::GetCursorScreenPos();
  const float height = context.px(kMenusRow), right = low.x + context.px(kMenusWidth - 6), middle = low.y + height / 2;
  draw_text(list, font, {low.x + context.px(28), centred_top(font, middle)}, theme.text, context.strings("menu.scale"));
  const float side = context.px(24), number = context.px(48);
  const auto press = [&](const char* name, float x, float width, const std::string& label, int steps, const char* key) {
    ImGui::SetCursorScreenPos({x, middle - side / 2});
    if (hit_area(name, {width, side})) screen.zoom(steps);
    const bool hovered = ImGui::IsItemHovered();
    explain(context, context.strings.format("menu.scale_meaning", fmt::arg("key", key)));
    mark(context, std::string("menu.") + name, {x, middle - side / 2}, {x + width, middle + side / 2});
    if (hovered)
      list->AddRectFilled({x, middle - side / 2}, {x + width, middle + side / 2}, theme.raised, context.px(4));
    draw_text_centred(list, font, {x + width / 2, middle}, hovered ? theme.text : theme.muted, label);
  };
  press("scale.smaller", right - 2 * side - number, side, "−", -1, "Ctrl −");
  press("scale.reset", right - side - number, number, fmt::format("{}%", std::lround(context.view.user_scale * 100)), 0,
        "Ctrl 0");
  press("scale.larger", right - side, side, "+", 1, "Ctrl +");
  ImGui::SetCursorScreenPos(low);
  ImGui::Dummy({1, height});
}

void reset_lab(PanelContext& context) {
  Session& session = context.session;
  const std::vector<std::string> broken = session.request().broken;
  for (const std::string& name : broken) session.set_broken(name, false);
  session.reset_values();
  if (context.sandbox != nullptr && context.sandbox->is_shown(session)) context.sandbox->reset_form();
}

void open_docs(PanelContext& context, Screen& screen) {
  const auto file = screen.session.engine().root() / "README.md";
  open_document(file);
  // The desktop may have no program for it, so the message gives its location.
  screen.show_message(context.strings.format("menu.docs_are_in", fmt::arg("file", file.string())));
}

void help_items(PanelContext& context, Screen& screen) {
  const Strings& text = context.strings;
  if (item(context, "keys", text("menu.keys"), "F1")) screen.show_help(Screen::Help::keys);
  if (item(context, "terms", text("menu.terms"), "")) screen.show_help(Screen::Help::terms);
  if (item(context, "glossary", text("terms.glossary"), "")) screen.show_help(Screen::Help::glossary);
  if (item(context, "tour", text("menu.tour"), "")) start_tour(screen);
  gap(context);
  for (const char* sheet : kSheets)
    if (item(context, sheet, text(std::string("menu.sheet_") + sheet), "")) screen.show_sheet(sheet);
  gap(context);
  if (item(context, "docs", text("menu.docs"), "")) open_docs(context, screen);
}

void more_items(PanelContext& context, Screen& screen) {
  const Strings& text = context.strings;
  if (item(context, "open", text("palette.open_file") + "…", "Ctrl+O")) context.view.asks_for_file = true;
  if (item(context, "find", text("menu.find"), "Ctrl+P")) screen.open_finder();
  gap(context);
  if (item(context, "json", text("palette.export_json"), "")) export_json(screen);
  if (item(context, "csv", text("palette.export_csv"), "")) export_csv(screen);
  if (item(context, "png", text("palette.export_png"), "")) export_png(screen);
  if (item(context, "command", text("palette.copy_command"), "")) copy_command(screen);
  gap(context);
  if (item(context, "reset_lab", text("menu.reset_lab"), "")) reset_lab(context);
  if (item(context, "reset_layout", text("palette.reset_layout"), "")) screen.reset_layout();
  gap(context);
  const bool chinese = text.language == Language::zh;
  if (item(context, "english", "English", "", !chinese)) screen.strings.language = Language::en;
  if (item(context, "chinese", "中文", "", chinese)) screen.strings.language = Language::zh;
  gap(context);
  if (item(context, "dark", text("palette.dark"), "", !context.view.light)) context.view.light = false;
  if (item(context, "light", text("palette.light"), "", context.view.light)) context.view.light = true;
  scale_row(context, screen);
}

using Items = void (*)(PanelContext&, Screen&);

float menu_button(PanelContext& context, Screen& screen, const HeaderLine& line, float x, const char* name,
                  const char* meaning, Items items) {
  const float side = context.px(kButton);
  const ImVec2 low{x - side, line.centre - side / 2}, high{x, line.centre + side / 2};
  const std::string popup = std::string(name) + " menu";
  ImGui::SetCursorScreenPos(low);
  if (hit_area(name, {side, side})) open_menu(context.view, popup.c_str());
  const bool hovered = ImGui::IsItemHovered();
  if (!ImGui::IsPopupOpen(popup.c_str())) explain(context, context.strings(meaning));
  mark(context, name, low, high);
  ImGui::SetNextWindowPos({x, high.y + context.px(4)}, ImGuiCond_Always, {1, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(6), context.px(6)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  bool open = false;
  if (ImGui::BeginPopup(popup.c_str())) {
    open = true;
    items(context, screen);
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 centre{(low.x + high.x) / 2, line.centre};
  const ImU32 colour = hovered || open ? context.theme.text : context.theme.muted;
  if (open) list->AddRectFilled(low, high, context.theme.raised, context.px(6));
  if (items == help_items) {
    list->AddCircle(centre, context.px(kRound), colour, 32, context.px(1.25F));
    draw_text_centred(list, context.fonts.small_semibold, centre, colour, "?");
  } else {
    for (const float dot : {-5.0F, 0.0F, 5.0F})
      list->AddCircleFilled({centre.x + context.px(dot), centre.y}, context.px(1.6F), colour, 12);
  }
  return low.x;
}

}  // namespace

float draw_header_menus(PanelContext& context, Screen& screen, const HeaderLine& line, float x) {
  x = menu_button(context, screen, line, x, "more", "menu.more_meaning", more_items);
  return menu_button(context, screen, line, x - context.px(2), "help", "menu.help_meaning", help_items);
}

}  // namespace tilescope
