#include "app/draw/widgets.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "app/draw/tooltip.hpp"

namespace tilescope {
namespace {

/// The tooltip appears when the pointer has rested; until then, and for F1, the text is only recorded.
void show_explanation(DrawContext& context, const Mark& area, std::string explained, std::span<const TextRun> runs) {
  DrawState& screen = context.screen;
  screen.explained = std::move(explained);
  if (!screen.animate || !screen.explanation_due || ImGui::IsMouseDown(0)) return;
  const float step = context.px(20), widest = context.px(380);
  float natural = 0;
  for (const TextRun& run : runs) natural = std::max(natural, text_size(run.font, run.text).x);
  const float width = std::min(widest, std::ceil(natural) + 1);
  const float height = flow_text(nullptr, {0, 0}, width, step, runs);
  const ImVec2 padding{context.px(12), context.px(6)}, pointer = ImGui::GetIO().MousePos;
  const Mark part = explained_part(area, pointer, screen.scale);
  const TooltipRoom room{ImGui::GetIO().DisplaySize, screen.rail_right, screen.column_left, screen.keep_free};
  const Mark place = place_tooltip(part, pointer, {width + 2 * padding.x, height + 2 * padding.y}, room, screen.scale);
  screen.tooltip = {part, place};
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(6));
  ImGui::SetNextWindowPos(place.low);
  ImGui::BeginTooltip();
  flow_text(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), width, step, runs);
  ImGui::Dummy({width, height});
  ImGui::EndTooltip();
  ImGui::PopStyleVar(2);
}

void show_explanation(DrawContext& context, const Mark& area, std::string_view text) {
  const TextRun run[] = {{context.fonts.small, context.theme.text, text}};
  show_explanation(context, area, std::string(text), run);
}

}  // namespace

const std::string& badge_text(const DrawContext& context, Badge badge) {
  switch (badge) {
    case Badge::measured:
      return context.strings("badge.measured");
    case Badge::simulated:
      return context.strings("badge.simulated");
    case Badge::modelled:
      return context.strings("badge.modelled");
    case Badge::recorded:
      break;
  }
  return context.strings("badge.recorded");
}

float badge_width(const DrawContext& context, Badge badge) {
  return std::round(text_size(context.fonts.small_semibold, badge_text(context, badge)).x) + context.px(16);
}

float draw_badge(DrawContext& context, ImDrawList* list, ImVec2 top_right, Badge badge) {
  const Theme& theme = context.theme;
  const float width = badge_width(context, badge), height = context.px(20), corner = context.px(4);
  const ImVec2 low{top_right.x - width, top_right.y}, high{top_right.x, top_right.y + height};
  ImU32 ink = theme.on_accent;
  if (badge == Badge::measured || badge == Badge::simulated) {
    list->AddRectFilled(low, high, badge == Badge::measured ? theme.ok : theme.accent, corner);
  } else {
    ink = badge == Badge::modelled ? theme.accent : theme.muted;
    list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, ink, corner, 0, context.px(1));
  }
  draw_text_centred(list, context.fonts.small_semibold, {(low.x + high.x) / 2, (low.y + high.y) / 2}, ink,
                    badge_text(context, badge));
  static constexpr std::array<const char*, 4> kMeaning{"badge.measured_meaning", "badge.simulated_meaning",
                                                       "badge.modelled_meaning", "badge.recorded_meaning"};
  explain_rect(context, low, high, context.strings(kMeaning[static_cast<size_t>(badge)]));
  return width;
}

void sentence(DrawContext& context, std::string_view finding, std::string_view reason, std::string_view quiet) {
  const Theme& theme = context.theme;
  const std::string second = reason.empty() ? "" : " " + std::string(reason);
  const std::string third = quiet.empty() ? "" : " " + std::string(quiet);
  const TextRun runs[] = {{context.fonts.body_semibold, theme.text, finding},
                          {context.fonts.body, theme.text, second},
                          {context.fonts.body, theme.muted, third}};
  const ImVec2 position = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = flow_text(ImGui::GetWindowDrawList(), position, width, context.px(24), runs);
  ImGui::Dummy({width, height});
}

namespace {

/// Layout of a row of tabs: a name and its width each.
struct TabFit {
  ImFont *regular = nullptr, *selected = nullptr;
  std::vector<std::pair<std::string, float>> tabs;
  float gap = 0;
};

/// In a narrow row the tabs move closer together, then use the smaller font; the longest names are shortened last.
TabFit fit_tabs(const DrawContext& context, std::span<const std::string> names, bool large, float room) {
  const Fonts& fonts = context.fonts;
  const float usual = context.px(large ? 32 : 24), least = context.px(12);
  const auto gaps = static_cast<float>(std::max<size_t>(names.size(), 2) - 1);
  TabFit fit;
  for (const bool body : {large, false}) {
    fit.regular = body ? fonts.body : fonts.small;
    fit.selected = body ? fonts.body_semibold : fonts.small_semibold;
    fit.tabs.clear();
    float total = 0;
    for (const std::string& name : names) {
      // As wide as the wider of the two weights, so that nothing moves when the selection changes.
      const float width = std::round(std::max(text_size(fit.regular, name).x, text_size(fit.selected, name).x));
      fit.tabs.emplace_back(name, width);
      total += width;
    }
    fit.gap = std::clamp((room - total) / gaps, least, usual);
    if (total + gaps * least <= room) return fit;
  }
  const float closest = context.px(7);
  float widest = 0;
  for (const auto& [name, width] : fit.tabs) widest = std::max(widest, width);
  for (float most = widest; most > context.px(20); most -= context.px(1)) {
    float total = 0;
    for (const auto& [name, width] : fit.tabs) total += std::min(width, most);
    if (total + gaps * closest > room) continue;
    fit.gap = closest;
    for (auto& [name, width] : fit.tabs)
      if (width > most) name = fit_text(fit.selected, name, most), width = most;
    break;
  }
  return fit;
}

}  // namespace

int tab_row(DrawContext& context, const char* id, std::span<const std::string> names, int current, float height,
            std::span<const TabNote> notes) {
  const Theme& theme = context.theme;
  const bool large = height >= context.px(36);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const TabFit fit =
      fit_tabs(context, names, large, ImGui::GetWindowPos().x + ImGui::GetWindowWidth() - context.px(8) - origin.x);
  const float gap = fit.gap;
  ImDrawList* list = ImGui::GetWindowDrawList();
  float x = origin.x;
  int chosen = current;
  ImGui::PushID(id);
  for (int index = 0; index < static_cast<int>(names.size()); ++index) {
    const auto& [name, width] = fit.tabs[static_cast<size_t>(index)];
    const bool on = index == current;
    ImGui::SetCursorScreenPos({x - gap / 4, origin.y});
    ImGui::PushID(index);
    if (hit_area("tab", {width + gap / 2, height})) chosen = index;
    mark(context, std::string(id) + "." + std::to_string(index), ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    const bool hovered = ImGui::IsItemHovered();
    const TabNote* note = static_cast<size_t>(index) < notes.size() ? &notes[static_cast<size_t>(index)] : nullptr;
    const std::string& whole = names[static_cast<size_t>(index)];
    explain(context, note != nullptr && !note->meaning.empty() ? note->meaning : name == whole ? "" : whole);
    ImGui::PopID();
    ImFont* font = on ? fit.selected : fit.regular;
    const ImU32 quiet = note != nullptr && note->empty ? mix(theme.window, theme.muted, 0.55F) : theme.muted;
    draw_text(list, font, {x, origin.y + std::floor((height - line_height(font)) / 2)},
              on || hovered ? theme.text : quiet, name);
    if (on) list->AddRectFilled({x, origin.y + height - context.px(2)}, {x + width, origin.y + height}, theme.accent);
    x += width + gap;
  }
  ImGui::PopID();
  ImGui::SetCursorScreenPos({origin.x, origin.y + height});
  ImGui::Dummy({x - gap - origin.x, 0});
  return chosen;
}

void explain(DrawContext& context, std::string_view text) {
  if (!text.empty() && ImGui::IsItemHovered())
    show_explanation(context, {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()}, text);
}

void explain_rect(DrawContext& context, ImVec2 low, ImVec2 high, std::string_view text) {
  if (!text.empty() && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high))
    show_explanation(context, {low, high}, text);
}

void explain_rect(DrawContext& context, ImVec2 low, ImVec2 high, const Explanation& explanation) {
  if (!ImGui::IsWindowHovered() || !ImGui::IsMouseHoveringRect(low, high)) return;
  const auto [title, text, quiet] = explanation;
  // Runs continue each other's line, so each begins with a new one.
  const std::string below = title.empty() ? text : "\n" + text;
  const std::string last = quiet.empty() ? std::string() : "\n" + quiet;
  const TextRun runs[] = {{context.fonts.small_semibold, context.theme.text, title},
                          {context.fonts.small, context.theme.text, below},
                          {context.fonts.small, context.theme.muted, last}};
  show_explanation(context, {low, high}, title + below + last, runs);
}

void mark(DrawContext& context, std::string name, ImVec2 low, ImVec2 high) {
  context.screen.marks[std::move(name)] = {low, high};
}

void separator_line(DrawContext& context, float y) {
  const float left = ImGui::GetWindowPos().x, thickness = std::max(1.0F, std::round(context.screen.scale));
  y = std::floor(y);
  ImGui::GetWindowDrawList()->AddRectFilled({left, y}, {left + ImGui::GetWindowWidth(), y + thickness},
                                            context.theme.separator);
}

void dim_if_stale(DrawContext& context) {
  if (!context.stale) return;
  const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + size.x, low.y + size.y},
                                            with_alpha(context.theme.window, 0.45F));
}

void empty_state(DrawContext& context, std::string_view title, std::string_view what_to_do) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 origin = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float width = std::min(room.x - context.px(32), context.px(440));
  const TextRun explanation[] = {{context.fonts.small, context.theme.muted, what_to_do}};
  const float step = context.px(20);
  const float lower = flow_text(nullptr, {0, 0}, width, step, explanation);
  const float top = origin.y + std::max(0.0F, (room.y - lower - context.px(28)) / 2);
  draw_text_centred(list, context.fonts.body_semibold, {origin.x + room.x / 2, top + context.px(10)},
                    context.theme.text, title);
  flow_text(list, {origin.x + (room.x - width) / 2, top + context.px(28)}, width, step, explanation, /*centred=*/true);
}

bool empty_state_button(DrawContext& context, const char* name, const std::string& label, std::string_view meaning) {
  ImFont* font = context.fonts.body_semibold;
  const ImVec2 origin = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const ImVec2 extent{std::round(text_size(font, label).x) + context.px(32), context.px(32)};
  const ImVec2 low{std::round(origin.x + (size.x - extent.x) / 2), std::round(origin.y + size.y / 2 + context.px(56))};
  const ImVec2 high{low.x + extent.x, low.y + extent.y};
  if (high.y > origin.y + size.y) return false;
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(name, extent);
  const bool hovered = ImGui::IsItemHovered();
  explain(context, meaning);
  mark(context, name, low, high);
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, hovered ? mix(theme.accent, theme.text, 0.12F) : theme.accent, context.px(6));
  draw_text_centred(list, font, {(low.x + high.x) / 2, (low.y + high.y) / 2}, theme.on_accent, label);
  return pressed;
}

}  // namespace tilescope
