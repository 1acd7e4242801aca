// What the parts of the step view share.
//
//   sentence
//   block ‹ 53 ›  line ‹ 39 ›   warps of the block, each with its state        step_warps.cpp
//   PTX around the step │ 32 lanes, and where the others wait                  step_ptx.cpp, step_lanes.cpp
//                       │ registers read and written, lane by lane             step_values.cpp
//                       │ what one lane computed before                        step_trail.cpp
//   step back, play, on, the track over the warp's steps                       step_controls.cpp
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

/// Rows of a record's PTX, and which of them is on top.
struct StepListing {
  struct Row {
    uint32_t instruction = 0;
    const StepLabel* label = nullptr;  // the row is that of a label in front of the instruction
  };
  std::weak_ptr<const StepRecord> record;
  std::vector<Row> rows;
  std::vector<uint32_t> row_of;  // by instruction
  int64_t top = 0;
  uint32_t followed = Step::kNone;  // the step that was scrolled to
};

/// The steps of the selected block, as the views of a block's steps share them; in ViewState.
struct StepsShown {
  std::unique_ptr<StepIndex> index;
  Selection synced;           // what these views last made of the selection
  bool fresh = true;          // the record is a different one: the selection says where to begin,
  bool other_window = false;  // but not where only other steps of the same block were asked for
  int hovered_lane = -1;      // in the last frame: what is drawn before it is known lights too
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
  int hovered_lane = -1;     // in this view or another one
  int selected_lane = -1;
  std::optional<uint32_t> lit_writer = {};  // the step that last wrote the register under the pointer

  const StepRecord& record() const { return index.record(); }
  const Step& step() const { return record().steps[step_number]; }
  const StepInstruction& instruction() const { return index.instruction(step()); }
  StepCursor& cursor() const { return context.view.step; }
};

/// The record of the block that the selection means, with the cursor in it; null where there is none yet, and then an
/// empty state has been drawn. Views of a block's steps share it, and the cursor.
const StepIndex* steps_in_view(PanelContext& context);
/// A frame at the cursor, which moves on while it is playing.
StepFrame begin_step_frame(PanelContext& context, const StepIndex& index);
void end_step_frame(PanelContext& context);

/// Keys of the views of steps: arrows, Home, End, Space.
void step_keys(PanelContext& context);
/// Whether a step is played or recorded.
bool steps_move(const Session& session, const ViewState& view);
void take_step_keys(PanelContext& context, const StepIndex& index);

// The parts; each fills the rectangle it is given.
float draw_step_warps(StepFrame& frame, ImVec2 low, float right);
void draw_step_ptx(StepFrame& frame, ImVec2 low, ImVec2 high);
/// Returns the height that it took.
float draw_step_lanes(StepFrame& frame, ImVec2 low, float right);
/// Returns the height that its contents take.
float draw_step_values(StepFrame& frame, ImVec2 low, ImVec2 high);
void draw_step_trail(StepFrame& frame, ImVec2 low, ImVec2 high);
void draw_step_track(StepFrame& frame, ImVec2 low, ImVec2 high);
StepSentence step_sentence(const StepFrame& frame);

/// Where the 32 lanes of a row lie, and which one is under the pointer (−1: none).
struct LaneCells {
  float left = 0, pitch = 0, gap = 0;
  float x0(int lane) const { return left + static_cast<float>(lane) * pitch; }
  float x1(int lane) const { return x0(lane + 1) - gap; }
};
/// The last item holds lanes: explains one, lights it in all views, and a click selects it.
void point_at_step_lane(StepFrame& frame, int lane, const std::string& text);

/// "a[54,880]": what a lane reads or writes at the step; nothing where it makes no access.
std::optional<std::string> step_address_text(const StepFrame& frame, int lane);

/// One lane of a register; a pointer into a buffer by its element.
std::string step_value_text(const StepFrame& frame, uint32_t reg, ValueKind kind, const LaneValues& values, int lane,
                            int digits = 9, std::optional<int> decimals = {});

/// Goes to a position of a warp; the selection of all views follows.
void go_to_step(PanelContext& context, const StepIndex& index, uint32_t warp, uint64_t position);

/// "line 12", or "—" where the compiler gave none.
std::string step_line_text(const PanelContext& context, uint32_t line);

}  // namespace tilescope
