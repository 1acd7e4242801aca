// What the source panel shows on single lines: selection, traffic, findings, errors, parameters.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/panels/source/source_view.hpp"
#include "app/views/questions.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

std::string with_unit(const std::string& value, const std::string& unit) {
  return unit.empty() ? value : value + " " + unit;
}

}  // namespace

const CompileMessage* SourcePanel::error_in(std::string_view file, uint32_t line) const {
  const auto found = std::ranges::find_if(
      errors_, [&](const CompileMessage& one) { return one.line == line && is_in_file(one, file); });
  return found == errors_.end() ? nullptr : &*found;
}

const Finding* SourcePanel::finding_on(uint32_t line) const {
  if (!lines_agree()) return nullptr;
  for (const Finding& finding : result_->findings) {
    if (finding.line == line && file_name_of(finding.file) == file_name_of(file_)) return &finding;
    if (finding.header_line == line && file_name_of(finding.header_file) == file_name_of(file_)) return &finding;
  }
  return nullptr;
}

ImU32 SourcePanel::fill_of(const PanelContext& context, uint32_t line) const {
  const Theme& theme = context.theme;
  if (error_on(line) != nullptr) return mix(theme.window, theme.error, 0.16F);
  if (selected_ == line) return theme.raised;
  return lit_ == line || (quoted_.contains(line) && !diffing_) ? mix(theme.window, theme.raised, 0.6F) : 0;
}

void SourcePanel::draw_source(PanelContext& context, ImVec2 size) {
  CodeView::Hooks hooks;
  const bool grown = shows_columns(context);
  hooks.margin_width = grown ? columns_.width : context.px(kSourceMargin);
  hooks.margin_key = 4 * ledger_version_ + (grown ? 2 : 0) + (lines_agree() ? 1 : 0);
  hooks.margin_rows = [&, grown](uint32_t line) -> uint32_t {
    if (!lines_agree()) return 0;
    if (!grown) return ledger_.lines.contains(line + 1) ? 1 : 0;
    return static_cast<uint32_t>(rows_of(line + 1).size());
  };
  hooks.fill = [&](uint32_t line) { return fill_of(context, line + 1); };
  hooks.number_colour = [&](uint32_t line) -> ImU32 {
    if (error_on(line + 1) != nullptr || finding_on(line + 1) != nullptr) return context.theme.error;
    return selected_ == line + 1 ? context.theme.text : mix(context.theme.window, context.theme.muted, 0.7F);
  };
  hooks.is_parameter = [&](std::string_view word) { return is_parameter(context, word); };
  hooks.decorate = [&](uint32_t line, ImVec2 low, ImVec2 high, float text_end) {
    draw_line(context, line + 1, low, high, text_end);
  };
  const CodeView::Outcome outcome = source_.draw(context, "source", size, hooks);
  if (outcome.clicked) {
    selected_here_ = true;
    select_line(context.view, context.result.get(), *outcome.clicked + 1);
  }
  take_row(context);
  if (outcome.hovered) context.view.hover.line = *outcome.hovered + 1;
  if (!outcome.parameter.name.empty()) explain_parameter(context, outcome.parameter);
  if (outcome.edited) {
    edits_pending_ = true;
    edited_at_ = ImGui::GetTime();
    context.session.type_source(edited_text());
    notice_.clear();
  }
}

void SourcePanel::draw_line(PanelContext& context, uint32_t line, ImVec2 low, ImVec2 high, float text_end) {
  mark(context, "source.line." + std::to_string(line), low, high);
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const CompileMessage* error = error_on(line);
  const Finding* finding = finding_on(line);
  const bool bad = error != nullptr || finding != nullptr;
  if (selected_ == line || bad)
    list->AddRectFilled(low, {low.x + context.px(2), high.y}, bad ? theme.error : theme.accent);
  const auto ledger = ledger_.lines.find(line);
  const bool grown = shows_columns(context), has_row = grown && lines_agree() && !rows_of(line).empty();
  const bool has_traffic = !grown && ledger != ledger_.lines.end() && lines_agree();
  const float room_end = high.x - (has_row ? columns_.width : context.px(has_traffic ? kSourceMargin : 16));
  if (bad) {
    ImFont* font = context.fonts.small;
    const float x = text_end + context.px(16), room = room_end - x;
    std::string text =
        error != nullptr
            ? error->text
            : context.strings.format("source.finding", fmt::arg("id", finding_name(context.strings, finding->id)),
                                     fmt::arg("count", with_separators(finding->count)));
    if (error == nullptr && text_size(font, text).x > room) text = finding_name(context.strings, finding->id);
    if (room > context.px(56))
      draw_text(list, font, {x, centred_top(font, (low.y + high.y) / 2)}, theme.error, fit_text(font, text, room));
    explain_rect(context, low, {room_end, high.y},
                 error != nullptr ? error->text : finding_text(context.strings, *finding));
  }
  if (has_traffic) {
    draw_traffic(context, ledger->second, low, high);
    // The figures stand in the first row of a line that is wrapped.
    mark(context, "ledger." + std::to_string(line) + ".margin", {high.x - context.px(kSourceMargin), low.y},
         {high.x, low.y + context.px(20)});
  }
  if (has_row) draw_rows(context, line, low, high);
}

void SourcePanel::draw_traffic(PanelContext& context, const LineLedger& ledger, ImVec2 low, ImVec2 high) {
  const float fade = context.stale ? 0.4F : 1.0F;
  const auto shade = [&](ImU32 colour) { return mix(context.theme.window, colour, fade); };
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float middle = (low.y + high.y) / 2, right = high.x - context.px(kFigureEnd);
  if (context.view.hides(ShownNumber::sectors))
    return draw_veil(context, list, {right - context.px(kBarStart), middle - context.px(8)},
                     {right, middle + context.px(8)});
  // A full bar is the busiest line; a line that reads and writes has both colours.
  const float full = context.px(kBarLength), x = right - context.px(kBarStart);
  // That of several lines together may be longer than any one's: it is a full bar, too.
  const double scale = full / static_cast<double>(std::max<uint64_t>({ledger_.largest_line, ledger.moved_bytes(), 1}));
  const float read = static_cast<float>(static_cast<double>(ledger.read_bytes) * scale);
  const float write = static_cast<float>(static_cast<double>(ledger.write_bytes) * scale);
  const float top = std::round(middle - context.px(4)), bottom = top + context.px(8);
  list->AddRectFilled({x, top}, {x + read, bottom}, shade(context.theme.read));
  list->AddRectFilled({x + read, top}, {x + read + write, bottom}, shade(context.theme.write));
  ImFont* font = context.fonts.small;
  const ImU32 text = shade(ledger.wasteful() ? context.theme.error : context.theme.text);
  draw_text_right(list, font, {right - context.px(kRateColumn), centred_top(font, middle)}, text,
                  bytes_text(static_cast<double>(ledger.moved_bytes())));
  draw_text_right(list, font, {right, centred_top(font, middle)}, text,
                  fmt::format("{:.1f}", ledger.sectors_per_request()));
  explain_traffic(context, ledger, {x, low.y}, {right, high.y});
}

void SourcePanel::explain_traffic(PanelContext& context, const LineLedger& ledger, ImVec2 low, ImVec2 high) {
  if (!ImGui::IsMouseHoveringRect(low, high)) return;
  const double used = 100.0 * static_cast<double>(ledger.useful_bytes) /
                      static_cast<double>(std::max<uint64_t>(ledger.moved_bytes(), 1));
  explain_rect(context, low, high,
               context.strings.format("source.line_meaning", fmt::arg("requests", with_separators(ledger.requests)),
                                      fmt::arg("sectors", with_separators(ledger.sectors)),
                                      fmt::arg("moved", with_separators(ledger.moved_bytes())),
                                      fmt::arg("useful", with_separators(ledger.useful_bytes)),
                                      fmt::arg("used", fmt::format("{:.0f}", used))));
}

bool SourcePanel::is_parameter(const PanelContext& context, std::string_view word) {
  const Lab& lab = context.lab();
  return std::ranges::find(lab.params, word, &Param::name) != lab.params.end();
}

void SourcePanel::explain_parameter(PanelContext& context, const HoveredParameter& parameter) {
  const std::string& name = parameter.name;
  const Request& request = context.session.request();
  std::string text;
  for (const Param& param : context.lab().params)
    if (param.name == name)
      text = name + " = " + with_unit(with_separators(request.config.param(name)), context.strings(param.unit)) + "\n" +
             context.strings(param.help);
  explain_rect(context, parameter.low, parameter.high, text);
}

}  // namespace tilescope
