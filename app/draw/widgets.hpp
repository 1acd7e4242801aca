// The small parts that all panels share, drawn as in the mock screens.
#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/draw/areas.hpp"
#include "app/draw/context.hpp"
#include "app/draw/sentences.hpp"
#include "app/draw/shapes.hpp"
#include "app/draw/text.hpp"

namespace tilescope {

/// A badge with its top right corner at the position; 20 high. Returns its width.
float draw_badge(DrawContext& context, ImDrawList* list, ImVec2 top_right, Badge badge);

/// The text of a badge in the current language, and the badge's width.
const std::string& badge_text(const DrawContext& context, Badge badge);
float badge_width(const DrawContext& context, Badge badge);

/// The sentence at the top of a view: the finding in semibold, then its reason, then `quiet` in muted text. Advances
/// the cursor.
void sentence(DrawContext& context, std::string_view finding, std::string_view reason, std::string_view quiet = {});

/// A row of underlined tabs. Returns the index that was clicked, or `current`. Each tab has its explanation; a tab with
/// nothing to show for the present result is dimmed, and its explanation says why.
struct TabNote {
  std::string meaning;
  bool empty = false;
};
int tab_row(DrawContext& context, const char* id, std::span<const std::string> names, int current, float height,
            std::span<const TabNote> notes = {});

/// Tooltip in one sentence when the last item, or the rectangle, is hovered.
void explain(DrawContext& context, std::string_view text);
void explain_rect(DrawContext& context, ImVec2 low, ImVec2 high, std::string_view text);

/// The same with a title in semibold above the text, and a quiet line below it; both may be empty.
struct Explanation {
  std::string title, text, quiet;
};
void explain_rect(DrawContext& context, ImVec2 low, ImVec2 high, const Explanation& explanation);

/// Records the position of a thing, for tests and scripts (app/draw/marks.hpp).
void mark(DrawContext& context, std::string name, ImVec2 low, ImVec2 high);

/// A one-pixel line across the current window at y.
void separator_line(DrawContext& context, float y);

/// The empty state: centred, muted, says what to do.
void empty_state(DrawContext& context, std::string_view title, std::string_view what_to_do);
/// A button below the empty state that does what it says. Not drawn if the view is too low for it.
bool empty_state_button(DrawContext& context, const char* name, const std::string& label, std::string_view meaning);
/// Veils the panel's picture while it belongs to an older request.
void dim_if_stale(DrawContext& context);

}  // namespace tilescope
