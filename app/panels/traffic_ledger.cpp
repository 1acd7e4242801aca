// The ledger: what each source line asked for and what moved for it.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/panels/traffic_view.hpp"
#include "app/widgets.hpp"

namespace tilescope {
namespace {

constexpr float kRow = 24;
constexpr size_t kColumns = 6;
constexpr std::array<const char*, kColumns> kHeadings{"traffic.requests", "traffic.sectors", "traffic.rate",
                                                      "traffic.useful",   "traffic.moved",   "traffic.used"};
constexpr std::array<const char*, kColumns> kMeanings{"traffic.requests_meaning", "traffic.sectors_meaning",
                                                      "traffic.rate_meaning",     "traffic.useful_meaning",
                                                      "traffic.moved_meaning",    "traffic.used_meaning"};

/// Right edges of the columns, wide enough for every figure.
using Edges = std::array<float, kColumns>;
using Figures = std::array<std::string, kColumns>;

const char* key_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "traffic.kind_load";
    case AccessKind::store:
      return "traffic.kind_store";
    case AccessKind::atomic:
      return "traffic.kind_atomic";
    case AccessKind::reduction:
      return "traffic.kind_reduction";
    case AccessKind::async_copy:
      break;
  }
  return "traffic.kind_async_copy";
}

Figures figures_of(const DataMovement& movement) {
  return {
      with_separators(static_cast<int64_t>(movement.requests)), with_separators(static_cast<int64_t>(movement.sectors)),
      fmt::format("{:.1f}", movement.sectors_per_request()),    bytes_text(static_cast<double>(movement.useful)),
      bytes_text(static_cast<double>(movement.moved())),        percent_text(movement.used())};
}

Edges find_edges(PanelContext& context, const TrafficPicture& picture, float right, float room) {
  std::array<float, kColumns> widths{};
  const auto widen = [&](ImFont* font, const Figures& texts) {
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], text_size(font, texts[i]).x);
  };
  Figures headings;
  for (size_t i = 0; i < kColumns; ++i) headings[i] = context.strings(kHeadings[i]);
  widen(context.fonts.small, headings);
  for (const LedgerRow& row : picture.rows) widen(context.fonts.small_semibold, figures_of(row.movement));
  widen(context.fonts.small_semibold, figures_of(picture.total));
  float sum = 0;
  for (float width : widths) sum += width;
  const float gap = std::clamp((room - sum) / kColumns, context.px(10), context.px(28));
  Edges edges{};
  for (size_t i = kColumns; i-- > 0;) {
    edges[i] = right;
    right -= widths[i] + gap;
  }
  return edges;
}

void draw_figures(PanelContext& context, const Edges& edges, float y, const DataMovement& movement, bool total) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = total ? context.fonts.small_semibold : context.fonts.small;
  const Figures texts = figures_of(movement);
  const bool waste = is_wasteful(movement);
  for (size_t i = 0; i < kColumns; ++i) {
    const bool bad = waste && (i == 2 || i == 4 || i == 5);
    draw_text_right(list, bad ? context.fonts.small_semibold : font, {edges[i], centred_top(font, y)},
                    bad ? context.theme.error : context.theme.text, texts[i]);
  }
}

void draw_row(PanelContext& context, const TrafficPicture& picture, const LedgerRow& row, size_t index, ImVec2 low,
              const Edges& edges) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float height = context.px(kRow), y = low.y + height / 2, right = edges.back();
  ImGui::SetCursorScreenPos({low.x - context.px(8), low.y});
  ImGui::PushID(static_cast<int>(index));
  const bool pressed = ImGui::InvisibleButton("row", {right - low.x + context.px(16), height});
  ImGui::PopID();
  const bool hovered = ImGui::IsItemHovered();
  mark(context, fmt::format("ledger.{}.{}", row.line, row.writes() ? "write" : "read"), low, {right, low.y + height});
  const auto chosen = line_of(context.view.selection, picture.result.get());
  const bool selected = chosen && *chosen == row.line;
  if (selected || hovered)
    list->AddRectFilled({low.x - context.px(8), low.y}, {right + context.px(8), low.y + height},
                        selected ? theme.raised : mix(theme.window, theme.raised, 0.6F), context.px(4));
  if (selected)
    list->AddRectFilled({low.x - context.px(8), low.y}, {low.x - context.px(6), low.y + height}, theme.accent);
  if (hovered) context.view.hover.line = row.line;
  if (pressed) select_line(context.view, picture.result.get(), row.line);
  const ImU32 role = is_wasteful(row.movement) ? theme.error : row.writes() ? theme.write : theme.read;
  draw_text_right(list, context.fonts.code, {low.x + context.px(20), centred_top(context.fonts.code, y)},
                  selected ? theme.text : theme.muted, std::to_string(row.line));
  const float square = low.x + context.px(30);
  list->AddRectFilled({square, y - context.px(4)}, {square + context.px(8), y + context.px(4)}, role);
  const float text_x = square + context.px(16);
  const float room = edges[0] - text_size(context.fonts.small, figures_of(row.movement)[0]).x - context.px(8) - text_x;
  const std::string what =
      context.strings.format(key_of(row.kind), fmt::arg("buffers", row.buffers.empty() ? "?" : row.buffers));
  draw_text(list, context.fonts.small, {text_x, centred_top(context.fonts.small, y)}, theme.text,
            fit_text(context.fonts.small, what, room));
  draw_figures(context, edges, y, row.movement, false);
}

}  // namespace

float draw_ledger(PanelContext& context, const TrafficPicture& picture, ImVec2 low, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float right = low.x + width, row = context.px(kRow);
  ImFont* small = context.fonts.small;
  const Edges edges = find_edges(context, picture, right, width - context.px(150));
  float y = low.y;
  draw_text(list, context.fonts.body_semibold, {low.x, centred_top(context.fonts.body_semibold, y + row / 2)},
            theme.text, context.strings("traffic.ledger"));
  y += row;
  for (size_t i = 0; i < kColumns; ++i) {
    const std::string& heading = context.strings(kHeadings[i]);
    const float edge = edges[i];
    draw_text_right(list, small, {edge, centred_top(small, y + row / 2)}, theme.muted, heading);
    explain_rect(context, {edge - text_size(small, heading).x, y}, {edge, y + row}, context.strings(kMeanings[i]));
  }
  y += row;
  ImGui::PushID("ledger");
  for (size_t i = 0; i < picture.rows.size(); ++i, y += row)
    draw_row(context, picture, picture.rows[i], i, {low.x, y}, edges);
  ImGui::PopID();
  y += context.px(4);
  list->AddRectFilled({low.x, y}, {right, y + std::max(1.0F, context.px(1))}, theme.separator);
  y += context.px(4);
  draw_text(list, small, {low.x + context.px(46), centred_top(small, y + row / 2)}, theme.muted,
            context.strings("traffic.total"));
  draw_figures(context, edges, y + row / 2, picture.total, true);
  return y + row - low.y;
}

}  // namespace tilescope
