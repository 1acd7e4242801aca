// The views of the speed panel other than sweep and ladder. Each fills `size` pixels from `low`.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "app/panels/speed/memory_sweep.hpp"
#include "app/views/context.hpp"
#include "engine/bench/scheme_map.hpp"

namespace tilescope {

/// The inputs of a scheme map's grid; it is rebuilt when they change.
struct KnownGrid {
  const Lab* lab = nullptr;
  const SpeedReport* report = nullptr;
  std::string date, gpu;
  size_t points = 0;
  Config config;
  SpeedReport copy;  // the grid refers to this copy, so it survives the report
  SchemeGrid grid;
};

/// Kept while lab and configuration stay the same.
struct KnownMemory {
  const Lab* lab = nullptr;
  Config config;
  MemorySweep sweep;
};

/// What the panel keeps between frames.
struct SpeedPanel {
  KnownGrid grid;
  KnownMemory memory;
};

/// The tabs that the lab has, in order.
std::vector<BottomTab> speed_tabs(const Lab& lab);
/// The shown tab: the wanted one, or the sweep if the lab does not have it.
BottomTab shown_tab(const Lab& lab, BottomTab wanted);

/// FLOP per byte of every rung under the roofs of the modelled GPU. Null: nothing was timed.
void draw_roofline(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size);
/// Launches, bytes and time of the unfused and the fused rung.
void draw_fusion(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size);
/// Which scheme wins at which shape; `report` is one of the map. Null: nothing was timed.
void draw_scheme_map(PanelContext& context, const SpeedReport* report, ImVec2 low, ImVec2 size);
/// The sweep of a lab whose sweep goes over shapes.
void draw_shape_sweep(PanelContext& context, const SpeedReport& report, ImVec2 low, ImVec2 size);
/// The height, in pixels, at which all of its rows are visible at once.
float shape_sweep_height(PanelContext& context, const SpeedReport& report, float width);
/// The sweep of the shown lab and its values.
const MemorySweep& known_sweep(const PanelContext& context);
/// Bytes that the rungs allocate against the length of the sequence.
void draw_memory(PanelContext& context, ImVec2 low, ImVec2 size);
/// Times at the lab's small sizes.
void draw_small_sizes(PanelContext& context, const SpeedReport& report, ImVec2 low, ImVec2 size);
/// Whether the report has points at the lab's small sizes.
bool has_small_sizes(const Lab& lab, const SpeedReport& report);

}  // namespace tilescope
