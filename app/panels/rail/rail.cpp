// The left rail: the labs by stage with the marks earned in each, the learner's own files, and the number of marks.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/panels/rail/rail_marks.hpp"
#include "app/panels/rail/review_row.hpp"
#include "app/sandbox/sandbox.hpp"
#include "app/views/context.hpp"
#include "app/views/lab_marks.hpp"
#include "app/workshop/workshop.hpp"

namespace tilescope {
namespace {

constexpr float kRailRow = 24, kStageGap = 8, kOpenRow = 34;

/// A mark at the right end of a row: its text has unsaved edits.
void draw_edited(PanelContext& context, ImVec2 low, ImVec2 high) {
  const ImVec2 centre{high.x - context.px(10), (low.y + high.y) / 2};
  ImGui::GetWindowDrawList()->AddCircleFilled(centre, context.px(3.5F), context.theme.write, 16);
  explain_rect(context, {centre.x - context.px(8), low.y}, {centre.x + context.px(8), high.y},
               context.strings("rail.edited"));
}

LabProgress progress_of(const PanelContext& context, const Lab& lab) {
  const auto found = context.session.learned.find(lab.name);
  return found != context.session.learned.end() ? found->second : LabProgress();
}

void draw_lab(PanelContext& context, ImVec2 at, float width, const Lab& lab) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const bool current = lab.name == context.lab().name;
  const ImVec2 low{at.x + context.px(8), at.y}, high{at.x + width - context.px(8), at.y + context.px(kRailRow)};
  ImGui::SetCursorScreenPos(low);
  if (hit_area(lab.name.c_str(), {high.x - low.x, high.y - low.y})) context.session.select_lab(lab.name);
  const bool hovered = ImGui::IsItemHovered();
  mark(context, "lab." + lab.name, low, high);
  const float middle = (low.y + high.y) / 2;
  const std::vector<PartDone> parts = parts_of(lab, progress_of(context, lab), extras_of(context, lab));
  const bool complete = std::ranges::all_of(parts, &PartDone::complete);
  const bool begun = std::ranges::any_of(parts, [](const PartDone& part) { return part.done > 0; });
  const bool bright = current || hovered || begun;
  if (current) {
    list->AddRectFilled(low, high, theme.raised, context.px(6));
    list->AddRectFilled({low.x, low.y + context.px(4)}, {low.x + context.px(2), high.y - context.px(4)}, theme.accent);
  }
  if (complete)
    draw_check(list, {at.x + context.px(21), middle}, context.px(10), theme.ok, context.px(1.75F));
  else if (current)
    draw_play(list, {at.x + context.px(20.5F), middle}, context.px(7), theme.accent);
  ImFont* font = current ? context.fonts.small_semibold : context.fonts.small;
  const std::string& title = context.strings(lab.title);
  const bool edited = context.session.is_edited(lab.name);
  const std::string shown = fit_text(font, title, width - context.px(edited ? 32 + 28 : 32 + 12));
  draw_text(list, font, {at.x + context.px(32), centred_top(font, middle)},
            bright ? theme.text : mix(theme.panel, theme.text, 0.82F), shown);
  if (!complete && (begun || current)) draw_lab_marks(context, {at.x + context.px(32), high.y - context.px(2)}, parts);
  explain_rect(context, low, high, marks_text(context, lab, parts));
  if (edited) draw_edited(context, low, high);
}

/// A row of the Sandbox: returns whether it was pressed. `cross`: reserves space for a mark at its right end.
bool own_row(PanelContext& context, const std::string& id, ImVec2 at, float width, const std::string& title,
             bool current, bool cross) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const ImVec2 low{at.x + context.px(8), at.y}, high{at.x + width - context.px(8), at.y + context.px(kRailRow)};
  ImGui::SetCursorScreenPos(low);
#if IMGUI_VERSION_NUM >= 18970
  if (cross) ImGui::SetNextItemAllowOverlap();
#endif
  const bool pressed = hit_area("own", {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
#if IMGUI_VERSION_NUM < 18970
  if (cross) ImGui::SetItemAllowOverlap();
#endif
  mark(context, id, low, high);
  const float middle = (low.y + high.y) / 2;
  if (current) {
    list->AddRectFilled(low, high, theme.raised, context.px(6));
    list->AddRectFilled({low.x, low.y + context.px(4)}, {low.x + context.px(2), high.y - context.px(4)}, theme.accent);
    draw_play(list, {at.x + context.px(20.5F), middle}, context.px(7), theme.accent);
  }
  ImFont* font = current ? context.fonts.small_semibold : context.fonts.small;
  draw_text(list, font, {at.x + context.px(32), centred_top(font, middle)},
            current || hovered ? theme.text : mix(theme.panel, theme.text, 0.82F),
            fit_text(font, title, width - context.px(cross ? 32 + 32 : 32 + 12)));
  return pressed;
}

ExerciseState state_of(const PanelContext& context, const Exercise& exercise) {
  return context.workshop->record(exercise.name).state;
}

void draw_exercise_mark(const PanelContext& context, ImVec2 centre, ExerciseState state) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const float radius = context.px(5);
  switch (state) {
    case ExerciseState::all_goals:
      list->AddCircleFilled(centre, radius + context.px(1), theme.ok, 20);
      return draw_check(list, centre, context.px(7), theme.on_accent, context.px(1.75F));
    case ExerciseState::correct:
      return draw_check(list, centre, context.px(10), theme.ok, context.px(1.75F));
    case ExerciseState::tried:
      list->AddCircle(centre, radius, theme.waiting, 20, context.px(1.25F));
      list->PathArcTo(centre, radius, std::numbers::pi_v<float> / 2, 3 * std::numbers::pi_v<float> / 2, 12);
      return list->PathFillConvex(theme.waiting);
    case ExerciseState::not_started:
      return list->AddCircle(centre, radius, mix(theme.panel, theme.muted, 0.6F), 20, context.px(1.25F));
  }
}

void draw_exercise(PanelContext& context, ImVec2 at, float width, const Exercise& exercise) {
  Workshop& workshop = *context.workshop;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Theme& theme = context.theme;
  const bool current = workshop.is_shown(context.session) && &workshop.exercise() == &exercise;
  const ImVec2 low{at.x + context.px(8), at.y}, high{at.x + width - context.px(8), at.y + context.px(kRailRow)};
  ImGui::SetCursorScreenPos(low);
  const std::string id = "exercise." + exercise.name;
  const bool pressed = hit_area(id.c_str(), {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  mark(context, id, low, high);
  const float middle = (low.y + high.y) / 2;
  if (current) {
    list->AddRectFilled(low, high, theme.raised, context.px(6));
    list->AddRectFilled({low.x, low.y + context.px(4)}, {low.x + context.px(2), high.y - context.px(4)}, theme.accent);
  }
  const ExerciseState state = state_of(context, exercise);
  draw_exercise_mark(context, {at.x + context.px(21), middle}, state);
  ImFont* font = current ? context.fonts.small_semibold : context.fonts.small;
  const std::string& title = context.strings(exercise.title);
  draw_text(list, font, {at.x + context.px(32), centred_top(font, middle)},
            current || hovered ? theme.text : mix(theme.panel, theme.text, 0.82F),
            fit_text(font, title, width - context.px(32 + 12)));
  static constexpr const char* kStates[] = {"workshop.state_not_started", "workshop.state_tried",
                                            "workshop.state_correct", "workshop.state_all_goals"};
  explain_rect(context, low, high, title + "\n" + context.strings(kStates[static_cast<size_t>(state)]));
  if (pressed && !current) workshop.open(context.session, exercise.name);
}

std::vector<const Exercise*> exercises_of(const PanelContext& context, int stage) {
  std::vector<const Exercise*> exercises;
  if (context.workshop == nullptr) return exercises;
  for (const Exercise& one : context.workshop->catalogue().exercises)
    if (one.stage == stage) exercises.push_back(&one);
  return exercises;
}

std::string fold_name(int stage) { return fmt::format("exercises_{}", stage); }

/// At the right end of a stage's row: how many of its exercises are solved, and a triangle; a click unfolds them.
/// Returns the left edge.
float draw_rail_fold(PanelContext& context, ImVec2 at, float width, int stage) {
  const std::vector<const Exercise*> exercises = exercises_of(context, stage);
  const float right = at.x + width - context.px(12);
  if (exercises.empty()) return right;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const auto solved = std::ranges::count_if(
      exercises, [&](const Exercise* one) { return state_of(context, *one) >= ExerciseState::correct; });
  const std::string count =
      solved == 0 ? std::to_string(exercises.size()) : fmt::format("{}/{}", solved, exercises.size());
  const float left = right - context.px(16) - text_size(font, count).x;
  const ImVec2 low{left - context.px(6), at.y}, high{right + context.px(4), at.y + context.px(kRailRow)};
  const std::string id = fold_name(stage);
  auto& unfolded = context.view.unfolded;
  const bool open = unfolded.contains(id);
  ImGui::SetCursorScreenPos(low);
  if (hit_area(id.c_str(), {high.x - low.x, high.y - low.y})) {
    if (open)
      unfolded.erase(id);
    else
      unfolded.insert(id);
  }
  const ImU32 colour = ImGui::IsItemHovered() ? context.theme.text : context.theme.muted;
  mark(context, id, low, high);
  explain_rect(context, low, high, context.strings("workshop.exercises_meaning"));
  const float middle = (low.y + high.y) / 2, half = context.px(2.5F);
  draw_text(list, font, {left, centred_top(font, middle)}, colour, count);
  const ImVec2 centre{right - context.px(4), middle};
  if (open)
    draw_chevron(list, centre, context.px(7), colour);
  else
    list->AddTriangleFilled({centre.x - half, centre.y - half * 1.3F}, {centre.x + half, centre.y},
                            {centre.x - half, centre.y + half * 1.3F}, colour);
  return low.x;
}

void draw_stage(PanelContext& context, ImVec2 at, float width, int stage) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float top = centred_top(font, at.y + context.px(kRailRow / 2));
  const float right = draw_rail_fold(context, at, width, stage);
  draw_text(list, context.fonts.small_semibold, {at.x + context.px(16), top}, context.theme.muted,
            std::to_string(stage));
  const float left = at.x + context.px(32);
  const std::string& title = context.strings("rail.stage_" + std::to_string(stage));
  const std::string shown = fit_text(font, title, right - left);
  draw_text(list, font, {left, top}, context.theme.muted, shown);
  if (shown != title) explain_rect(context, {left, at.y}, {right, at.y + context.px(kRailRow)}, title);
}

/// The exercises of a stage where they are unfolded, else only the shown one. Returns the height.
float draw_exercises(PanelContext& context, ImVec2 at, float width, int stage) {
  const float top = at.y;
  const bool open = context.view.unfolded.contains(fold_name(stage));
  const std::vector<const Exercise*> exercises = exercises_of(context, stage);
  if (open && !exercises.empty()) {
    ImFont* font = context.fonts.small;
    draw_text(ImGui::GetWindowDrawList(), font,
              {at.x + context.px(32), centred_top(font, at.y + context.px(kRailRow / 2))}, context.theme.muted,
              context.strings("workshop.exercises"));
    at.y += context.px(kRailRow);
  }
  for (const Exercise* one : exercises) {
    const bool current = context.workshop->is_shown(context.session) && &context.workshop->exercise() == one;
    if (!open && !current) continue;
    draw_exercise(context, at, width, *one);
    at.y += context.px(kRailRow);
  }
  return at.y - top;
}

void remove_file(PanelContext& context, const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const bool removed = context.sandbox->remove(context.session, file);
  context.view.say = context.strings.format(removed ? "rail.removed" : "rail.not_removed", fmt::arg("file", name));
}

/// × at the right end of a row, while the row is hovered. Returns whether it was pressed.
bool remove_cross(PanelContext& context, const std::string& id, ImVec2 at, float width) {
  const float side = context.px(kRailRow);
  const ImVec2 row_low{at.x + context.px(8), at.y}, row_high{at.x + width - context.px(8), at.y + side};
  const ImVec2 low{row_high.x - side, at.y}, high{row_high.x, at.y + side};
  mark(context, id + ".remove", low, high);
  // Also while it is being pressed: it takes effect when the button is released.
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) ||
      !ImGui::IsMouseHoveringRect(row_low, row_high))
    return false;
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area("remove", {side, side});
  const bool hovered = ImGui::IsItemHovered();
  explain(context, context.strings("rail.remove_meaning"));
  draw_cross(ImGui::GetWindowDrawList(), {(low.x + high.x) / 2, (low.y + high.y) / 2}, context.px(8),
             hovered ? context.theme.text : context.theme.muted, context.px(1.5F));
  return pressed;
}

/// The context menu of the row. Returns whether to remove the file from the list.
bool own_menu(PanelContext& context, const std::filesystem::path& file) {
  bool removed = false;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(8), context.px(8)));
  if (ImGui::BeginPopup("own menu")) {
    const auto item = [&](const char* key) {
      const bool pressed = ImGui::Selectable(context.strings(key).c_str());
      mark(context, key, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
      return pressed;
    };
    const auto copy = [&](const std::string& text) {
      ImGui::SetClipboardText(text.c_str());
      context.view.say = context.strings.format("rail.copied", fmt::arg("text", text));
    };
    if (item("rail.copy_path")) copy(file.string());
    if (item("rail.copy_folder")) copy(file.parent_path().string());
    removed = item("rail.remove");
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
  return removed;
}

/// Room for the learner's own files: a heading and a few rows; more of them scroll.
float own_files_height(const PanelContext& context) {
  constexpr size_t kMostRows = 4;
  if (context.sandbox == nullptr || context.sandbox->listed().empty()) return 0;
  const auto rows = static_cast<float>(std::min(context.sandbox->listed().size(), kMostRows) + 1);
  return context.px(kStageGap + rows * kRailRow + 4);
}

/// The learner's own CUDA files, below the labs. Returns the height.
float draw_own_files(PanelContext& context, ImVec2 at, float width) {
  Sandbox& sandbox = *context.sandbox;
  if (sandbox.listed().empty()) return 0;
  const float top = at.y;
  const Fonts& fonts = context.fonts;
  at.y += context.px(kStageGap);
  draw_text(ImGui::GetWindowDrawList(), fonts.small,
            {at.x + context.px(32), centred_top(fonts.small, at.y + context.px(kRailRow / 2))}, context.theme.muted,
            context.strings("rail.sandbox"));
  explain_rect(context, at, {at.x + width, at.y + context.px(kRailRow)}, context.strings("rail.sandbox_meaning"));
  at.y += context.px(kRailRow);
  int number = 0;
  std::filesystem::path removed;
  for (const std::filesystem::path& file : sandbox.listed()) {
    const bool current = sandbox.is_shown(context.session) && sandbox.file() == file;
    const std::string id = "own." + std::to_string(++number);
    ImGui::PushID(id.c_str());
    const bool pressed = own_row(context, id, at, width, file.filename().string(), current, /*cross=*/true);
    if (ImGui::IsItemHovered() && ImGui::IsMouseReleased(ImGuiMouseButton_Right)) open_menu(context.view, "own menu");
    explain(context, file.string());
    const bool crossed = remove_cross(context, id, at, width);
    const ImVec2 row_low{at.x + context.px(8), at.y},
        row_high{at.x + width - context.px(8), at.y + context.px(kRailRow)};
    const bool pointed = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(row_low, row_high);
    if (sandbox.is_edited(file) && !pointed) draw_edited(context, row_low, row_high);
    if (own_menu(context, file) || crossed) removed = file;
    ImGui::PopID();
    if (pressed && !crossed && !current) sandbox.open(file);
    at.y += context.px(kRailRow);
  }
  if (!removed.empty()) remove_file(context, removed);
  return at.y - top;
}

/// Opens a file of the learner's own.
void draw_open_row(PanelContext& context, ImVec2 at, float width, bool line_above) {
  if (line_above) separator_line(context, at.y);
  at.y += context.px(kOpenRow - kRailRow) / 2;
  ImGui::PushID("open");
  if (own_row(context, "own.open", at, width, context.strings("rail.open"), false, /*cross=*/false))
    context.view.asks_for_file = true;
  ImGui::PopID();
  explain(context, context.strings("rail.open_meaning"));
  // A plus sign where the other rows have their mark.
  const ImVec2 centre{at.x + context.px(20.5F), at.y + context.px(kRailRow / 2)};
  const float half = context.px(4), line = std::max(1.0F, context.px(1.25F));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine({centre.x - half, centre.y}, {centre.x + half, centre.y}, context.theme.muted, line);
  list->AddLine({centre.x, centre.y - half}, {centre.x, centre.y + half}, context.theme.muted, line);
}

/// Brings the chosen lab's row into sight when the rail appears, and when a different lab was chosen elsewhere.
void reveal_chosen(const PanelContext& context, std::optional<float> row) {
  if (!row) return;
  ImGuiStorage* storage = ImGui::GetStateStorage();
  const ImGuiID key = ImGui::GetID("revealed");
  const int now = static_cast<int>(ImGui::GetID(context.lab().name.c_str()));
  if (storage->GetInt(key) == now) return;
  storage->SetInt(key, now);
  const float top = ImGui::GetWindowPos().y, height = ImGui::GetWindowHeight();
  if (*row < top || *row + context.px(kRailRow) > top + height) ImGui::SetScrollFromPosY(*row - top, 0.5F);
}

}  // namespace

void draw_rail(PanelContext& context) {
  const ImVec2 origin = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float review = review_row_height(context), open = context.sandbox != nullptr ? context.px(kOpenRow) : 0;
  const float own = own_files_height(context);
  const float foot = size.y - context.px(kMarksTotal) - review - open - own;
  // The list of labs scrolls in a separate child. What is below it stays in sight however many labs there are.
  ImGui::SetCursorScreenPos(origin);
  ImGui::BeginChild("labs", {size.x, foot}, false, ImGuiWindowFlags_NoNav);
  ImVec2 at = ImGui::GetCursorScreenPos();
  at.y += context.px(16);
  int stage = -1;
  std::optional<float> chosen;
  for (const Lab& lab : labs()) {
    if (lab.stage != stage) {
      if (stage >= 0) at.y += draw_exercises(context, at, size.x, stage) + context.px(kStageGap);
      stage = lab.stage;
      draw_stage(context, at, size.x, stage);
      at.y += context.px(kRailRow);
    }
    draw_lab(context, at, size.x, lab);
    if (lab.name == context.lab().name) chosen = at.y;
    at.y += context.px(kRailRow);
  }
  at.y += draw_exercises(context, at, size.x, stage);
  reveal_chosen(context, chosen);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({0, context.px(8)});
  ImGui::EndChild();
  float y = origin.y + foot;
  if (own > 0) {
    separator_line(context, y);
    ImGui::SetCursorScreenPos({origin.x, y + 1});
    ImGui::BeginChild("own files", {size.x, own - 1}, false, ImGuiWindowFlags_NoNav);
    const ImVec2 first = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({first.x, first.y + draw_own_files(context, first, size.x)});
    ImGui::Dummy({0, 1});
    ImGui::EndChild();
    y += own;
  }
  if (open > 0) draw_open_row(context, {origin.x, y}, size.x, /*line_above=*/own == 0);
  y += open;
  if (review > 0) draw_review_row(context, {origin.x, y}, size.x);
  draw_marks_total(context, {origin.x, y + review}, size.x);
}

}  // namespace tilescope
