#include "app/panels/rail/review_row.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/recall/recall.hpp"

namespace tilescope {
namespace {

constexpr float kRowRow = 36, kSide = 16;  // unscaled pixels

/// "3 cards are due"; where none is, how many are new.
std::string row_text(const Strings& strings, const DueCards& due) {
  const size_t count = due.due > 0 ? due.due : due.fresh;
  if (count == 0) return strings("review.rail");
  const bool one = count == 1;
  const char* key =
      due.due > 0 ? (one ? "review.one_due" : "review.many_due") : (one ? "review.one_new" : "review.many_new");
  return strings.format(key, fmt::arg("count", count));
}

/// Text that opens a view. Returns its width.
float view_link(PanelContext& context, const char* id, const char* view, ImVec2 at, float width, bool bright,
                const std::string& text, const std::string& meaning) {
  ImFont* font = bright ? context.fonts.small_semibold : context.fonts.small;
  const std::string shown = fit_text(font, text, width);
  const float height = context.px(kRowRow), room = text_size(font, shown).x;
  ImGui::SetCursorScreenPos(at);
  if (hit_area(id, {room, height})) context.view.tab = view;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context, meaning);
  const Theme& theme = context.theme;
  const bool here = context.view.tab == view;
  const ImU32 colour = bright ? theme.accent : hovered || here ? theme.text : theme.muted;
  draw_text(ImGui::GetWindowDrawList(), font, {at.x, centred_top(font, at.y + height / 2)}, colour, shown);
  mark(context, id, at, {at.x + room, at.y + height});
  return room;
}

}  // namespace

float review_row_height(const PanelContext& context) {
  return context.recall != nullptr && !context.recall->cards().empty() ? context.px(kRowRow) : 0;
}

void draw_review_row(PanelContext& context, ImVec2 at, float width) {
  const float line = std::max(1.0F, std::round(context.view.scale));
  ImGui::GetWindowDrawList()->AddRectFilled({at.x, at.y}, {at.x + width, at.y + line}, context.theme.separator);
  const DueCards due = context.recall->due(context.session.learned);
  const std::string& skills = context.strings("view.skills.title");
  const float left = at.x + context.px(kSide), right = at.x + width - context.px(kSide);
  const float skills_left = right - text_size(context.fonts.small, skills).x;
  view_link(context, "review due cards", "review", {left, at.y}, skills_left - context.px(12) - left, due.all() > 0,
            row_text(context.strings, due), context.strings("review.rail_meaning"));
  view_link(context, "skills page", "skills", {skills_left, at.y}, right - skills_left + 1, false, skills,
            context.strings("review.rail_skills_meaning"));
}

}  // namespace tilescope
