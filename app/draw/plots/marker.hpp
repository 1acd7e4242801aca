// Marker shapes: series differ by shape as well as by colour.
#pragma once

#include <imgui.h>

namespace tilescope::plots {

/// ImPlot's ImPlotMarker_.
enum Marker {
  Marker_None,
  Marker_Circle,
  Marker_Square,
  Marker_Diamond,
  Marker_Up,
  Marker_Down,
  Marker_Cross,
  Marker_Plus
};

/// size: half the width. A hollow marker is filled with `fill`, outlined in `colour`.
void draw_marker(ImDrawList* list, Marker marker, ImVec2 centre, float size, ImU32 colour, ImU32 fill, bool hollow);

/// The marker of the k-th rung of a ladder, and of the k-th reference (drawn hollow).
Marker rung_marker(int index);
Marker reference_marker(int index);

}  // namespace tilescope::plots
