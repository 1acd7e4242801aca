// The sliders: a size moves over its lab's stops, a parameter over its possible values. A click on the number, or Ctrl
// and a click on the track, lets you type one. Sliders that the rung does not use are folded into one row.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/panels/controls/controls_slider.hpp"
#include "app/panels/controls/sandbox_fields.hpp"
#include "engine/kernel_language.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kSlidersRow = 44;

/// Position of a value on the track, 0 … 1: logarithmic if the stops span decades, else evenly spaced by stop.
float position_of(const Slider& slider, int64_t value) {
  const auto low = static_cast<double>(slider.stops.front()), high = static_cast<double>(slider.stops.back());
  if (high <= low) return 0;
  const auto clamped = std::clamp(static_cast<double>(value), low, high);
  if (low > 0 && high / low >= 8) return static_cast<float>(std::log(clamped / low) / std::log(high / low));
  return static_cast<float>((clamped - low) / (high - low));
}

int64_t nearest_stop(const Slider& slider, float position) {
  return *std::min_element(slider.stops.begin(), slider.stops.end(), [&](int64_t a, int64_t b) {
    return std::abs(position_of(slider, a) - position) < std::abs(position_of(slider, b) - position);
  });
}

void draw_track(Column& column, const Slider& slider, bool lit) {
  const Theme& theme = column.theme();
  const float middle = column.y + column.px(30), half = column.px(2), radius = column.px(6);
  const bool used = slider.unused.empty();
  // The handle stays inside the column at both ends.
  const float handle = column.left + radius + (column.width() - 2 * radius) * position_of(slider, slider.value);
  column.list->AddRectFilled({column.left, middle - half}, {column.right, middle + half}, theme.separator, half);
  if (used) column.list->AddRectFilled({column.left, middle - half}, {handle, middle + half}, theme.accent, half);
  column.list->AddCircleFilled({handle, middle}, radius + column.px(1.5F), theme.panel, 24);
  column.list->AddCircleFilled({handle, middle}, lit ? radius + column.px(0.5F) : radius - column.px(0.5F),
                               used ? theme.accent : theme.separator, 24);
  if (!slider.ticks || !used) return;
  const float line = std::max(1.0F, std::round(column.context.view.scale));
  for (const int64_t stop : slider.stops) {
    const float x = std::round(column.left + (column.width() - line) * position_of(slider, stop));
    column.list->AddRectFilled({x, middle + column.px(6)}, {x + line, middle + column.px(10)}, theme.separator);
  }
}

/// A long value name is truncated with an ellipsis beside its title; the explanation has the full name.
std::string fitted_value(const Column& column, const Slider& slider) {
  const Fonts& fonts = column.fonts();
  const float room = column.width() - text_size(fonts.small, slider.title).x - column.px(12);
  return slider.unused.empty() ? fit_text(fonts.body_semibold, slider.value_text(), room)
                               : fit_text(fonts.body, slider.unused, room);
}

void explain_slider(Column& column, const Slider& slider) {
  const std::string whole = slider.unused.empty() ? slider.value_text() : slider.unused;
  const bool said = slider.unused.empty() && fitted_value(column, slider) == whole;
  explain(column.context, said ? slider.help : slider.help + " " + whole);
}

/// The stop under the pointer while the track is dragged. Pressing the handle keeps the value until it moves.
std::optional<int64_t> dragged_to(const Column& column, const Slider& slider) {
  const float radius = column.px(6);
  const float at = (ImGui::GetIO().MousePos.x - column.left - radius) / (column.width() - 2 * radius);
  const bool pressed = ImGui::IsItemActivated();
  const bool on_handle = std::abs(at - position_of(slider, slider.value)) * column.width() < 2 * radius;
  if (pressed ? on_handle : ImGui::GetIO().MouseDelta.x == 0) return std::nullopt;
  const int64_t stop = nearest_stop(slider, std::clamp(at, 0.0F, 1.0F));
  return stop == slider.value ? std::nullopt : std::optional(stop);
}

/// The track as a draggable item. Returns the value it was dragged to; `lit` while hovered.
std::optional<int64_t> track(Column& column, const Slider& slider, bool& types, bool& lit) {
  const float half = column.px(10), middle = column.y + column.px(30);
  const ImVec2 low{column.left, middle - half}, high{column.right, middle + half};
  ImGui::SetCursorScreenPos(low);
  hit_area("track", {high.x - low.x, high.y - low.y});
  explain_slider(column, slider);
  mark(column.context, "slider." + slider.name, low, high);
  if (!slider.unused.empty()) return std::nullopt;
  lit = ImGui::IsItemActive() || ImGui::IsItemHovered();
  const bool control_click = ImGui::GetIO().KeyCtrl && ImGui::IsMouseClicked(0) && ImGui::IsItemHovered();
  types = types || (control_click && slider.names.empty());
  return ImGui::IsItemActive() && !ImGui::GetIO().KeyCtrl && !types ? dragged_to(column, slider) : std::nullopt;
}

/// The number; a press on it starts typing. Returns whether it was pressed.
bool value_button(Column& column, const Slider& slider) {
  const Theme& theme = column.theme();
  ImFont* font = column.fonts().body_semibold;
  const std::string text = fitted_value(column, slider);
  const float width = std::max(column.px(48), text_size(font, text).x + column.px(16));
  // The text is aligned to the column's right edge; its surface is slightly wider.
  const ImVec2 low{column.right - width + column.px(8), column.y - column.px(1)};
  const ImVec2 high{column.right + column.px(8), low.y + column.px(22)};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area("value", {high.x - low.x, high.y - low.y});
  const bool typed = slider.names.empty();
  if (typed && ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    column.list->AddRectFilled(low, high, theme.raised, column.px(4));
  }
  explain(column.context, typed                         ? slider.typing_help
                          : text == slider.value_text() ? slider.help
                                                        : slider.help + " " + slider.value_text());
  mark(column.context, "value." + slider.name, low, high);
  column.text_right(font, column.right, 18, theme.text, text);
  return pressed && typed;
}

/// Label and value. Returns the typed value.
std::optional<int64_t> caption(Column& column, const Slider& slider, bool& types) {
  const Theme& theme = column.theme();
  const Fonts& fonts = column.fonts();
  const bool used = slider.unused.empty();
  const ImU32 dimmed = mix(theme.panel, theme.muted, 0.55F);
  column.text(fonts.small, column.left, 18, used ? theme.muted : dimmed, slider.title);
  if (column.context.view.typing_in == slider.name) return typing_field(column, slider);
  float label_right = column.right;
  if (used) {
    types = value_button(column, slider);
    label_right = ImGui::GetItemRectMin().x;
  } else {
    column.text_right(fonts.body, column.right, 18, dimmed, fitted_value(column, slider));
  }
  explain_rect(column.context, {column.left, column.y}, {label_right, column.y + column.px(20)},
               used ? slider.help : slider.help + " " + slider.unused);
  return std::nullopt;
}

/// One row. Returns the value if it was changed.
std::optional<int64_t> slider_row(Column& column, const Slider& slider) {
  ViewState& view = column.context.view;
  bool types = false, lit = false;
  ImGui::PushID(slider.name.c_str());
  const auto typed = caption(column, slider, types);
  const auto dragged = track(column, slider, types, lit);
  if (types) begin_typing(view, slider);
  draw_track(column, slider, lit);
  ImGui::PopID();
  column.y += column.px(kSlidersRow);
  return typed ? typed : dragged;
}

std::string typing_help(const PanelContext& context, const Slider& slider) {
  return context.strings.format("controls.typing_meaning", fmt::arg("low", with_separators(slider.low)),
                                fmt::arg("high", with_separators(slider.high)));
}

bool uses_param(const Rung& rung, const std::string& name) {
  return std::find(rung.params.begin(), rung.params.end(), name) != rung.params.end();
}

Slider size_slider(const PanelContext& context, const Size& size) {
  const Request& request = context.session.request();
  const int64_t most = request.device == DeviceKind::sim ? size.max_sim : size.max_gpu;
  Slider slider{.name = size.name,
                .title = context.strings(size.title),
                .help = {},
                .typing_help = {},
                .stops = {},
                .value = request.config.size(size.name),
                .ticks = false,
                .unused = {},
                .names = {}};
  for (const int64_t stop : size.offered)
    if (stop >= size.min && stop <= most) slider.stops.push_back(stop);
  if (slider.stops.empty()) slider.stops = {size.min, most};
  slider.low = size.min;
  slider.high = most;
  slider.help =
      context.strings.format("controls.size_meaning", fmt::arg("title", slider.title),
                             fmt::arg("low", with_separators(size.min)), fmt::arg("high", with_separators(most)));
  if (context.sandbox != nullptr && context.sandbox->is_shown(context.session))
    if (const std::string origin = origin_text(context.strings, context.sandbox->form(), size.name); !origin.empty())
      slider.help += "\n" + origin;
  slider.typing_help = typing_help(context, slider);
  return slider;
}

Slider param_slider(const PanelContext& context, const Param& param) {
  const Rung& rung = context.rung();
  Slider slider{.name = param.name,
                .title = context.strings(param.title),
                .help = context.strings(param.help),
                .typing_help = {},
                .stops = values_of(param),
                .value = context.session.request().config.param(param.name),
                .ticks = false,
                .unused = {},
                .names = {}};
  for (const NamedValue& choice : param.choices) slider.names.push_back(context.strings(choice.title));
  slider.ticks = slider.stops.size() <= 17;
  if (!uses_param(rung, param.name))
    slider.unused = only_rungs_text(context.strings, rungs_using(context.lab(), param.name));
  slider.only_stops = true;
  slider.low = slider.stops.front();
  slider.high = slider.stops.back();
  slider.typing_help = typing_help(context, slider);
  return slider;
}

/// A CUDA rung has no sliders of the Triton rungs. A Triton rung has only those that it uses: the others, which are
/// folded for a CUDA rung, mostly belong to the CUDA kernels.
bool concerns_language(const PanelContext& context, const Param& param) {
  const Rung& rung = context.rung();
  if (language_of(source_file_of(context.lab(), rung)) == KernelLanguage::triton) return uses_param(rung, param.name);
  return !param.of_triton;
}

/// Replaces the grid by the reason why there is none with these values.
bool refusal(Column& column, const ChosenRung& chosen) {
  if (!chosen.rung->check) return false;
  const auto possible = chosen.rung->check(chosen.config);
  if (possible) return false;
  const float top = column.y += column.px(8);
  paragraph(column, sentence(column.context.strings, possible.error()), column.theme().error);
  mark(column.context, "refusal", {column.left, top}, {column.right, column.y});
  column.y += column.px(10);
  return true;
}

/// The right end of the formula, from the last "=" on, is what a question about the number of blocks asks for.
void veil_result(Column& column, ImFont* font, const std::string& formula, float top) {
  if (!column.context.view.hides(ShownNumber::blocks)) return;
  const size_t equals = formula.rfind("= ");
  if (equals == std::string::npos) return;
  const float width = text_size(font, formula.substr(equals + 2)).x;
  draw_veil(column.context, column.list, {column.right - width, top}, {column.right, top + text_size(font, formula).y});
}

/// "⌈10,000 / 256⌉ = 40 → 39": the grid that a switch of the host's side makes of it stands behind.
std::string grid_text(const PanelContext& context, const ChosenRung& chosen) {
  std::string text = chosen.rung->grid_formula(chosen.config);
  const std::vector<std::string>& broken = context.session.request().broken;
  for (const BreakIt& one : context.lab().break_it) {
    if (!one.relaunch || !one.concerns(chosen.rung->name) || std::ranges::find(broken, one.name) == broken.end())
      continue;
    std::vector<Launch> launches = chosen.rung->launches(chosen.config);
    const uint64_t before = launches.front().grid.count();
    one.relaunch(chosen.config, launches);
    const uint64_t after = launches.front().grid.count();
    if (after != before) text += " → " + with_separators(after);
  }
  return text;
}

/// ⌈98,432 / 256⌉ = 385; a formula too wide to fit beside the label gets the next line, or two.
void grid_row(Column& column) {
  PanelContext& context = column.context;
  const ChosenRung chosen = chosen_rung(context);
  if (chosen.rung == nullptr || !chosen.rung->grid_formula || refusal(column, chosen)) return;
  const std::string& label = context.strings("controls.grid");
  const Fonts& fonts = column.fonts();
  ImFont* font = fonts.small_semibold;
  const float top = column.y, middle = column.y + column.px(15);
  draw_text(column.list, fonts.small, {column.left, centred_top(fonts.small, middle)}, column.theme().muted, label);
  const std::string formula = grid_text(context, chosen);
  if (text_size(font, formula).x <= column.width() - text_size(fonts.small, label).x - column.px(8)) {
    draw_text_right(column.list, font, {column.right, centred_top(font, middle)}, column.theme().text, formula);
    veil_result(column, font, formula, centred_top(font, middle));
    column.y += column.px(32);
  } else {
    column.y += column.px(26);
    if (text_size(font, formula).x <= column.width()) {
      draw_text_right(column.list, font, {column.right, column.y}, column.theme().text, formula);
      veil_result(column, font, formula, column.y);
      column.y += column.px(20);
    } else if (context.view.hides(ShownNumber::blocks)) {
      draw_veil(column.context, column.list, {column.left, column.y}, {column.right, column.y + column.px(20)});
      column.y += column.px(20);
    } else {
      const TextRun run[] = {{font, column.theme().text, formula}};
      column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(20), run);
    }
  }
  if (column.y - top > column.px(32)) column.y += column.px(6);
  mark(column.context, "grid", {column.left, top}, {column.right, column.y});
  explain_rect(column.context, {column.left, top}, {column.right, column.y}, context.strings("controls.grid_meaning"));
  column.y += column.px(4);
}

/// The text of the row of folded sliders.
std::vector<FoldedRow> folded(const PanelContext& context, const std::vector<Slider>& sliders) {
  std::vector<FoldedRow> rows;
  for (const Slider& slider : sliders) {
    const std::string& name = slider.name;
    const auto uses = [name](const Rung& rung) { return uses_param(rung, name); };
    rows.push_back({slider.title, rung_numbers(context.lab(), uses), uses});
  }
  return rows;
}

}  // namespace

std::string rung_numbers(const Lab& lab, const std::function<bool(const Rung&)>& is_meant) {
  std::string text;
  int run_start = 0, previous = -1;
  const auto close_run = [&] {
    if (previous < 0) return;
    text += (text.empty() ? "" : ", ") + std::to_string(run_start);
    if (previous > run_start) text += "–" + std::to_string(previous);
  };
  for (int number = 1; number <= static_cast<int>(lab.rungs.size()); ++number) {
    if (!is_meant(lab.rungs[static_cast<size_t>(number - 1)])) continue;
    if (previous != number - 1 || previous < 0) {
      close_run();
      run_start = number;
    }
    previous = number;
  }
  close_run();
  return text;
}

std::string rungs_using(const Lab& lab, const std::string& param) {
  return rung_numbers(lab, [&](const Rung& rung) {
    return std::find(rung.params.begin(), rung.params.end(), param) != rung.params.end();
  });
}

std::string only_rungs_text(const Strings& strings, const std::string& numbers) {
  const bool one = numbers.find_first_not_of("0123456789") == std::string::npos;
  return strings.format(one ? "controls.rung_only" : "controls.rungs_only", fmt::arg("rungs", numbers));
}

void sliders_section(Column& column) {
  PanelContext& context = column.context;
  column.y += column.px(8);
  for (const Size& size : context.lab().sizes)
    if (const auto value = slider_row(column, size_slider(context, size))) context.session.set_size(size.name, *value);
  std::vector<Slider> unused;
  for (const Param& param : context.lab().params) {
    if (!concerns_language(context, param)) continue;
    Slider slider = param_slider(context, param);
    if (!slider.unused.empty()) {
      unused.push_back(std::move(slider));
      continue;
    }
    if (const auto value = slider_row(column, slider)) context.session.set_param(param.name, *value);
  }
  if (fold_row(column, "sliders", folded(context, unused)))
    for (const Slider& slider : unused) slider_row(column, slider);
  grid_row(column);
}

}  // namespace tilescope
