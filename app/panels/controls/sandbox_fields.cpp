#include "app/panels/controls/sandbox_fields.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cmath>

#include "app/draw/menus.hpp"

namespace tilescope {

const std::string& FormFields::value(const std::string& field) const {
  return field == "kernel" ? sandbox_.kernel() : sandbox_.form().text(field);
}

void FormFields::set(const std::string& field, const std::string& value) {
  if (field == "kernel")
    sandbox_.choose_kernel(value);
  else
    sandbox_.set_field(field, value);
}

const Problem* FormFields::problem(const std::string& field) const {
  const auto& problems = sandbox_.filled().problems;
  const auto found = problems.find(field);
  return found == problems.end() ? nullptr : &found->second;
}

std::string place_of_origin(const Strings& strings, const FieldOrigin& origin) {
  if (origin.line == 0) return strings.format("sandbox.place_in_header", fmt::arg("function", origin.function));
  if (origin.function.empty()) return strings.format("sandbox.place_outside", fmt::arg("line", origin.line));
  return strings.format("sandbox.place", fmt::arg("function", origin.function), fmt::arg("line", origin.line));
}

std::string origin_text(const Strings& strings, const KernelForm& form, const std::string& field) {
  if (form.is_edited(field)) {
    const auto suggested = form.defaults.find(field);
    const bool any = suggested != form.defaults.end() && !suggested->second.empty();
    return any ? strings.format("sandbox.origin_edited", fmt::arg("text", suggested->second)) : std::string();
  }
  const auto found = form.origins.find(field);
  if (found == form.origins.end()) return {};
  switch (found->second.kind) {
    case FieldOrigin::Kind::host: {
      const std::string place = place_of_origin(strings, found->second);
      if (field == "n" && form.host_n > 0)
        return strings.format("sandbox.origin_host_smaller", fmt::arg("place", place),
                              fmt::arg("value", with_separators(form.host_n)));
      return strings.format("sandbox.origin_host", fmt::arg("place", place));
    }
    case FieldOrigin::Kind::declaration:
      return strings.format("sandbox.origin_declaration", fmt::arg("line", found->second.line));
    case FieldOrigin::Kind::body:
      return strings("sandbox.origin_body");
    case FieldOrigin::Kind::usual:
      return strings("sandbox.origin_usual");
    case FieldOrigin::Kind::run:
      return strings("sandbox.origin_run");
  }
  return {};
}

std::string FormFields::with_origin(const std::string& meaning, const std::string& field) const {
  const std::string origin = origin_text(column_.context.strings, sandbox_.form(), field);
  return origin.empty() ? meaning : meaning + "\n" + origin;
}

void FormFields::frame(ImVec2 low, ImVec2 high, bool wrong, bool lit) {
  const Theme& theme = column_.theme();
  if (!wrong && !lit) return;
  column_.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F},
                        wrong ? theme.error : theme.separator, column_.px(4), 0, column_.px(1));
}

void FormFields::text(const std::string& field, float x, float width, const std::string& meaning) {
  const Theme& theme = column_.theme();
  ImFont* font = column_.fonts().small;
  const float height = column_.px(kFieldHeight);
  const ImVec2 low{x, column_.y}, high{x + width, column_.y + height};
  std::string typed = value(field);
  ImGui::SetCursorScreenPos(low);
  ImGui::SetNextItemWidth(width);
  ImGui::PushID(field.c_str());
  ImGui::PushFont(font);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding,
                      ImVec2(column_.px(8), std::max(0.0F, std::floor((height - line_height(font)) / 2))));
  ImGui::PushStyleVar(ImGuiStyleVar_FrameRounding, column_.px(4));
  const bool changed = ImGui::InputText("##field", &typed, ImGuiInputTextFlags_AutoSelectAll);
  const bool active = ImGui::IsItemActive();
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  ImGui::PopID();
  mark(column_.context, "field." + field, low, high);
  // The error is shown below the field: nothing may cover it.
  if (problem(field) == nullptr) explain(column_.context, with_origin(meaning, field));
  frame(low, high, problem(field) != nullptr, active);
  if (changed) set(field, typed);
  // The evaluated value, at the right, if there is room.
  const auto& values = sandbox_.filled().values;
  const auto known = values.find(field);
  if (known == values.end() || active || problem(field) != nullptr) return;
  const std::string shown = "= " + known->second;
  if (text_size(font, typed).x + text_size(font, shown).x + column_.px(28) > width) return;
  draw_text_right(column_.list, font, {high.x - column_.px(8), centred_top(font, (low.y + high.y) / 2)}, theme.muted,
                  shown);
}

/// The list below a field; true if an item was chosen.
bool FormFields::menu(const std::string& field, ImVec2 corner, float width, std::span<const Choice> choices) {
  bool chosen = false;
  ImGui::SetNextWindowPos(corner);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(column_.px(8), column_.px(8)));
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(column_.px(8), column_.px(4)));
  if (ImGui::BeginPopup("choices")) {
    float widest = width - column_.px(16);
    for (const Choice& one : choices) widest = std::max(widest, text_size(column_.fonts().small, one.title).x);
    for (const Choice& one : choices) {
      if (ImGui::Selectable(one.title.c_str(), one.value == value(field), 0, {widest, 0})) {
        set(field, one.value);
        chosen = true;
      }
      mark(column_.context, "choice." + field + "." + one.value, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
  return chosen;
}

void FormFields::text_with_choices(const std::string& field, float x, float width, const std::string& meaning,
                                   std::span<const Choice> choices) {
  const float arrow = column_.px(20), height = column_.px(kFieldHeight);
  text(field, x, width - arrow, meaning);
  const ImVec2 low{x + width - arrow, column_.y}, high{x + width, column_.y + height};
  ImGui::PushID(field.c_str());
  ImGui::SetCursorScreenPos(low);
  if (hit_area("more", {arrow, height})) open_menu(column_.context.view, "choices");
  const bool hovered = ImGui::IsItemHovered();
  mark(column_.context, "more." + field, low, high);
  draw_chevron(column_.list, {(low.x + high.x) / 2 + column_.px(2), (low.y + high.y) / 2}, column_.px(8),
               hovered ? column_.theme().text : column_.theme().muted);
  menu(field, {x, high.y + column_.px(2)}, width, choices);
  ImGui::PopID();
}

void FormFields::choice(const std::string& field, float x, float width, const std::string& meaning,
                        std::span<const Choice> choices) {
  const Theme& theme = column_.theme();
  ImFont* font = column_.fonts().small;
  const ImVec2 low{x, column_.y}, high{x + width, column_.y + column_.px(kFieldHeight)};
  ImGui::PushID(field.c_str());
  ImGui::SetCursorScreenPos(low);
  if (hit_area("choice", {width, high.y - low.y})) open_menu(column_.context.view, "choices");
  const bool hovered = ImGui::IsItemHovered();
  mark(column_.context, "field." + field, low, high);
  explain(column_.context, with_origin(meaning, field));
  column_.list->AddRectFilled(low, high, hovered ? mix(theme.raised, theme.accent, 0.10F) : theme.raised,
                              column_.px(4));
  frame(low, high, problem(field) != nullptr, false);
  std::string title = value(field);
  for (const Choice& one : choices)
    if (one.value == title) title = one.title;
  draw_text(column_.list, font, {low.x + column_.px(8), centred_top(font, (low.y + high.y) / 2)}, theme.text,
            fit_text(font, title, width - column_.px(24)));
  draw_chevron(column_.list, {high.x - column_.px(10), (low.y + high.y) / 2}, column_.px(8), theme.muted);
  menu(field, {low.x, high.y + column_.px(2)}, width, choices);
  ImGui::PopID();
}

void FormFields::quiet_choice(const std::string& field, float below, const std::string& meaning,
                              std::span<const Choice> choices) {
  const Theme& theme = column_.theme();
  ImFont* font = column_.fonts().small;
  std::string title = value(field);
  for (const Choice& one : choices)
    if (one.value == title) title = one.title;
  const float width = text_size(font, title).x + column_.px(16);
  const ImVec2 low{column_.right - width, column_.y + column_.px(below - 16)};
  const ImVec2 high{column_.right, low.y + column_.px(22)};
  ImGui::PushID(field.c_str());
  ImGui::SetCursorScreenPos(low);
  if (hit_area("choice", {width, high.y - low.y})) open_menu(column_.context.view, "choices");
  const ImU32 colour = ImGui::IsItemHovered() ? theme.text : theme.muted;
  mark(column_.context, "field." + field, low, high);
  explain(column_.context, with_origin(meaning, field));
  draw_text(column_.list, font, {low.x, baseline_top(font, column_.y + column_.px(below))}, colour, title);
  draw_chevron(column_.list, {high.x - column_.px(4), column_.y + column_.px(below - 4)}, column_.px(8), colour);
  menu(field, {low.x - column_.px(40), high.y}, column_.px(96), choices);
  ImGui::PopID();
}

void FormFields::problems(std::span<const std::string> fields) {
  for (const std::string& field : fields) {
    const Problem* what = problem(field);
    if (what == nullptr) continue;
    const std::string sentence = column_.context.strings.format(what->key, what->places);
    const TextRun run[] = {{column_.fonts().small, column_.theme().error, sentence}};
    column_.y += column_.px(2);
    const float top = column_.y;
    column_.y += flow_text(column_.list, {column_.left, column_.y}, column_.width(), column_.px(18), run);
    mark(column_.context, "problem." + field, {column_.left, top}, {column_.right, column_.y});
  }
}

}  // namespace tilescope
