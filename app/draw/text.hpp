// Text on a draw list: sizes, lines, and wrapped text.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// Text at a position, no layout. Returns its size. A null font is the current one.
ImVec2 draw_text(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 colour, std::string_view text);
/// Right edge at position.x.
ImVec2 draw_text_right(ImDrawList* list, ImFont* font, ImVec2 position, ImU32 colour, std::string_view text);
ImVec2 draw_text_centred(ImDrawList* list, ImFont* font, ImVec2 centre, ImU32 colour, std::string_view text);
ImVec2 text_size(ImFont* font, std::string_view text);
/// Top of a text of this font whose line box is centred on y. Texts of two fonts centred on the same y share a baseline
/// only if their sizes agree; use baseline_top for mixed sizes.
float centred_top(ImFont* font, float y);
/// Top of a text of this font whose baseline is at y.
float baseline_top(ImFont* font, float y);
/// Height of a line of the font (null: the current one).
float line_height(ImFont* font);
/// Truncated with an ellipsis if it is wider; the caller shows the whole text on hover.
std::string fit_text(ImFont* font, std::string_view text, float width);

/// A text as drawn, for tests of a window's appearance.
struct DrawnText {
  std::string text, window;    // the ImGui window that contains it
  ImVec2 low, high;            // bounding box of its glyphs
  ImVec2 clip_low, clip_high;  // the visible part of the window
  bool scrolls_y = false;      // the window can be scrolled up and down
};
/// Adds every text drawn from now on to the list. Null, the initial value, records nothing.
void record_texts(std::vector<DrawnText>* into);

/// Text wrapped to lines of `width`: at words in Latin scripts, at single characters in Chinese. Draws if `list` is not
/// null. Returns the height.
struct TextRun {
  ImFont* font;
  ImU32 colour;
  std::string_view text;
};
float flow_text(ImDrawList* list, ImVec2 position, float width, float line_step, std::span<const TextRun> runs,
                bool centred = false);

}  // namespace tilescope
