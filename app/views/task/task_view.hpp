// The state of the task view.
#pragma once

#include <imgui.h>

#include <cstddef>

#include "app/views/lesson/lesson_view.hpp"
#include "app/views/view.hpp"

namespace tilescope {

class Workshop;

/// The task, and below it the solution once it was asked for.
class TaskText final : public LessonView {
 protected:
  Page page(const PanelContext& context) const override;
};

class TaskView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool concerns(const Session& session) const override;
  bool moving(const Session& session, const ViewState& view) const override;
  bool needs_no_run() const override { return true; }
  bool finds_text() const override { return true; }
  Lower lower(const PanelContext& context, bool stacked) const override;

 private:
  float draw_verdict(PanelContext& context, const Workshop& workshop, ImVec2 at, float width);
  void draw_cases(PanelContext& context, Workshop& workshop);
  bool badge_fits(PanelContext& context, const Workshop& workshop, ImVec2 at, float width);
  float draw_case(PanelContext& context, Workshop& workshop, size_t index, ImVec2 at, float width);

  TaskText text_;
};

}  // namespace tilescope
