// Text on a draw list: sizes, lines, and text that flows.
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
/// Top of a text of this font whose line box is centred on y; text of two fonts centred on one y shares its baseline
/// only when their sizes agree, so use baseline_top for mixed sizes.
float centred_top(ImFont* font, float y);
/// Top of a text of this font whose baseline is at y.
float baseline_top(ImFont* font, float y);
/// Height of a line of the font (null: the current one).
float line_height(ImFont* font);
/// Cut with an ellipsis where it would be wider; the whole text is shown on hover by the caller.
std::string fit_text(ImFont* font, std::string_view text, float width);

/// A text as it was drawn, for tests of what a window looks like.
struct DrawnText {
  std::string text, window;    // the ImGui window that it is in
  ImVec2 low, high;            // what its glyphs cover
  ImVec2 clip_low, clip_high;  // what is seen of the window there
  bool scrolls_y = false;      // the window can be scrolled up and down
};
/// From now on each drawn text is added to the list. Null, as at the start, records nothing.
void record_texts(std::vector<DrawnText>* into);

/// Text that flows over lines `width` wide: words in Latin scripts, single characters in Chinese. Draws where `list` is
/// not null. Returns the height.
struct TextRun {
  ImFont* font;
  ImU32 colour;
  std::string_view text;
};
float flow_text(ImDrawList* list, ImVec2 position, float width, float line_step, std::span<const TextRun> runs,
                bool centred = false);

}  // namespace tilescope
