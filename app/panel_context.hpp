// What a panel is given. A panel is a free function `void draw_x(PanelContext&)` that fills the current ImGui window
// (a child whose size the shell has set). It reads the RunResult; it never launches, allocates or computes counts.
#pragma once

#include "app/session.hpp"
#include "app/strings.hpp"
#include "app/theme.hpp"
#include "app/view_state.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

class HeatMaps;  // app/gl/heat_map.hpp
class Sandbox;   // app/sandbox/sandbox.hpp

struct PanelContext {
  Session& session;
  ViewState& view;
  const Strings& strings;
  const Theme& theme;
  const Fonts& fonts;
  HeatMaps* heat_maps = nullptr;            // null in tests without OpenGL
  std::shared_ptr<const RunResult> result;  // the newest finished run, or null
  bool stale = false;                       // it belongs to an older request: draw it dimmed
  Sandbox* sandbox = nullptr;               // null in tests of a single panel

  const Lab& lab() const { return session.lab(); }
  const Rung& rung() const { return session.rung(); }
  float px(float value) const { return value * view.scale; }  // unscaled pixels → pixels
};

/// The rung that runs: the request's, or the one that it picks. Null where it cannot run.
struct ChosenRung {
  const Rung* rung = nullptr;
  Config config = {};
  const Pick* pick = nullptr;
};
ChosenRung chosen_rung(const PanelContext& context);
/// The kernel whose source is shown: the first that the chosen rung launches, or the lab's first.
const std::string& shown_kernel(const PanelContext& context);

/// Pins the shown result as the baseline; unpins it if it is the baseline already.
void pin_baseline(PanelContext& context);

// app/panels/*.cpp, one file each
void draw_rail(PanelContext& context);
void draw_controls(PanelContext& context);  // ladder, sliders, run, break-it, cards, predict
void draw_lesson(PanelContext& context);
void draw_tiles(PanelContext& context);
void draw_traffic(PanelContext& context);
void draw_order(PanelContext& context);        // tiles in launch order, waves, what they need
void draw_step(PanelContext& context);         // a warp at a time: PTX, lanes, values, barriers
void draw_shared(PanelContext& context);       // shared memory over its banks, pipeline stages, fragments
void draw_waves(PanelContext& context);        // blocks on multiprocessors, occupancy, the tail
void draw_correctness(PanelContext& context);  // result and error heat maps, first mismatch
void draw_source(PanelContext& context);       // highlighted, editable, traffic margin
void keep_source(PanelContext& context);       // in a frame that does not draw it: edits are still taken over
void draw_speed(PanelContext& context);        // size sweep, ladder bars
void draw_status(PanelContext& context);

}  // namespace tilescope
