// The layout view: which thread and register of a Triton program holds which element of a tensor.
//
//     sentence
//     the tensors, one of which is chosen                 its layout
//     the tensor, coloured by warp    │ the chosen warp, by lane; or shared memory
//                                     │ the chosen lane, by register
//     whether lanes accessed the elements that the layout says
#pragma once

#include <optional>
#include <string>

#include "app/draw/widgets.hpp"
#include "app/views/context.hpp"
#include "app/views/layout/layout_model.hpp"
#include "app/views/view.hpp"

namespace tilescope {

/// What is looked at: a lane of a warp, and which repetition of the warp's tile.
struct LayoutCursor {
  size_t entry = 0;
  uint32_t warp = 0, lane = 0, part = 0;
};

/// A thread whose elements are lit, because the pointer is on one of them.
struct LitLane {
  uint32_t warp = 0, lane = 0;
};

struct LayoutFrame {
  PanelContext& context;
  LayoutPicture& picture;
  LayoutCursor& cursor;
  std::optional<LitLane>& lit;
  ImDrawList* list;

  const RunResult& result() const { return *context.result; }
  const ProgramTensor& tensor() const { return picture.tensor(cursor.entry); }
  bool in_shared() const { return picture.entries[cursor.entry].in_shared; }
  float px(float value) const { return context.px(value); }
  /// How often the warp's tile is repeated over the tensor.
  uint32_t parts() const { return tensor().layout.registers() / picture.tile.registers; }
};

class LayoutView final : public View {
 public:
  void draw(PanelContext& context) override;
  const char* empty_reason(const std::shared_ptr<const RunResult>& result) const override;
  bool concerns(const Session& session) const override;
  bool speaks_of_lines() const override { return true; }
  void apply(ViewState&, const ShotWishes& wishes) override { wished_ = wishes.tensor; }

 private:
  void draw_known(PanelContext& context);
  void follow_selection(PanelContext& context);
  void suggest_tensor(LayoutFrame& frame);

  LayoutPicture picture_;
  LayoutCursor cursor_;
  std::string tensor_;  // name of the chosen tensor, which a new result keeps
  std::optional<LitLane> lit_;
  std::optional<Selection> seen_;   // the selection that was followed last
  std::optional<uint32_t> wished_;  // by a picture: the entry to show
};

/// The colour of a warp among this many.
ImU32 colour_of_warp(const Theme& theme, uint32_t warp, uint32_t warps);
/// "x, from tl.load"
std::string entry_text(const Strings& strings, const LayoutPicture& picture, size_t entry);
/// The name of the Python variable, or of the buffer that the tensor is stored to.
std::string tensor_name(const LayoutFrame& frame);
/// Moves the cursor to the thread, and the selection of all views to its access.
void choose_lane(LayoutFrame& frame, uint32_t warp, uint32_t lane, uint32_t part);

float draw_layout_sentence(LayoutFrame& frame, ImVec2 low, float width);
float draw_tensor_choice(LayoutFrame& frame, ImVec2 low, float width);
void draw_tensor_map(LayoutFrame& frame, ImVec2 low, ImVec2 high);
/// Returns where it ends.
float draw_warp_tile(LayoutFrame& frame, ImVec2 low, ImVec2 high);
void draw_lane_registers(LayoutFrame& frame, ImVec2 low, ImVec2 high);
void draw_shared_rows(LayoutFrame& frame, ImVec2 low, ImVec2 high);
void draw_check(LayoutFrame& frame, ImVec2 low, float width);

}  // namespace tilescope
