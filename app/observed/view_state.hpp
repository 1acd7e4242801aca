// State shared by the panels: one selection for all, the playback position, tabs, language, theme, layout.
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
#include "engine/lab.hpp"

namespace tilescope {

/// The views of the speed panel; those after the ladder only if the lab has them.
enum class BottomTab { sweep, ladder, roofline, fusion, map, small, memory };

struct Baseline;    // app/observed/baseline.hpp
class TraceIndex;   // app/observed/trace_index.hpp
struct StepsShown;  // app/views/step/step_view.hpp
struct SeenAccess;  // app/observed/traffic_seen.hpp

/// What is selected (or hovered) in any view is highlighted in all others. An access implies its block, warp and line.
struct Selection {
  std::optional<uint32_t> block;   // linear block index
  std::optional<uint32_t> access;  // index into RunResult::trace.accesses
  std::optional<int> lane;         // 0 … 31
  std::optional<uint32_t> line;    // source line, 1-based
  std::optional<size_t> buffer;    // index into RunResult::plan.buffers
  std::optional<int64_t> element;  // in that buffer
  bool operator==(const Selection&) const = default;
};

/// Blocks in issue order. position: number of issued blocks; grid.count() shows everything.
struct Playback {
  bool playing = false;
  double position = -1;          // −1: everything (no animation)
  double blocks_per_second = 0;  // 0: chosen so that the whole grid takes about 6 s
};

/// Zoom level of the tile view (app/views/tiles/tiles_zoom.hpp).
enum class TilesLevel { grid, block, warp, lane };
struct TilesZoom {
  TilesLevel level = TilesLevel::grid;
  bool moving = false;  // the view is still zooming to the level
};

/// The pass of the selected block over the keys of a plane (app/views/plane/plane_view.hpp).
struct PlaneCursor {
  bool as_tiles = false;  // show the ordinary tiles instead
  bool playing = false;
  double step = -1;            // blocks of keys that have been processed; −1: not chosen yet
  std::optional<int64_t> row;  // in O, counted across all heads; nothing: one of the selected block
};

/// The first steps (app/window/tour.hpp): the completed steps, and the initial values.
struct Tour {
  static constexpr size_t kSteps = 4;
  bool running = false;
  std::array<bool, kSteps> done{};
  std::string rung;  // empty: not known yet
  int64_t block = 0;
  size_t guesses = 0;  // in all labs
};

/// Lines of a kernel's file, or of a header that it includes, which a view asks the source panel to show.
struct SourceQuote {
  std::string file, text;  // "kernels/rows.cuh", and the text of the lines
};

/// What the source panel shows: the kernel's source, or what a compiler made of it.
enum class SourcePage { source, ttir, ttgir, ptx, host };

/// The window's position on the desktop, in screen coordinates; width 0: not known yet.
struct WindowPlace {
  int left = 0, top = 0, width = 0, height = 0;
  bool maximised = false;
};

/// The minimum window size, in unscaled pixels: below it, parts of the screen are cut off.
constexpr float kSmallestWidth = 900, kSmallestHeight = 560;

/// A command for the source panel (Screen::ask_source).
enum class SourceWish { none, edit, find, replace, go_to_line, save };

/// The newest result that the controls have shown, and the finding that the run before had and this one no longer has.
struct FixedFinding {
  std::shared_ptr<const RunResult> last;
  std::string id;  // empty: none, or the run before was of a different rung or lab
};

/// The view of one lab: ViewState contains the shown lab's, and keeps those of the others.
struct LabView {
  Selection selection;
  Selection suggested;  // selected by the program; the same as `selection` until something is chosen
  Playback playback;
  TilesZoom zoom;
  StepCursor step;
  PlaneCursor plane;
};

struct ViewState : LabView, DrawState {
  Selection hover;                       // cleared at the start of each frame by the shell
  Selection followed;                    // the selection after the newest result; a later choice differs from it
  std::string lab;                       // the lab that LabView belongs to; empty before the first frame
  std::map<std::string, LabView> waits;  // views of labs that are not shown, by lab
  Tour tour;
  std::string tab = "tiles";  // the shown view, by its name (app/views/view.hpp)
  BottomTab bottom = BottomTab::sweep;
  bool light = false;
  float user_scale = 1.0F;  // the learner's, a multiple of kScaleStep
  static constexpr float kScaleStep = 0.125F, kSmallestScale = 0.75F, kLargestScale = 3.0F;
  WindowPlace window;
  float controls_width = 296, rail_width = 200;   // unscaled pixels
  bool steps_shown = false;                       // the column of the lab's steps, beside the view
  float steps_width = 344;                        // unscaled pixels
  std::map<std::string, std::string> open_steps;  // lab → the step that is unfolded; none: the first that is not done
  /// What the open step asks to look at: a mark of this frame, and when it was first asked for (ImGui's time).
  struct LookHere {
    std::string mark;
    double since = 0;
    bool veiled = false;  // it is not there because an open question hides it
  } look_here;
  float bottom_height = 0, source_width = 0;  // 0: not dragged, so they follow the window
  bool lower_hidden = false;                  // only the upper view, and a strip that restores the rest
  bool source_maximised = false;              // the source replaces the view and fills the middle
  float source_usual_width = 0;               // pixels, without the space for a comparison beside it; 0: unchanged
  bool source_drawn = false;                  // in this frame
  bool source_active = false;                 // it had the pointer or the keyboard focus in the last frame
  SourceWish source_wish = SourceWish::none;  // handled by the source panel when it is drawn
  std::string lesson_anchor;                  // heading to scroll to; cleared when done
  std::optional<std::string> asks_for_term;   // the glossary is due, at this term; the screen takes it over
  std::string sheet = "cuda";                 // the cheat sheet that the view of them shows
  double explained_for = 0;                   // seconds since `explained` last changed
  std::map<std::string, std::string>
      ladder_sizes;   // lab → the recorded size (place_name) its ladder is at; none: largest
  bool diff = false;  // the source panel shows two rungs side by side
  std::map<std::string, std::string> diff_with;  // lab → the rung chosen for the comparison
  std::string header;                            // shown in the source panel; empty: the kernel's own file
  std::optional<SourceQuote> quote;              // taken over by the source panel
  std::optional<SourcePage> source_page;         // a page that it is asked to show; taken over
  bool bottom_speed = false;                     // the narrow layout shows speed instead of source
  double frame_ms = 0;                           // time of the last frame
  bool show_frame_time = false;
  std::vector<std::string> missing_fonts;
  bool typing_starts = false;
  bool typing_refused = false;     // the typed text is not an allowed value: the field says why
  std::set<std::string> unfolded;  // "lab/section" of the controls: rows of other rungs that are unfolded
  std::string typing_in, typed;    // the slider whose value is being typed, and the text so far
  std::string bug_kind;            // of a debug exercise: the kind that is chosen
  /// The question that a lab's card shows, and the rung for which it was chosen: a different rung starts with its own.
  struct ShownQuestion {
    int number = 0;
    std::string rung = {};
    bool at_top = false;  // the card is above the rungs: it was not answered when it was first shown here
  };
  std::map<std::string, ShownQuestion> questions;
  bool veils = true;             // numbers are veiled until their questions are answered
  std::set<ShownNumber> veiled;  // in this frame
  bool hides(ShownNumber number) const { return veiled.contains(number); }
  std::shared_ptr<const Baseline> baseline;  // the pinned result; null: none
  FixedFinding fixed_finding;
  // Derived from the newest results, shared by all views.
  std::shared_ptr<TraceIndex> index;                       // null: not requested yet
  ResultReference followed_result;                         // the result that the selection has followed
  std::shared_ptr<StepsShown> steps;                       // the selected block's; null: not drawn yet
  std::shared_ptr<std::vector<SeenAccess>> seen_accesses;  // accesses of the lab's other rungs
  bool reveal_answer = false;                              // the controls scroll to the answer that has just appeared
  bool asks_for_file = false;                              // the dialog that opens a CUDA file is due
  bool asks_for_certificate = false;                       // the dialog that saves a certificate is due
  bool asks_for_progress_json = false;                     // the export of the progress is due
  std::string learner;                                     // the name on the certificate
  std::string say;                                         // for the status bar, which takes it over
  bool closing = false;                                    // the last frame before the window closes
};

/// Replaces the view of the previous lab by that of `lab`: as it was left, with playback stopped, or a new one that
/// shows the whole grid. Called at the start of each frame; does nothing if the lab is the same.
void enter_lab(ViewState& view, const std::string& lab);

}  // namespace tilescope
