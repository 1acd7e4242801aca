#include "app/draw/page_head.hpp"

#include <vector>

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kSide = 24, kPageTabs = 32, kAbove = 4, kBelow = 10, kBottom = 8;
constexpr float kLeastWidth = 120, kLeastHeight = 60;

}  // namespace

std::optional<PageArea> page_head(DrawContext& context, const char* id, std::span<const ViewPage> pages, int& current) {
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float left = window.x + context.px(kSide), right = window.x + size.x - context.px(kSide);
  if (right - left < context.px(kLeastWidth)) return {};
  float y = ImGui::GetCursorScreenPos().y + context.px(kAbove);
  std::vector<std::string> names;
  std::vector<TabNote> notes;
  for (const ViewPage& page : pages) {
    names.push_back(page.name);
    notes.push_back(page.note);
  }
  ImGui::SetCursorScreenPos({left, y});
  current = tab_row(context, id, names, current, context.px(kPageTabs), notes);
  if (const auto& badge = pages[static_cast<size_t>(current)].badge)
    draw_badge(context, ImGui::GetWindowDrawList(), {right, y + context.px(6)}, *badge);
  y += context.px(kPageTabs);
  separator_line(context, y);
  const ImVec2 low{left, y + context.px(kBelow)}, high{right, window.y + size.y - context.px(kBottom)};
  if (high.y - low.y < context.px(kLeastHeight)) return {};
  return PageArea{low, high};
}

}  // namespace tilescope
