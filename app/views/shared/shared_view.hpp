// Shared by the parts of the shared view. It follows the step view: the same block, the same cursor.
//
//   sentence
//   block ‹ 53 ›  line ‹ 39 ›   warps of the block                             step_warps.cpp
//   shared memory over its banks │ the warp's events in order of execution      shared_map.cpp, shared_pipeline.cpp
//                                │ which lane holds which element               shared_fragments.cpp
//   step back, play, forward, the track over the warp's steps                  step_controls.cpp
#pragma once

#include "app/views/context.hpp"
#include "app/views/shared/shared_model.hpp"
#include "app/views/step/step_view.hpp"

namespace tilescope {

/// State between frames.
struct SharedState {
  std::shared_ptr<const StepRecord> record;
  std::shared_ptr<const SharedPicture> picture;  // derived from the record; null if it has no shared memory
  std::vector<SharedWord> contents;
  uint32_t contents_step = SharedWord::kNone;
  std::vector<SharedSpan> spans;
  uint32_t spans_warp = SharedWord::kNone;
  bool fresh = true;  // not drawn yet
};

class SharedView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool keys(PanelContext& context) override;
  bool moving(const Session& session, const ViewState& view) const override { return steps_move(session, view); }
  const char* empty_reason(const std::shared_ptr<const RunResult>& result) const override;
  bool speaks_of_lines() const override { return true; }

 private:
  SharedState state_;
};

struct SharedFrame {
  StepFrame& step;
  const SharedPicture& picture;
  const std::vector<SharedWord>& contents;  // after the step
  const std::vector<SharedSpan>& spans;     // what the cursor's warp holds
  SharedMoment moment;

  PanelContext& context() const { return step.context; }
  const RunResult& result() const { return *step.context.result; }
  float px(float value) const { return step.context.px(value); }
};

/// "tile (in)": the array by its source name, and the buffer whose data is in it. "a · slot 1" if an array holds
/// several regions.
std::string region_text(const PanelContext& context, const RunResult& result, const SharedPicture& picture,
                        int32_t region);

/// The colour of a buffer's words: blue for the first buffer, distinguishable tints for the others.
ImU32 colour_of_buffer(const Theme& theme, const SharedPicture& picture, int32_t buffer);

/// Each fills the given rectangle.
void draw_shared_map(SharedFrame& frame, ImVec2 low, ImVec2 high);
void draw_shared_pipeline(SharedFrame& frame, ImVec2 low, ImVec2 high);
void draw_fragments(SharedFrame& frame, ImVec2 low, ImVec2 high);
/// The height that the pipeline's rows need.
float pipeline_height(const SharedFrame& frame);

}  // namespace tilescope
