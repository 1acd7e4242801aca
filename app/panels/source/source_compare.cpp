// The source panel's comparison of two rungs: which ones, the header with the choice, and the lines' margin.
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/draw/menus.hpp"
#include "app/draw/widgets.hpp"
#include "app/panels/source/source_view.hpp"

namespace tilescope {
namespace {

/// The rung whose code runs.
const Rung& run_rung(const PanelContext& context) {
  const ChosenRung chosen = chosen_rung(context);
  return chosen.rung != nullptr ? *chosen.rung : context.rung();
}

/// Rungs of different files have no lines in common.
bool is_comparable(const Rung& rung, const Rung& shown) {
  return !rung.pick && &rung != &shown && rung.kernel_file == shown.kernel_file;
}

}  // namespace

const Rung* compared_rung(const PanelContext& context) {
  const Lab& lab = context.lab();
  const Rung& shown = run_rung(context);
  const auto& wishes = context.view.diff_with;
  if (const auto wish = wishes.find(lab.name); wish != wishes.end())
    if (const Rung* rung = find_rung(lab, wish->second); rung != nullptr && is_comparable(*rung, shown)) return rung;
  // The nearest below it on the ladder, else the nearest above.
  const Rung *below = nullptr, *above = nullptr;
  for (const Rung& rung : lab.rungs) {
    if (!is_comparable(rung, shown)) continue;
    if (&rung < &shown)
      below = &rung;
    else if (above == nullptr)
      above = &rung;
  }
  return below != nullptr ? below : above;
}

void SourcePanel::take_difference(PanelContext& context) {
  const Rung* other = context.view.diff ? compared_rung(context) : nullptr;
  const bool compared = diffing_ && !planted_;
  if (other != nullptr && !compared) {
    apply_edits(context, true);
    page_ = SourcePage::source;
    source_.editable = false;
    source_.close_bar();
  }
  planted_ = other == nullptr && wants_planted(context) && take_planted(context);
  diffing_ = other != nullptr || planted_;
  if (other == nullptr) return;
  const Request& request = context.session.request();
  const auto* chosen = context.session.chosen();
  const std::vector<std::string>& shown = chosen != nullptr ? chosen->kernels : run_rung(context).kernels;
  const std::vector<std::string> others =
      context.session.shows_own() ? other->kernels : launched_kernels(*other, request.config);
  other_ = other->name;
  // The order of the ladder, whichever has run: what the later rung adds is an addition.
  const bool is_first = &run_rung(context) < other;
  run_side_ = is_first ? DiffView::kLeft : DiffView::kRight;
  const std::vector<std::string>&left = is_first ? shown : others, &right = is_first ? others : shown;
  if (!is_new_difference(false, left, right)) return;
  before_lines_ = 0;
  joined_.emplace(source_.buffer.text(), headers_);
  diff_.show(diff_of_kernels(joined_->text(), left, right, language()), joined_->lines(), syntax());
}

/// Whether the difference that is asked for differs from the one that was computed last, which it replaces.
bool SourcePanel::is_new_difference(bool planted, const std::vector<std::string>& left,
                                    const std::vector<std::string>& right) {
  Difference wanted{lab_, source_.buffer.revision(), headers_revision_, planted, left, right};
  if (diffed_ == wanted) return false;
  diffed_ = std::move(wanted);
  return true;
}

/// Which line of which file stands in a row of the difference.
JoinedSource::Place SourcePanel::place_in_diff(uint32_t line) const {
  return joined_->place_of(line > before_lines_ ? line - before_lines_ : line);
}

void SourcePanel::draw_diff(PanelContext& context, ImVec2 size) {
  if (diff_.diff().same()) {
    ImGui::BeginChild("no-difference", size);
    empty_state(context, context.strings("source.diff_same"), context.strings("source.diff_same_hint"));
    ImGui::EndChild();
    return;
  }
  DiffView::Hooks hooks;
  hooks.run_side = run_side_;
  hooks.margin_width = context.px(kSourceMargin);
  hooks.margin_key = 4 * ledger_version_ + 2 * run_side_ + (lines_agree() ? 1 : 0);
  const auto place_of = [this](uint32_t line) { return place_in_diff(line); };
  hooks.has_margin = [&](uint32_t line) {
    const auto place = place_of(line);
    if (place.header) return header_traffic(*place.header, place.line) != nullptr;
    return lines_agree() && ledger_.lines.contains(place.line);
  };
  hooks.number = [&](uint32_t line) { return place_of(line).line; };
  hooks.file = [&](uint32_t line) {
    const auto place = place_of(line);
    return place.header ? headers_[*place.header].name : std::string();
  };
  hooks.fill = [&](uint32_t line) {
    const auto place = place_of(line);
    return place.header ? ImU32{0} : fill_of(context, place.line);
  };
  hooks.is_parameter = [&](std::string_view word) { return is_parameter(context, word); };
  hooks.decorate = [&](uint32_t line, ImVec2 low, ImVec2 high, float text_end) {
    const auto place = place_of(line);
    if (!place.header) return draw_line(context, place.line, low, high, text_end);
    if (const LineLedger* ledger = header_traffic(*place.header, place.line)) draw_traffic(context, *ledger, low, high);
  };
  hooks.decorate_fold = [&](const std::vector<uint32_t>& lines, ImVec2 low, ImVec2 high) {
    LineLedger sum;
    for (const uint32_t line : lines)
      if (const auto found = ledger_.lines.find(place_of(line).line); found != ledger_.lines.end())
        sum.add(found->second);
    if (sum.requests == 0 || !lines_agree()) return 0.0F;
    draw_traffic(context, sum, low, high);
    return context.px(kSourceMargin);
  };
  const DiffView::Outcome outcome = diff_.draw(context, size, hooks);
  if (outcome.clicked) {
    const auto place = place_of(*outcome.clicked);
    selected_here_ = true;
    if (place.header)
      select_caller(context, headers_[*place.header].name, place.line);
    else
      select_line(context.view, context.result.get(), place.line);
  }
  if (outcome.hovered && !place_of(*outcome.hovered).header) context.view.hover.line = place_of(*outcome.hovered).line;
  if (!outcome.parameter.name.empty()) explain_parameter(context, outcome.parameter);
}

void SourcePanel::draw_rung_choices(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(context.px(8), context.px(8)));
  if (ImGui::BeginPopup("compared rung")) {
    int number = 0;
    for (const Rung& rung : context.lab().rungs) {
      ++number;
      if (!is_comparable(rung, run_rung(context))) continue;
      const std::string title = std::to_string(number) + "  " + context.strings(rung.title);
      if (ImGui::Selectable(title.c_str(), rung.name == other_, 0, {context.px(240), 0}))
        context.view.diff_with[context.lab().name] = rung.name;
      mark(context, "source.compare." + rung.name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

/// "−6" beside the title of the left rung, "+9" beside that of the right one.
std::string SourcePanel::count_beside(size_t side) const {
  const SourceDiff& diff = diff_.diff();
  return side == DiffView::kLeft ? "−" + std::to_string(diff.removed) : "+" + std::to_string(diff.added);
}

/// "2  Naive ▾  −6": the rung that is compared with; pressed, it shows the choice. Returns where it ends.
float SourcePanel::draw_other_rung(PanelContext& context, ImVec2 low, float right, float middle) {
  const Theme& theme = context.theme;
  ImFont* font = context.fonts.small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rung* other = find_rung(context.lab(), other_);
  if (other == nullptr) return low.x;
  const size_t side = 1 - run_side_;
  const auto number = std::to_string(other - context.lab().rungs.data() + 1);
  const std::string count = count_beside(side);
  const float chevron = context.px(20), count_width = text_size(font, count).x + context.px(12);
  const float top = centred_top(font, middle);
  float x = low.x + draw_text(list, font, {low.x, top}, theme.muted, number).x + context.px(8);
  const std::string title = context.strings(other->title);
  const float room = right - x - chevron - count_width;
  const std::string shown = fit_text(font, title, std::max(room, context.px(24)));
  const ImVec2 button_low{low.x - context.px(4), middle - context.px(12)};
  const ImVec2 button_high{x + text_size(font, shown).x + chevron, middle + context.px(12)};
  ImGui::SetCursorScreenPos(button_low);
  if (hit_area("comparison.rung", {button_high.x - button_low.x, button_high.y - button_low.y}))
    open_menu(context.view, "compared rung");
  const bool hovered = ImGui::IsItemHovered();
  const char* meaning = side == DiffView::kLeft ? "source.diff_left_meaning" : "source.diff_right_meaning";
  explain(context, title + "\n" + context.strings("source.diff_other_meaning") + " " + context.strings(meaning));
  mark(context, "comparison.rung", button_low, button_high);
  x += draw_text(list, font, {x, top}, hovered ? theme.accent : theme.text, shown).x;
  draw_chevron(list, {x + context.px(10), middle}, context.px(8), hovered ? theme.accent : theme.muted);
  x += chevron + context.px(4);
  const ImU32 colour = side == DiffView::kLeft ? theme.error : theme.ok;
  if (room > context.px(24)) x += draw_text(list, font, {x, top}, colour, count).x;
  ImGui::SetNextWindowPos({button_low.x, button_high.y + context.px(4)}, ImGuiCond_Always);
  draw_rung_choices(context);
  return x;
}

/// "3  Shared tile  +9": the rung that has run. Returns where it ends.
float SourcePanel::draw_run_rung(PanelContext& context, ImVec2 low, float right, float middle) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rung& rung = run_rung(context);
  const auto number = std::to_string(&rung - context.lab().rungs.data() + 1);
  const std::string count = count_beside(run_side_);
  ImFont *font = context.fonts.small, *bold = context.fonts.small_semibold;
  const float top = centred_top(font, middle), count_width = text_size(font, count).x + context.px(12);
  float x = low.x + draw_text(list, font, {low.x, top}, theme.muted, number).x + context.px(8);
  const std::string title = context.strings(rung.title);
  const float room = right - x - count_width;
  if (room < context.px(24)) return x;
  const float title_x = x;
  x +=
      draw_text(list, bold, {x, centred_top(bold, middle)}, theme.text, fit_text(bold, title, room)).x + context.px(12);
  x += draw_text(list, font, {x, top}, run_side_ == DiffView::kLeft ? theme.error : theme.ok, count).x;
  const char* meaning = run_side_ == DiffView::kLeft ? "source.diff_left_meaning" : "source.diff_right_meaning";
  explain_rect(context, {title_x, low.y}, {x, low.y + context.px(kDiffHeader)},
               title + "\n" + context.strings("source.diff_shown_meaning") + " " + context.strings(meaning));
  mark(context, "comparison.run", {title_x, low.y}, {x, low.y + context.px(kDiffHeader)});
  return x;
}

/// The titles of both rungs above their columns.
void SourcePanel::draw_diff_header(PanelContext& context, ImVec2 low, float width) {
  const float middle = low.y + context.px(kDiffHeader) / 2, right = low.x + width - context.px(16);
  const auto draw_side = [&](size_t side, float left, float end) {
    return side == run_side_ ? draw_run_rung(context, {left, low.y}, end, middle)
                             : draw_other_rung(context, {left, low.y}, end, middle);
  };
  if (const float second = DiffView::second_column(context, width, run_side_); second > 0) {
    ImGui::GetWindowDrawList()->AddRectFilled({low.x + second, low.y},
                                              {low.x + second + context.px(1), low.y + context.px(kDiffHeader)},
                                              context.theme.separator);
    draw_side(DiffView::kLeft, low.x + DiffView::text_offset(context), low.x + second - context.px(16));
    draw_side(DiffView::kRight, low.x + second + DiffView::text_offset(context), right);
    return;
  }
  const float left = low.x + context.px(24), half = left + (right - left) / 2;
  const float end = draw_side(DiffView::kLeft, left, half);
  draw_side(DiffView::kRight, end + context.px(20), right);
}

}  // namespace tilescope
