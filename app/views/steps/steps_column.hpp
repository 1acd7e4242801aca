// The steps of the shown lab, as a column beside the view that stays while tabs change.
//
//   Steps   3 of 8, about 13 minutes            ×
//   ✓ 1  Neighbours: one float apart      4
//   ✓ 2  Two floats apart                 8
//   3  Eight floats apart: a sector each
//      Do this    Set STRIDE to 8.          done ✓
//      Look here  The sectors below the 32 lanes, in Traffic.
//      You see    How many sectors does the load touch?
//                 [ 4 ]  [ 8 ]  [✓ 32 ]
//      Because    …
//                                     Next step
//      4  …
//      Exercises, Next: Transpose
#pragma once

#include <imgui.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/views/context.hpp"
#include "app/views/lesson/lesson_view.hpp"
#include "app/views/steps/lab_steps.hpp"

namespace tilescope {

class StepsColumn {
 public:
  /// The steps of a lab; null if it has none. Read once.
  const LabSteps* steps_of(Session& session, const std::string& lab);
  /// Whether there is a column to show: the lab has steps, and it is asked for.
  bool is_shown(const PanelContext& context);
  /// Fills the current ImGui window, which does not scroll.
  void draw(PanelContext& context);
  /// Outlines what the open step asks to look at, after everything else is drawn.
  static void draw_look_here(PanelContext& context);
  /// The outline pulses.
  static bool moving(const ViewState& view);

 private:
  class Text : public LessonView {
   public:
    using LessonView::draw_piece;
  };
  struct Pen;  // where the next part is drawn

  size_t open_step(const PanelContext& context, const LabSteps& lab) const;
  void draw_head(Pen& pen, const LabSteps& lab);
  void draw_line(Pen& pen, const LabStep& step, size_t number);
  void draw_open(Pen& pen, const LabSteps& lab, size_t index);
  void draw_part(Pen& pen, const char* label, const std::string& key, const std::string& markdown);
  void draw_choices(Pen& pen, const LabStep& step, DoneStep& mark, bool holds_now);
  void draw_end(Pen& pen);
  void keep_in_sight(const std::string& state, bool answered, float top, float bottom);
  bool draw_button(Pen& pen, const char* id, const std::string& label);

  std::map<std::string, std::optional<LabSteps>> read_;  // by lab
  Text text_;
  std::string shown_state_;  // of the open step: its parts, in the last frame
  int settling_ = 0;         // frames until a requested scroll has happened
};

}  // namespace tilescope
