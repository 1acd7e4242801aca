// Where everything of a plot goes, and what is left out. Private to app/draw/plots.
#pragma once

#include <string>
#include <vector>

#include "app/draw/plots/plot_items.hpp"

namespace tilescope::plots {

struct PlacedTick {
  float at;  // along the axis, pixels on the screen
  std::string label;
  bool shown = true;  // its label
  int item = -1;      // bars: whose name it is
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
  bool values_below = false;  // each below its name, and not in a column of their own
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
