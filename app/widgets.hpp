// The small parts every panel is made of, drawn as the mock screens have them.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/panel_context.hpp"
#include "app/sentences.hpp"

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

/// A badge with its top right corner at the position; 20 high. Returns its width.
float draw_badge(PanelContext& context, ImDrawList* list, ImVec2 top_right, Badge badge);

/// The text of a badge in the current language, and the badge's width.
const std::string& badge_text(const PanelContext& context, Badge badge);
float badge_width(const PanelContext& context, Badge badge);

/// Shapes that no font draws well at 13 pixels. The centre is that of the shape, size its width.
void draw_check(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness);
void draw_cross(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness);
void draw_finding_mark(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness);  // ⚠
void draw_play(ImDrawList* list, ImVec2 centre, float size, ImU32 colour);                           // ▶
void draw_chevron(ImDrawList* list, ImVec2 centre, float size, ImU32 colour);                        // ▾

/// The sentence on top of a view: the finding in semibold, then its reason, muted after `quiet`. Advances the cursor.
void sentence(PanelContext& context, std::string_view finding, std::string_view reason, std::string_view quiet = {});

/// A row of underlined tabs. Returns the index that was clicked, or `current`. Each has its explanation; one that has
/// nothing to show for the present result is dimmed, and its explanation says why.
struct TabNote {
  std::string meaning;
  bool empty = false;
};
int tab_row(PanelContext& context, const char* id, std::span<const std::string> names, int current, float height,
            std::span<const TabNote> notes = {});

/// Tooltip in one sentence when the last item, or the rectangle, is hovered.
void explain(PanelContext& context, std::string_view text);
void explain_rect(PanelContext& context, ImVec2 low, ImVec2 high, std::string_view text);

/// Text that flows over lines `width` wide: words in Latin scripts, single characters in Chinese. Draws where `list` is
/// not null. Returns the height.
struct TextRun {
  ImFont* font;
  ImU32 colour;
  std::string_view text;
};
float flow_text(ImDrawList* list, ImVec2 position, float width, float line_step, std::span<const TextRun> runs,
                bool centred = false);

/// An area at the cursor that is pressed, as ImGui::InvisibleButton; one without width or height is drawn and never
/// pressed, where ImGui would end the program.
bool hit_area(const char* id, ImVec2 size);

/// Notes where a thing is, for tests and scripts (app/marks.hpp).
void mark(PanelContext& context, std::string name, ImVec2 low, ImVec2 high);

/// A one-pixel line across the current window at y.
void separator_line(PanelContext& context, float y);

/// The empty state: centred, muted, says what to do.
void empty_state(PanelContext& context, std::string_view title, std::string_view what_to_do);
/// Veils the panel's picture while it belongs to an older request.
void dim_if_stale(PanelContext& context);

}  // namespace tilescope
