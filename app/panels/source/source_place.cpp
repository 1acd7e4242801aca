// Which lines of the source are in sight: the kernel of the chosen rung from its head, and the line that the view above
// is about. A new place is scrolled to; the code view keeps it when rows move, until the learner scrolls.
#include <algorithm>

#include "app/panels/source/source_view.hpp"
#include "app/views/view.hpp"

namespace tilescope {
namespace {

bool speaks_of_lines(const PanelContext& context) {
  return context.shown != nullptr && context.shown->speaks_of_lines();
}

}  // namespace

bool ledger_in_columns(const PanelContext& context) {
  return context.shown != nullptr && context.shown->lower(context, false).areas == Lower::Areas::source;
}

void SourcePanel::take_selection(PanelContext& context) {
  const auto selected = line_of(context.view.selection, context.result.get());
  lit_ = line_of(context.view.hover, context.result.get());
  if (selected == selected_) return;
  selected_ = selected;
  quoted_.clear();
  const bool by_itself = !selected_here_ && context.view.selection == context.view.followed;
  chosen_ = selected_.has_value() && !by_itself;
  if (header_) {
    follow_into_header();
    // A line that somebody selects elsewhere is shown where it stands.
    if (chosen_ && !selected_here_ && called_.empty()) show_header(context, {});
  }
  if (!selected_ || selected_here_) return;
  if (chosen_) diff_.reveal(before_lines_ + *selected_);
  if (const auto row = listing_.first_of(*selected_)) page_view_.reveal(*row, CodeView::Place::middle);
}

/// The views of lines and of instructions show what a line of any function does; beside the others stands the kernel,
/// unless the learner has chosen a line elsewhere.
std::optional<uint32_t> SourcePanel::line_in_sight(const PanelContext& context,
                                                   const std::optional<KernelLines>& kernel) const {
  const bool of_lines = speaks_of_lines(context);
  // The line of a rung that ran before says nothing of this one.
  const bool current = result_ && result_->request.lab == lab_ && result_->request.rung == rung_;
  if (selected_ && (chosen_ || (current && (of_lines || !kernel || kernel->contains(*selected_))))) return selected_;
  if (!of_lines || !current || !lines_agree() || by_line_.empty()) return std::nullopt;
  // A ledger without a row would be an empty one: the kernel's first, else that of a function which it calls.
  const auto inside = kernel ? by_line_.lower_bound(kernel->first) : by_line_.end();
  return inside != by_line_.end() && kernel->contains(inside->first) ? inside->first : by_line_.begin()->first;
}

void SourcePanel::take_place(PanelContext& context) {
  const auto kernel = find_body(source_.buffer.lines(), kernel_, language());
  Sight sight{.lab = lab_, .rung = rung_, .kernel = kernel_, .view = {}, .line = line_in_sight(context, kernel)};
  if (speaks_of_lines(context)) sight.view = context.view.tab;
  const bool here = std::exchange(selected_here_, false) && !shows_listing() && !diffing_ && !header_;
  if (sight == sight_) return;
  // Leaving a view of lines is no reason to move.
  const bool moves = !sight.view.empty() || sight.line || sight.lab != sight_.lab || sight.rung != sight_.rung ||
                     sight.kernel != sight_.kernel;
  sight_ = sight;
  if (!moves) return;
  if (!sight.line) {
    if (kernel) source_.reveal_lines(kernel->first - 1, kernel->signature - 1, kernel->last - 1);
    return;
  }
  const uint32_t line = *sight.line - 1;
  if (here)
    source_.keep(line);
  else if (kernel && kernel->contains(*sight.line))
    source_.reveal_in(kernel->first - 1, kernel->signature - 1, line);
  else
    source_.reveal(line, CodeView::Place::nearest);
}

}  // namespace tilescope
