// The items of a plot between BeginPlot and EndPlot. Private to app/draw/plots.
#pragma once

#include <string>
#include <vector>

#include "app/draw/plots/plot.hpp"

namespace tilescope::plots {

struct AxisSetup {
  std::string label;
  int flags = AxisFlags_None;
  AxisRange range;
  std::vector<Tick> ticks;  // given ticks; empty: chosen to fit
};

struct Item {
  enum class Kind { line, shaded, bars, lines_at, hairline, ring } kind = Kind::line;
  std::string name;
  std::vector<double> xs, ys, ys2;
  std::vector<int> breaks;  // ascending: points that are not connected to the previous one
  ImU32 colour = 0, fill = 0;
  float weight = 1.25F;
  Marker marker = Marker_None;
  float marker_size = 3.5F;
  bool hollow = false, dashed = false;
  double bar_size = 0;
  LabelStyle label;
  bool labelled() const { return kind == Kind::line || kind == Kind::bars; }
};

struct Plot {
  const char* id = "";
  ImVec2 low, size;
  AxisSetup x, y;
  std::string value_title, note_title;
  std::vector<Item> items;
  std::vector<Item> reserved;  // not drawn: their labels only reserve space
};

/// Draws the plot and determines what is hovered.
struct Drawn {
  std::vector<TextBox> texts;
  Area area;
  bool hovered = false;
  std::optional<Hovered> item;
};
Drawn draw_plot(const Plot& plot, const Style& style, ImDrawList* list);

}  // namespace tilescope::plots
