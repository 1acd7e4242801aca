// The sliders: a size moves over the stops that its lab offers, a parameter over its possible values. Values may be
// typed: double click, or Ctrl and a click.
#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "app/panels/controls_parts.hpp"
#include "app/shell_keys.hpp"

namespace tilescope {
namespace {

constexpr float kRow = 44;

struct Slider {
  std::string name;  // of the size or parameter
  std::string title, help;
  std::vector<int64_t> stops;  // ascending; what dragging can reach
  int64_t value = 0;
  bool ticks = false;              // few enough to be told apart
  std::string unused;              // why it has no effect; empty if it has
  std::vector<std::string> names;  // of the values 0, 1, …; empty: they are numbers

  std::string value_text() const {
    const auto place = static_cast<size_t>(value);
    return place < names.size() ? names[place] : with_separators(value);
  }
};

/// Where a value is on the track, 0 … 1: by logarithm where the stops span decades, else evenly by stop.
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

/// The field in place of the value. Returns what was typed, once Enter was pressed.
std::optional<int64_t> typing_field(Column& column) {
  ViewState& view = column.context.view;
  const float width = column.px(120);
  ImGui::SetCursorScreenPos({column.right - width, column.y + column.px(1)});
  ImGui::SetNextItemWidth(width);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(column.px(8), column.px(1)));
  ImGui::PushFont(column.fonts().body);
  if (std::exchange(view.typing_starts, false)) ImGui::SetKeyboardFocusHere();
  const bool entered = ImGui::InputText("##typed", &view.typed,
                                        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  const bool left = ImGui::IsItemDeactivated();
  ImGui::PopFont();
  ImGui::PopStyleVar();
  std::optional<int64_t> value;
  if (entered) value = parse_count(view.typed);
  if (entered || left) {
    view.typing_in.clear();
    view.typed.clear();
  }
  return value;
}

bool asks_to_type() {
  const bool control_click = ImGui::GetIO().KeyCtrl && ImGui::IsMouseClicked(0);
  return ImGui::IsItemHovered() && (ImGui::IsMouseDoubleClicked(0) || control_click);
}

void explain_slider(Column& column, const Slider& slider) {
  explain(column.context, slider.unused.empty() ? slider.help : slider.help + " " + slider.unused);
}

/// The stop under the pointer while the track is dragged. Pressing the handle leaves the value as it is until it moves.
std::optional<int64_t> dragged_to(const Column& column, const Slider& slider) {
  const float radius = column.px(6);
  const float at = (ImGui::GetIO().MousePos.x - column.left - radius) / (column.width() - 2 * radius);
  const bool pressed = ImGui::IsItemActivated();
  const bool on_handle = std::abs(at - position_of(slider, slider.value)) * column.width() < 2 * radius;
  if (pressed ? on_handle : ImGui::GetIO().MouseDelta.x == 0) return std::nullopt;
  const int64_t stop = nearest_stop(slider, std::clamp(at, 0.0F, 1.0F));
  return stop == slider.value ? std::nullopt : std::optional(stop);
}

/// The track as a thing to drag. Returns where it was dragged to; `lit` while it is pointed at.
std::optional<int64_t> track(Column& column, const Slider& slider, bool& types, bool& lit) {
  const float half = column.px(10), middle = column.y + column.px(30);
  const ImVec2 low{column.left, middle - half}, high{column.right, middle + half};
  ImGui::SetCursorScreenPos(low);
  ImGui::InvisibleButton("track", {high.x - low.x, high.y - low.y});
  explain_slider(column, slider);
  mark(column.context, "slider." + slider.name, low, high);
  if (!slider.unused.empty()) return std::nullopt;
  lit = ImGui::IsItemActive() || ImGui::IsItemHovered();
  types = types || asks_to_type();
  return ImGui::IsItemActive() && !ImGui::GetIO().KeyCtrl && !types ? dragged_to(column, slider) : std::nullopt;
}

/// Label and value; the value is pressed to type another. Returns what was typed.
std::optional<int64_t> caption(Column& column, const Slider& slider, bool& types) {
  const Theme& theme = column.theme();
  const Fonts& fonts = column.fonts();
  const bool used = slider.unused.empty();
  const ImU32 dimmed = mix(theme.panel, theme.muted, 0.55F);
  column.text(fonts.small, column.left, 18, used ? theme.muted : dimmed, slider.title);
  if (column.context.view.typing_in == slider.name) return typing_field(column);
  ImGui::SetCursorScreenPos({column.left, column.y});
  ImGui::InvisibleButton("value", {column.width(), column.px(20)});
  explain_slider(column, slider);
  mark(column.context, "value." + slider.name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  types = used && slider.names.empty() && asks_to_type();
  if (used)
    column.text_right(fonts.body_semibold, column.right, 18, theme.text, slider.value_text());
  else
    column.text_right(fonts.body, column.right, 18, dimmed, slider.unused);
  return std::nullopt;
}

/// One row. Returns the value if it was changed.
std::optional<int64_t> slider_row(Column& column, const Slider& slider) {
  ViewState& view = column.context.view;
  bool types = false, lit = false;
  ImGui::PushID(slider.name.c_str());
  const auto typed = caption(column, slider, types);
  const auto dragged = track(column, slider, types, lit);
  if (types) {
    view.typing_in = slider.name;
    view.typed = std::to_string(slider.value);
    view.typing_starts = true;
  }
  draw_track(column, slider, lit);
  ImGui::PopID();
  column.y += column.px(kRow);
  return typed ? typed : dragged;
}

Slider size_slider(const PanelContext& context, const Size& size) {
  const Request& request = context.session.request();
  const int64_t most = request.device == DeviceKind::sim ? size.max_sim : size.max_gpu;
  Slider slider{.name = size.name,
                .title = context.strings(size.title),
                .help = {},
                .stops = {},
                .value = request.config.size(size.name),
                .ticks = false,
                .unused = {},
                .names = {}};
  for (const int64_t stop : size.offered)
    if (stop >= size.min && stop <= most) slider.stops.push_back(stop);
  if (slider.stops.empty()) slider.stops = {size.min, most};
  slider.help =
      context.strings.format("controls.size_meaning", fmt::arg("title", slider.title),
                             fmt::arg("low", with_separators(size.min)), fmt::arg("high", with_separators(most)));
  return slider;
}

Slider param_slider(const PanelContext& context, const Param& param) {
  const Rung& rung = context.rung();
  Slider slider{.name = param.name,
                .title = context.strings(param.title),
                .help = context.strings(param.help),
                .stops = values_of(param),
                .value = context.session.request().config.param(param.name),
                .ticks = false,
                .unused = {},
                .names = {}};
  for (const NamedValue& choice : param.choices) slider.names.push_back(context.strings(choice.title));
  slider.ticks = slider.stops.size() <= 17;
  if (std::find(rung.params.begin(), rung.params.end(), param.name) == rung.params.end())
    slider.unused = only_rungs_text(context.strings, rungs_using(context.lab(), param.name));
  return slider;
}

/// In place of the grid, why there is none with these values.
bool refusal(Column& column, const ChosenRung& chosen) {
  if (!chosen.rung->check) return false;
  const auto possible = chosen.rung->check(chosen.config);
  if (possible) return false;
  const float top = column.y += column.px(8);
  paragraph(column, as_sentence({possible.error().id, possible.error().message, ""}), column.theme().error);
  mark(column.context, "refusal", {column.left, top}, {column.right, column.y});
  column.y += column.px(10);
  return true;
}

void grid_row(Column& column) {
  const PanelContext& context = column.context;
  const ChosenRung chosen = chosen_rung(context);
  if (chosen.rung == nullptr || !chosen.rung->grid_formula || refusal(column, chosen)) return;
  const float middle = column.y + column.px(15);
  const std::string& label = context.strings("controls.grid");
  const Fonts& fonts = column.fonts();
  draw_text(column.list, fonts.small, {column.left, centred_top(fonts.small, middle)}, column.theme().muted, label);
  const std::string formula = chosen.rung->grid_formula(chosen.config);
  const float room = column.width() - text_size(fonts.small, label).x - column.px(8);
  const std::string shown = fit_text(fonts.small_semibold, formula, room);
  draw_text_right(column.list, fonts.small_semibold, {column.right, centred_top(fonts.small_semibold, middle)},
                  column.theme().text, shown);
  explain_rect(column.context, {column.left, column.y}, {column.right, column.y + column.px(32)},
               context.strings("controls.grid_meaning") + (shown == formula ? "" : " " + formula));
  column.y += column.px(36);
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

std::optional<int64_t> parse_count(std::string_view text) {
  std::string digits;
  double factor = 1;
  std::optional<int> power;
  for (size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == ' ' || letter == ',' || letter == '_') continue;
    if (letter == '^') {
      int exponent = 0;
      const auto [end, wrong] = std::from_chars(text.data() + at + 1, text.data() + text.size(), exponent);
      if (wrong != std::errc{} || end != text.data() + text.size() || exponent < 0) return std::nullopt;
      power = exponent;
      break;
    }
    const bool last = text.find_last_not_of(' ') == at;
    if (last && (letter == 'k' || letter == 'K'))
      factor = 1e3;
    else if (last && letter == 'M')
      factor = 1e6;
    else if (last && letter == 'G')
      factor = 1e9;
    else
      digits += letter;
  }
  double value = 0;
  const auto [end, wrong] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || wrong != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  if (power) value = std::pow(value, *power);
  value *= factor;
  if (!(std::abs(value) < 9e15)) return std::nullopt;
  return std::llround(value);
}

void sliders_section(Column& column) {
  PanelContext& context = column.context;
  column.y += column.px(8);
  for (const Size& size : context.lab().sizes)
    if (const auto value = slider_row(column, size_slider(context, size))) context.session.set_size(size.name, *value);
  for (const Param& param : context.lab().params)
    if (const auto value = slider_row(column, param_slider(context, param)))
      context.session.set_param(param.name, *value);
  grid_row(column);
}

}  // namespace tilescope
