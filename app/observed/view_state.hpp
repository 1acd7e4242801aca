// What the panels share: one selection everywhere, the playback position, tabs, language, theme, layout.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/draw/context.hpp"
#include "app/observed/result_reference.hpp"
#include "app/observed/step_cursor.hpp"

namespace tilescope {

/// What the speed panel shows; those after the ladder only where the lab has them.
enum class BottomTab { sweep, ladder, roofline, fusion, map, small, memory };

struct Baseline;    // app/observed/baseline.hpp
class TraceIndex;   // app/observed/trace_index.hpp
struct StepsShown;  // app/views/step/step_view.hpp
struct SeenAccess;  // app/observed/traffic_seen.hpp

/// What is picked (or hovered) in any view is lit in all others. An access implies its block, warp and line.
struct Selection {
  std::optional<uint32_t> block;   // linear block index
  std::optional<uint32_t> access;  // index into RunResult::trace.accesses
  std::optional<int> lane;         // 0 … 31
  std::optional<uint32_t> line;    // source line, 1-based
  std::optional<size_t> buffer;    // index into RunResult::plan.buffers
  std::optional<int64_t> element;  // of that buffer
  bool operator==(const Selection&) const = default;
};

/// Blocks in issue order. position: how many blocks have been issued; grid.count() shows everything.
struct Playback {
  bool playing = false;
  double position = -1;          // −1: everything (no animation)
  double blocks_per_second = 0;  // 0: chosen so that the whole grid takes about 6 s
};

/// How near the tile view looks at the buffers (app/views/tiles/tiles_zoom.hpp).
enum class TilesLevel { grid, block, warp, lane };
struct TilesZoom {
  TilesLevel level = TilesLevel::grid;
  bool moving = false;  // the view is still zooming to the level
};

/// The pass of the selected block over the keys of a plane (app/views/plane/plane_view.hpp).
struct PlaneCursor {
  bool as_tiles = false;  // the ordinary tiles in its place
  bool playing = false;
  double step = -1;            // blocks of keys that it has processed; −1: not chosen yet
  std::optional<int64_t> row;  // of O, counted through all heads; nothing: one of the selected block
};

/// The first steps (app/window/tour.hpp): what is ticked, and what the values were at the beginning.
struct Tour {
  static constexpr size_t kSteps = 4;
  bool running = false;
  std::array<bool, kSteps> done{};
  std::string rung;  // empty: not known yet
  int64_t block = 0;
  size_t guesses = 0;
};

/// Lines of a kernel's file, or of a header that it includes, which a view asks the source panel to show.
struct SourceQuote {
  std::string file, text;  // "kernels/rows.cuh", and the lines as they stand there
};

/// The window's place on the desktop, in screen coordinates; width 0: not known yet.
struct WindowPlace {
  int left = 0, top = 0, width = 0, height = 0;
  bool maximised = false;
};

/// The smallest window, in unscaled pixels: below, parts of the screen are cut off.
constexpr float kSmallestWidth = 900, kSmallestHeight = 560;

/// What a key or a command asks of the source panel (Screen::ask_source).
enum class SourceWish { none, edit, find, replace, go_to_line, save };

/// The newest result that the controls have shown, and the finding of the run before it that it no longer has.
struct FixedFinding {
  std::shared_ptr<const RunResult> last;
  std::string id;  // empty: none, or the run before was of a different rung or lab
};

/// What is looked at in one lab: ViewState holds the shown lab's, and keeps those of the others.
struct LabView {
  Selection selection;
  Selection suggested;  // what the program selected by itself; the same as `selection` until something is chosen
  Playback playback;
  TilesZoom zoom;
  StepCursor step;
  PlaneCursor plane;
};

struct ViewState : LabView, DrawState {
  Selection hover;                       // cleared at the start of each frame by the shell
  Selection followed;                    // what the newest result made of the selection; a choice since differs
  std::string lab;                       // whose view the LabView is; empty before the first frame
  std::map<std::string, LabView> waits;  // the views of labs that are not shown, by lab
  Tour tour;
  std::string tab = "tiles";  // the view that is shown, by its name (app/views/view.hpp)
  BottomTab bottom = BottomTab::sweep;
  bool light = false;
  float user_scale = 1.0F;  // the learner's, a multiple of kScaleStep
  static constexpr float kScaleStep = 0.125F, kSmallestScale = 0.75F, kLargestScale = 3.0F;
  WindowPlace window;
  float controls_width = 296, rail_width = 200;  // unscaled pixels
  float bottom_height = 0, source_width = 0;     // 0: not dragged, they follow the window
  bool lower_hidden = false;                     // only the view above, and a strip that brings the rest back
  bool source_maximised = false;                 // the source instead of the view, in the whole of the middle
  float source_usual_width = 0;                  // pixels, without what a comparison takes beside it; 0: as it is
  bool source_drawn = false;                     // in this frame
  bool source_active = false;                    // it had the pointer or the keyboard in the last frame
  SourceWish source_wish = SourceWish::none;     // done by the source panel when it is drawn
  std::string lesson_anchor;                     // heading to scroll to; cleared when done
  double explained_for = 0;                      // seconds for which `explained` has been the same
  std::map<std::string, std::string>
      ladder_sizes;   // lab → the recorded size (place_name) its ladder is at; none: largest
  bool diff = false;  // the source panel shows two rungs beside each other
  std::map<std::string, std::string> diff_with;  // lab → the rung that was chosen to compare with
  std::string header;                            // that the source panel shows; empty: the kernel's own file
  std::optional<SourceQuote> quote;              // taken over by the source panel
  bool bottom_speed = false;                     // the narrow layout shows speed instead of source
  double frame_ms = 0;                           // time of the last frame
  bool show_frame_time = false;
  std::vector<std::string> missing_fonts;
  bool typing_starts = false;
  bool typing_refused = false;         // what was typed is not a possible value: the field says why
  std::set<std::string> unfolded;      // "lab/section" of the controls: rows of other rungs that are shown
  std::string typing_in, typed;        // the slider whose value is being typed, and the text so far
  std::map<std::string, int> guesses;  // predict cards: "lab/question" → the choice that was pressed
  /// The question that a lab's card shows, and the rung for which it was chosen: a different rung begins with its own.
  struct ShownQuestion {
    int number = 0;
    std::string rung = {};
  };
  std::map<std::string, ShownQuestion> questions;
  std::shared_ptr<const Baseline> baseline;  // the pinned result; null: none
  FixedFinding fixed_finding;
  // What all views derive from the newest results.
  std::shared_ptr<TraceIndex> index;                       // null: not asked for yet
  ResultReference followed_result;                         // that the selection has followed
  std::shared_ptr<StepsShown> steps;                       // the selected block's; null: not drawn yet
  std::shared_ptr<std::vector<SeenAccess>> seen_accesses;  // what the lab's other rungs accessed
  bool reveal_answer = false;                              // the controls scroll to what has just been answered
  bool asks_for_file = false;                              // the dialog that opens a CUDA file is due
  std::string say;                                         // for the status bar; the screen takes it over
  bool closing = false;                                    // the last frame before the window closes
};

/// Puts the view of a lab in the place of the one before it: as it was left, with nothing playing, or afresh with the
/// whole grid shown. Called at the start of each frame; nothing where the lab is the same.
void enter_lab(ViewState& view, const std::string& lab);

}  // namespace tilescope
