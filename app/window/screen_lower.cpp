// The area below the view: its upper edge can be dragged and snaps shut; a strip, a key or a command restores it.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/view.hpp"
#include "app/window/screen.hpp"
#include "app/window/screen_areas.hpp"

namespace tilescope {
namespace {

constexpr float kShut = 72, kLeast = 120;  // unscaled heights: dragged below kShut it closes, else its minimum is
                                           // kLeast

/// ▾ or ▴
void draw_arrow(ImDrawList* list, ImVec2 centre, float size, bool up, ImU32 colour, float thickness) {
  const float half = size / 2, tip = up ? -half / 2 : half / 2;
  const ImVec2 points[] = {
      {centre.x - half, centre.y - tip}, {centre.x, centre.y + tip}, {centre.x + half, centre.y - tip}};
  list->AddPolyline(points, 3, colour, 0, thickness);
}

}  // namespace

void Screen::ask_source(SourceWish wish) {
  view.source_wish = wish;
  if (wish == SourceWish::none || wish == SourceWish::save) return;  // saving works while hidden
  show_source();
}

void Screen::show_source() {
  view.bottom_speed = view.lower_hidden = false;
  views_->at(view.tab).show_source();
}

void Screen::toggle_source_maximised() { view.source_maximised = !view.source_maximised; }

void Screen::toggle_lower() {
  view.source_maximised = false;
  view.lower_hidden = !view.lower_hidden;
}

void Screen::toggle_diff() {
  view.diff = !view.diff;
  if (view.diff) show_source();
}

/// `lowered`: how far the shown view moves the lower part's upper edge down, in unscaled pixels.
void Screen::drag_lower(PanelContext& context, const Layout& layout, float lowered) {
  const float top = layout.view.bottom, left = layout.strip.width() > 0 ? layout.strip.left : layout.source.left;
  const SplitterDrag drag = splitter(context, "splitter.bottom", {left, top}, {layout.view.right, top});
  if (drag.reset) {
    view.bottom_height = ViewState().bottom_height;
    view.lower_hidden = false;
    return;
  }
  if (!drag.active || drag.moved == 0) return;
  // The pointer gives the wanted position of the edge: the shown one may have been clamped.
  const float height = (layout.status.top - ImGui::GetIO().MousePos.y) / view.scale;
  view.lower_hidden = height < kShut;
  if (!view.lower_hidden) view.bottom_height = std::max(height + lowered, kLeast);
}

void Screen::draw_lower_strip(PanelContext& context, const Layout& layout) {
  const Area& strip = layout.strip;
  begin_area("lower strip", strip, kFixedArea);
  ImGui::SetCursorScreenPos({strip.left, strip.top});
  if (hit_area("lower.show", {strip.width(), strip.height()})) view.lower_hidden = false;
  const bool hovered = ImGui::IsItemHovered();
  explain(context, strings("lower.show_meaning"));
  mark(context, "lower.show", {strip.left, strip.top}, {strip.right, strip.bottom});
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float middle = (strip.top + strip.bottom) / 2;
  const ImU32 colour = hovered ? context.theme.text : context.theme.muted;
  if (hovered)
    list->AddRectFilled({strip.left, strip.top + context.px(1)}, {strip.right, strip.bottom}, context.theme.raised);
  draw_arrow(list, {strip.left + context.px(29), middle}, context.px(9), true, colour, context.px(1.5F));
  const std::string names = session.shows_own() ? strings("header.tab_source")
                                                : strings("header.tab_source") + " · " + strings("header.tab_speed");
  draw_text(list, fonts.small, {strip.left + context.px(42), centred_top(fonts.small, middle)}, colour, names);
  ImGui::EndChild();
}

/// On the edge itself, so that it is found where the edge is dragged.
void Screen::draw_lower_chevron(PanelContext& context, const Layout& layout) {
  const float width = context.px(36), height = context.px(11);
  const float left = std::round((layout.view.left + layout.view.right - width) / 2),
              top = layout.view.bottom + context.px(1);
  begin_area("lower chevron", {left, top, left + width, top + height}, kFixedArea);
  ImGui::SetCursorScreenPos({left, top});
  if (hit_area("lower.hide", {width, height})) view.lower_hidden = true;
  const bool hovered = ImGui::IsItemHovered();
  explain(context, strings("lower.hide_meaning"));
  mark(context, "lower.hide", {left, top}, {left + width, top + height});
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered)
    list->AddRectFilled({left, top}, {left + width, top + height}, context.theme.raised, context.px(4),
                        ImDrawFlags_RoundCornersBottom);
  draw_arrow(list, {left + width / 2, top + height / 2 - context.px(1)}, context.px(9), false,
             hovered ? context.theme.text : mix(context.theme.window, context.theme.muted, 0.7F), context.px(1.5F));
  ImGui::EndChild();
}

}  // namespace tilescope
