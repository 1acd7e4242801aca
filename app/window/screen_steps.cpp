// The switch that opens the lab's steps beside the view, and the step that a link opens.
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/steps/steps_column.hpp"
#include "app/views/view.hpp"
#include "app/window/screen.hpp"

namespace tilescope {

float Screen::steps_switch_width(const PanelContext& context, const Layout& layout) {
  const bool none = layout.steps.width() > 0 || session.shows_own();
  if (none || steps_->steps_of(session, session.lab().name) == nullptr) return 0;
  const float width = std::round(text_size(fonts.small_semibold, strings("steps.title")).x + context.px(40));
  constexpr float kLeastForTabs = 440;  // unscaled; below it the key, the palette and the lesson remain
  return layout.tabs.width() - width < context.px(kLeastForTabs) ? 0 : width;
}

void Screen::draw_steps_switch(PanelContext& context, const Area& area) {
  const LabSteps& steps = *steps_->steps_of(session, session.lab().name);
  const float middle = (area.top + area.bottom) / 2, gap = context.px(13);
  const ImVec2 low{area.left, middle - gap}, high{area.right - context.px(16), middle + gap};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("show steps", {high.x - low.x, high.y - low.y})) toggle_steps();
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context,
          strings.format("steps.show", fmt::arg("all", steps.steps.size()), fmt::arg("minutes", steps.minutes)));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                hovered ? context.theme.accent : context.theme.separator, context.px(6), 0, context.px(1));
  draw_text_centred(list, fonts.small_semibold, {(low.x + high.x) / 2, middle},
                    hovered ? context.theme.text : context.theme.accent, strings("steps.title"));
  mark(context, "show steps", low, high);
}

void Screen::show_step(size_t number) {
  const LabSteps* steps = steps_->steps_of(session, session.lab().name);
  if (steps == nullptr || number >= steps->steps.size()) return;
  view.steps_shown = true;
  view.open_steps[session.lab().name] = steps->steps[number].id;
}

void Screen::toggle_steps() { view.steps_shown = !view.steps_shown; }

}  // namespace tilescope
