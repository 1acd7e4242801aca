#include "app/draw/editor/code_row.hpp"

#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"

namespace tilescope {
namespace {

void dotted_underline(ImDrawList* list, float x0, float x1, float y, float unit, ImU32 colour) {
  for (float x = x0; x < x1 - unit; x += 3 * unit) list->AddRectFilled({x, y}, {x + 1.5F * unit, y + unit}, colour);
}

}  // namespace

ImU32 syntax_colour(const Theme& theme, TokenKind kind) {
  switch (kind) {
    case TokenKind::keyword:
      return theme.syntax_keyword;
    case TokenKind::type:
      return theme.syntax_type;
    case TokenKind::builtin:
      return theme.syntax_builtin;
    case TokenKind::number:
      return theme.syntax_number;
    case TokenKind::string:
      return theme.syntax_string;
    case TokenKind::comment:
      return theme.syntax_comment;
    case TokenKind::preprocessor:
      return theme.syntax_keyword;
    case TokenKind::text:
    case TokenKind::identifier:
      break;
  }
  return theme.text;
}

float code_width(ImFont* font, float cell, std::string_view text) {
  const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii ? cell * static_cast<float>(text.size()) : text_size(font, text).x;
}

float draw_code_row(DrawContext& context, std::string_view line, std::span<const Token> tokens, const CodeRow& row,
                    const CodeRowPlace& place, const std::function<bool(std::string_view word)>& is_parameter,
                    HoveredParameter* hovered) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.code;
  const float top = centred_top(font, place.top + place.height / 2);
  float x = place.left;
  for (const Token& token : tokens) {
    const uint32_t begin = std::max(token.begin, row.begin), end = std::min(token.end, row.end);
    if (begin >= end) continue;
    const std::string_view text = line.substr(begin, end - begin);
    const float width = code_width(font, place.cell, text);
    const bool parameter = token.kind == TokenKind::identifier && is_parameter && is_parameter(text);
    const ImU32 colour = parameter ? context.theme.accent : syntax_colour(context.theme, token.kind);
    if (text.find_first_not_of(' ') != std::string_view::npos) draw_text(list, font, {x, top}, colour, text);
    if (parameter) {
      const ImVec2 low{x, place.top}, high{x + width, place.top + place.height};
      dotted_underline(list, x, x + width, std::round(place.top + context.px(17.5F)), context.px(1),
                       context.theme.accent);
      if (ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(low, high))
        *hovered = {.name = std::string(text), .low = low, .high = high};
    }
    x += width;
  }
  return x;
}

}  // namespace tilescope
