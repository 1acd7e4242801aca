// Header, footer and error strip of the source panel.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/panels/source/source_view.hpp"
#include "app/views/questions.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

/// The kernel of that name, or the first one that was launched. As the module calls it: a kernel of C++ has a mangled
/// name there.
const KernelInfo* launched_kernel(const RunResult& result, const std::string& name) {
  const auto& launches = result.plan.launches;
  if (launches.empty()) return nullptr;
  const auto found = std::find_if(launches.begin(), launches.end(),
                                  [&name](const Launch& launch) { return kernel_name(launch.kernel) == name; });
  return result.compiled.find((found != launches.end() ? *found : launches.front()).kernel);
}

}  // namespace

bool SourcePanel::action(PanelContext& context, const Action& one, float* right, float middle) {
  const std::string& text = context.strings(one.key);
  const float width = text_size(context.fonts.small, text).x;
  const float room = one.other_key == nullptr
                         ? width
                         : std::max(width, text_size(context.fonts.small, context.strings(one.other_key)).x);
  const ImVec2 low{std::round(*right - room), middle - context.px(12)};
  const ImVec2 high{*right, middle + context.px(12)};
  ImGui::SetCursorScreenPos(low);
  const bool pressed = hit_area(one.name, {high.x - low.x, high.y - low.y});
  const bool hovered = ImGui::IsItemHovered();
  const ImU32 colour = one.on ? context.theme.accent : hovered ? context.theme.text : context.theme.muted;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float x = std::round(low.x + (room - width) / 2);
  draw_text(list, context.fonts.small, {x, centred_top(context.fonts.small, middle)}, colour, text);
  if (one.on || hovered) {
    const float y = middle + context.px(10);
    list->AddRectFilled({x, y}, {x + width, y + context.px(1)}, colour);
  }
  explain(context, context.strings(std::string(one.key) + "_meaning"));
  mark(context, one.name, low, high);
  *right = low.x - context.px(16);
  return pressed;
}

/// Four corners: outwards to take the middle of the window, inwards to give it back.
void SourcePanel::draw_maximise(PanelContext& context, float* right, float middle) {
  const float size = context.px(24), half = context.px(4.5F), leg = context.px(3.5F);
  const float left = std::round(*right - size + context.px(6));
  const ImVec2 low{left, middle - size / 2}, high{left + size, middle + size / 2};
  const ImVec2 centre{(low.x + high.x) / 2, middle};
  bool& on = context.view.source_maximised;
  ImGui::SetCursorScreenPos(low);
  if (hit_area("source.maximise", {size, size})) on = !on;
  const bool hovered = ImGui::IsItemHovered();
  const ImU32 colour = on ? context.theme.accent : hovered ? context.theme.text : context.theme.muted;
  for (const float x : {-1.0F, 1.0F})
    for (const float y : {-1.0F, 1.0F}) {
      const float out = on ? context.px(2) : half, step = on ? leg : -leg;
      const ImVec2 corner{centre.x + x * out, centre.y + y * out};
      const ImVec2 points[] = {{corner.x + x * step, corner.y}, corner, {corner.x, corner.y + y * step}};
      ImGui::GetWindowDrawList()->AddPolyline(points, 3, colour, 0, context.px(1.25F));
    }
  explain(context, context.strings(on ? "source.restore_meaning" : "source.maximise_meaning"));
  mark(context, "source.maximise", low, high);
  *right = low.x - context.px(10);
}

float SourcePanel::draw_actions(PanelContext& context, float right, float middle) {
  draw_maximise(context, &right, middle);
  // A Triton kernel has tabs for what the compiler made of it.
  const bool has_tabs = language() == KernelLanguage::triton;
  const auto page = [&](const char* name, SourcePage one) {
    const bool on = page_ == one;
    if (!has_tabs && action(context, {.name = name, .key = name, .on = on}, &right, middle))
      show_page(context, on ? SourcePage::source : one);
  };
  page("source.host", SourcePage::host);
  page("source.ptx", SourcePage::ptx);
  if (has_program()) {
    if (action(context, {.name = "source.save", .key = "source.save_program"}, &right, middle)) save_program(context);
    if (action(context, {.name = "program copy", .key = "source.copy_program"}, &right, middle)) copy_program(context);
  }
  const bool editing = source_.editable;
  if (action(context,
             {.name = "source.edit",
              .key = editing ? "source.done" : "source.edit",
              .on = editing,
              .other_key = editing ? "source.edit" : "source.done"},
             &right, middle))
    set_editing(context, !editing);
  if (compared_rung(context) != nullptr &&
      action(context, {.name = "source.diff", .key = "source.diff", .on = diffing_ && !planted_}, &right, middle))
    context.view.diff = !diffing_ || planted_;
  const bool edited = taken_edit_.has_value() || edits_pending_;
  const char* save = context.session.shows_own() ? "source.save_own" : "source.save";
  if (edited && action(context, {.name = "source.save", .key = save}, &right, middle)) save_copy(context);
  if (edited && action(context, {.name = "source.revert", .key = "source.revert"}, &right, middle)) revert(context);
  return right;
}

/// The headings at the right, and the room for them where there are none: what is pressed stays where it is.
float SourcePanel::draw_column_heads(PanelContext& context, ImVec2 low, float right, float middle) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  if (ledger_in_columns(context) && columns_.width > 0) {
    if (shows_columns(context)) draw_headings(context, low, right, middle);
    return right - columns_.edges[0] - text_size(font, context.strings("traffic.requests")).x - context.px(24);
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rate = right - context.px(kFigureEnd), bytes = rate - context.px(kRateColumn);
  const float rest = bytes - text_size(font, context.strings("source.bytes")).x - context.px(20);
  if (shows_listing()) return rest;
  const float top = centred_top(font, middle), bottom = low.y + context.px(kSourceHeader);
  draw_text_right(list, font, {rate, top}, theme.muted, context.strings("source.sectors_per_request"));
  explain_rect(context, {rate - context.px(kRateColumn - 4), low.y}, {rate, bottom},
               context.strings("source.sectors_per_request_meaning"));
  draw_text_right(list, font, {bytes, top}, theme.muted, context.strings("source.bytes"));
  explain_rect(context, {bytes - context.px(44), low.y}, {bytes, bottom}, context.strings("source.bytes_meaning"));
  return rest;
}

void SourcePanel::draw_header(PanelContext& context, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float middle = low.y + context.px(kSourceHeader) / 2 + context.px(1);
  const float top = centred_top(font, middle);
  float right = draw_column_heads(context, low, low.x + width, middle);
  // A comparison widens the panel; its buttons stay where they were.
  const float usual = context.view.source_usual_width;
  if (usual > 0 && usual < width) right -= width - usual;
  right = draw_actions(context, right, middle);
  const float after_tabs = draw_page_tabs(context, low, right, middle);
  const float x = draw_file_name(context, {after_tabs, low.y}, right, middle) + context.px(16);
  if (header_) {
    const std::string& about = context.strings("source.header_about");
    if (right - x < context.px(40)) return;
    draw_text(list, font, {x, top}, theme.muted, fit_text(font, about, right - x));
    return explain_rect(context, {x, low.y}, {right, low.y + context.px(kSourceHeader)},
                        context.strings("source.header_meaning"));
  }
  if (has_program()) return;
  std::string about = shown_kernel(context);
  if (taken_edit_ || edits_pending_) about = context.strings("source.edited");
  const bool known = lines_agree() && !taken_edit_;
  const KernelInfo* info = known ? launched_kernel(*result_, shown_kernel(context)) : nullptr;
  std::string shown = about;
  if (info != nullptr) {
    // What the launch asks for on top of what the kernel declares.
    const auto& launches = result_->plan.launches;
    const auto launch = std::ranges::find(launches, info->name, &Launch::kernel);
    const uint64_t shared =
        uint64_t{info->static_shared_bytes} + (launch != launches.end() ? launch->shared_bytes : 0U);
    const auto describe = [&](const char* key) {
      return context.strings.format(key, fmt::arg("kernel", kernel_name(info->name)),
                                    fmt::arg("registers", info->registers),
                                    fmt::arg("shared", with_separators(shared)));
    };
    about = shown = describe("source.resources");
    if (text_size(font, shown).x > right - x && shared == 0) shown = describe("source.resources_short");
  }
  // The tabs of a Triton kernel leave little room: its name, or nothing.
  if (language() == KernelLanguage::triton && text_size(font, shown).x > right - x) {
    shown = shown_kernel(context);
    if (text_size(font, shown).x > right - x) return;
  }
  if (right - x < context.px(40)) return;
  draw_text(list, font, {x, top}, taken_edit_ || edits_pending_ ? theme.accent : theme.muted,
            fit_text(font, shown, right - x));
  explain_rect(context, {x, low.y}, {right, low.y + context.px(kSourceHeader)}, about);
}

bool SourcePanel::draw_error_strip(PanelContext& context, ImVec2 low, ImVec2 high) {
  const auto& error = context.session.error();
  if (!error) return false;
  static constexpr ErrorId kOfTheSource[] = {ErrorId::compile_failed, ErrorId::kernel_not_found, ErrorId::nvrtc_missing,
                                             ErrorId::ptx_syntax, ErrorId::unknown_opcode};
  if (std::ranges::find(kOfTheSource, error->id) == std::end(kOfTheSource)) return false;
  std::string text = errors_.empty() ? with_file_names(sentence(context.strings, *error), *error)
                                     : compile_errors_text(context.strings, errors_, file_);
  std::ranges::replace(text, '\n', ' ');
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(low, high, mix(context.theme.window, context.theme.error, 0.16F));
  const float middle = (low.y + high.y) / 2;
  draw_cross(list, {low.x + context.px(30), middle}, context.px(9), context.theme.error, context.px(1.5F));
  draw_text(list, context.fonts.small, {low.x + context.px(44), centred_top(context.fonts.small, middle)},
            context.theme.error, fit_text(context.fonts.small, text, high.x - low.x - context.px(60)));
  ImGui::SetCursorScreenPos(low);
  if (hit_area("source.error", {high.x - low.x, high.y - low.y}) && !errors_.empty())
    reveal_error(context, errors_.front());
  mark(context, "source.error", low, high);
  explain(context, with_file_names(as_sentence(context.strings, *error), *error));
  return true;
}

/// An error in a header opens the page of that header.
void SourcePanel::reveal_error(PanelContext& context, const CompileMessage& error) {
  if (error.line == 0) return;
  const bool here = is_in_file(error, file_);
  page_ = SourcePage::source;
  show_header(context, here ? std::string() : file_name_of(error.file));
  take_headers(context);
  if (here || header_) page().reveal(error.line - 1, CodeView::Place::middle);
}

void SourcePanel::draw_notice(PanelContext& context, ImVec2 low, float width, float middle) {
  std::string text = notice_, whole = notice_path_;
  ImU32 colour = notice_is_error_ ? context.theme.error : context.theme.muted;
  if (text.empty() && lines_agree() && !result_->findings.empty()) {
    const Finding& first = result_->findings.front();
    text =
        context.strings.format("source.findings", fmt::arg("count", result_->findings.size()),
                               fmt::arg("id", finding_name(context.strings, first.id)), fmt::arg("line", first.line));
    whole = finding_text(context.strings, first);
    colour = context.theme.error;
  }
  if (text.empty() && source_.editable) {
    text = context.strings("source.editing_hint");
    whole = context.strings("source.editing_keys");
  }
  if (text.empty()) return;
  const float x = low.x + context.px(24);
  draw_text(ImGui::GetWindowDrawList(), context.fonts.small, {x, centred_top(context.fonts.small, middle)}, colour,
            fit_text(context.fonts.small, text, width - context.px(24)));
  explain_rect(context, {x, low.y}, {low.x + width, low.y + context.px(kSourceFooter)}, whole);
}

void SourcePanel::draw_footer(PanelContext& context, ImVec2 low, ImVec2 high) {
  if (draw_error_strip(context, low, high)) return;
  if (shows_columns(context)) return draw_column_total(context, low, high);
  const float middle = std::round((low.y + high.y) / 2) - context.px(1);
  const bool total = !shows_listing() && ledger_.total.requests > 0 && lines_agree();
  ImFont *small = context.fonts.small, *font = context.fonts.small_semibold;
  const float right = high.x - context.px(kFigureEnd), bytes_end = right - context.px(kRateColumn);
  const std::string bytes = bytes_text(static_cast<double>(ledger_.total.moved_bytes()));
  const std::string& label = context.strings("source.total");
  const float label_x = bytes_end - text_size(font, bytes).x - context.px(12) - text_size(small, label).x;
  const float left_of_total = std::min(high.x - context.px(kSourceMargin), label_x - context.px(8));
  draw_notice(context, low, (total ? left_of_total : high.x) - low.x - context.px(16), middle);
  if (!total) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float fade = context.stale ? 0.4F : 1.0F;
  const ImU32 text = mix(context.theme.window, context.theme.text, fade);
  list->AddRectFilled({left_of_total, low.y}, {right, low.y + context.px(1)}, context.theme.separator);
  draw_text(list, small, {label_x, centred_top(small, middle)}, context.theme.muted, label);
  if (context.view.hides(ShownNumber::sectors))
    return draw_veil(context, list, {bytes_end - text_size(font, bytes).x, middle - context.px(8)},
                     {right, middle + context.px(8)});
  draw_text_right(list, font, {bytes_end, centred_top(font, middle)}, text, bytes);
  draw_text_right(list, font, {right, centred_top(font, middle)}, text,
                  fmt::format("{:.1f}", ledger_.total.sectors_per_request()));
  explain_traffic(context, ledger_.total, {left_of_total, low.y}, {right, high.y});
}

}  // namespace tilescope
