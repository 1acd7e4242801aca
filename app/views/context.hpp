// The context of a view and of the panels around it. A panel is a function `void draw_x(PanelContext&)` that fills the
// current ImGui window (a child whose size the shell has set); Panels holds its state between frames. Views register
// themselves (app/views/view.hpp). Both read the RunResult; they never launch, allocate or compute counts.
#pragma once

#include "app/draw/context.hpp"
#include "app/observed/view_state.hpp"
#include "app/session/session.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

class HeatMaps;  // app/draw/gl/heat_map.hpp
class Recall;    // app/recall/recall.hpp
class Sandbox;   // app/sandbox/sandbox.hpp
class View;      // app/views/view.hpp
class Workshop;  // app/workshop/workshop.hpp
struct Panels;   // app/views/panels.hpp

struct PanelContext : DrawContext {
  Session& session;
  ViewState& view;
  HeatMaps* heat_maps = nullptr;            // null in tests without OpenGL
  std::shared_ptr<const RunResult> result;  // the newest finished run, or null; if stale, it belongs to an older
                                            // request
  Sandbox* sandbox = nullptr;               // null in tests of a single panel
  Panels* panels = nullptr;                 // state of the panels around the view between frames
  const View* shown = nullptr;              // the shown view; null in tests of a single panel
  Workshop* workshop = nullptr;             // likewise
  const Recall* recall = nullptr;           // likewise: the review cards of all labs

  const Lab& lab() const { return session.lab(); }
  const Rung& rung() const { return session.rung(); }
};

/// The rung that runs: the request's, or the one that it picks. Null if it cannot run.
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

// The panels around the views: one folder each in app/panels/.
void draw_rail(PanelContext& context);
void draw_controls(PanelContext& context);  // ladder, sliders, run, break-it, cards, predict
void draw_source(PanelContext& context);    // highlighted, editable, traffic margin
void keep_source(PanelContext& context);    // called in frames that do not draw it: edits are still taken over
void draw_speed(PanelContext& context);     // size sweep, ladder bars
void draw_status(PanelContext& context);

}  // namespace tilescope
