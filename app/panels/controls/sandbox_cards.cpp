// The contents of a user kernel's outputs, and, for labs too, the command line of the same run.
#include <cmath>

#include "app/panels/controls/sandbox_fields.hpp"
#include "engine/numbers.hpp"
#include "engine/report/report.hpp"

namespace tilescope {
namespace {

constexpr float kSandboxLine = 20;

void line(Column& column, std::string_view label, std::string_view value) {
  ImFont* font = column.fonts().small;
  const float room = column.width() - text_size(font, label).x - column.px(8);
  column.text(font, column.left, 14, column.theme().muted, label);
  column.text_right(font, column.right, 14, column.theme().text, fit_text(font, value, room));
  column.y += column.px(kSandboxLine);
}

}  // namespace

void outputs_card(Column& column) {
  const PanelContext& context = column.context;
  const Strings& text = context.strings;
  if (!context.result) return;
  const RunResult& run = *context.result;
  const Badge badge = run.request.device == DeviceKind::gpu ? Badge::measured : Badge::simulated;
  card_title(column, "sandbox.outputs", badge);
  const bool any = !run.statistics.empty();
  for (const OutputStatistics& found : run.statistics) {
    const std::string range =
        found.finite == 0 ? text("sandbox.no_numbers") : short_number(found.low) + " … " + short_number(found.high);
    line(column, run.plan.buffers[found.buffer].name, range);
    if (found.nan > 0) line(column, "  " + text("sandbox.nan"), with_separators(found.nan));
    if (found.untouched > 0) line(column, "  " + text("sandbox.untouched"), with_separators(found.untouched));
  }
  const TextRun said[] = {
      {column.fonts().small, column.theme().muted, text(any ? "sandbox.no_reference" : "sandbox.no_outputs")}};
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kSandboxLine), said);
  column.separator(16);
}

void command_card(Column& column) {
  PanelContext& context = column.context;
  const Theme& theme = column.theme();
  ImFont* font = column.fonts().small;
  card_title(column, "sandbox.command", std::nullopt);
  const std::string& label = context.strings("sandbox.copy");
  const float width = text_size(font, label).x;
  const std::string command = reproducing_command(context.session.request());
  const float title = column.y - column.px(36);
  ImGui::SetCursorScreenPos({column.right - width, title + column.px(12)});
  if (hit_area("copy command", {width, column.px(22)})) {
    ImGui::SetClipboardText(command.c_str());
    context.view.say = context.strings.format("status.copied", fmt::arg("line", command));
  }
  const bool hovered = ImGui::IsItemHovered();
  mark(context, "sandbox.copy", ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  explain(context, context.strings("sandbox.copy_meaning"));
  draw_text_right(column.list, font, {column.right, baseline_top(font, title + column.px(28))},
                  hovered ? theme.text : theme.muted, label);
  const TextRun shown[] = {{font, theme.text, command}};
  const float top = column.y;
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(18), shown);
  explain_rect(context, {column.left, top}, {column.right, column.y}, context.strings("sandbox.command_meaning"));
  column.separator(14);
}

}  // namespace tilescope
