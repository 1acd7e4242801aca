// The picture of the tape: boxes that are pressed to choose a step, and lines in the colours of what flows along them.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/tape/tape_view.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

constexpr float kHead = 4, kDash = 5;  // unscaled pixels

bool inside(ImVec2 low, ImVec2 high, ImVec2 clip_low, ImVec2 clip_high) {
  return low.x >= clip_low.x && high.x <= clip_high.x && low.y >= clip_low.y - 4 && high.y <= clip_high.y + 4;
}

ImU32 colour_of(const Theme& theme, TapeLine::Style style) {
  switch (style) {
    case TapeLine::Style::value:
      return theme.read;
    case TapeLine::Style::gradient:
      return theme.write;
    case TapeLine::Style::held:
      return mix(theme.window, theme.muted, 0.6F);
    default:
      return theme.reference;
  }
}

void draw_part(ImDrawList* list, ImVec2 a, ImVec2 b, ImU32 colour, float thick, float dash) {
  if (dash <= 0) {
    list->AddLine(a, b, colour, thick);
    return;
  }
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  for (float at = 0; at < length; at += 2 * dash) {
    const float from = at / length, to = std::min(at + dash, length) / length;
    list->AddLine({a.x + (b.x - a.x) * from, a.y + (b.y - a.y) * from},
                  {a.x + (b.x - a.x) * to, a.y + (b.y - a.y) * to}, colour, thick);
  }
}

void draw_head(ImDrawList* list, ImVec2 before, ImVec2 tip, float head, ImU32 colour) {
  const float length = std::max(1.0F, std::hypot(tip.x - before.x, tip.y - before.y));
  const ImVec2 along{(tip.x - before.x) / length * head, (tip.y - before.y) / length * head};
  list->AddTriangleFilled(tip, {tip.x - 1.6F * along.x - along.y, tip.y - 1.6F * along.y + along.x},
                          {tip.x - 1.6F * along.x + along.y, tip.y - 1.6F * along.y - along.x}, colour);
}

/// A plus in a circle, where a part is added to an earlier one.
void draw_plus(const DrawContext& context, ImDrawList* list, ImVec2 tip, ImVec2 before, ImU32 colour) {
  const float length = std::max(1.0F, std::hypot(tip.x - before.x, tip.y - before.y)), radius = context.px(6);
  const float back = std::min(context.px(14), length / 2);
  const ImVec2 centre{tip.x + (before.x - tip.x) / length * back, tip.y + (before.y - tip.y) / length * back};
  const float arm = radius * 0.6F, thick = std::max(1.0F, context.px(1.4F));
  list->AddCircleFilled(centre, radius, context.theme.window);
  list->AddCircle(centre, radius, colour, 0, thick);
  list->AddLine({centre.x - arm, centre.y}, {centre.x + arm, centre.y}, colour, thick);
  list->AddLine({centre.x, centre.y - arm}, {centre.x, centre.y + arm}, colour, thick);
}

}  // namespace

TapeWording TapeView::wording(const PanelContext& context) const {
  return {.note = [this, &context](size_t node, bool backward) { return step_note(context, node, backward); },
          .label = [this, &context](const TapeSaved& saved) { return saved_label(context, saved); },
          .width =
              [&context](const std::string& text, bool bold) {
                return text_size(bold ? context.fonts.small_semibold : context.fonts.small, text).x /
                       context.screen.scale;
              },
          .room = room_};
}

std::string TapeView::step_note(const PanelContext& context, size_t node, bool backward) const {
  std::string numbers;
  for (size_t step = 0; step < shown_.tape.steps.size(); ++step) {
    const TapeStep& one = shown_.tape.steps[step];
    if (one.node != node || (one.kind == TapeStep::Kind::backward) != backward) continue;
    numbers += (numbers.empty() ? "" : ", ") + std::to_string(step + 1);
  }
  return context.strings.format("view.tape.step", fmt::arg("number", numbers));
}

std::string TapeView::saved_label(const PanelContext& context, const TapeSaved& saved) const {
  const Strings& strings = context.strings;
  const std::string name = saved.value                      ? shown_.tape.program.values[*saved.value].name
                           : saved.extra == TapeExtra::tanh ? std::string("tanh")
                                                            : strings("view.tape.statistics");
  if (saved.recomputed) return strings.format("view.tape.label_again", fmt::arg("name", name));
  if (saved.held || saved.shared_with) return strings.format("view.tape.label_there", fmt::arg("name", name));
  return fmt::format("{}: {}", name, three_figures(static_cast<double>(saved.bytes(rows_, columns_, element_))));
}

float TapeView::draw_picture(PanelContext& context, ImVec2 low, float width) {
  const float scale = context.screen.scale, wide = picture_.width * scale;
  room_ = std::floor(width / scale);
  const bool scrolls = wide > width;
  const float height = picture_.height * scale + (scrolls ? context.px(14) : context.px(2));
  ImGui::SetCursorScreenPos(low);
  ImGui::SetNextWindowContentSize({wide, 0});
  ImGui::BeginChild("tape picture", {width, height}, false,
                    ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 clip_low = list->GetClipRectMin(), clip_high = list->GetClipRectMax();
  const auto at = [&](TapePoint point) -> ImVec2 {
    return {std::round(origin.x + point.x * scale) + 0.5F, std::round(origin.y + point.y * scale) + 0.5F};
  };
  const Theme& theme = context.theme;
  for (const bool lit : {false, true}) {
    for (const TapeLine& line : picture_.lines) {
      const bool of_chosen = chosen_ && (line.from == *chosen_ || line.to == *chosen_);
      if (of_chosen != lit) continue;
      const ImU32 colour = colour_of(theme, line.style);
      const float thick = context.px(lit ? 2.0F : 1.2F);
      const bool dashed = line.style == TapeLine::Style::recomputed;
      for (size_t i = 1; i < line.points.size(); ++i)
        draw_part(list, at(line.points[i - 1]), at(line.points[i]), colour, thick, dashed ? context.px(kDash) : 0);
      const ImVec2 tip = at(line.points.back()), before = at(line.points[line.points.size() - 2]);
      draw_head(list, before, tip, context.px(kHead), colour);
      if (line.adds) draw_plus(context, list, tip, before, colour);
    }
  }
  for (const TapeLine& line : picture_.lines) {
    if (line.label.empty()) continue;
    const ImVec2 place{origin.x + line.label_low.x * scale, origin.y + line.label_low.y * scale};
    const ImVec2 end{place.x + text_size(context.fonts.small, line.label).x, place.y + context.px(16)};
    if (!inside(place, end, clip_low, clip_high)) continue;
    list->AddRectFilled({place.x - context.px(3), place.y}, {end.x + context.px(3), end.y}, theme.window);
    const bool quiet = line.style == TapeLine::Style::held;
    draw_text(list, context.fonts.small, {place.x, centred_top(context.fonts.small, (place.y + end.y) / 2)},
              quiet ? theme.muted : theme.text, line.label);
    mark(context, fmt::format("tape_saved {}", *line.saved + 1), place, end);
  }
  hovered_.reset();
  for (size_t i = 0; i < picture_.boxes.size(); ++i) draw_box(context, list, i, origin, clip_low, clip_high);
  ImGui::EndChild();
  mark(context, "tape_picture", low, {low.x + width, low.y + height});
  return height + context.px(6);
}

void TapeView::draw_box(PanelContext& context, ImDrawList* list, size_t index, ImVec2 origin, ImVec2 clip_low,
                        ImVec2 clip_high) {
  const TapeBox& one = picture_.boxes[index];
  const Theme& theme = context.theme;
  const float scale = context.screen.scale;
  const ImVec2 low{std::round(origin.x + one.low.x * scale), std::round(origin.y + one.low.y * scale)};
  const ImVec2 high{std::round(origin.x + one.high.x * scale), std::round(origin.y + one.high.y * scale)};
  const bool backward =
      one.kind == TapeBox::Kind::backward || one.kind == TapeBox::Kind::gradient || one.kind == TapeBox::Kind::upstream;
  const ImU32 colour = backward ? theme.write : theme.read;
  const float round = context.px(one.tall() ? 5 : 11);
  const bool chosen = chosen_ == index;
  list->AddRectFilled(low, high, mix(theme.panel, colour, one.tall() ? 0.12F : 0.04F), round);
  list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                chosen ? theme.accent : mix(theme.window, colour, one.runs_again ? 1.0F : 0.55F), round, 0,
                context.px(chosen || one.runs_again ? 2.0F : 1.0F));
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(index));
  if (hit_area("box", {high.x - low.x, high.y - low.y})) choose(context, index);
  if (ImGui::IsItemHovered()) hovered_ = index;
  ImGui::PopID();
  const std::string name =
      one.node ? fmt::format("{} {}", backward ? "backward" : "forward",
                             shown_.tape.program.values[shown_.tape.program.nodes[*one.node].output].name)
               : fmt::format("value {}", one.title);
  mark(context, "tape_box " + name, low, high);
  if (!inside(low, high, clip_low, clip_high)) return;
  ImFont* title = one.tall() ? context.fonts.small_semibold : context.fonts.small;
  const float middle = (low.y + high.y) / 2, centre = (low.x + high.x) / 2;
  draw_text_centred(list, title, {centre, one.tall() ? middle - context.px(8) : middle}, theme.text, one.title);
  if (one.tall()) draw_text_centred(list, context.fonts.small, {centre, middle + context.px(9)}, theme.muted, one.note);
}

}  // namespace tilescope
