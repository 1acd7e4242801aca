// What the panels share: one selection everywhere, the playback position, tabs, language, theme, layout.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/marks.hpp"
#include "app/step_cursor.hpp"

namespace tilescope {

enum class Tab { lesson, tiles, traffic, order, step, shared, waves, correctness };
/// What the speed panel shows; those after the ladder only where the lab has them.
enum class BottomTab { sweep, ladder, roofline, fusion, map, small, memory };
/// What is below the maps of the order view; bytes has a place of its own where there is room for both.
enum class OrderTab { bytes, groups, waves, sweep, ladder, source };
/// Which bytes its bars and its plot against GROUP_M are of.
enum class OrderBytes { device, l2 };

/// A thing picked (or hovered) in any view; lit in all others. An access implies its block, warp and line.
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

/// How near the tile view looks at the buffers (app/panels/tiles_zoom.hpp).
enum class TilesLevel { grid, block, warp, lane };
struct TilesZoom {
  TilesLevel level = TilesLevel::grid;
  bool moving = false;  // on its way there
};

/// The walk of the selected block over the keys of a plane (app/panels/attention_view.hpp).
struct PlaneCursor {
  bool as_tiles = false;  // the ordinary tiles in its place
  bool playing = false;
  double step = -1;            // so many blocks of keys lie behind it; −1: nobody has chosen yet
  std::optional<int64_t> row;  // of O, through all heads; nothing: one of the selected block
};

/// Lines of a kernel's file, or of a header of it, that a view wants to be seen in the source panel.
struct SourceQuote {
  std::string file, text;  // "kernels/rows.cuh", and the lines as they stand there
};

struct ViewState {
  Selection selection, hover;  // hover is cleared at the start of each frame by the shell
  Playback playback;
  TilesZoom zoom;
  StepCursor step;
  PlaneCursor plane;
  Tab tab = Tab::tiles;
  BottomTab bottom = BottomTab::sweep;
  OrderTab order_tab = OrderTab::groups;
  OrderBytes order_bytes = OrderBytes::device;
  bool light = false;
  float scale = 1.0F;
  float controls_width = 296, rail_width = 200, bottom_height = 368, source_width = 640;  // unscaled pixels
  std::string lesson_anchor;     // heading to scroll to; cleared when done
  std::string explained;         // what the thing under the pointer is, this frame (explain); F1 pins it
  double explained_for = 0;      // seconds for which it has been the same
  bool explanation_due = false;  // long enough for the tooltip
  Marks marks;                   // where things are on the screen, this frame; cleared by the shell
  bool diff = false;             // the source panel shows two rungs beside each other
  std::map<std::string, std::string> diff_with;  // lab → the rung that was chosen to compare with
  std::string header;                            // that the source panel shows; empty: the kernel's own file
  std::optional<SourceQuote> quote;              // taken over by the source panel
  bool bottom_speed = false;                     // the narrow layout shows speed instead of source
  double frame_ms = 0;                           // time of the last frame
  bool show_frame_time = false;
  std::vector<std::string> missing_fonts;
  bool typing_starts = false;
  std::string typing_in, typed;          // the slider whose value is being typed, and the text so far
  std::map<std::string, int> guesses;    // predict cards: "lab/question" → the choice that was pressed
  std::map<std::string, int> questions;  // the question that a lab's card shows
  bool reveal_answer = false;            // the controls scroll to what has just been answered
  bool asks_for_file = false;            // the dialog that opens a CUDA file is due
  bool animate = true;                   // false while screenshots are taken: nothing moves
};

}  // namespace tilescope
