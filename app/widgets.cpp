#include "app/widgets.hpp"

#include <imgui_internal.h>  // of a recorded text's window: whether it can be scrolled

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "app/tooltip.hpp"

namespace tilescope {
namespace {

ImFont* or_current(ImFont* font) { return font != nullptr ? font : ImGui::GetFont(); }

float size_of_font(ImFont* font) {
#if IMGUI_VERSION_NUM < 19200
  return or_current(font)->FontSize;
#else
  return or_current(font)->LegacySize;
#endif
}

float ascent_of(ImFont* font) {
#if IMGUI_VERSION_NUM < 19200
  return std::round(or_current(font)->Ascent);
#else
  return std::round(or_current(font)->GetFontBaked(size_of_font(font))->Ascent);
#endif
}

/// Bytes of the character that starts here.
size_t character_bytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

/// Bytes of the closing punctuation at the front, which never starts a line.
size_t closing_bytes(std::string_view text) {
  for (std::string_view closing : {"，", "。", "；", "：", "、", "）", "”", "？", "！"})
    if (text.starts_with(closing)) return closing.size() + closing_bytes(text.substr(closing.size()));
  return 0;
}

std::vector<DrawnText>* recorded_texts = nullptr;

/// The rectangle that the glyphs of a text cover; empty for spaces.
std::pair<ImVec2, ImVec2> glyph_extent(ImFont* font, ImVec2 at, std::string_view text) {
  ImVec2 low{FLT_MAX, FLT_MAX}, high{-FLT_MAX, -FLT_MAX};
  float x = at.x;
  for (const char *next = text.data(), *end = next + text.size(); next < end;) {
    unsigned int code = 0;
    next += std::max(1, ImTextCharFromUtf8(&code, next, end));
#if IMGUI_VERSION_NUM < 19200
    const ImFontGlyph* glyph = font->FindGlyph(static_cast<ImWchar>(code));
#else
    const ImFontGlyph* glyph = font->GetFontBaked(size_of_font(font))->FindGlyph(static_cast<ImWchar>(code));
#endif
    if (glyph == nullptr) continue;
    if (glyph->Visible) {
      low = {std::min(low.x, x + glyph->X0), std::min(low.y, at.y + glyph->Y0)};
      high = {std::max(high.x, x + glyph->X1), std::max(high.y, at.y + glyph->Y1)};
    }
    x += glyph->AdvanceX;
  }
  return {low, high};
}

void record(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 colour, std::string_view text) {
  const auto [low, high] = glyph_extent(or_current(font), at, text);
  if (high.x <= low.x || (colour & IM_COL32_A_MASK) == 0) return;
  const ImGuiWindow* window = ImGui::GetCurrentContext()->CurrentWindow;
  bool scrolls = false;  // it, or one that it is part of
  for (const ImGuiWindow* outer = window; outer != nullptr; outer = outer->ParentWindow)
    scrolls = scrolls || outer->ScrollMax.y > 0;
  recorded_texts->push_back({.text = std::string(text),
                             .window = window != nullptr ? window->Name : "",
                             .low = low,
                             .high = high,
                             .clip_low = list->GetClipRectMin(),
                             .clip_high = list->GetClipRectMax(),
                             .scrolls_y = scrolls});
}

constexpr size_t kBarred = 40;  // bytes between two bars, at most

/// The next piece that must stay on one line: a word with the spaces before it, or one Chinese character, each with the
/// closing punctuation after it.
std::string_view next_piece(std::string_view text) {
  const auto is_wide = [&](size_t at) { return static_cast<unsigned char>(text[at]) >= 0xE3; };
  size_t end = 0;
  // A value between bars, as |expected|, stays in one piece.
  if (const size_t bar = std::min(text.find_first_not_of(' '), text.size()); bar < text.size() && text[bar] == '|')
    if (const size_t closing = text.find('|', bar + 1); closing != std::string_view::npos && closing - bar < kBarred)
      return text.substr(0, closing + 1 + closing_bytes(text.substr(closing + 1)));
  while (end < text.size() && text[end] == ' ') ++end;
  if (end < text.size() && is_wide(end)) {
    end += character_bytes(static_cast<unsigned char>(text[end]));
  } else {
    while (end < text.size() && text[end] != ' ' && text[end] != '\n' && !is_wide(end))
      end += character_bytes(static_cast<unsigned char>(text[end]));
  }
  end = std::min(end, text.size());
  return text.substr(0, end + closing_bytes(text.substr(end)));
}

/// The tooltip comes when the pointer has rested; until then, and for F1, the text is noted.
void show_explanation(PanelContext& context, const Mark& area, std::string_view text) {
  ViewState& view = context.view;
  view.explained = text;
  if (!view.animate || !view.explanation_due || ImGui::IsMouseDown(0)) return;
  const TextRun run[] = {{context.fonts.small, context.theme.text, text}};
  const float step = context.px(20), widest = context.px(380);
  const float width = std::min(widest, std::ceil(text_size(context.fonts.small, text).x) + 1);
  const float height = flow_text(nullptr, {0, 0}, width, step, run);
  const ImVec2 padding{context.px(12), context.px(6)}, pointer = ImGui::GetIO().MousePos;
  const Mark explained = explained_part(area, pointer, view.scale);
  const TooltipRoom room{ImGui::GetIO().DisplaySize, view.rail_right, view.column_left, view.keep_free};
  const Mark place =
      place_tooltip(explained, pointer, {width + 2 * padding.x, height + 2 * padding.y}, room, view.scale);
  view.tooltip = {explained, place};
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, padding);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, context.px(6));
  ImGui::SetNextWindowPos(place.low);
  ImGui::BeginTooltip();
  flow_text(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), width, step, run);
  ImGui::Dummy({width, height});
  ImGui::EndTooltip();
  ImGui::PopStyleVar(2);
}

}  // namespace

ImVec2 text_size(ImFont* font, std::string_view text) {
  return or_current(font)->CalcTextSizeA(size_of_font(font), FLT_MAX, 0, text.data(), text.data() + text.size());
}

bool hit_area(const char* id, ImVec2 size) {
  const bool empty = !(size.x >= 1 && size.y >= 1);
  const bool pressed = ImGui::InvisibleButton(id, {std::max(1.0F, size.x), std::max(1.0F, size.y)});
  return pressed && !empty;
}

float line_height(ImFont* font) { return size_of_font(font); }
float centred_top(ImFont* font, float y) { return std::round(y - size_of_font(font) / 2); }
float baseline_top(ImFont* font, float y) { return y - ascent_of(font); }

void record_texts(std::vector<DrawnText>* into) { recorded_texts = into; }

ImVec2 draw_text(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 colour, std::string_view text) {
  const ImVec2 whole{std::round(position.x), std::round(position.y)};
  if (recorded_texts != nullptr) record(list, font, whole, colour, text);
  list->AddText(or_current(font), size_of_font(font), whole, colour, text.data(), text.data() + text.size());
  return text_size(font, text);
}

ImVec2 draw_text_right(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 colour, std::string_view text) {
  const ImVec2 size = text_size(font, text);
  return draw_text(list, font, {position.x - size.x, position.y}, colour, text);
}

ImVec2 draw_text_centred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 colour, std::string_view text) {
  const ImVec2 size = text_size(font, text);
  return draw_text(list, font, {centre.x - size.x / 2, centre.y - size.y / 2}, colour, text);
}

std::string fit_text(ImFont* font, std::string_view text, float width) {
  if (text_size(font, text).x <= width) return std::string(text);
  const float room = width - text_size(font, "…").x;
  if (room < 0) return {};
  size_t end = 0;
  for (size_t next = 0; next < text.size();) {
    next = std::min(text.size(), next + character_bytes(static_cast<unsigned char>(text[next])));
    if (text_size(font, text.substr(0, next)).x > room) break;
    end = next;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + "…";
}

const std::string& badge_text(const PanelContext& context, Badge badge) {
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

float badge_width(const PanelContext& context, Badge badge) {
  return std::round(text_size(context.fonts.small_semibold, badge_text(context, badge)).x) + context.px(16);
}

float draw_badge(PanelContext& context, ImDrawList* list, ImVec2 top_right, Badge badge) {
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

void draw_check(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness) {
  const float half = size / 2;
  const ImVec2 points[] = {{centre.x - half, centre.y + half * 0.05F},
                           {centre.x - half * 0.3F, centre.y + half * 0.7F},
                           {centre.x + half, centre.y - half * 0.65F}};
  list->AddPolyline(points, 3, colour, 0, thickness);
}

void draw_cross(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness) {
  const float half = size * 0.42F;
  list->AddLine({centre.x - half, centre.y - half}, {centre.x + half, centre.y + half}, colour, thickness);
  list->AddLine({centre.x - half, centre.y + half}, {centre.x + half, centre.y - half}, colour, thickness);
}

void draw_finding_mark(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness) {
  const float half = size / 2, top = centre.y - half, bottom = centre.y + half * 0.85F;
  const ImVec2 points[] = {{centre.x, top}, {centre.x + half * 1.1F, bottom}, {centre.x - half * 1.1F, bottom}};
  list->AddPolyline(points, 3, colour, ImDrawFlags_Closed, thickness * 0.85F);
  list->AddLine({centre.x, top + size * 0.36F}, {centre.x, top + size * 0.62F}, colour, thickness * 0.85F);
  list->AddCircleFilled({centre.x, top + size * 0.77F}, thickness * 0.5F, colour, 8);
}

void draw_play(ImDrawList* list, ImVec2 centre, float size, ImU32 colour) {
  const float half = size / 2;
  list->AddTriangleFilled({centre.x - half * 0.85F, centre.y - half}, {centre.x + half * 0.95F, centre.y},
                          {centre.x - half * 0.85F, centre.y + half}, colour);
}

void draw_chevron(ImDrawList* list, ImVec2 centre, float size, ImU32 colour) {
  const float half = size / 2;
  list->AddTriangleFilled({centre.x - half, centre.y - half * 0.55F}, {centre.x + half, centre.y - half * 0.55F},
                          {centre.x, centre.y + half * 0.6F}, colour);
}

namespace {

/// A piece of a run on its line.
struct PlacedPiece {
  const TextRun* run;
  std::string_view text;
  float x;
};

void draw_line(ImDrawList* list, ImVec2 at, float line_step, const std::vector<PlacedPiece>& pieces) {
  for (const PlacedPiece& piece : pieces) {
    const float height = size_of_font(piece.run->font);
    draw_text(list, piece.run->font, {at.x + piece.x, at.y + (line_step - height) / 2}, piece.run->colour, piece.text);
  }
}

}  // namespace

float flow_text(ImDrawList* list, ImVec2 position, float width, float line_step, std::span<const TextRun> runs,
                bool centred) {
  float x = 0, y = 0;
  std::vector<PlacedPiece> line;
  const auto end_line = [&] {
    if (list != nullptr)
      draw_line(list, {position.x + (centred ? (width - x) / 2 : 0), position.y + y}, line_step, line);
    line.clear();
    x = 0;
    y += line_step;
  };
  for (const TextRun& run : runs) {
    for (std::string_view rest = run.text; !rest.empty();) {
      if (rest.front() == '\n') {
        end_line();
        rest.remove_prefix(1);
        continue;
      }
      std::string_view piece = next_piece(rest);
      rest.remove_prefix(piece.size());
      float piece_width = text_size(run.font, piece).x;
      if (x > 0 && x + piece_width > width) end_line();
      if (x == 0 && piece.starts_with(' ')) {
        piece.remove_prefix(std::min(piece.find_first_not_of(' '), piece.size()));
        piece_width = text_size(run.font, piece).x;
      }
      // Pieces that follow each other are drawn as one text, so that nothing is rounded between its words.
      if (!line.empty() && line.back().run == &run && line.back().text.data() + line.back().text.size() == piece.data())
        line.back().text = {line.back().text.data(), line.back().text.size() + piece.size()};
      else
        line.push_back({&run, piece, x});
      x += piece_width;
    }
  }
  end_line();
  return y;
}

void sentence(PanelContext& context, std::string_view finding, std::string_view reason, std::string_view quiet) {
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

/// Where the tabs of a row stand: a name and its width each.
struct TabFit {
  ImFont *regular = nullptr, *selected = nullptr;
  std::vector<std::pair<std::string, float>> tabs;
  float gap = 0;
};

/// In a narrow row the tabs stand closer together, then in the smaller font; the longest names are shortened last.
TabFit fit_tabs(const PanelContext& context, std::span<const std::string> names, bool large, float room) {
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
      // As wide as the wider of the two weights, so that nothing moves when the selection does.
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
  for (float most = widest; most > context.px(32); most -= context.px(1)) {
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

int tab_row(PanelContext& context, const char* id, std::span<const std::string> names, int current, float height,
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

void explain(PanelContext& context, std::string_view text) {
  if (!text.empty() && ImGui::IsItemHovered())
    show_explanation(context, {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()}, text);
}

void explain_rect(PanelContext& context, ImVec2 low, ImVec2 high, std::string_view text) {
  if (!text.empty() && ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high))
    show_explanation(context, {low, high}, text);
}

void mark(PanelContext& context, std::string name, ImVec2 low, ImVec2 high) {
  context.view.marks[std::move(name)] = {low, high};
}

void separator_line(PanelContext& context, float y) {
  const float left = ImGui::GetWindowPos().x, thickness = std::max(1.0F, std::round(context.view.scale));
  y = std::floor(y);
  ImGui::GetWindowDrawList()->AddRectFilled({left, y}, {left + ImGui::GetWindowWidth(), y + thickness},
                                            context.theme.separator);
}

void dim_if_stale(PanelContext& context) {
  if (!context.stale) return;
  const ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ImGui::GetWindowDrawList()->AddRectFilled(low, {low.x + size.x, low.y + size.y},
                                            with_alpha(context.theme.window, 0.45F));
}

void empty_state(PanelContext& context, std::string_view title, std::string_view what_to_do) {
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

}  // namespace tilescope
