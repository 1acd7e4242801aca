// Plots over ImDrawList, with ImPlot's shape and names, so that moving to ImPlot is a mechanical change.
//
//     plots::SetStyle({theme, fonts, scale});
//     if (plots::BeginPlot("sweep", size)) {
//       plots::SetupAxis(Axis_X1, "n");
//       plots::SetupAxisScale(Axis_X1, Scale_Log2);
//       plots::SetupAxisLimits(Axis_X1, 1024, 1 << 28);
//       plots::SetupAxis(Axis_Y1, "GB/s");
//       plots::SetupAxisLimits(Axis_Y1, 0, 5000);
//       plots::SetNextLineStyle(colour, 2);
//       plots::PlotLine("tiles/CTA", xs, ys, count);
//       plots::EndPlot();
//     }
//
//   GB/s                              at 2²⁷        unit above the y axis; horizontal grid only
//   5,000 ┄┄┄┄┄┄┄┄┄│┄┄┄┄┄┄┄┄
//   4,000 ┄┄┄┄┄┄┄┄┄│┄┄┄┄┄┄▄▀╲○ PyTorch     4,315   direct labels, 18 pixels apart, with leader lines
//         ┄┄┄┄┄┄┄┄┄│┄┄┄▄▀──── ● tiles/CTA  4,157
//       0 ▁▁▁▁▁▁▁▁▁◯▀┄┄┄┄┄┄┄                         hairline and ring at the current size
//        2¹⁰   2¹⁴   2¹⁸  n
//
// What does not fit is omitted, never squeezed: first the column of values, then all labels, then ticks. Differences
// from ImPlot: axis limits must be set (there is no auto-fit); there is one y axis; EndPlot draws the text, so hover is
// known only after it; additions to ImPlot are under "Not in ImPlot".
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/draw/plots/axis.hpp"
#include "app/draw/plots/marker.hpp"
#include "app/draw/theme.hpp"

namespace tilescope::plots {

enum Axis { Axis_X1, Axis_Y1 };
enum Scale { Scale_Linear, Scale_Log2 };
enum AxisFlags { AxisFlags_None = 0, AxisFlags_NoTickLabels = 1, AxisFlags_NoGridLines = 2, AxisFlags_Invert = 4 };
enum LineFlags { LineFlags_None = 0, LineFlags_Dashed = 1 };  // dashed: not in ImPlot
enum BarsFlags { BarsFlags_Horizontal = 1 };                  // the only kind
enum InfLinesFlags { InfLinesFlags_None = 0 };                // vertical lines at x values, as ImPlot's default

struct Style {
  const Theme& theme;
  const Fonts& fonts;
  float scale;
};
void SetStyle(const Style& style);

/// Always true; EndPlot must follow. The plot takes `size` pixels at the cursor.
bool BeginPlot(const char* id, ImVec2 size);
void EndPlot();

void SetupAxis(Axis axis, const char* label, int flags = AxisFlags_None);
void SetupAxisScale(Axis axis, Scale scale);
void SetupAxisLimits(Axis axis, double low, double high);
/// Ticks at these values with these labels instead of round numbers; for bars, the names of the rows.
void SetupAxisTicks(Axis axis, const double* values, int count, const char* const labels[]);

void SetNextLineStyle(ImU32 colour, float weight);
void SetNextFillStyle(ImU32 colour);
void SetNextMarkerStyle(Marker marker, float size = 3.5F, bool hollow = false);

void PlotLine(const char* label, const double* xs, const double* ys, int count, int flags = LineFlags_None);
void PlotShaded(const char* label, const double* xs, const double* ys1, const double* ys2, int count);
/// One bar from zero to each value, centred on its y position; bar_size in units of the y axis.
void PlotBars(const char* label, const double* values, const double* positions, int count, double bar_size, int flags);
void PlotInfLines(const char* label, const double* values, int count, int flags = InfLinesFlags_None);
bool IsPlotHovered();  // after EndPlot

// ---- Not in ImPlot -------------------------------------------------------------------------------------------------

/// The direct label of the next line or bar: `value` in the right-aligned column, `note` muted before it.
struct LabelStyle {
  std::string value, note;
  int priority = 0;       // decides which labels stay if not all fit
  bool emphasis = false;  // semibold
};
void SetNextLabel(LabelStyle label);
/// Ascending indices of points of the next line or shaded band that are not connected to the previous point.
void SetNextBreaks(std::vector<int> breaks);
/// The titles of the label column: above the values, and above the notes.
void SetupLabelColumn(std::string value_title, std::string note_title = {});
/// Reserves space for labels as if there were such a bar too: adjacent plots get axes of the same width.
void ReserveBarLabel(const char* name, LabelStyle label);
/// A vertical hairline with its name above the plot, and a ring on a point with its value.
void PlotHairline(const char* label, double x, ImU32 colour, bool dashed = false);
void PlotRing(double x, double y, ImU32 colour, const char* value);

/// The item nearest to the pointer; known after EndPlot. `item` counts PlotLine and PlotBars calls from 0.
struct Hovered {
  int item = 0;
  int point = 0;  // index into its values
  bool clicked = false;
  bool on_label = false;
};
std::optional<Hovered> HoveredItem();

/// All texts of the last plot with their rectangles; tests check that none overlap.
struct TextBox {
  std::string text;
  ImVec2 low, high;
};
const std::vector<TextBox>& TextBoxes();
/// The axes' rectangle in the last plot.
struct Area {
  ImVec2 low, high;
};
Area PlotArea();

}  // namespace tilescope::plots
