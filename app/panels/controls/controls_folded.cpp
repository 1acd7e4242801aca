// The row that folds the controls of other rungs.
#include <algorithm>
#include <cmath>

#include "app/panels/controls/controls_parts.hpp"

namespace tilescope {
namespace {

constexpr float kRow = 28;

/// ▸ or ▾.
void draw_fold(Column& column, ImVec2 centre, bool open, ImU32 colour) {
  if (open) return draw_chevron(column.list, centre, column.px(8), colour);
  const float half = column.px(4);
  column.list->AddTriangleFilled({centre.x - half * 0.55F, centre.y - half}, {centre.x + half * 0.6F, centre.y},
                                 {centre.x - half * 0.55F, centre.y + half}, colour);
}

}  // namespace

bool fold_row(Column& column, const std::string& section, const std::vector<FoldedRow>& rows) {
  if (rows.empty()) return false;
  PanelContext& context = column.context;
  const Theme& theme = column.theme();
  ImFont* font = column.fonts().small;
  const std::string key = context.lab().name + "/" + section;
  const bool open = context.view.unfolded.contains(key);
  const float height = column.px(kRow), middle = column.y + height / 2;
  const ImVec2 low{column.left - column.px(8), column.y}, high{column.right + column.px(8), column.y + height};
  const std::string rungs = rung_numbers(context.lab(), [&](const Rung& rung) {
    return std::ranges::any_of(rows, [&](const FoldedRow& row) { return row.uses(rung); });
  });
  std::string names;
  for (const FoldedRow& row : rows)
    names += (names.empty() ? "" : "\n") + row.title + ": " + only_rungs_text(context.strings, row.rungs);
  ImGui::SetCursorScreenPos(low);
  if (hit_area(("fold " + section).c_str(), {high.x - low.x, height})) {
    if (open)
      context.view.unfolded.erase(key);
    else
      context.view.unfolded.insert(key);
  }
  const bool hovered = ImGui::IsItemHovered();
  explain(context, context.strings(open ? "controls.fold_meaning" : "controls.unfold_meaning") + "\n" + names);
  mark(context, "fold." + section, low, high);
  if (hovered) column.list->AddRectFilled(low, high, theme.raised, column.px(6));
  const ImU32 ink = hovered ? theme.text : theme.muted;
  draw_fold(column, {column.left + column.px(4), middle}, open, ink);
  const std::string other = only_rungs_text(context.strings, rungs);
  const float room = column.width() - column.px(14 + 12) - text_size(font, other).x;
  // A single one is named.
  const std::string label =
      rows.size() == 1 ? rows.front().title : context.strings.format("controls.more", fmt::arg("count", rows.size()));
  const float top = centred_top(font, middle);
  draw_text(column.list, font, {column.left + column.px(14), top}, ink, fit_text(font, label, room));
  draw_text_right(column.list, font, {column.right, top}, ink, other);
  column.y += height;
  return open;
}

}  // namespace tilescope
