// Shared by the parts of the step view.
//
//   sentence
//   block ‹ 53 ›  line ‹ 39 ›   warps of the block, each with its state        step_warps.cpp
//   PTX around the step │ 32 lanes, and where the others wait                  step_ptx.cpp, step_lanes.cpp
//                       │ registers read and written, lane by lane             step_values.cpp
//                       │ what one lane computed before                        step_trail.cpp
//   step back, play, forward, the track over the warp's steps                  step_controls.cpp
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/views/context.hpp"
#include "app/views/step/step_model.hpp"
#include "app/views/view.hpp"

namespace tilescope {

/// Rows of a record's PTX, and the top one.
struct StepListing {
  struct Row {
    uint32_t instruction = 0;
    const StepLabel* label = nullptr;  // set if the row shows a label before the instruction
  };
  std::weak_ptr<const StepRecord> record;
  std::vector<Row> rows;
  std::vector<uint32_t> row_of;  // by instruction
  int64_t top = 0;
  uint32_t followed = Step::kNone;  // the step that was last scrolled to
};

/// The steps of the selected block, shared by the views of a block's steps; in ViewState.
struct StepsShown {
  std::unique_ptr<StepIndex> index;
  Selection synced;           // the selection as these views last left it
  bool fresh = true;          // the record is a different one: the selection determines the start,
  bool other_window = false;  // unless only other steps of the same block were requested
  int hovered_lane = -1;      // from the last frame, so that it is highlighted in parts drawn before it is known
  ResultReference result;
  uint64_t block = ~0ULL;
  StepListing listing;
};

class StepView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool keys(PanelContext& context) override;
  bool moving(const Session& session, const ViewState& view) const override;
  bool speaks_of_lines() const override { return true; }
  void apply_to_result(ViewState& view, const ShotWishes& wishes) override;
  void play(ViewState& view, int frame) override;
};

/// One frame of the view.
struct StepFrame {
  PanelContext& context;
  const StepIndex& index;
  ImDrawList* list;
  uint32_t warp = 0;
  uint64_t position = 0;
  uint32_t step_number = 0;  // index into the record's steps
  int hovered_lane = -1;     // in this view or a different one
  int selected_lane = -1;
  std::optional<uint32_t> lit_writer = {};  // the step that last wrote the register under the pointer

  const StepRecord& record() const { return index.record(); }
  const Step& step() const { return record().steps[step_number]; }
  const StepInstruction& instruction() const { return index.instruction(step()); }
  StepCursor& cursor() const { return context.view.step; }
};

/// The record of the selected block, with the cursor in it; null if there is none yet, in which case an empty state has
/// been drawn. Views of a block's steps share it, and the cursor.
const StepIndex* steps_in_view(PanelContext& context);
/// A frame at the cursor, which advances during playback.
StepFrame begin_step_frame(PanelContext& context, const StepIndex& index);
void end_step_frame(PanelContext& context);

/// Keyboard control of the step views: arrows, Home, End, Space.
void step_keys(PanelContext& context);
/// Whether steps are being played or recorded.
bool steps_move(const Session& session, const ViewState& view);
void take_step_keys(PanelContext& context, const StepIndex& index);

// The parts; each fills the given rectangle.
float draw_step_warps(StepFrame& frame, ImVec2 low, float right);
void draw_step_ptx(StepFrame& frame, ImVec2 low, ImVec2 high);
/// Returns the height used.
float draw_step_lanes(StepFrame& frame, ImVec2 low, float right);
/// Returns the height of its contents.
float draw_step_values(StepFrame& frame, ImVec2 low, ImVec2 high);
void draw_step_trail(StepFrame& frame, ImVec2 low, ImVec2 high);
void draw_step_track(StepFrame& frame, ImVec2 low, ImVec2 high);
StepSentence step_sentence(const StepFrame& frame);

/// Positions of the 32 lanes of a row.
struct LaneCells {
  float left = 0, pitch = 0, gap = 0;
  float x0(int lane) const { return left + static_cast<float>(lane) * pitch; }
  float x1(int lane) const { return x0(lane + 1) - gap; }
};
/// For the last item, a lane: explains it, highlights it in all views, and a click selects it.
void point_at_step_lane(StepFrame& frame, int lane, const std::string& text);

/// "a[54,880]": what a lane reads or writes at the step; nothing if it makes no access.
std::optional<std::string> step_address_text(const StepFrame& frame, int lane);

/// One lane of a register; a pointer into a buffer is shown as its element.
std::string step_value_text(const StepFrame& frame, uint32_t reg, ValueKind kind, const LaneValues& values, int lane,
                            int digits = 9, std::optional<int> decimals = {});

/// Goes to a position of a warp; the selection of all views follows.
void go_to_step(PanelContext& context, const StepIndex& index, uint32_t warp, uint64_t position);

/// "line 12", or "—" if the compiler gave none.
std::string step_line_text(const PanelContext& context, uint32_t line);

}  // namespace tilescope
