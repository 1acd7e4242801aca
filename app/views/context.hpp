// What a view and the panels around it are given. A panel is a function `void draw_x(PanelContext&)` that fills the
// current ImGui window (a child whose size the shell has set), and Panels holds what it keeps between frames. Views
// register themselves (app/views/view.hpp). Both read the RunResult; they never launch, allocate or compute counts.
#pragma once

#include "app/draw/context.hpp"
#include "app/observed/view_state.hpp"
#include "app/session/session.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

class HeatMaps;  // app/draw/gl/heat_map.hpp
class Sandbox;   // app/sandbox/sandbox.hpp
class View;      // app/views/view.hpp
struct Panels;   // app/views/panels.hpp

struct PanelContext : DrawContext {
  Session& session;
  ViewState& view;
  HeatMaps* heat_maps = nullptr;            // null in tests without OpenGL
  std::shared_ptr<const RunResult> result;  // the newest finished run, or null; where stale, of an older request
  Sandbox* sandbox = nullptr;               // null in tests of a single panel
  Panels* panels = nullptr;                 // what the panels around the view keep between frames
  const View* shown = nullptr;              // the view that is shown; null in tests of a single panel

  const Lab& lab() const { return session.lab(); }
  const Rung& rung() const { return session.rung(); }
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

// The panels around the views: app/panels/, a folder each.
void draw_rail(PanelContext& context);
void draw_controls(PanelContext& context);  // ladder, sliders, run, break-it, cards, predict
void draw_source(PanelContext& context);    // highlighted, editable, traffic margin
void keep_source(PanelContext& context);    // in a frame that does not draw it: edits are still taken over
void draw_speed(PanelContext& context);     // size sweep, ladder bars
void draw_status(PanelContext& context);

}  // namespace tilescope
