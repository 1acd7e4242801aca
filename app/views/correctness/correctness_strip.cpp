// Below the maps: counts, a table of notable elements, and what the simulator's checks found.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/observed/correctness_model.hpp"
#include "app/observed/source_model.hpp"
#include "app/views/correctness/correctness_view.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr std::array<const char*, 5> kColumnTitles{"correctness.column_element", "correctness.column_expected",
                                                   "correctness.column_got", "correctness.column_error",
                                                   "correctness.column_allowed"};

// Unscaled pixels.
constexpr float kRow = 22, kTop = 12, kBottom = 12, kCounts = 28, kTable = 620, kGap = 40, kLeastFindings = 280;
constexpr size_t kMostFindings = 4;
constexpr float kShort = 420;  // a lower view keeps its maps and has fewer rows here

struct TableRow {
  const char* name;  // key of its title
  int64_t element;
  ImU32 colour;
};

/// At most `most` rows. The hovered element takes precedence over the largest error, which the sentence also gives.
std::vector<TableRow> rows_of(const CorrectnessFrame& frame, size_t most) {
  const Theme& theme = frame.context.theme;
  std::vector<TableRow> rows;
  if (frame.check().first)
    rows.push_back({"correctness.row_first", static_cast<int64_t>(frame.check().first->index), theme.error});
  rows.push_back({"correctness.row_largest", static_cast<int64_t>(frame.check().largest_error_index), theme.text});
  const auto selected = selected_element(frame);
  if (!frame.pointed && !selected) {
    rows.resize(std::min(rows.size(), most));
    return rows;
  }
  rows.resize(std::min(rows.size(), most - 1));
  if (frame.pointed)
    rows.push_back({"correctness.row_pointed", *frame.pointed, theme.text});
  else
    rows.push_back({"correctness.row_selected", *selected, theme.accent});
  return rows;
}

void draw_counts(const CorrectnessFrame& frame, ImVec2 position, float right) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  const Correctness& check = frame.check();
  struct Count {
    const char* name;
    uint64_t value;
    bool bad;
  };
  const std::array<Count, 4> counts{{{"correctness.checked", check.checked, false},
                                     {"correctness.mismatches", check.mismatches, check.mismatches > 0},
                                     {"correctness.nan", check.nan, check.nan > 0},
                                     {"correctness.never_written", check.untouched, check.untouched > 0}}};
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const Count& count : counts) {
    const std::string& name = context.strings(count.name);
    const std::string value = with_separators(count.value);
    const float name_width = text_size(context.fonts.small, name).x + context.px(8);
    const float width = name_width + text_size(context.fonts.small_semibold, value).x;
    if (position.x + width > right) return;
    draw_text(list, context.fonts.small, position, theme.muted, name);
    draw_text(list, context.fonts.small_semibold, {position.x + name_width, position.y},
              count.bad ? theme.error : theme.text, value);
    explain_rect(context, position, {position.x + width, position.y + context.px(kRow)},
                 context.strings(std::string(count.name) + "_meaning"));
    position.x += width + context.px(28);
  }
}

void draw_row(CorrectnessFrame& frame, const TableRow& row, ImVec2 low, float right, std::span<const float> columns) {
  PanelContext& context = frame.context;
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float height = context.px(kRow), top = centred_top(font, low.y + height / 2);
  ImGui::SetCursorScreenPos(low);
  if (hit_area(row.name, {right - low.x, height})) pick_element(frame, row.element);
  if (ImGui::IsItemHovered()) {
    list->AddRectFilled({low.x - context.px(8), low.y}, {right + context.px(8), low.y + height}, theme.raised,
                        context.px(4));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  draw_text(list, font, {low.x, top}, row.colour == theme.text ? theme.muted : row.colour, context.strings(row.name));
  const ElementFacts facts = facts_of(frame.run, frame.output, frame.buffer, row.element);
  const auto text = [](const std::optional<double>& value, auto format) {
    return value ? format(*value) : std::string("–");
  };
  std::pair pair{text(facts.expected, value_text), text(facts.got, value_text)};
  if (facts.expected && facts.got) pair = told_apart(*facts.expected, *facts.got);
  const std::array<std::string, 5> values{"[" + element_text(frame.spec(), row.element) + "]", pair.first, pair.second,
                                          text(facts.error, error_text), text(facts.allowed, error_text)};
  std::string left_out;  // columns for which there is no room
  for (size_t i = columns.size(); i < values.size(); ++i)
    left_out += context.strings.format("correctness.left_out", fmt::arg("column", context.strings(kColumnTitles[i])),
                                       fmt::arg("value", values[i])) +
                "\n";
  explain(context, left_out + context.strings("correctness.row_meaning"));
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool bad = !facts.pass && (i == 2 || i == 3);
    draw_text_right(list, bad ? context.fonts.small_semibold : font, {columns[i], top}, bad ? theme.error : theme.text,
                    values[i]);
  }
}

void draw_table(CorrectnessFrame& frame, size_t most, ImVec2 low, float right) {
  PanelContext& context = frame.context;
  // In a narrow window the last columns are omitted; each row's explanation has them.
  const float first = context.px(112), room = right - low.x - first;
  const auto count = static_cast<size_t>(std::clamp(std::floor(room / context.px(78)), 1.0F, 5.0F));
  const float each = room / static_cast<float>(count);
  std::array<float, 5> places{};
  for (size_t i = 0; i < count; ++i) places[i] = std::round(low.x + first + each * static_cast<float>(i + 1));
  const std::span<const float> columns(places.data(), count);
  static constexpr std::array<const char*, 5> kMeanings{
      "correctness.column_element_meaning", "correctness.column_expected_meaning", "correctness.column_got_meaning",
      "correctness.column_error_meaning", "controls.allowed_meaning"};
  for (size_t i = 0; i < count; ++i)
    explain_rect(context, {columns[i] - each, low.y}, {columns[i], low.y + context.px(kRow)},
                 context.strings(kMeanings[i]));
  for (size_t i = 0; i < count; ++i)
    draw_text_right(ImGui::GetWindowDrawList(), context.fonts.small,
                    {columns[i], centred_top(context.fonts.small, low.y + context.px(kRow) / 2)}, context.theme.muted,
                    context.strings(kColumnTitles[i]));
  for (const TableRow& row : rows_of(frame, most)) {
    low.y += context.px(kRow);
    draw_row(frame, row, low, right, columns);
  }
}

void draw_finding(PanelContext& context, const Finding& finding, size_t index, ImVec2 low, float right) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = context.px(kRow), top = centred_top(context.fonts.small, low.y + height / 2);
  ImGui::PushID(static_cast<int>(index));
  ImGui::SetCursorScreenPos(low);
  if (hit_area("finding", {right - low.x, height})) select_finding(context.view, *context.result, finding);
  mark(context, "finding." + std::to_string(index), low, {right, low.y + height});
  if (ImGui::IsItemHovered()) {
    list->AddRectFilled({low.x - context.px(8), low.y}, {right, low.y + height}, theme.raised, context.px(4));
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  explain(context, finding_meaning(context.strings, finding.id) + "\n" + finding_text(context.strings, finding));
  ImGui::PopID();
  std::string title = finding_name(context.strings, finding.id);
  if (finding.count > 1) title += " ×" + with_separators(finding.count);
  const float width = draw_text(list, context.fonts.small_semibold, {low.x, top}, theme.error, title).x;
  const auto place = [](const Dim3& at) { return fmt::format("({},{},{})", at.x, at.y, at.z); };
  std::string where =
      context.strings.format("correctness.finding", fmt::arg("line", finding.line),
                             fmt::arg("block", place(finding.block)), fmt::arg("thread", place(finding.thread)));
  if (finding.header_line != 0)
    where =
        context.strings.format("correctness.finding_in_header", fmt::arg("header", file_name_of(finding.header_file)),
                               fmt::arg("header_line", finding.header_line), fmt::arg("where", where));
  const float x = low.x + width + context.px(10);
  draw_text(list, context.fonts.small, {x, top}, theme.text, fit_text(context.fonts.small, where, right - x));
}

}  // namespace

void draw_findings(PanelContext& context, const RunResult& run, ImVec2 low, float right, size_t most, bool titled) {
  if (titled) {
    const std::string title = run.findings.size() > most
                                  ? context.strings.format("correctness.findings_more", fmt::arg("shown", most),
                                                           fmt::arg("all", run.findings.size()))
                                  : context.strings("correctness.findings");
    draw_text(ImGui::GetWindowDrawList(), context.fonts.small,
              {low.x, centred_top(context.fonts.small, low.y + context.px(kRow) / 2)}, context.theme.muted, title);
    low.y += context.px(kRow);
  }
  for (size_t i = 0; i < most; ++i, low.y += context.px(kRow)) draw_finding(context, run.findings[i], i, low, right);
}

StripLayout lay_out_strip(const CorrectnessFrame& frame, ImVec2 room) {
  const PanelContext& context = frame.context;
  const bool is_short = room.y < context.px(kShort);
  StripLayout layout;
  layout.beside = room.x >= context.px(kTable + kGap + kLeastFindings);
  layout.rows = is_short              ? 2
                : frame.check().first ? 3
                                      : 2;  // one row is reserved for the hovered element, so that
                                            // nothing moves
  layout.findings = std::min(frame.run.findings.size(), is_short ? size_t{2} : kMostFindings);
  size_t rows = layout.rows + 1;
  if (layout.findings > 0) rows = layout.beside ? std::max(rows, layout.findings + 1) : rows + layout.findings;
  layout.height = context.px(kTop + kCounts + kBottom + kRow * static_cast<float>(rows));
  return layout;
}

void draw_correctness_strip(CorrectnessFrame& frame, const StripLayout& layout, ImVec2 low, ImVec2 high) {
  PanelContext& context = frame.context;
  const float width = high.x - low.x, counts = low.y + context.px(kTop), table = counts + context.px(kCounts);
  draw_counts(frame, {low.x, counts}, high.x);
  draw_table(frame, layout.rows, {low.x, table}, low.x + std::min(width, context.px(kTable)));
  if (layout.findings == 0) {
    if (layout.beside)
      draw_error_spread(frame, {low.x + context.px(kTable + kGap), counts}, {high.x, high.y - context.px(kBottom)});
    return;
  }
  const ImVec2 corner = layout.beside ? ImVec2(low.x + context.px(kTable + kGap), table)
                                      : ImVec2(low.x, table + context.px(kRow) * static_cast<float>(layout.rows + 1));
  draw_findings(context, frame.run, corner, high.x, layout.findings, layout.beside);
}

}  // namespace tilescope
