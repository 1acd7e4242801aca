// Positions of all parts of a plot, and which of them are omitted. Private to app/draw/plots.
#pragma once

#include <string>
#include <vector>

#include "app/draw/plots/plot_items.hpp"

namespace tilescope::plots {

struct PlacedTick {
  float at;  // position along the axis, screen pixels
  std::string label;
  bool shown = true;  // whether its label is shown
  int item = -1;      // for bars: the item whose name it is
};

/// A direct label: beside a line's end, or at a bar's row.
struct PlacedLabel {
  size_t item;
  ImVec2 from;       // the line's last point
  float centre;      // y of the label
  std::string name;  // cut to fit
};

struct Layout {
  ImVec2 low, high;  // the whole plot
  Area area;         // the axes
  bool bars = false;
  std::vector<PlacedTick> x_ticks, y_ticks;
  std::vector<PlacedLabel> labels;
  bool column = false, values = false, notes = false;
  bool values_below = false;  // each below its name instead of in a separate column
  float label_height = 0;
  float marker_x = 0, name_x = 0, note_right = 0, value_right = 0;
  float top_row = 0, bottom_row = 0;  // tops of the texts above and below the axes

  float x_of(const Plot& plot, double value) const;
  float y_of(const Plot& plot, double value) const;
};

Layout lay_out(const Plot& plot, const Style& style);

/// The font of an item's label.
ImFont* label_font(const Item& item, const Style& style);

}  // namespace tilescope::plots
