// The cards under the controls: correctness, findings, traffic, predict.
#include <algorithm>
#include <cmath>

#include "app/observed/correctness_model.hpp"
#include "app/observed/result_verdict.hpp"
#include "app/observed/source_model.hpp"
#include "app/observed/traffic_facts.hpp"
#include "app/panels/controls/controls_parts.hpp"
#include "app/panels/controls/sandbox_fields.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

constexpr float kCardsLine = 20;

/// A number in the notation of an error: 2.4e-7, 0.0039, 12.5.
std::string figure(double value) {
  if (std::isnan(value)) return "NaN";
  std::string text = fmt::format("{:.2g}", value);
  if (std::abs(value) >= 1e-4 && std::abs(value) < 1e6) return fmt::format("{:.4g}", value);
  // e-07 → e-7
  if (const size_t exponent = text.find("e-0"); exponent != std::string::npos) text.erase(exponent + 2, 1);
  if (const size_t exponent = text.find("e+0"); exponent != std::string::npos) text.erase(exponent + 2, 1);
  return text;
}

/// What a failed output shows instead of the tolerance: where the first mismatch is, and the values.
void mismatch_lines(Column& column, const Correctness& output) {
  const Theme& theme = column.theme();
  const Strings& text = column.context.strings;
  card_line(column, text("controls.mismatches"),
            text.format("controls.of", fmt::arg("some", with_separators(output.mismatches)),
                        fmt::arg("all", with_separators(output.checked))),
            theme.text, text("correctness.mismatches_meaning"));
  if (!output.first) return;
  const auto index = static_cast<int64_t>(output.first->index);
  std::string place = with_separators(index);
  for (const BufferSpec& buffer : column.context.result->plan.buffers)
    if (buffer.name == output.buffer) place = element_text(buffer, index);  // row and column, for a matrix
  card_line(column, text("controls.first_mismatch"), fmt::format("{}[{}]", output.buffer, place), theme.text,
            text("controls.first_mismatch_meaning"));
  card_line(column, text("controls.expected_got"),
            fmt::format("{}, {}", figure(output.first->expected), figure(output.first->got)), theme.text,
            text("controls.expected_got_meaning"));
}

/// As in the header: green with a check mark only if the checks found nothing either.
void verdict(Column& column, const RunResult& result) {
  using Kind = ResultVerdict::Kind;
  const Theme& theme = column.theme();
  const ResultVerdict said = verdict_of_result(&result, std::nullopt, column.context.strings);
  const ImVec2 centre{column.left + column.px(6.5F), column.y + column.px(13)};
  const float size = column.px(13), thick = column.px(1.75F);
  ImU32 ink = theme.text;
  if (said.kind == Kind::matches)
    draw_check(column.list, centre, size, ink = theme.ok, thick);
  else if (said.kind == Kind::wrong)
    draw_cross(column.list, centre, size, ink = theme.error, thick);
  else
    draw_finding_mark(column.list, centre, size, theme.error, thick);
  // The finding's name above should be read first.
  const float left = column.left + column.px(22), room = column.right - left;
  ImFont* large = column.fonts().title_semibold;
  ImFont* font =
      said.kind == Kind::findings || text_size(large, said.text).x > room ? column.fonts().body_semibold : large;
  column.text(font, left, 20, ink, fit_text(font, said.text, room));
  if (text_size(font, said.text).x > room)
    explain_rect(column.context, {left, column.y}, {column.right, column.y + column.px(26)}, said.text);
  column.y += column.px(28);
}

Badge badge_of(const RunResult& result) {
  return result.request.device == DeviceKind::gpu ? Badge::measured : Badge::simulated;
}

/// There is no result yet, or the run ended in an error: one sentence, and what to do.
void no_result(Column& column) {
  const Session& session = column.context.session;
  const Theme& theme = column.theme();
  if (!session.error() || session.error()->id == ErrorId::cancelled) {
    card_title(column, "controls.correctness", std::nullopt);
    column.y -= column.px(6);
    const bool sampled = column.context.result && column.context.result->blocks_sampled != 0;
    paragraph(column,
              column.context.strings(sampled          ? "controls.not_compared"
                                     : session.busy() ? "controls.running"
                                                      : "controls.press_run"),
              theme.muted);
    column.separator(14);
    return;
  }
  const Error& error = *session.error();
  card_title(column, "controls.no_result", std::nullopt);
  column.y -= column.px(6);
  if (error.id == ErrorId::form_incomplete) {
    paragraph(column, column.context.strings("sandbox.mend_form"), theme.error);
    column.separator(14);
    return;
  }
  // The compiler's whole log is below the source; only its first lines are shown here.
  const Strings& strings = column.context.strings;
  std::string said = with_file_names(sentence(strings, error), error);
  const size_t second_line = std::min(said.size(), said.find('\n') + 1);
  said.resize(std::min(said.size(), said.find('\n', second_line)));
  paragraph(column, said, theme.error);
  if (const std::string hint = strings.hint(error); !hint.empty()) paragraph(column, hint, theme.muted);
  column.separator(14);
}

/// Includes the tolerance at that element, so that it is not mistaken for a failure beside the tolerance's formula.
std::string largest_error_text(const Correctness& output, const Strings& strings) {
  std::string error = error_text(output.largest_error);
  if (output.largest_error == 0 || output.largest_error_index >= output.expected.size()) return error;
  const double expected = output.expected[output.largest_error_index];
  const double allowed = output.tolerance.absolute + output.tolerance.relative * std::fabs(expected);
  return strings.format("controls.of_allowed", fmt::arg("error", error), fmt::arg("allowed", error_text(allowed)));
}

}  // namespace

Dimmed::Dimmed(Column& column) : column_(column), first_(column.list->VtxBuffer.Size), on_(column.context.stale) {}

Dimmed::~Dimmed() {
  if (!on_) return;
  for (int vertex = first_; vertex < column_.list->VtxBuffer.Size; ++vertex) {
    ImU32& colour = column_.list->VtxBuffer[vertex].col;
    const ImU32 alpha = ((colour >> IM_COL32_A_SHIFT) & 255) * 45 / 100;
    colour = (colour & ~IM_COL32_A_MASK) | (alpha << IM_COL32_A_SHIFT);
  }
}

void card_number(Column& column, ImFont* font, float below, ImU32 colour, std::string_view text, bool veiled) {
  if (!veiled) return column.text(font, column.left, below, colour, text);
  draw_veiled_text(column.context, column.list, font, {column.left, baseline_top(font, column.y + column.px(below))},
                   text);
}

void card_line(Column& column, std::string_view label, std::string_view value, ImU32 colour, std::string_view meaning,
               bool veiled) {
  const float top = column.y;
  const Fonts& fonts = column.fonts();
  column.text(fonts.small, column.left, 14, column.theme().muted, label);
  float room = column.width() - text_size(fonts.small, label).x - column.px(8);
  const float wide = text_size(fonts.small, value).x;
  if (wide > room && wide <= column.width()) {  // it gets a separate line
    column.y += column.px(kCardsLine);
    room = column.width();
  }
  const std::string shown = fit_text(fonts.small, value, room);
  if (veiled)
    draw_veiled_text_right(column.context, column.list, fonts.small,
                           {column.right, baseline_top(fonts.small, column.y + column.px(14))}, shown);
  else
    column.text_right(fonts.small, column.right, 14, colour, shown);
  column.y += column.px(kCardsLine);
  if (veiled) return;
  std::string said(meaning);
  if (shown != value) said = std::string(value) + (said.empty() ? "" : "\n" + said);
  explain_rect(column.context, {column.left, top}, {column.right, column.y}, said);
}

float text_link(Column& column, const char* id, const std::string& text, const std::string& meaning, float right,
                float below, bool* pressed) {
  PanelContext& context = column.context;
  ImFont* font = column.fonts().small;
  const ImVec2 size = text_size(font, text);
  const ImVec2 low{right - size.x, column.y + column.px(below - 15)}, high{right, low.y + column.px(kCardsLine)};
  ImGui::SetCursorScreenPos(low);
  *pressed = hit_area(id, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  explain(context, meaning);
  mark(context, id, low, high);
  column.text(font, low.x, below, hovered ? column.theme().text : column.theme().accent, text);
  return low.x;
}

void paragraph(Column& column, std::string_view text, ImU32 colour) {
  const TextRun run[] = {{column.fonts().small, colour, text}};
  column.y += flow_text(column.list, {column.left, column.y}, column.width(), column.px(kCardsLine), run);
}

void card_title(Column& column, const char* title, std::optional<Badge> badge) {
  column.text(column.fonts().small, column.left, 28, column.theme().muted, column.context.strings(title));
  float right = column.right;
  if (badge) right -= draw_badge(column.context, column.list, {column.right, column.y + column.px(13)}, *badge);
  const ImVec2 low{column.left, column.y + column.px(12)}, high{right, column.y + column.px(34)};
  mark(column.context, std::string("title.") + title, low, {column.left + column.px(40), high.y});
  explain_rect(column.context, low, high, column.context.strings(std::string(title) + "_meaning"));
  column.y += column.px(36);
}

void correctness_card(Column& column) {
  const PanelContext& context = column.context;
  const auto& error = context.session.error();
  const bool failed_now = error && error->id != ErrorId::cancelled;
  if (context.result && context.session.shows_own() && context.result->correctness.empty() && !failed_now) {
    const Dimmed dimmed(column);
    return outputs_card(column);
  }
  if (!context.result || context.result->correctness.empty() || failed_now) {
    no_result(column);
    return;
  }
  {
    const Dimmed dimmed(column);
    const Strings& text = context.strings;
    const auto& outputs = context.result->correctness;
    const auto failed = std::find_if(outputs.begin(), outputs.end(), [](const Correctness& one) { return !one.pass; });
    const Correctness& output = failed != outputs.end() ? *failed : outputs.front();
    card_title(column, "controls.correctness", badge_of(*context.result));
    verdict(column, *context.result);
    if (output.pass) {
      card_line(column, text("controls.largest_error"), largest_error_text(output, text), column.theme().text,
                text("controls.largest_error_meaning"));
      card_line(column, text("controls.allowed"), tolerance_text(output.tolerance, text), column.theme().text,
                text("controls.allowed_meaning"));
      card_line(column, text("controls.checked"),
                fmt::format("{} / {}", with_separators(output.checked), with_separators(output.checked)),
                column.theme().text, text("correctness.checked_meaning"));
    } else {
      mismatch_lines(column, output);
    }
  }
  column.separator(16);
}

void findings_card(Column& column) {
  const PanelContext& context = column.context;
  if (!context.result || context.result->findings.empty()) return;
  {
    const Dimmed dimmed(column);
    const Finding& first = context.result->findings.front();
    card_title(column, "controls.findings", Badge::simulated);
    const Fonts& fonts = column.fonts();
    const std::string name = finding_name(context.strings, first.id);
    const std::string count = "× " + with_separators(first.count);
    const float room = column.width() - text_size(fonts.small, count).x - column.px(8);
    ImFont* large = text_size(fonts.title_semibold, name).x <= room ? fonts.title_semibold : fonts.body_semibold;
    column.text(large, column.left, 20, column.theme().error, fit_text(large, name, room));
    column.text_right(fonts.small, column.right, 20, column.theme().text, count);
    const float name_top = column.y;
    column.y += column.px(28);
    const float top = column.y;
    mark(column.context, "finding.name", {column.left, name_top}, {column.right, top});
    explain_rect(column.context, {column.left, name_top}, {column.right, top},
                 finding_meaning(context.strings, first.id));
    paragraph(column, finding_text(context.strings, first), column.theme().text);
    if (const size_t more = context.result->findings.size() - 1; more > 0)
      paragraph(column, context.strings.format("controls.more_findings", fmt::arg("count", more)),
                column.theme().muted);
    ImGui::SetCursorScreenPos({column.left, top});
    if (first.line > 0 && hit_area("finding", {column.width(), column.y - top}))
      column.context.view.selection.line = first.line;
    explain_rect(column.context, {column.left, top}, {column.right, column.y},
                 context.strings("controls.finding_meaning"));
    mark(column.context, "finding", {column.left, top}, {column.right, column.y});
  }
  column.separator(16);
}

void pick_section(Column& column) {
  const PanelContext& context = column.context;
  const ChosenRung chosen = chosen_rung(context);
  if (chosen.pick == nullptr || chosen.rung == nullptr) return;
  column.y += column.px(4);
  card_line(column, context.strings("controls.picked"), context.strings(chosen.rung->title), column.theme().text);
  for (const auto& [name, value] : chosen.pick->params)
    card_line(column, name, param_text(context.lab(), name, value), column.theme().text);
  column.y += column.px(4);
  paragraph(column, context.strings(chosen.pick->why), column.theme().muted);
  column.y += column.px(12);
}

/// Shared memory, if the kernel uses it: passes over the banks, and how many of them conflicts cost.
void shared_card(Column& column) {
  const PanelContext& context = column.context;
  if (!context.result || !context.result->observed) return;
  uint64_t passes = 0, needed = 0;
  for (const LineTraffic& line : context.result->traffic.lines) {
    if (line.space != Space::shared) continue;
    passes += line.wavefronts;
    needed += line.passes;
  }
  if (passes == 0) return;
  const uint64_t conflicts = passes - std::min(passes, needed);
  {
    const Dimmed dimmed(column);
    const float top = column.y;
    card_title(column, "controls.shared_passes", Badge::simulated);
    const ImU32 colour = conflicts * 20 > needed ? column.theme().error : column.theme().text;
    const bool veiled = context.view.hides(ShownNumber::wavefronts);
    explain_rect(column.context, {column.left, top}, {column.right, column.y + column.px(28 + 2 * kCardsLine)},
                 context.strings("controls.shared_meaning"));
    card_number(column, column.fonts().title_semibold, 20, colour, with_separators(passes), veiled);
    column.y += column.px(28);
    card_line(column, context.strings("controls.passes_needed"), with_separators(needed), column.theme().text, {},
              veiled);
    card_line(column, context.strings("controls.bank_conflicts"), with_separators(conflicts), column.theme().text, {},
              veiled);
    mark(column.context, "card.shared", {column.left, top}, {column.right, column.y});
  }
  column.separator(16);
}

void traffic_card(Column& column) {
  const PanelContext& context = column.context;
  if (!context.result) return;
  const Strings& text = context.strings;
  {
    const Dimmed dimmed(column);
    if (!context.result->observed) {
      card_title(column, "controls.traffic", std::nullopt);
      column.y -= column.px(6);
      paragraph(column, sentence(text, context.result->not_observed_reason), column.theme().muted);
    } else {
      const Counters& counters = context.result->traffic.counters;
      const auto moved = static_cast<double>(counters.global_bytes_moved());
      const double useful = moved > 0 ? static_cast<double>(counters.global_bytes_useful()) / moved : 0;
      const float top = column.y;
      card_title(column, "controls.traffic", Badge::simulated);
      const ImU32 colour = useful < 0.75 && moved > 0 ? column.theme().error : column.theme().text;
      const bool veiled = context.view.hides(ShownNumber::sectors);
      const float lines = counters.global_atomic_requests > 0 ? 3 : 2;
      explain_rect(column.context, {column.left, top}, {column.right, column.y + column.px(28 + lines * kCardsLine)},
                   text("controls.traffic_meaning"));
      card_number(column, column.fonts().title_semibold, 20, colour, bytes_text(moved), veiled);
      column.y += column.px(28);
      card_line(column, text("controls.sectors"),
                fmt::format("{}, {}", with_separators(counters.global_load_sectors),
                            with_separators(counters.global_store_sectors)),
                column.theme().text, {}, veiled);
      if (counters.global_atomic_requests > 0)
        card_line(column, text("controls.atomic_sectors"), with_separators(counters.global_atomic_sectors),
                  column.theme().text, {}, veiled);
      card_line(column, text("controls.useful"), percent_text(useful), column.theme().text, {}, veiled);
      mark(column.context, "card.traffic", {column.left, top}, {column.right, column.y});
    }
  }
  column.separator(16);
}

}  // namespace tilescope
