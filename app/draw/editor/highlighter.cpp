#include "app/draw/editor/highlighter.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

void Highlighter::reset(const std::vector<std::string>& lines) {
  const LineChange everything{0, lines_.size(), lines.size()};
  update(lines, {&everything, 1});
}

void Highlighter::set_syntax(Syntax syntax) {
  if (syntax == syntax_) return;
  syntax_ = syntax;
  retokenize_ = true;
}

size_t Highlighter::update(const std::vector<std::string>& lines, std::span<const LineChange> changes) {
  const bool all = std::exchange(retokenize_, false);
  size_t first = all ? 0 : lines.size();
  for (const LineChange& change : changes) {
    const auto at = lines_.begin() + static_cast<std::ptrdiff_t>(change.first);
    const auto rest = lines_.erase(at, at + static_cast<std::ptrdiff_t>(change.removed));
    lines_.insert(rest, change.added, Line{});
    first = std::min(first, change.first);
  }
  LineState state = first == 0 || first > lines_.size() ? LineState::plain : lines_[first - 1].at_end;
  size_t tokenized = 0;
  for (size_t index = first; index < lines_.size(); ++index) {
    Line& line = lines_[index];
    if (all || !line.read || line.at_start != state) {
      line.read = true;
      line.at_start = state;
      line.tokens = tokenize(syntax_, lines[index], &state);
      line.at_end = state;
      ++tokenized;
    }
    state = line.at_end;
  }
  return tokenized;
}

}  // namespace tilescope
