#include "app/draw/plots/marker.hpp"

#include <array>

namespace tilescope::plots {
namespace {

constexpr int kCircleSegments = 16;

void draw_strokes(ImDrawList* list, Marker marker, ImVec2 centre, float size, ImU32 colour) {
  const float thickness = size * 0.45F;
  const float d = marker == Marker_Cross ? size * 0.75F : size;
  if (marker == Marker_Cross) {
    list->AddLine({centre.x - d, centre.y - d}, {centre.x + d, centre.y + d}, colour, thickness);
    list->AddLine({centre.x - d, centre.y + d}, {centre.x + d, centre.y - d}, colour, thickness);
  } else {
    list->AddLine({centre.x - d, centre.y}, {centre.x + d, centre.y}, colour, thickness);
    list->AddLine({centre.x, centre.y - d}, {centre.x, centre.y + d}, colour, thickness);
  }
}

void draw_polygon(ImDrawList* list, const ImVec2* points, int count, ImU32 colour, ImU32 fill, bool hollow,
                  float size) {
  list->AddConvexPolyFilled(points, count, hollow ? fill : colour);
  if (hollow) list->AddPolyline(points, count, colour, ImDrawFlags_Closed, size * 0.4F);
}

}  // namespace

void draw_marker(ImDrawList* list, Marker marker, ImVec2 centre, float size, ImU32 colour, ImU32 fill, bool hollow) {
  const auto at = [&](float x, float y) { return ImVec2(centre.x + x * size, centre.y + y * size); };
  switch (marker) {
    case Marker_None:
      return;
    case Marker_Circle:
      list->AddCircleFilled(centre, size, hollow ? fill : colour, kCircleSegments);
      if (hollow) list->AddCircle(centre, size, colour, kCircleSegments, size * 0.4F);
      return;
    case Marker_Square: {
      const std::array<ImVec2, 4> points{at(-0.85F, -0.85F), at(0.85F, -0.85F), at(0.85F, 0.85F), at(-0.85F, 0.85F)};
      return draw_polygon(list, points.data(), 4, colour, fill, hollow, size);
    }
    case Marker_Diamond: {
      const std::array<ImVec2, 4> points{at(0, -1.15F), at(1.15F, 0), at(0, 1.15F), at(-1.15F, 0)};
      return draw_polygon(list, points.data(), 4, colour, fill, hollow, size);
    }
    case Marker_Up: {
      const std::array<ImVec2, 3> points{at(0, -1.1F), at(1.05F, 0.8F), at(-1.05F, 0.8F)};
      return draw_polygon(list, points.data(), 3, colour, fill, hollow, size);
    }
    case Marker_Down: {
      const std::array<ImVec2, 3> points{at(-1.05F, -0.8F), at(1.05F, -0.8F), at(0, 1.1F)};
      return draw_polygon(list, points.data(), 3, colour, fill, hollow, size);
    }
    case Marker_Cross:
    case Marker_Plus:
      return draw_strokes(list, marker, centre, size, colour);
  }
}

Marker rung_marker(int index) {
  constexpr std::array<Marker, 7> kMarkers{Marker_Square, Marker_Up,   Marker_Circle, Marker_Diamond,
                                           Marker_Cross,  Marker_Down, Marker_Plus};
  return kMarkers[static_cast<size_t>(index) % kMarkers.size()];
}

Marker reference_marker(int index) {
  constexpr std::array<Marker, 4> kMarkers{Marker_Circle, Marker_Diamond, Marker_Square, Marker_Up};
  return kMarkers[static_cast<size_t>(index) % kMarkers.size()];
}

}  // namespace tilescope::plots
