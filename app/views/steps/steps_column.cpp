#include "app/views/steps/steps_column.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/draw/keys.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/steps/step_progress.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kColumnSide = 20, kHead = 40, kRow = 32, kLabel = 76, kChoice = 26, kLine = 20;
constexpr double kPulseSeconds = 3;  // how long the outline of what to look at pulses
constexpr int kPulses = 4;
constexpr const char* kEnd = "end";  // in place of the open step: none is, as long as all are done

const DoneStep* mark_of(const PanelContext& context, const LabStep& step) {
  const auto lab = context.session.learned.find(context.lab().name);
  if (lab == context.session.learned.end()) return nullptr;
  const auto found = lab->second.steps.find(step.id);
  return found != lab->second.steps.end() ? &found->second : nullptr;
}

bool is_complete(const PanelContext& context, const LabStep& step) {
  const DoneStep* mark = mark_of(context, step);
  return mark != nullptr && (!step.asks() || mark->answered());
}

/// The lab after this one; null after the last.
const Lab* lab_after(const Lab& lab) {
  const auto found = std::ranges::find(labs(), lab.name, &Lab::name);
  return found != labs().end() && found + 1 != labs().end() ? &*(found + 1) : nullptr;
}

}  // namespace

struct StepsColumn::Pen {
  PanelContext& context;
  ImDrawList* list;
  float left, right, y;
  float px(float value) const { return context.px(value); }
  float width() const { return right - left; }
};

const LabSteps* StepsColumn::steps_of(Session& session, const std::string& lab) {
  const auto [found, added] = read_.try_emplace(lab);
  if (added)
    if (auto steps = read_steps(session.engine().root() / "docs/labs/steps" / (lab + ".toml")))
      found->second = std::move(*steps);
  return found->second ? &*found->second : nullptr;
}

bool StepsColumn::is_shown(const PanelContext& context) {
  if (!context.view.steps_shown || context.session.shows_own()) return false;
  return steps_of(context.session, context.lab().name) != nullptr;
}

size_t StepsColumn::open_step(const PanelContext& context, const LabSteps& lab) const {
  if (const auto chosen = context.view.open_steps.find(context.lab().name); chosen != context.view.open_steps.end()) {
    const auto step = std::ranges::find(lab.steps, chosen->second, &LabStep::id);
    if (step != lab.steps.end()) return static_cast<size_t>(step - lab.steps.begin());
  }
  const auto next = std::ranges::find_if(lab.steps, [&](const LabStep& step) { return !is_complete(context, step); });
  return static_cast<size_t>(next - lab.steps.begin());
}

void StepsColumn::draw(PanelContext& context) {
  const LabSteps* lab = steps_of(context.session, context.lab().name);
  if (lab == nullptr) return;
  const ImVec2 at = ImGui::GetCursorScreenPos(), size = ImGui::GetWindowSize();
  const float left = at.x + context.px(kColumnSide), right = at.x + size.x - context.px(kColumnSide),
              head = context.px(kHead);
  Pen title{context, ImGui::GetWindowDrawList(), left, right, at.y};
  draw_head(title, *lab);
  begin_area("list of steps", {at.x, at.y + head, at.x + size.x, at.y + size.y}, 0);
  const ImVec2 start = ImGui::GetCursorScreenPos();
  Pen pen{context, ImGui::GetWindowDrawList(), left, right, start.y};
  const size_t open = open_step(context, *lab);
  if (open >= lab->steps.size()) context.view.look_here = {};
  for (size_t index = 0; index < lab->steps.size(); ++index) {
    if (index == open)
      draw_open(pen, *lab, index);
    else
      draw_line(pen, lab->steps[index], index + 1);
  }
  draw_end(pen);
  ImGui::SetCursorScreenPos(start);
  ImGui::Dummy({1, pen.y - start.y + context.px(kColumnSide)});
  ImGui::EndChild();
}

void StepsColumn::draw_head(Pen& pen, const LabSteps& lab) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  const auto done = static_cast<size_t>(
      std::ranges::count_if(lab.steps, [&](const LabStep& step) { return is_complete(context, step); }));
  if (done == lab.steps.size()) context.session.learned[context.lab().name].lesson_read = true;
  const float middle = pen.y + pen.px(kHead / 2);
  const std::string& title = context.strings("steps.title");
  draw_text(pen.list, context.fonts.body_semibold, {pen.left, centred_top(context.fonts.body_semibold, middle)},
            theme.text, title);
  const float after = pen.left + text_size(context.fonts.body_semibold, title).x + pen.px(10);
  const std::string count = context.strings.format("steps.count", fmt::arg("done", done),
                                                   fmt::arg("all", lab.steps.size()), fmt::arg("minutes", lab.minutes));
  draw_text(pen.list, context.fonts.small, {after, centred_top(context.fonts.small, middle)}, theme.muted,
            fit_text(context.fonts.small, count, pen.right - pen.px(24) - after));
  mark(context, "steps.head", {pen.left, pen.y}, {pen.right - pen.px(24), pen.y + pen.px(kHead)});
  const ImVec2 low{pen.right - pen.px(18), middle - pen.px(10)}, size{pen.px(20), pen.px(20)};
  ImGui::SetCursorScreenPos(low);
  if (hit_area("close steps", size)) context.view.steps_shown = false;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context, context.strings("steps.close"));
  draw_cross(pen.list, {low.x + size.x / 2, middle}, pen.px(9), hovered ? theme.text : theme.muted, pen.px(1.5F));
  mark(context, "close steps", low, {low.x + size.x, low.y + size.y});
  pen.y += pen.px(kHead);
}

/// A step that is not unfolded: ✓ or its number, its title, and what was answered.
void StepsColumn::draw_line(Pen& pen, const LabStep& step, size_t number) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  const bool complete = is_complete(context, step);
  const ImVec2 low{pen.left - pen.px(8), pen.y}, high{pen.right + pen.px(8), pen.y + pen.px(kRow)};
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(step.id.c_str());
  if (hit_area("step", {high.x - low.x, high.y - low.y})) context.view.open_steps[context.lab().name] = step.id;
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    pen.list->AddRectFilled(low, high, theme.raised, pen.px(6));
  }
  mark(context, "step " + step.id, low, high);
  const float middle = (low.y + high.y) / 2;
  ImFont* font = context.fonts.small;
  if (complete) draw_check(pen.list, {pen.left + pen.px(5), middle}, pen.px(10), theme.ok, pen.px(1.75F));
  const float at = pen.left + pen.px(20);
  draw_text(pen.list, font, {at, centred_top(font, middle)}, theme.muted, std::to_string(number));
  float right = pen.right;
  if (const DoneStep* mark = mark_of(context, step); mark != nullptr && mark->answered()) {
    const auto labels = choice_labels(step, context.strings);
    const auto answer = static_cast<size_t>(mark->answer);
    const float room = pen.width() * 0.35F;
    const std::string shown = answer < labels.size() ? fit_text(font, labels[answer], room) : std::string();
    draw_text_right(pen.list, font, {right, centred_top(font, middle)}, mark->right() ? theme.ok : theme.muted, shown);
    right -= text_size(font, shown).x + pen.px(12);
  }
  const float title = at + pen.px(20);
  const std::string& text = context.strings(step.title);
  const std::string shown = fit_text(font, text, right - title);
  draw_text(pen.list, font, {title, centred_top(font, middle)}, complete || hovered ? theme.text : theme.muted, shown);
  if (shown != text) explain_rect(context, low, high, text);
  pen.y += pen.px(kRow);
}

void StepsColumn::draw_part(Pen& pen, const char* label, const std::string& key, const std::string& markdown) {
  PanelContext& context = pen.context;
  const std::string& name = context.strings(std::string("steps.") + label);
  draw_text(pen.list, context.fonts.small, {pen.left, pen.y + pen.px(4)}, context.theme.muted, name);
  const float x = pen.left + pen.px(kLabel);
  const float height = text_.draw_piece(context, key + "." + label, markdown, {x, pen.y}, pen.right - x);
  mark(context, std::string("steps ") + label, {pen.left, pen.y}, {pen.right, pen.y + height});
  pen.y += std::max(height, pen.px(kLine)) + pen.px(8);
}

void StepsColumn::draw_open(Pen& pen, const LabSteps& lab, size_t index) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  const LabStep& step = lab.steps[index];
  LabProgress& progress = context.session.learned[context.lab().name];
  const bool now = is_done(step, context);
  if (now) progress.steps.try_emplace(step.id);
  const float top = pen.y;
  context.view.open_steps[context.lab().name] = step.id;  // it stays unfolded until the learner continues
  pen.y += pen.px(10);
  const std::string title = fmt::format("{}  {}", index + 1, context.strings(step.title));
  const TextRun heading[] = {{context.fonts.body_semibold, theme.text, title}};
  pen.y += flow_text(pen.list, {pen.left, pen.y}, pen.width(), pen.px(24), heading) + pen.px(8);
  const std::string key = context.lab().name + "." + step.id;
  draw_part(pen, "do", key, context.strings(step.to_do));
  if (now) {
    const std::string& done = context.strings("steps.done");
    pen.y -= pen.px(4);
    const ImVec2 at{pen.left + pen.px(kLabel), pen.y};
    draw_check(pen.list, {at.x + pen.px(5), at.y + pen.px(10)}, pen.px(10), theme.ok, pen.px(1.75F));
    draw_text(pen.list, context.fonts.small_semibold, {at.x + pen.px(18), at.y + pen.px(2)}, theme.ok, done);
    mark(context, "step done", at, {at.x + pen.px(60), at.y + pen.px(kLine)});
    pen.y += pen.px(kLine + 8);
  }
  draw_part(pen, "look", key, context.strings(step.look));
  if (ViewState::LookHere& here = context.view.look_here; !now)
    here = {};
  else if (here.mark != step.at)
    here = {step.at, ImGui::GetTime(), false};
  else if (here.veiled)
    draw_part(pen, "first", key, context.strings("steps.veiled"));
  const auto kept = progress.steps.find(step.id);
  const bool answered = kept != progress.steps.end() && kept->second.answered();
  if (step.asks() && (now || answered)) {
    draw_part(pen, "see", key, context.strings(step.ask));
    draw_choices(pen, step, kept->second, now);
  }
  if (answered || (now && !step.asks())) {
    draw_part(pen, "because", key, context.strings(step.because));
    if (draw_button(pen, "next step", context.strings(index + 1 < lab.steps.size() ? "steps.next" : "steps.finish"))) {
      if (index + 1 < lab.steps.size())
        context.view.open_steps[context.lab().name] = lab.steps[index + 1].id;
      else
        context.view.open_steps[context.lab().name] = kEnd;
    }
  }
  pen.y += pen.px(6);
  keep_in_sight(key + (now ? " done" : "") + (answered ? " answered" : ""), answered, top, pen.y);
  pen.list->AddRectFilled({pen.left - pen.px(kColumnSide), top}, {pen.left - pen.px(kColumnSide) + pen.px(2), pen.y},
                          theme.accent);
  mark(context, "step open", {pen.left, top}, {pen.right, pen.y});
}

/// Scrolls to the open step when it opens or grows. Its end matters more than its beginning once it is answered.
void StepsColumn::keep_in_sight(const std::string& state, bool answered, float top, float bottom) {
  if (shown_state_ != state) settling_ = 2;  // the heights of the next frame count
  shown_state_ = state;
  if (settling_ == 0) return;
  --settling_;
  const float window = ImGui::GetWindowPos().y, height = ImGui::GetWindowSize().y, scroll = ImGui::GetScrollY();
  const float below = bottom - (window + height), above = top - window;
  if (below > 0)
    ImGui::SetScrollY(scroll + (answered ? below : std::min(below, above)));
  else if (!answered && above < 0)
    ImGui::SetScrollY(scroll + above);
}

/// Buttons beside each other where they fit; long ones take a line each.
void StepsColumn::draw_choices(Pen& pen, const LabStep& step, DoneStep& kept, bool holds_now) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  const auto labels = choice_labels(step, context.strings);
  const auto right = holds_now ? right_choice(step, context.result.get()) : std::nullopt;
  const float left = pen.left + pen.px(kLabel), room = pen.right - left;
  float x = left, row = pen.px(kChoice);
  for (size_t index = 0; index < labels.size(); ++index) {
    const bool is_answer = kept.answered() && static_cast<size_t>(kept.answer) == index;
    const bool is_miss = kept.answered() && static_cast<size_t>(kept.pressed) == index && !is_answer;
    const float shape = is_answer || is_miss ? pen.px(16) : 0;
    const float width = std::min(std::max(pen.px(48), text_size(font, labels[index]).x + shape + pen.px(20)), room);
    const TextRun runs[] = {{font, theme.text, labels[index]}};
    const float height = std::max(
        pen.px(kChoice), flow_text(nullptr, {x, pen.y}, width - shape - pen.px(16), pen.px(18), runs) + pen.px(8));
    if (x > left && x + width > pen.right) {
      x = left;
      pen.y += row + pen.px(6);
      row = pen.px(kChoice);
    }
    const ImVec2 low{x, pen.y}, high{x + width, pen.y + height};
    row = std::max(row, height);
    ImGui::SetCursorScreenPos(low);
    ImGui::PushID(static_cast<int>(index));
    const bool open = !kept.answered() && right.has_value();
    if (hit_area("step choice", {high.x - low.x, high.y - low.y}) && open)
      kept = {static_cast<int>(index), static_cast<int>(*right)};
    const bool hovered = ImGui::IsItemHovered() && open;
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::PopID();
    mark(context, fmt::format("step choice {}", index), low, high);
    ImU32 frame = hovered ? theme.muted : theme.separator, ink = kept.answered() ? theme.muted : theme.text;
    if (is_answer) frame = ink = theme.ok;
    if (is_miss) frame = ink = theme.error;
    pen.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, frame, pen.px(6), 0, pen.px(1));
    const ImVec2 shape_at{low.x + pen.px(14), (low.y + high.y) / 2};
    if (is_answer) draw_check(pen.list, shape_at, pen.px(9), ink, pen.px(1.5F));
    if (is_miss) draw_cross(pen.list, shape_at, pen.px(9), ink, pen.px(1.5F));
    const TextRun inked[] = {{font, ink, labels[index]}};
    flow_text(pen.list, {low.x + pen.px(10) + shape, low.y + pen.px(4)}, width - shape - pen.px(16), pen.px(18), inked);
    x = high.x + pen.px(8);
  }
  pen.y += row + pen.px(10);
}

bool StepsColumn::draw_button(Pen& pen, const char* id, const std::string& label) {
  PanelContext& context = pen.context;
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small_semibold;
  const float width = text_size(font, label).x + pen.px(28);
  const ImVec2 low{pen.right - width, pen.y}, high{pen.right, pen.y + pen.px(28)};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(id, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  pen.list->AddRectFilled(low, high, hovered ? theme.accent : mix(theme.accent, theme.panel, 0.15F), pen.px(6));
  draw_text_centred(pen.list, font, {(low.x + high.x) / 2, (low.y + high.y) / 2}, theme.window, label);
  mark(context, id, low, high);
  pen.y += pen.px(28 + 8);
  return pressed;
}

/// The exercises of the lab, and the next lab.
void StepsColumn::draw_end(Pen& pen) {
  PanelContext& context = pen.context;
  separator_line(context, pen.y + pen.px(6));
  pen.y += pen.px(18);
  std::string text;
  if (context.workshop != nullptr)
    for (const Exercise& one : context.workshop->catalogue().exercises)
      if (one.lab == context.lab().name)
        text += fmt::format("{}[{}](exercise:{})", text.empty() ? "" : " · ", context.strings(one.title), one.name);
  const std::string& lab = context.lab().name;
  if (!text.empty()) draw_part(pen, "write", lab, text);
  if (const Lab* next = lab_after(context.lab()))
    draw_part(pen, "then", lab, fmt::format("[{}](lab:{})", context.strings(next->title), next->name));
}

bool StepsColumn::moving(const ViewState& view) {
  return view.steps_shown && !view.look_here.mark.empty() && ImGui::GetTime() - view.look_here.since < kPulseSeconds;
}

void StepsColumn::draw_look_here(PanelContext& context) {
  ViewState::LookHere& here = context.view.look_here;
  if (here.mark.empty()) return;
  auto place = context.view.marks.find(here.mark);
  here.veiled = place == context.view.marks.end() && !context.view.veiled.empty();
  if (here.veiled) place = context.view.marks.find("question.text");
  if (place == context.view.marks.end()) return;
  const double since = ImGui::GetTime() - here.since;
  // Thickens a few times, then stays as a thin outline; it keeps clear of what stands around the mark.
  const double phase = std::min(since / kPulseSeconds, 1.0) * kPulses;
  const auto swing = static_cast<float>(since < kPulseSeconds ? 0.5 - 0.5 * std::cos(phase * 2 * std::numbers::pi) : 0);
  const float gap = context.px(3);
  const Mark& at = place->second;
  ImGui::GetForegroundDrawList()->AddRect({at.low.x - gap, at.low.y - gap}, {at.high.x + gap, at.high.y + gap},
                                          context.theme.accent, context.px(6), 0, context.px(1 + 1.5F * swing));
  mark(context, "look here", at.low, at.high);
}

}  // namespace tilescope
