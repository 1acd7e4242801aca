// The registers that a step reads and writes, lane by lane: eight lanes per row, or four if values are long; one line
// if all agree.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "app/draw/shapes.hpp"
#include "app/draw/widgets.hpp"
#include "app/views/step/step_view.hpp"

namespace tilescope {
namespace {

/// One register, or the addresses of an access.
struct Group {
  enum class Role : uint8_t { read, write, address } role = Role::read;
  uint32_t reg = Step::kNone;
  ValueKind kind = ValueKind::bits;
  std::optional<LaneValues> values = {};
  uint32_t lanes = 0;    // lanes that read or write it now
  uint32_t changed = 0;  // lanes whose value changed
  std::array<uint64_t, 32> addresses{};
};

std::vector<Group> groups_of(const StepFrame& frame) {
  const StepRecord& record = frame.record();
  const Step& step = frame.step();
  const StepInstruction& instruction = frame.instruction();
  std::vector<Group> groups;
  for (size_t i = 0; i < instruction.reads.size(); ++i) {
    const StepOperand& operand = instruction.reads[i];
    const bool guard = instruction.guarded && i == 0;
    if (!guard && step.executed == 0) continue;
    if (std::ranges::any_of(groups, [&](const Group& group) { return group.reg == operand.reg; })) continue;
    Group group{Group::Role::read, operand.reg, operand.kind,
                record.value_read(frame.warp, operand.reg, frame.step_number)};
    group.lanes = guard ? step.active : step.executed;
    if (group.values) groups.push_back(group);
  }
  if (const auto addresses = record.addresses_at(frame.step_number); addresses && step.executed != 0) {
    Group group{Group::Role::address, instruction.address_register, ValueKind::address};
    group.lanes = step.executed;
    group.addresses = *addresses;
    groups.push_back(group);
  }
  for (const StepOperand& operand : instruction.writes) {
    const auto is_same = [&](const Group& group) {
      return group.role == Group::Role::write && group.reg == operand.reg;
    };
    if (std::ranges::any_of(groups, is_same)) continue;
    Group group{Group::Role::write, operand.reg, operand.kind,
                record.value_at(frame.warp, operand.reg, frame.step_number)};
    for (const StepWrite& write : record.writes_of(step)) {
      if (write.reg != operand.reg || write.found) continue;
      group.lanes |= write.lanes;
      group.changed |= write.changed;
    }
    if (group.values && group.lanes != 0) groups.push_back(group);
  }
  return groups;
}

ImU32 role_colour(const StepFrame& frame, const Group& group) {
  const Theme& theme = frame.context.theme;
  if (group.role == Group::Role::read) return theme.read;
  if (group.role == Group::Role::write) return theme.write;
  return frame.instruction().role == StepRole::load ? theme.read : theme.write;
}

/// "a[54,880]", or any other target of an address.
std::string address_text(const StepFrame& frame, uint64_t address, uint32_t bytes, bool named) {
  const RunResult& result = *frame.context.result;
  const AddressPlace place = place_of_address(result, address, bytes, frame.instruction().space);
  if (place.buffer < 0 && place.space == Space::global) return fmt::format("{:#x}", address);
  if (place.space == Space::shared) {
    if (const auto at = shared_place(frame.record(), place.element, bytes))
      return named ? fmt::format("{}[{}]", at->variable->name, with_separators(at->element))
                   : with_separators(at->element);
  }
  std::string number = with_separators(place.element);
  if (!named) return number;
  const std::string name = place.buffer >= 0
                               ? result.plan.buffers[static_cast<size_t>(place.buffer)].name
                               : frame.context.strings(place.space == Space::shared ? "step.shared" : "step.local");
  return name + "[" + number + "]";
}

std::string cell_text(const StepFrame& frame, const Group& group, int lane, int digits,
                      std::optional<int> decimals = {}) {
  if (group.role == Group::Role::address)
    return address_text(frame, group.addresses[static_cast<size_t>(lane)], frame.instruction().bytes_per_lane, false);
  return step_value_text(frame, group.reg, group.kind, *group.values, lane, digits, decimals);
}

bool is_outside(const StepFrame& frame, const Group& group, int lane) {
  if (group.role != Group::Role::address || (group.lanes >> lane & 1) == 0) return false;
  const StepInstruction& instruction = frame.instruction();
  return !place_of_address(*frame.context.result, group.addresses[static_cast<size_t>(lane)],
                           instruction.bytes_per_lane, instruction.space)
              .inside;
}

LanePatternText group_pattern(const StepFrame& frame, const Group& group) {
  if (group.role != Group::Role::address)
    return pattern_of(*group.values, group.lanes, group.kind, frame.record().registers[group.reg].bytes);
  std::array<uint32_t, 64> words{};
  for (size_t lane = 0; lane < 32; ++lane) {
    words[2 * lane] = static_cast<uint32_t>(group.addresses[lane]);
    words[2 * lane + 1] = static_cast<uint32_t>(group.addresses[lane] >> 32);
  }
  return pattern_of(LaneValues(words.data(), 8, group.lanes), group.lanes, ValueKind::address, 8);
}

/// The step that gave a read register its value, or the shown one.
std::optional<uint32_t> writer_of(const StepFrame& frame, const Group& group) {
  if (group.reg == Step::kNone) return {};
  const StepRecord& record = frame.record();
  const uint32_t from = group.role == Group::Role::write ? frame.step_number
                        : frame.step_number == 0         ? 0
                                                         : frame.step_number - 1;
  const auto write = record.last_write(frame.warp, group.reg, from);
  if (!write || record.writes[*write].found) return {};
  const uint32_t step = record.writes[*write].step;
  return record.steps[step].warp == frame.warp ? std::optional(step) : std::nullopt;
}

/// The name links to the last writer.
void point_at_name(StepFrame& frame, const Group& group, ImVec2 low, ImVec2 high, size_t number) {
  PanelContext& context = frame.context;
  ImGui::SetCursorScreenPos(low);
  ImGui::PushID(static_cast<int>(number));
  const bool pressed = hit_area("name", {high.x - low.x, high.y - low.y});
  ImGui::PopID();
  mark(context, "step.register." + std::to_string(number), low, high);
  if (!ImGui::IsItemHovered() || group.reg == Step::kNone) return;
  const std::string& name = frame.record().registers[group.reg].name;
  std::string variable;  // why the register has this name
  if (const StepName& known = frame.index.name_of(group.reg); !known.variable.empty())
    variable = context.strings.format("step.variable_meaning", fmt::arg("variable", known.variable),
                                      fmt::arg("register", name), fmt::arg("line", known.line)) +
               (context.strings.language == Language::en ? " " : "");
  const auto writer = writer_of(frame, group);
  if (!writer) {
    explain(context, variable + context.strings.format("step.no_writer", fmt::arg("register", name)));
    return;
  }
  frame.lit_writer = writer;
  const StepInstruction& by = frame.index.instruction(frame.record().steps[*writer]);
  const auto at = static_cast<int64_t>(frame.record().first_step + frame.index.position_of(*writer) + 1);
  explain(context, variable + context.strings.format("step.last_writer", fmt::arg("register", name),
                                                     fmt::arg("step", with_separators(at)), fmt::arg("text", by.text),
                                                     fmt::arg("line", step_line_text(context, by.line))));
  if (by.line != 0) context.view.hover.line = by.line;
  if (!pressed) return;
  frame.cursor().playing = false;
  go_to_step(context, frame.index, frame.warp, frame.index.position_of(*writer));
}

std::string note_of(const StepFrame& frame, const Group& group, const LanePatternText& pattern) {
  const Strings& strings = frame.context.strings;
  if (pattern.uniform) return strings("step.all_lanes");
  std::string note;
  // For every fourth lane, "1 byte apart" would describe lanes that are inactive: the distance between active lanes
  // counts.
  const int64_t spacing = lane_spacing(group.lanes);
  if (pattern.stride && spacing > 0)
    note = strings.format(
        group.role == Group::Role::address || group.kind == ValueKind::address ? "step.bytes_apart" : "step.apart",
        fmt::arg("stride", with_separators(*pattern.stride * spacing)));
  if (group.role == Group::Role::write && group.changed != group.lanes) {
    if (!note.empty()) note += strings("step.and");
    note += strings.format("step.changed", fmt::arg("count", std::popcount(group.changed)));
  }
  return note;
}

/// Name, type, and what all lanes have in common. Returns whether that is everything: one value, or evenly spaced
/// addresses.
bool draw_heading(StepFrame& frame, const Group& group, ImVec2 low, float right, size_t number) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const Fonts& fonts = context.fonts;
  const float unit = context.view.scale, y = low.y + 11 * unit;
  frame.list->AddRectFilled({low.x, y - 4 * unit}, {low.x + 8 * unit, y + 4 * unit}, role_colour(frame, group));
  float x = low.x + 16 * unit;
  const bool address = group.role == Group::Role::address;
  const std::string name = address ? context.strings("step.address") : frame.index.register_text(group.reg);
  const float name_x = x;
  x += draw_text(frame.list, fonts.small_semibold, {x, centred_top(fonts.small_semibold, y)}, theme.text, name).x;
  if (!address && name != frame.record().registers[group.reg].name)
    x += 6 * unit + draw_text(frame.list, fonts.small, {x + 6 * unit, centred_top(fonts.small, y)}, theme.muted,
                              frame.record().registers[group.reg].name)
                        .x;
  point_at_name(frame, group, {name_x, low.y + unit}, {x, low.y + 21 * unit}, number);
  x += 8 * unit;
  const std::string about =
      address ? context.strings.format("step.bytes_a_lane", fmt::arg("bytes", frame.instruction().bytes_per_lane))
              : kind_text(frame.record().registers[group.reg], group.kind) + ", " +
                    context.strings(group.role == Group::Role::read ? "step.read" : "step.written");
  x += draw_text(frame.list, fonts.small, {x, centred_top(fonts.small, y)}, theme.muted, about).x + 16 * unit;
  const LanePatternText pattern = group_pattern(frame, group);
  const int first = std::countr_zero(group.lanes), last = 31 - std::countl_zero(group.lanes);
  const uint32_t bytes = frame.instruction().bytes_per_lane;
  std::string value;
  if (address) {
    value = address_text(frame, group.addresses[static_cast<size_t>(first)], bytes, true);
    if (!pattern.uniform && value.ends_with(']'))
      value = value.substr(0, value.size() - 1) + " … " +
              address_text(frame, group.addresses[static_cast<size_t>(last)], bytes, false) + "]";
  } else if (pattern.uniform) {
    value = cell_text(frame, group, first, 9);
  }
  ImFont* font = pattern.uniform ? fonts.small_semibold : fonts.small;
  // The value precedes the note if there is no room for both.
  const std::string note = note_of(frame, group, pattern);
  const float room = right - x - (value.empty() ? 0 : text_size(font, value).x + 12 * unit);
  if (!note.empty() && text_size(fonts.small, note).x < room)
    draw_text_right(frame.list, fonts.small, {right, centred_top(fonts.small, y)}, theme.muted, note);
  if (value.empty()) return false;
  const bool outside = is_outside(frame, group, first) || is_outside(frame, group, last);
  const ImVec2 size = draw_text(frame.list, font, {x, centred_top(font, y)}, outside ? theme.error : theme.text,
                                fit_text(font, value, right - x));
  // A single value is marked like a changed cell.
  if (pattern.uniform && group.changed != 0)
    frame.list->AddRectFilled({x, y + 9 * unit}, {x + size.x, y + 10 * unit}, theme.write);
  return pattern.uniform || pattern.stride;
}

void draw_cell(const StepFrame& frame, const Group& group, int lane, ImVec2 low, ImVec2 high, int digits,
               std::optional<int> decimals) {
  const PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const float unit = context.view.scale;
  const bool mine = (group.lanes >> lane & 1) != 0;
  const bool known = group.role == Group::Role::address ? mine : group.values->is_known(lane);
  const bool changed = (group.changed >> lane & 1) != 0, outside = is_outside(frame, group, lane);
  if (changed || outside)
    frame.list->AddRectFilled(low, high, mix(theme.window, outside ? theme.error : theme.write, outside ? 0.35F : 0.2F),
                              3 * unit);
  if (lane == frame.hovered_lane) frame.list->AddRectFilled(low, high, with_alpha(theme.text, 0.1F), 3 * unit);
  if (lane == frame.selected_lane)
    frame.list->AddRect({low.x + 0.5F, low.y + 0.5F}, {high.x - 0.5F, high.y - 0.5F}, theme.accent, 3 * unit);
  ImFont* font = context.fonts.small;
  const float middle = (low.y + high.y) / 2, right = high.x - 5 * unit;
  const ImU32 ink = mine ? theme.text : mix(theme.window, theme.muted, 0.6F);
  if (!known) {
    draw_text_right(frame.list, font, {right, centred_top(font, middle)}, mix(theme.window, theme.muted, 0.45F), "·");
    return;
  }
  const float room = high.x - low.x - 7 * unit;
  std::string text = cell_text(frame, group, lane, digits, decimals);
  if (text_size(font, text).x > room) std::erase(text, ',');
  draw_text_right(frame.list, font, {right, centred_top(font, middle)}, ink, fit_text(font, text, room));
}

std::string lane_text(const StepFrame& frame, const Group& group, int lane) {
  const Strings& strings = frame.context.strings;
  if (group.role == Group::Role::address) {
    if ((group.lanes >> lane & 1) == 0) return strings.format("step.explain_idle", fmt::arg("lane", lane));
    return strings.format("step.explain_address", fmt::arg("lane", lane),
                          fmt::arg("where", address_text(frame, group.addresses[static_cast<size_t>(lane)],
                                                         frame.instruction().bytes_per_lane, true)));
  }
  const std::string name = frame.index.register_text(group.reg, /*both=*/true);
  if (!group.values->is_known(lane))
    return strings.format("step.explain_unknown", fmt::arg("lane", lane), fmt::arg("register", name));
  const uint32_t bytes = frame.record().registers[group.reg].bytes;
  return strings.format(
      (group.changed >> lane & 1) != 0 ? "step.explain_changed" : "step.explain_value", fmt::arg("lane", lane),
      fmt::arg("register", name), fmt::arg("value", cell_text(frame, group, lane, 9)),
      fmt::arg("bits", bytes == 0 ? cell_text(frame, group, lane, 9)
                                  : value_text(group.values->bits(lane), group.values->high_bits(lane), bytes,
                                               ValueKind::bits, StepFormat::hexadecimal, 9)));
}

/// A predicate is one row of 32: filled where it is true.
void draw_predicate(const StepFrame& frame, const Group& group, ImVec2 low, ImVec2 high) {
  const Theme& theme = frame.context.theme;
  const float unit = frame.context.view.scale;
  const LaneCells cells{low.x, (high.x - low.x) / 32, std::max(1.0F, std::round(2 * unit))};
  const bool labelled = cells.pitch > 10 * unit;
  for (int lane = 0; lane < 32; ++lane) {
    const ImVec2 cell_low{cells.x0(lane), low.y}, cell_high{cells.x1(lane), high.y};
    const bool holds = group.values->is_known(lane) && group.values->bits(lane) != 0;
    const float strength = (group.lanes >> lane & 1) != 0 ? 1.0F : 0.35F;
    const ImU32 role = role_colour(frame, group);
    const ImU32 surface = mix(theme.window, role, 0.45F * strength);
    if (holds)
      frame.list->AddRectFilled(cell_low, cell_high, surface, 3 * unit);
    else
      frame.list->AddRect({cell_low.x + 0.5F, cell_low.y + 0.5F}, {cell_high.x - 0.5F, cell_high.y - 0.5F},
                          mix(theme.window, theme.muted, 0.5F * strength), 3 * unit);
    if (lane == frame.hovered_lane)
      frame.list->AddRectFilled(cell_low, cell_high, with_alpha(theme.text, 0.1F), 3 * unit);
    if (labelled && group.values->is_known(lane))
      draw_text_centred(
          frame.list, frame.context.fonts.small, {(cell_low.x + cell_high.x) / 2, (cell_low.y + cell_high.y) / 2},
          holds ? readable_on(surface, theme) : mix(theme.window, theme.muted, 0.8F * strength), holds ? "1" : "0");
  }
}

/// Layout of a group's values: lanes per row, and digits per value.
struct CellLayout {
  int columns = 8;
  float pitch = 0;
  int digits = 3;
  std::optional<int> decimals = {};
};

CellLayout lay_out_cells(const StepFrame& frame, const Group& group, float width, int columns) {
  const float unit = frame.context.view.scale;
  ImFont* font = frame.context.fonts.small;
  CellLayout layout{.columns = columns, .pitch = width / static_cast<float>(columns)};
  layout.digits = std::clamp(static_cast<int>((layout.pitch - 8 * unit) / text_size(font, "0").x) - 2, 3, 9);
  if (group.role != Group::Role::address)
    layout.decimals = common_decimals(*group.values, group.lanes, frame.record().registers[group.reg].bytes, group.kind,
                                      frame.cursor().format, layout.digits);
  return layout;
}

float room_in_cell(const StepFrame& frame, const CellLayout& layout) {
  return layout.pitch - 9 * frame.context.view.scale;
}

/// Eight lanes per row, if no value would be truncated.
CellLayout choose_cells(const StepFrame& frame, const Group& group, float width) {
  const CellLayout eight = lay_out_cells(frame, group, width, 8);
  for (int lane = 0; lane < 32; ++lane) {
    const bool known =
        group.role == Group::Role::address ? (group.lanes >> lane & 1) != 0 : group.values->is_known(lane);
    if (!known) continue;
    std::string text = cell_text(frame, group, lane, eight.digits, eight.decimals);
    std::erase(text, ',');
    if (text_size(frame.context.fonts.small, text).x > room_in_cell(frame, eight))
      return lay_out_cells(frame, group, width, 4);
  }
  return eight;
}

/// The lanes of a group below its heading. Returns the height.
float draw_lanes(StepFrame& frame, const Group& group, ImVec2 low, float right, size_t number) {
  PanelContext& context = frame.context;
  const float unit = context.view.scale;
  const bool predicate = group.role != Group::Role::address && frame.record().registers[group.reg].bytes == 0;
  const float gutter = predicate ? 0 : 22 * unit, row = predicate ? 20 * unit : 19 * unit;
  const float left = low.x + gutter;
  const CellLayout cells =
      predicate ? CellLayout{.columns = 32, .pitch = (right - left) / 32} : choose_cells(frame, group, right - left);
  const int columns = cells.columns, rows = 32 / columns;
  const float pitch = cells.pitch;
  const ImVec2 high{right, low.y + row * static_cast<float>(rows)};
  ImGui::SetCursorScreenPos({left, low.y});
  ImGui::PushID(static_cast<int>(number));
  hit_area("lanes", {right - left, high.y - low.y});
  ImGui::PopID();
  if (ImGui::IsItemHovered()) {
    const ImVec2 pointer = ImGui::GetIO().MousePos;
    const int column = std::clamp(static_cast<int>((pointer.x - left) / pitch), 0, columns - 1);
    const int line = std::clamp(static_cast<int>((pointer.y - low.y) / row), 0, rows - 1);
    frame.hovered_lane = line * columns + column;
    point_at_step_lane(frame, frame.hovered_lane, lane_text(frame, group, frame.hovered_lane));
  }
  if (predicate) {
    draw_predicate(frame, group, {left, low.y + unit}, {right, high.y - unit});
    return high.y - low.y;
  }
  for (int line = 0; line < rows; ++line) {
    const float y = low.y + static_cast<float>(line) * row;
    draw_text(frame.list, context.fonts.small, {low.x, centred_top(context.fonts.small, y + row / 2)},
              mix(context.theme.window, context.theme.muted, 0.6F), std::to_string(line * columns));
    for (int column = 0; column < columns; ++column) {
      const float x = left + static_cast<float>(column) * pitch;
      draw_cell(frame, group, line * columns + column, {std::round(x), y + unit},
                {std::round(x + pitch) - 2 * unit, y + row - unit}, cells.digits, cells.decimals);
    }
  }
  return high.y - low.y;
}

void draw_formats(StepFrame& frame, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  ImFont* font = context.fonts.small;
  const float y = low.y + context.px(10);
  struct Choice {
    StepFormat format;
    const char* key;
  };
  constexpr std::array<Choice, 4> kChoices{{{StepFormat::real, "step.format_real"},
                                            {StepFormat::hexadecimal, "step.format_hexadecimal"},
                                            {StepFormat::whole, "step.format_whole"},
                                            {StepFormat::automatic, "step.format_automatic"}}};
  float x = right;
  for (const Choice& choice : kChoices) {
    const std::string& text = context.strings(choice.key);
    const bool on = frame.cursor().format == choice.format;
    const float width = text_size(font, text).x;
    ImGui::SetCursorScreenPos({x - width - context.px(4), low.y});
    if (hit_area(choice.key, {width + context.px(8), context.px(20)})) frame.cursor().format = choice.format;
    const bool hovered = ImGui::IsItemHovered();
    explain(context, context.strings(std::string(choice.key) + "_meaning"));
    mark(context, choice.key, {x - width, low.y}, {x, low.y + context.px(20)});
    draw_text(frame.list, font, {x - width, centred_top(font, y)},
              on || hovered ? context.theme.text : context.theme.muted, text);
    if (on)
      frame.list->AddRectFilled({x - width, low.y + context.px(19)}, {x, low.y + context.px(20)}, context.theme.accent);
    x -= width + context.px(14);
  }
  const std::string& title = context.strings("step.registers");
  if (low.x + text_size(font, title).x <= x)
    draw_text(frame.list, font, {low.x, centred_top(font, y)}, context.theme.muted, title);
}

}  // namespace

std::string step_value_text(const StepFrame& frame, uint32_t reg, ValueKind kind, const LaneValues& values, int lane,
                            int digits, std::optional<int> decimals) {
  const uint32_t bytes = frame.record().registers[reg].bytes;
  const uint64_t bits = values.bits(lane);
  if (kind == ValueKind::address && bytes == 8 && frame.cursor().format == StepFormat::automatic &&
      place_of_address(*frame.context.result, bits, 1, Space::global).buffer >= 0)
    return address_text(frame, bits, 1, true);
  return value_text(bits, values.high_bits(lane), bytes, kind, frame.cursor().format, digits, decimals);
}

std::optional<std::string> step_address_text(const StepFrame& frame, int lane) {
  const auto addresses = frame.record().addresses_at(frame.step_number);
  if (!addresses || (frame.step().executed >> lane & 1) == 0) return {};
  return address_text(frame, (*addresses)[static_cast<size_t>(lane)], frame.instruction().bytes_per_lane, true);
}

float draw_step_values(StepFrame& frame, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const float unit = context.view.scale;
  if (high.y - low.y < 44 * unit) return high.y - low.y;
  draw_formats(frame, low, high.x);
  const ImVec2 origin{low.x, low.y + 24 * unit};
  const auto groups = groups_of(frame);
  ImGui::SetCursorScreenPos(origin);
  // The scroll bar has reserved space beside the cells.
  const float bar = ImGui::GetStyle().ScrollbarSize + 2 * unit;
  ImGui::BeginChild("values", {high.x - low.x + bar, high.y - origin.y}, false, ImGuiWindowFlags_NoBackground);
  ImDrawList* outer = std::exchange(frame.list, ImGui::GetWindowDrawList());
  float y = ImGui::GetCursorScreenPos().y;
  const float begin = y;
  for (size_t i = 0; i < groups.size(); ++i) {
    const bool said = draw_heading(frame, groups[i], {low.x, y}, high.x, i);
    y += 23 * unit;
    if (!said) y += draw_lanes(frame, groups[i], {low.x, y}, high.x, i) + 6 * unit;
  }
  if (groups.empty()) {
    draw_text(frame.list, context.fonts.small, {low.x, y + 2 * unit}, context.theme.muted,
              context.strings(frame.step().executed == 0 ? "step.nothing_executed" : "step.no_registers"));
    y += 23 * unit;
  }
  ImGui::SetCursorScreenPos({low.x, begin});
  ImGui::Dummy({1, y - begin});
  frame.list = outer;
  ImGui::EndChild();
  return origin.y - low.y + y - begin;
}

}  // namespace tilescope
