// Tokens of every line of a text, updated incrementally: after edits only the changed lines are tokenized again, and
// the following lines until their start state is the same as before.
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

  /// Applies changes in order; `lines` is the text after the last one. Returns the number of lines tokenized.
  size_t update(const std::vector<std::string>& lines, std::span<const LineChange> changes);
  /// The next update() tokenizes everything by another syntax.
  void set_syntax(Syntax syntax);
  /// Tokenizes everything again.
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
  bool retokenize_ = false;
  std::vector<Line> lines_{Line{}};  // an empty text has one line
};

}  // namespace tilescope
