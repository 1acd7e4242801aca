#include "app/draw/text.hpp"

#include <imgui_internal.h>  // says whether the window of a recorded text scrolls

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

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

/// Bytes of closing punctuation at the front, which must never start a line.
size_t closing_bytes(std::string_view text) {
  for (std::string_view closing : {"，", "。", "；", "：", "、", "）", "”", "？", "！"})
    if (text.starts_with(closing)) return closing.size() + closing_bytes(text.substr(closing.size()));
  return 0;
}

std::vector<DrawnText>* recorded_texts = nullptr;

/// The bounding box of a text's glyphs; empty for spaces.
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
  bool scrolls = false;  // the window, or one that contains it
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

constexpr size_t kBarred = 40;  // maximum number of bytes between two bars

/// The next part that must stay on one line: a word with the preceding spaces, or one Chinese character, each with the
/// following closing punctuation.
std::string_view next_piece(std::string_view text) {
  const auto is_wide = [&](size_t at) { return static_cast<unsigned char>(text[at]) >= 0xE3; };
  size_t end = 0;
  // A value between bars, such as |expected|, is not split.
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

}  // namespace

ImVec2 text_size(ImFont* font, std::string_view text) {
  return or_current(font)->CalcTextSizeA(size_of_font(font), FLT_MAX, 0, text.data(), text.data() + text.size());
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

namespace {

/// A part of a run on its line.
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
      // Consecutive parts are drawn as one text, so that nothing is rounded between its words.
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

}  // namespace tilescope
