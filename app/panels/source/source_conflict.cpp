// The strip above an own file's text when the file on disk is not what is being edited: two choices, where the learner
// looks.
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/panels/source/source_view.hpp"
#include "app/sandbox/sandbox.hpp"

namespace tilescope {
namespace {

constexpr float kStrip = 32;

/// A word at the right that is pressed; returns where it begins.
float choice(PanelContext& context, const char* name, const char* key, float right, float middle, bool* pressed) {
  ImFont* font = context.fonts.small_semibold;
  const std::string& text = context.strings(key);
  const ImVec2 low{std::round(right - text_size(font, text).x), middle - context.px(12)};
  const ImVec2 high{right, middle + context.px(12)};
  ImGui::SetCursorScreenPos(low);
  *pressed = hit_area(name, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  mark(context, name, low, high);
  explain(context, context.strings(std::string(key) + "_meaning"));
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text(list, font, {low.x, centred_top(font, middle)}, hovered ? context.theme.text : context.theme.accent, text);
  return low.x - context.px(20);
}

}  // namespace

float SourcePanel::draw_conflict(PanelContext& context, ImVec2 low, float width) {
  Sandbox* sandbox = context.sandbox;
  const bool own = sandbox != nullptr && sandbox->is_shown(context.session);
  const bool gone = own && sandbox->problem().has_value(), changed = own && sandbox->changed_beside_edits();
  if (!gone && !changed) {
    told_.clear();
    return 0;
  }
  const std::string file = file_name_of(file_);
  const std::string text =
      gone ? context.strings.format("sandbox.file_gone", fmt::arg("file", file),
                                    fmt::arg("reason", context.strings.message(*sandbox->problem())))
           : context.strings.format("sandbox.changed_beside_edits", fmt::arg("file", file));
  if (told_ != text) context.view.say = told_ = text;
  const ImVec2 high{low.x + width, low.y + context.px(kStrip)};
  const float middle = std::round((low.y + high.y) / 2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, mix(context.theme.window, context.theme.waiting, 0.16F));
  float right = high.x - context.px(16);
  bool takes_disk = false, keeps_mine = false;
  if (!gone) {
    right = choice(context, "conflict.disk", "sandbox.take_disk", right, middle, &takes_disk);
    right = choice(context, "conflict.mine", "sandbox.keep_mine", right, middle, &keeps_mine);
  }
  ImFont* font = context.fonts.small;
  const float left = low.x + context.px(24);
  draw_text(list, font, {left, centred_top(font, middle)}, context.theme.text,
            fit_text(font, text, right - left - context.px(8)));
  explain_rect(context, low, {right, high.y}, text);
  mark(context, "source.conflict", low, high);
  if (keeps_mine) sandbox->keep_edits();
  if (takes_disk) revert(context);  // Ctrl+Z brings the learner's text back
  return context.px(kStrip);
}

}  // namespace tilescope
