#include "app/draw/shapes.hpp"

#include <cmath>

namespace tilescope {

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

void hatch(ImDrawList* list, ImVec2 low, ImVec2 high, ImU32 colour, float step) {
  if (high.x <= low.x || high.y <= low.y) return;
  const float height = high.y - low.y;
  list->PushClipRect(low, high, true);
  for (float x = low.x - height + step / 2; x < high.x; x += step)
    list->AddLine({x, high.y}, {x + height, low.y}, colour, 1.0F);
  list->PopClipRect();
}

}  // namespace tilescope
