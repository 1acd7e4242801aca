// Tokens of every line of a text, kept up to date incrementally: after edits only the changed lines are read again, and
// those behind them until their state at the line's start is what it was before.
//
//     highlighter.update(buffer.lines(), buffer.take_changes());
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/draw/editor/text_buffer.hpp"
#include "app/draw/editor/tokenizer.hpp"

namespace tilescope {

class Highlighter {
 public:
  explicit Highlighter(Syntax syntax) : syntax_(syntax) {}

  /// Takes over changes in their order; `lines` is the text after the last one. Returns how many lines were tokenized.
  size_t update(const std::vector<std::string>& lines, std::span<const LineChange> changes);
  /// Everything new.
  void reset(const std::vector<std::string>& lines);

  const std::vector<Token>& tokens(size_t line) const { return lines_[line].tokens; }
  size_t line_count() const { return lines_.size(); }

 private:
  struct Line {
    bool read = false;
    LineState at_start = LineState::plain, at_end = LineState::plain;
    std::vector<Token> tokens;
  };
  Syntax syntax_;
  std::vector<Line> lines_{Line{}};  // an empty text has one line
};

}  // namespace tilescope
