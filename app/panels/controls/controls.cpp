// The controls column: ladder, sliders, run, break it, and the cards.
#include <algorithm>
#include <cmath>

#include "app/panels/controls/controls_parts.hpp"
#include "app/panels/controls/exercise_parts.hpp"
#include "app/panels/controls/sandbox_fields.hpp"

namespace tilescope {
namespace {

constexpr float kRun = 32, kRunButton = 104, kAroundRun = 10;  // unscaled pixels

/// A switch without effect in this rung: dimmed, with the rungs that it affects, like an unused slider.
void unused_row(Column& column, const BreakIt& one) {
  const PanelContext& context = column.context;
  const float height = column.px(28), middle = column.y + height / 2;
  const std::string unused = only_rungs_text(
      context.strings, rung_numbers(context.lab(), [&](const Rung& rung) { return one.concerns(rung.name); }));
  ImFont* font = column.fonts().small;
  const ImU32 dimmed = mix(column.theme().panel, column.theme().muted, 0.55F);
  const float top = centred_top(font, middle - column.px(1)), room = column.width() - text_size(font, unused).x;
  draw_text(column.list, font, {column.left, top}, dimmed,
            fit_text(font, context.strings(one.title), room - column.px(12)));
  draw_text_right(column.list, font, {column.right, top}, dimmed, unused);
  explain_rect(column.context, {column.left, column.y}, {column.right, column.y + height},
               context.strings(one.help) + " " + unused);
  column.y += height;
}

bool toggle_row(Column& column, const BreakIt& one, bool on) {
  const Theme& theme = column.theme();
  const float height = column.px(28), middle = column.y + height / 2;
  const ImVec2 low{column.left, column.y}, high{column.right, column.y + height};
  ImGui::SetCursorScreenPos(low);
  const bool clicked = hit_area(one.name.c_str(), {high.x - low.x, height});
  explain(column.context, column.context.strings(one.help));
  mark(column.context, "break." + one.name, low, high);
  const float track_width = column.px(28), radius = column.px(8);
  ImFont* font = column.fonts().small;
  draw_text(column.list, font, {column.left, centred_top(font, middle - column.px(1))}, theme.text,
            fit_text(font, column.context.strings(one.title), column.width() - track_width - column.px(12)));
  const ImVec2 track{column.right - track_width, middle - radius};
  column.list->AddRectFilled(track, {column.right, middle + radius}, on ? theme.error : theme.separator, radius);
  const float knob = on ? column.right - radius : track.x + radius;
  column.list->AddCircleFilled({knob, middle}, column.px(6), on ? theme.on_accent : theme.muted, 24);
  column.y += height;
  return clicked;
}

/// The running phase, which replaces the last duration.
std::string duration_text(const PanelContext& context) {
  const Session& session = context.session;
  if (session.busy() && session.busy_seconds() > 0.1) {
    static constexpr const char* kPhases[] = {"controls.phase_compile", "controls.phase_inputs",
                                              "controls.phase_execute", "controls.phase_simulate",
                                              "controls.phase_compare", "controls.phase_time"};
    return context.strings(kPhases[static_cast<size_t>(session.progress().phase)]);
  }
  if (session.error() && session.error()->id == ErrorId::cancelled) return context.strings("controls.cancelled");
  if (!context.result) return "";
  const bool on_gpu = context.result->request.device == DeviceKind::gpu;
  return milliseconds_text(on_gpu ? context.result->run_ms : context.result->total_ms);
}

void run_button(Column& column) {
  Session& session = column.context.session;
  const Theme& theme = column.theme();
  const Fonts& fonts = column.fonts();
  const bool cancels = session.busy() && session.busy_seconds() > 0.1;
  const ImVec2 low{column.left, column.y}, high{column.left + column.px(kRunButton), column.y + column.px(kRun)};
  const float middle = (low.y + high.y) / 2, corner = column.px(6);
  ImGui::SetCursorScreenPos(low);
  if (hit_area("run", {high.x - low.x, high.y - low.y})) cancels ? session.cancel() : session.submit();
  const bool hovered = ImGui::IsItemHovered();
  mark(column.context, "run", low, high);
  explain(column.context, column.context.strings(cancels ? "controls.cancel_meaning" : "controls.run_meaning"));
  const ImU32 surface = hovered ? mix(theme.accent, theme.text, 0.12F) : theme.accent;
  if (cancels) {
    // The button doubles as the progress bar.
    const float done = static_cast<float>(std::clamp(session.progress().fraction, 0.0, 1.0));
    column.list->AddRectFilled(low, high, mix(theme.panel, theme.accent, 0.45F), corner);
    column.list->PushClipRect(low, {low.x + (high.x - low.x) * done, high.y}, true);
    column.list->AddRectFilled(low, high, surface, corner);
    column.list->PopClipRect();
  } else {
    column.list->AddRectFilled(low, high, surface, corner);
    draw_play(column.list, {low.x + column.px(20), middle}, column.px(11), theme.on_accent);
  }
  const char* label = cancels ? "controls.cancel" : "controls.run";
  const float text_left = low.x + column.px(cancels ? 12 : 33);
  draw_text(column.list, fonts.body_semibold, {text_left, centred_top(fonts.body_semibold, middle - column.px(1))},
            theme.on_accent, column.context.strings(label));
  draw_text_right(column.list, fonts.small, {high.x - column.px(10), centred_top(fonts.small, middle)}, theme.on_accent,
                  cancels ? "Esc" : "F5");
}

/// Returns its right edge.
float auto_box(Column& column) {
  Session& session = column.context.session;
  const Theme& theme = column.theme();
  const float side = column.px(16), middle = column.y + column.px(16);
  const ImVec2 low{column.left + column.px(kRunButton + 14), middle - side / 2};
  const std::string& label = column.context.strings("controls.auto");
  const ImVec2 label_size = text_size(column.fonts().body, label);
  ImGui::SetCursorScreenPos({low.x, low.y - column.px(4)});
  if (hit_area("auto", {side + column.px(8) + label_size.x, side + column.px(8)})) session.auto_run = !session.auto_run;
  mark(column.context, "auto", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  explain(column.context, column.context.strings("controls.auto_meaning"));
  const ImVec2 high{low.x + side, low.y + side};
  if (session.auto_run) {
    column.list->AddRectFilled(low, high, theme.accent, column.px(4));
    draw_check(column.list, {(low.x + high.x) / 2, (low.y + high.y) / 2}, column.px(9), theme.on_accent, column.px(2));
  } else {
    column.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, theme.muted, column.px(4), 0,
                         column.px(1));
  }
  draw_text(column.list, column.fonts().body, {high.x + column.px(8), centred_top(column.fonts().body, middle)},
            theme.text, label);
  return high.x + column.px(8) + label_size.x;
}

}  // namespace

void Column::text(ImFont* font, float x, float below, ImU32 colour, std::string_view shown) const {
  draw_text(list, font, {x, baseline_top(font, y + px(below))}, colour, shown);
}
void Column::text_right(ImFont* font, float x, float below, ImU32 colour, std::string_view shown) const {
  draw_text_right(list, font, {x, baseline_top(font, y + px(below))}, colour, shown);
}
void Column::separator(float gap) {
  y = std::round(y + px(gap));
  list->AddRectFilled({edge_left, y}, {edge_right, y + std::max(1.0F, std::round(context.view.scale))},
                      theme().separator);
}

void run_section(Column& column) {
  run_button(column);
  const float after = auto_box(column) + column.px(8);
  ImFont* font = column.fonts().small;
  const std::string status = duration_text(column.context), shown = fit_text(font, status, column.right - after);
  draw_text_right(column.list, font, {column.right, centred_top(font, column.y + column.px(kRun / 2))},
                  column.theme().muted, shown);
  const ImVec2 low{after, column.y}, high{column.right, column.y + column.px(kRun)};
  mark(column.context, "run.status", {column.right - text_size(font, shown).x, low.y}, high);
  explain_rect(column.context, low, high,
               (shown == status ? "" : status + "\n") + column.context.strings("controls.duration_meaning"));
  column.y += column.px(kRun);
}

namespace {

/// Draws the Run button in the column, or at the column's edge if its position is scrolled out of view.
void run_in_sight(Column& column) {
  const float top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowHeight(), around = column.px(kAroundRun);
  const float height = column.px(kRun), place = column.y;
  const float shown = std::clamp(place, top + around, std::max(top + around, bottom - around - height));
  if (shown == place) return run_section(column);
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  const float bar = ImGui::GetScrollMaxY() > 0 ? ImGui::GetStyle().ScrollbarSize : 0;
  const float right = std::max(column.right, column.edge_right - bar);
  const ImVec2 low{column.edge_left, shown - around}, high{right, shown + height + around};
  ImGui::SetCursorScreenPos(low);
  // A separate window: it is above the rows that scroll under it, and takes their clicks.
  ImGui::BeginChild("pinned run", {high.x - low.x, high.y - low.y}, false,
                    ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav |
                        ImGuiWindowFlags_NoBackground);
  Column pinned = column;
  pinned.list = ImGui::GetWindowDrawList();
  pinned.y = shown;
  const float line = std::max(1.0F, std::round(column.context.view.scale));
  pinned.list->AddRectFilled(low, high, column.theme().panel);
  const float edge = shown > place ? high.y - line : low.y;
  pinned.list->AddRectFilled({low.x, edge}, {high.x, edge + line}, column.theme().separator);
  run_section(pinned);
  ImGui::EndChild();
  ImGui::SetCursorScreenPos(cursor);
  column.y = place + height;
}

}  // namespace

void break_it_section(Column& column) {
  const Lab& lab = column.context.lab();
  if (lab.break_it.empty()) return;
  column.separator(20);
  column.text(column.fonts().body_semibold, column.left, 28, column.theme().text,
              column.context.strings("controls.break_it"));
  column.y += column.px(36);
  const ChosenRung chosen = chosen_rung(column.context);
  std::vector<const BreakIt*> unused;
  std::vector<FoldedRow> folded;
  for (const BreakIt& one : lab.break_it) {
    if (!one.concerns(column.context.rung().name) && !(chosen.rung != nullptr && one.concerns(chosen.rung->name))) {
      const auto uses = [&one](const Rung& rung) { return one.concerns(rung.name); };
      unused.push_back(&one);
      folded.push_back({column.context.strings(one.title), rung_numbers(lab, uses), uses});
      continue;
    }
    const auto& broken = column.context.session.request().broken;
    const bool on = std::find(broken.begin(), broken.end(), one.name) != broken.end();
    if (toggle_row(column, one, on)) column.context.session.set_broken(one.name, !on);
  }
  if (fold_row(column, "break", folded))
    for (const BreakIt* one : unused) unused_row(column, *one);
  no_effect_note(column);
}

void draw_controls(PanelContext& context) {
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const float left = ImGui::GetWindowPos().x, right = left + ImGui::GetWindowWidth();
  Column column{context, ImGui::GetWindowDrawList(), left, right, left + context.px(16), right - context.px(16),
                origin.y};
  Sandbox* own = context.sandbox != nullptr && context.sandbox->is_shown(context.session) ? context.sandbox : nullptr;
  Workshop* workshop =
      context.workshop != nullptr && context.workshop->is_shown(context.session) ? context.workshop : nullptr;
  if (workshop != nullptr) {
    exercise_section(column, *workshop);
    column.y += column.px(16);
  } else if (own != nullptr) {
    sandbox_section(column, *own);
  } else {
    open_question(column);
    ladder_section(column);
    column.separator(16);
    sliders_section(column);
    pick_section(column);
  }
  run_in_sight(column);
  break_it_section(column);
  column.separator(context.lab().break_it.empty() ? 20 : 12);
  baseline_card(column);
  findings_card(column);  // first: a result that happens to be right does not resolve them
  correctness_card(column);
  no_findings_card(column);
  plane_memory_card(column);
  order_cards(column);
  traffic_card(column);
  shared_card(column);
  baseline_link(column);
  if (predict_card(column)) {
    ImGui::SetCursorScreenPos({origin.x, column.y});
    ImGui::Dummy({0, 0});
    ImGui::SetScrollHereY(1);
  }
  command_card(column);
  ImGui::SetCursorScreenPos({origin.x, column.y});
  ImGui::Dummy({0, 0});
}

}  // namespace tilescope
