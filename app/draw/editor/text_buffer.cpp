#include "app/draw/editor/text_buffer.hpp"

#include <algorithm>
#include <cctype>

namespace tilescope {
namespace {

constexpr std::string_view kTab = "  ";
constexpr size_t kHistoryLimit = 4096;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

size_t next_character(const std::string& line, size_t column) {
  do ++column;
  while (column < line.size() && continues_character(line[column]));
  return std::min(column, line.size());
}

size_t previous_character(const std::string& line, size_t column) {
  do --column;
  while (column > 0 && continues_character(line[column]));
  return column;
}

/// 0 space, 1 word, 2 anything else: a word movement stops where the class changes.
int class_of(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (std::isspace(byte) != 0) return 0;
  return std::isalnum(byte) != 0 || c == '_' || byte >= 0x80 ? 1 : 2;
}

size_t indentation(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find('\n', begin);
    std::string_view line = text.substr(begin, end == std::string_view::npos ? end : end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    if (end == std::string_view::npos) return lines;
    begin = end + 1;
  }
}

/// Replaces tabs by spaces and removes carriage returns, so that a column is a cell of the screen.
std::string cleaned(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '\t')
      result += kTab;
    else if (c != '\r')
      result += c;
  }
  return result;
}

}  // namespace

void TextBuffer::reset(std::string_view text) {
  const size_t before = lines_.size();
  lines_ = split_lines(text);
  cursor_ = anchor_ = {};
  wanted_column_ = 0;
  history_.clear();
  undone_ = 0;
  grouping_ = false;
  changes_.push_back({0, before, lines_.size()});
  ++revision_;
}

std::string TextBuffer::text() const {
  std::string result;
  for (size_t index = 0; index < lines_.size(); ++index) {
    if (index > 0) result += '\n';
    result += lines_[index];
  }
  return result;
}

std::vector<LineChange> TextBuffer::take_changes() { return std::exchange(changes_, {}); }

TextRange TextBuffer::selection() const { return {std::min(cursor_, anchor_), std::max(cursor_, anchor_)}; }

std::string TextBuffer::selected_text() const { return text_in(selection()); }

std::string TextBuffer::text_in(TextRange range) const {
  if (range.begin.line == range.end.line)
    return lines_[range.begin.line].substr(range.begin.column, range.end.column - range.begin.column);
  std::string result = lines_[range.begin.line].substr(range.begin.column);
  for (size_t line = range.begin.line + 1; line < range.end.line; ++line) result += "\n" + lines_[line];
  return result + "\n" + lines_[range.end.line].substr(0, range.end.column);
}

TextPosition TextBuffer::clamp(TextPosition position) const {
  if (position.line >= lines_.size()) return {lines_.size() - 1, lines_.back().size()};
  const std::string& line = lines_[position.line];
  position.column = std::min(position.column, line.size());
  while (position.column > 0 && position.column < line.size() && continues_character(line[position.column]))
    --position.column;
  return position;
}

void TextBuffer::place(TextPosition position, bool extend) {
  cursor_ = clamp(position);
  if (!extend) anchor_ = cursor_;
  wanted_column_ = cursor_.column;
  grouping_ = false;
}

void TextBuffer::select_all() {
  anchor_ = {};
  place({lines_.size() - 1, lines_.back().size()}, true);
}

void TextBuffer::select_word(TextPosition position) {
  position = clamp(position);
  const std::string& line = lines_[position.line];
  if (line.empty()) return place(position);
  size_t begin = std::min(position.column, line.size() - 1);
  size_t end = begin;
  const int kind = class_of(line[begin]);
  while (begin > 0 && class_of(line[begin - 1]) == kind) --begin;
  while (end < line.size() && class_of(line[end]) == kind) ++end;
  place({position.line, begin});
  place({position.line, end}, true);
}

void TextBuffer::select_line(size_t line) {
  place({line, 0});
  place(line + 1 < lines_.size() ? TextPosition{line + 1, 0} : TextPosition{line, lines_[line].size()}, true);
}

TextPosition TextBuffer::moved(TextPosition from, Movement movement) const {
  const std::string& line = lines_[from.line];
  switch (movement) {
    case Movement::left:
      if (from.column > 0) return {from.line, previous_character(line, from.column)};
      return from.line > 0 ? TextPosition{from.line - 1, lines_[from.line - 1].size()} : from;
    case Movement::right:
      if (from.column < line.size()) return {from.line, next_character(line, from.column)};
      return from.line + 1 < lines_.size() ? TextPosition{from.line + 1, 0} : from;
    case Movement::word_left: {
      if (from.column == 0) return moved(from, Movement::left);
      size_t column = from.column;
      while (column > 0 && class_of(line[column - 1]) == 0) --column;
      const int kind = column > 0 ? class_of(line[column - 1]) : 0;
      while (column > 0 && class_of(line[column - 1]) == kind) --column;
      return {from.line, column};
    }
    case Movement::word_right: {
      if (from.column == line.size()) return moved(from, Movement::right);
      size_t column = from.column;
      const int kind = class_of(line[column]);
      while (column < line.size() && class_of(line[column]) == kind) ++column;
      while (column < line.size() && class_of(line[column]) == 0) ++column;
      return {from.line, column};
    }
    case Movement::line_start: {
      const size_t first = indentation(line);
      return {from.line, from.column == first ? 0 : first};
    }
    case Movement::line_end:
      return {from.line, line.size()};
    case Movement::text_start:
      return {};
    case Movement::text_end:
      return {lines_.size() - 1, lines_.back().size()};
    case Movement::up:
      return from.line > 0 ? clamp({from.line - 1, wanted_column_}) : TextPosition{};
    case Movement::down:
      return from.line + 1 < lines_.size() ? clamp({from.line + 1, wanted_column_})
                                           : TextPosition{from.line, line.size()};
  }
  return from;
}

void TextBuffer::move(Movement movement, bool extend, size_t count) {
  grouping_ = false;
  const bool sideways = movement == Movement::left || movement == Movement::right;
  if (!extend && sideways && !selection().empty()) {
    place(movement == Movement::left ? selection().begin : selection().end);
    return;
  }
  const bool vertical = movement == Movement::up || movement == Movement::down;
  for (size_t step = 0; step < count; ++step) cursor_ = moved(cursor_, movement);
  if (!vertical) wanted_column_ = cursor_.column;
  if (!extend) anchor_ = cursor_;
}

TextPosition TextBuffer::end_of(TextPosition begin, std::string_view text) const {
  const size_t last = text.rfind('\n');
  if (last == std::string_view::npos) return {begin.line, begin.column + text.size()};
  return {begin.line + static_cast<size_t>(std::ranges::count(text, '\n')), text.size() - last - 1};
}

TextPosition TextBuffer::splice(TextRange range, std::string_view text) {
  std::vector<std::string> added = split_lines(text);
  added.front().insert(0, lines_[range.begin.line], 0, range.begin.column);
  added.back() += lines_[range.end.line].substr(range.end.column);
  const size_t removed = range.end.line - range.begin.line + 1;
  changes_.push_back({range.begin.line, removed, added.size()});
  const auto at = lines_.begin() + static_cast<std::ptrdiff_t>(range.begin.line);
  const auto rest = lines_.erase(at, at + static_cast<std::ptrdiff_t>(removed));
  lines_.insert(rest, std::make_move_iterator(added.begin()), std::make_move_iterator(added.end()));
  ++revision_;
  return end_of(range.begin, text);
}

bool TextBuffer::merges(const Edit& edit) const {
  if (!grouping_ || undone_ > 0 || history_.empty() || history_.back().kind != edit.kind) return false;
  const Edit& last = history_.back();
  if (edit.kind == Kind::typing)
    return edit.removed.empty() && end_of(last.begin, last.inserted) == edit.begin && edit.inserted != "\n" &&
           // A word and the following space are one undo step; the next word starts a new one.
           !(last.inserted.ends_with(' ') && !edit.inserted.starts_with(' '));
  if (edit.kind == Kind::erasing)
    return last.inserted.empty() && (end_of(edit.begin, edit.removed) == last.begin || edit.begin == last.begin);
  return false;
}

void TextBuffer::replace(TextRange range, std::string_view text, Kind kind) {
  if (range.empty() && text.empty()) return;
  Edit edit{range.begin, text_in(range), std::string(text), cursor_, anchor_, {}, {}, kind};
  cursor_ = anchor_ = splice(range, text);
  wanted_column_ = cursor_.column;
  edit.cursor_after = edit.anchor_after = cursor_;
  if (merges(edit)) {
    Edit& last = history_.back();
    if (edit.begin < last.begin)
      last.removed.insert(0, edit.removed);
    else
      last.removed += edit.removed;
    last.begin = std::min(last.begin, edit.begin);
    last.inserted += edit.inserted;
    last.cursor_after = last.anchor_after = cursor_;
  } else {
    history_.resize(history_.size() - undone_);
    undone_ = 0;
    if (history_.size() == kHistoryLimit) history_.erase(history_.begin());
    history_.push_back(std::move(edit));
  }
  grouping_ = kind != Kind::other;
}

void TextBuffer::type(std::string_view text) {
  TextRange range = selection();
  const std::string& line = lines_[range.begin.line];
  // A closing brace at the start of a line is outdented by one level.
  if (text == "}" && range.begin.column >= style.indent.size() && indentation(line) >= range.begin.column) {
    range.begin.column -= style.indent.size();
    return replace(range, text, Kind::other);
  }
  replace(range, cleaned(text), Kind::typing);
}
void TextBuffer::paste(std::string_view text) { replace(selection(), cleaned(text), Kind::other); }
void TextBuffer::erase_selection() { replace(selection(), {}, Kind::other); }

void TextBuffer::new_line() {
  const TextPosition at = selection().begin;
  const std::string before = lines_[at.line].substr(0, at.column);
  std::string text = "\n" + std::string(indentation(before), ' ');
  const size_t last = before.find_last_not_of(' ');
  const bool opens = last != std::string::npos && before[last] == style.opens;
  if (opens) text += style.indent;
  replace(selection(), text, Kind::other);
  // Between braces, the closing one moves to a separate line.
  if (opens && style.opens == '{' && lines_[cursor_.line].substr(cursor_.column).starts_with('}')) {
    const TextPosition inside = cursor_;
    replace({inside, inside}, "\n" + std::string(indentation(before), ' '), Kind::other);
    place(inside);
  }
}

void TextBuffer::erase_left(bool word) {
  if (!selection().empty()) return erase_selection();
  TextPosition from = moved(cursor_, word ? Movement::word_left : Movement::left);
  // Inside the indentation, one level is removed.
  const std::string& line = lines_[cursor_.line];
  if (!word && cursor_.column >= style.indent.size() && cursor_.column % style.indent.size() == 0 &&
      indentation(line) >= cursor_.column)
    from.column = cursor_.column - style.indent.size();
  replace({from, cursor_}, {}, Kind::erasing);
}

void TextBuffer::erase_right(bool word) {
  if (!selection().empty()) return erase_selection();
  replace({cursor_, moved(cursor_, word ? Movement::word_right : Movement::right)}, {}, Kind::erasing);
}

std::pair<size_t, size_t> TextBuffer::selected_lines() const {
  const TextRange range = selection();
  // A selection that ends at the start of a line does not include that line.
  const bool open = range.end.line > range.begin.line && range.end.column == 0;
  return {range.begin.line, open ? range.end.line - 1 : range.end.line};
}

void TextBuffer::replace_lines(size_t first, size_t last, const std::vector<std::string>& lines) {
  std::string text;
  for (size_t index = 0; index < lines.size(); ++index) text += (index > 0 ? "\n" : "") + lines[index];
  const std::vector<TextPosition> ends{cursor_, anchor_};
  replace({{first, 0}, {last, lines_[last].size()}}, text, Kind::other);
  cursor_ = clamp(ends[0]);
  anchor_ = clamp(ends[1]);
  history_.back().cursor_after = cursor_;
  history_.back().anchor_after = anchor_;
}

void TextBuffer::indent() {
  const auto [first, last] = selected_lines();
  if (first == last && selection().begin.line == selection().end.line) {
    const size_t column = selection().begin.column;
    return replace(selection(), style.indent.substr(column % style.indent.size()), Kind::other);
  }
  std::vector<std::string> lines(lines_.begin() + static_cast<std::ptrdiff_t>(first),
                                 lines_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  for (auto& line : lines)
    if (!line.empty()) line.insert(0, style.indent);
  replace_lines(first, last, lines);
}

void TextBuffer::unindent() {
  const auto [first, last] = selected_lines();
  std::vector<std::string> lines(lines_.begin() + static_cast<std::ptrdiff_t>(first),
                                 lines_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  const auto before = lines;
  for (auto& line : lines) line.erase(0, std::min(indentation(line), style.indent.size()));
  if (lines == before) return;
  const size_t cursor_shift = std::min(indentation(lines_[cursor_.line]), style.indent.size());
  replace_lines(first, last, lines);
  if (cursor_ == anchor_) place({cursor_.line, cursor_.column - std::min(cursor_.column, cursor_shift)});
}

void TextBuffer::move_lines(bool down) {
  const auto [first, last] = selected_lines();
  if (down ? last + 1 >= lines_.size() : first == 0) return;
  const size_t from = down ? first : first - 1;
  const size_t to = down ? last + 1 : last;
  std::vector<std::string> lines(lines_.begin() + static_cast<std::ptrdiff_t>(from),
                                 lines_.begin() + static_cast<std::ptrdiff_t>(to) + 1);
  std::rotate(lines.begin(), down ? lines.end() - 1 : lines.begin() + 1, lines.end());
  const TextPosition cursor = cursor_, anchor = anchor_;
  replace_lines(from, to, lines);
  const auto shifted = [down](TextPosition position) {
    return TextPosition{down ? position.line + 1 : position.line - 1, position.column};
  };
  cursor_ = history_.back().cursor_after = clamp(shifted(cursor));
  anchor_ = history_.back().anchor_after = clamp(shifted(anchor));
}

void TextBuffer::duplicate_lines() {
  const auto [first, last] = selected_lines();
  std::string text;
  for (size_t line = first; line <= last; ++line) text += "\n" + lines_[line];
  const TextPosition cursor = cursor_, anchor = anchor_;
  const TextPosition end{last, lines_[last].size()};
  replace({end, end}, text, Kind::other);
  const size_t count = last - first + 1;
  cursor_ = history_.back().cursor_after = {cursor.line + count, cursor.column};
  anchor_ = history_.back().anchor_after = clamp({anchor.line + count, anchor.column});
  cursor_ = clamp(cursor_);
}

void TextBuffer::delete_lines() {
  const auto [first, last] = selected_lines();
  const size_t column = cursor_.column;
  TextRange range{{first, 0}, {last, lines_[last].size()}};
  if (last + 1 < lines_.size())
    range.end = {last + 1, 0};
  else if (first > 0)
    range.begin = {first - 1, lines_[first - 1].size()};
  replace(range, {}, Kind::other);
  place({std::min(first, lines_.size() - 1), column});
}

void TextBuffer::toggle_comment() {
  const auto [first, last] = selected_lines();
  std::vector<std::string> lines(lines_.begin() + static_cast<std::ptrdiff_t>(first),
                                 lines_.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  const auto blank = [](const std::string& line) { return indentation(line) == line.size(); };
  const std::string mark(style.comment);
  const bool commented = std::ranges::all_of(
      lines, [&](const std::string& line) { return blank(line) || line.substr(indentation(line)).starts_with(mark); });
  size_t column = std::string::npos;
  for (const auto& line : lines)
    if (!blank(line)) column = std::min(column, indentation(line));
  if (column == std::string::npos) return;
  for (auto& line : lines) {
    if (blank(line)) continue;
    if (!commented)
      line.insert(column, mark + " ");
    else
      line.erase(indentation(line), mark.size() + (line.substr(indentation(line)).starts_with(mark + " ") ? 1 : 0));
  }
  replace_lines(first, last, lines);
}

bool TextBuffer::undo() {
  if (!can_undo()) return false;
  const Edit& edit = history_[history_.size() - 1 - undone_];
  splice({edit.begin, end_of(edit.begin, edit.inserted)}, edit.removed);
  cursor_ = edit.cursor_before;
  anchor_ = edit.anchor_before;
  wanted_column_ = cursor_.column;
  ++undone_;
  grouping_ = false;
  return true;
}

bool TextBuffer::redo() {
  if (!can_redo()) return false;
  const Edit& edit = history_[history_.size() - undone_];
  splice({edit.begin, end_of(edit.begin, edit.removed)}, edit.inserted);
  cursor_ = edit.cursor_after;
  anchor_ = edit.anchor_after;
  wanted_column_ = cursor_.column;
  --undone_;
  grouping_ = false;
  return true;
}

std::optional<TextRange> TextBuffer::find(std::string_view pattern, TextPosition from, bool forward) const {
  if (pattern.empty()) return std::nullopt;
  const bool exact =
      std::ranges::any_of(pattern, [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; });
  const auto same = [exact](char a, char b) {
    return exact ? a == b : std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  from = clamp(from);
  for (size_t step = 0; step <= lines_.size(); ++step) {
    const size_t index = forward ? (from.line + step) % lines_.size()
                                 : (from.line + lines_.size() - step % lines_.size()) % lines_.size();
    const std::string& line = lines_[index];
    const bool first = step == 0, around = step == lines_.size();
    std::optional<TextRange> best;
    for (auto at = line.begin();; ++at) {
      at = std::search(at, line.end(), pattern.begin(), pattern.end(), same);
      if (at == line.end()) break;
      const auto column = static_cast<size_t>(at - line.begin());
      const bool ahead = column >= from.column;
      // On the starting line, matches on the far side of `from` count only after wrapping around.
      if ((first && ahead != forward) || (around && ahead == forward)) continue;
      best = TextRange{{index, column}, {index, column + pattern.size()}};
      if (forward) break;
    }
    if (best) return best;
  }
  return std::nullopt;
}

size_t TextBuffer::replace_all(std::string_view pattern, std::string_view with) {
  std::vector<std::string> lines = lines_;
  const std::string text = cleaned(with);
  size_t count = 0, first = lines_.size(), last = 0;
  std::vector<TextRange> matches;
  for (TextPosition from{};;) {
    const auto match = find(pattern, from);
    if (!match || match->begin < from) break;
    matches.push_back(*match);
    from = match->end;
  }
  // Backwards, so that earlier columns stay valid.
  for (auto match = matches.rbegin(); match != matches.rend(); ++match, ++count) {
    const size_t line = match->begin.line;
    lines[line].replace(match->begin.column, match->end.column - match->begin.column, text);
    first = std::min(first, line);
    last = std::max(last, line);
  }
  if (count == 0) return 0;
  replace_lines(
      first, last,
      {lines.begin() + static_cast<std::ptrdiff_t>(first), lines.begin() + static_cast<std::ptrdiff_t>(last) + 1});
  return count;
}

}  // namespace tilescope
