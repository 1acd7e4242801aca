// The bugs that are switched on, as a difference from the kernel as its file has it.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <iterator>

#include "app/draw/widgets.hpp"
#include "app/panels/source/source_view.hpp"

namespace tilescope {

/// Not over what the learner has asked for: the PTX, a header, the editor, a search.
bool SourcePanel::wants_planted(const PanelContext& context) {
  return !context.session.request().broken.empty() && !shows_listing() && !header_ && !source_.editable &&
         page().bar() == CodeView::Bar::none;
}

/// False where nothing of what the shown kernel uses was changed, or a bug cannot be planted in an edited kernel.
bool SourcePanel::take_planted(PanelContext& context) {
  const std::vector<BreakIt>& switches = context.lab().break_it;
  const std::vector<std::string>& on = context.session.request().broken;
  const auto* chosen = context.session.chosen();
  const std::vector<std::string>& kernels = chosen != nullptr ? chosen->kernels : context.rung().kernels;
  const Rung& rung = chosen != nullptr ? *chosen->resolved.rung : context.rung();
  if (!is_new_difference(true, kernels, on)) return planted_differs_;
  planted_differs_ = false;
  const auto text = with_bugs(source_.buffer.text(), switches, on, rung.kernel_file);
  if (!text) return false;
  std::vector<SourceHeader> headers = headers_;
  for (SourceHeader& header : headers)
    if (auto changed = with_bugs(header.text, switches, on, header.name)) header.text = std::move(*changed);
  joined_.emplace(source_.buffer.text(), headers_);
  const JoinedSource planted(*text, headers);
  std::vector<std::string> lines = joined_->lines();
  before_lines_ = static_cast<uint32_t>(lines.size());
  std::ranges::copy(planted.lines(), std::back_inserter(lines));
  run_side_ = DiffView::kRight;
  diff_.show(diff_of_plants(joined_->text(), planted.text(), kernels, language()), lines, syntax());
  const auto& rows = diff_.diff().rows;
  const auto first = std::ranges::find(rows, DiffRow::Kind::changed, &DiffRow::kind);
  if (first == rows.end()) return false;
  diff_.reveal(first->right);
  planted_differs_ = true;
  return true;
}

/// "The kernel as it is  −1    Planted: Drop the boundary mask  +1".
void SourcePanel::draw_planted_header(PanelContext& context, ImVec2 low, float width) {
  const Theme& theme = context.theme;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = context.fonts.small;
  const float top = centred_top(font, low.y + context.px(kDiffHeader) / 2), right = low.x + width - context.px(16);
  const auto draw_side = [&](float left, float end, const std::string& text, ImU32 colour, size_t side) {
    const std::string count = count_beside(side);
    const float room = end - left - text_size(font, count).x - context.px(12);
    const float x = left + draw_text(list, font, {left, top}, colour, fit_text(font, text, room)).x + context.px(12);
    draw_text(list, font, {x, top}, side == DiffView::kLeft ? theme.error : theme.ok, count);
    return x + text_size(font, count).x;
  };
  mark(context, "source.planted", low, {low.x + width, low.y + context.px(kDiffHeader)});
  std::string bugs;
  for (const BreakIt& one : context.lab().break_it)
    if (std::ranges::find(diffed_->right, one.name) != diffed_->right.end())
      bugs += (bugs.empty() ? "" : " + ") + context.strings(one.title);
  const std::string before = context.strings("source.planted_before");
  const std::string after = context.strings.format("source.planted_after", fmt::arg("bugs", bugs));
  if (const float second = DiffView::second_column(context, width, run_side_); second > 0) {
    list->AddRectFilled({low.x + second, low.y}, {low.x + second + context.px(1), low.y + context.px(kDiffHeader)},
                        theme.separator);
    draw_side(low.x + DiffView::text_offset(context), low.x + second - context.px(16), before, theme.muted,
              DiffView::kLeft);
    draw_side(low.x + second + DiffView::text_offset(context), right, after, theme.text, DiffView::kRight);
    return;
  }
  const float left = low.x + context.px(24);
  const float end = draw_side(left, left + (right - left) / 2, before, theme.muted, DiffView::kLeft);
  draw_side(end + context.px(20), right, after, theme.text, DiffView::kRight);
}

}  // namespace tilescope
