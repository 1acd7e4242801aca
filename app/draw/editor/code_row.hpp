// Draws one screen row of a source line in colour, with dotted lines under parameter names.
#pragma once

#include <imgui.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/draw/context.hpp"
#include "app/draw/editor/line_wrap.hpp"
#include "app/draw/editor/tokenizer.hpp"

namespace tilescope {

/// The theme's colour for a token of source text.
ImU32 syntax_colour(const Theme& theme, TokenKind kind);

struct CodeRowPlace {
  float left = 0, top = 0, height = 0;  // the row's; its text begins at `left`, which includes the row's indent
  float cell = 0;                       // width of a character of the code font
};
struct HoveredParameter {
  std::string name;
  ImVec2 low, high;
};

/// Width of a piece of code; ASCII characters have the width `cell`.
float code_width(ImFont* font, float cell, std::string_view text);
/// Returns the right end of the text. `hovered` is filled in if the pointer is on a parameter.
float draw_code_row(DrawContext& context, std::string_view line, std::span<const Token> tokens, const CodeRow& row,
                    const CodeRowPlace& place, const std::function<bool(std::string_view word)>& is_parameter,
                    HoveredParameter* hovered);

}  // namespace tilescope
