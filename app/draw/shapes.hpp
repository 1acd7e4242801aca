#pragma once

#include <imgui.h>

namespace tilescope {

/// Shapes that no font draws well at 13 pixels. `centre` is the shape's centre, `size` its width.
void draw_check(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness);
void draw_cross(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness);
void draw_finding_mark(ImDrawList* list, ImVec2 centre, float size, ImU32 colour, float thickness);  // ⚠
void draw_play(ImDrawList* list, ImVec2 centre, float size, ImU32 colour);                           // ▶
void draw_chevron(ImDrawList* list, ImVec2 centre, float size, ImU32 colour);                        // ▾
/// Diagonal lines over a rectangle: an area that is masked off.
void hatch(ImDrawList* list, ImVec2 low, ImVec2 high, ImU32 colour, float step);

}  // namespace tilescope
