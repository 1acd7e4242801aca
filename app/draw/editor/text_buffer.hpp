// The text of an editor: lines, one selection, undo and redo. No drawing, no ImGui.
//
//     TextBuffer buffer("int i = 0;\n");
//     buffer.place({0, 4});
//     buffer.type("j");            // replaces the selection, if there is one
//     buffer.undo();
//
// Columns are bytes of the line's UTF-8, and movement never stops inside a character. Lines end with '\n' in text();
// the last line has none.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {

struct TextPosition {
  size_t line = 0, column = 0;
  auto operator<=>(const TextPosition&) const = default;
};

struct TextRange {
  TextPosition begin, end;  // begin ≤ end
  bool empty() const { return begin == end; }
  bool operator==(const TextRange&) const = default;
};

/// Lines [first, first + removed) were replaced by `added` lines.
struct LineChange {
  size_t first = 0, removed = 0, added = 0;
};

enum class Movement { left, right, word_left, word_right, up, down, line_start, line_end, text_start, text_end };

/// How the language of a text is laid out, for the keys that indent and comment.
struct TextStyle {
  std::string_view comment = "//";
  std::string_view indent = "  ";
  char opens = '{';  // at the end of a line: the next one is indented
};
inline constexpr TextStyle kPythonStyle{"#", "    ", ':'};

class TextBuffer {
 public:
  TextStyle style;

  explicit TextBuffer(std::string_view text = {}) { reset(text); }

  /// Replaces the text; clears the undo history.
  void reset(std::string_view text);
  std::string text() const;
  const std::vector<std::string>& lines() const { return lines_; }
  const std::string& line(size_t index) const { return lines_[index]; }
  /// Counts edits, undone or not; compare to know whether the text has changed.
  uint64_t revision() const { return revision_; }
  /// What changed since the last call, in order; for Highlighter::update.
  std::vector<LineChange> take_changes();

  // Cursor and selection. The cursor is one end of the selection, the anchor the other.
  TextPosition cursor() const { return cursor_; }
  TextRange selection() const;
  std::string selected_text() const;
  void place(TextPosition position, bool extend = false);  // kept inside the text
  void move(Movement movement, bool extend = false, size_t count = 1);
  void select_all();
  void select_word(TextPosition position);
  void select_line(size_t line);

  // Edits at the cursor; each replaces the selection.
  void type(std::string_view text);   // typed characters: consecutive ones are undone together
  void paste(std::string_view text);  // a separate undo step
  void new_line();                    // keeps the indentation, one level more after what opens a block
  void erase_left(bool word = false);
  void erase_right(bool word = false);
  void erase_selection();
  void indent();  // one level; every selected line if there are several
  void unindent();

  // Whole lines: those that the selection touches.
  void move_lines(bool down);
  void duplicate_lines();
  void delete_lines();
  void toggle_comment();  // at their common indentation

  bool can_undo() const { return undone_ < history_.size(); }
  bool can_redo() const { return undone_ > 0; }
  bool undo();
  bool redo();

  /// The next match at or after `from`, or the previous one before it; wraps around. Case-insensitive unless the
  /// pattern has a capital letter. A pattern never spans lines.
  std::optional<TextRange> find(std::string_view pattern, TextPosition from, bool forward = true) const;
  /// Replaces every match of find() in one undo step. Returns their number.
  size_t replace_all(std::string_view pattern, std::string_view with);

 private:
  enum class Kind { typing, erasing, other };
  struct Edit {
    TextPosition begin;
    std::string removed, inserted;
    TextPosition cursor_before, anchor_before, cursor_after, anchor_after;
    Kind kind = Kind::other;
  };

  TextPosition clamp(TextPosition position) const;
  std::string text_in(TextRange range) const;
  /// Changes only lines_. Returns the end of the inserted text.
  TextPosition splice(TextRange range, std::string_view text);
  void replace(TextRange range, std::string_view text, Kind kind);
  void replace_lines(size_t first, size_t last, const std::vector<std::string>& lines);
  bool merges(const Edit& edit) const;
  TextPosition moved(TextPosition from, Movement movement) const;
  TextPosition end_of(TextPosition begin, std::string_view text) const;
  std::pair<size_t, size_t> selected_lines() const;  // first and last

  std::vector<std::string> lines_{std::string()};
  TextPosition cursor_, anchor_;
  size_t wanted_column_ = 0;  // for vertical movement
  bool grouping_ = false;     // the last operation was an edit that the next one may merge with
  std::vector<Edit> history_;
  size_t undone_ = 0;  // edits at the end of history_ that are undone
  std::vector<LineChange> changes_;
  uint64_t revision_ = 0;
};

}  // namespace tilescope
