// State shared by the two halves of the parser: the cursor over the tokens, and the first error.
#pragma once

#include <fmt/core.h>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sim/ptx/ast.hpp"
#include "engine/sim/ptx/lexer.hpp"

namespace tilescope {

/// A cursor over the tokens of a module. Every `bool` says whether parsing may continue; the first error is kept.
class PtxCursor {
 public:
  explicit PtxCursor(std::vector<PtxToken> tokens) : tokens_(std::move(tokens)) {}

  const PtxToken& peek(size_t ahead = 0) const {
    const size_t index = position_ + ahead;
    return tokens_[index < tokens_.size() ? index : tokens_.size() - 1];
  }
  PtxToken take() {
    const PtxToken token = peek();
    if (position_ + 1 < tokens_.size()) ++position_;
    return token;
  }
  bool at_end() const { return peek().kind == PtxTokenKind::end; }
  bool at(char punctuation) const { return peek().kind == PtxTokenKind::punctuation && peek().text[0] == punctuation; }
  bool at_word(std::string_view word) const { return peek().kind == PtxTokenKind::word && peek().text == word; }
  bool accept(char punctuation) {
    if (!at(punctuation)) return false;
    take();
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!at_word(word)) return false;
    take();
    return true;
  }
  bool expect(char punctuation) {
    return accept(punctuation) || fail(fmt::format("'{}' is missing before {}", punctuation, quoted(peek())));
  }
  bool expect_word(std::string_view& word) {
    if (peek().kind != PtxTokenKind::word) return fail(fmt::format("a name is missing before {}", quoted(peek())));
    word = take().text;
    return true;
  }
  /// A non-negative integer of at most `limit`.
  bool expect_integer(uint64_t& value, uint64_t limit) {
    if (peek().kind != PtxTokenKind::integer) return fail(fmt::format("{} is no integer", quoted(peek())));
    value = take().bits;
    return value <= limit || fail(fmt::format("{} is too large", value));
  }
  /// Skips past the next semicolon outside braces.
  bool skip_statement() {
    for (; !at_end(); take()) {
      if (at('{') && !skip_braces()) return false;
      if (accept(';')) return true;
    }
    return fail("a semicolon is missing");
  }
  /// Skips past the closing brace that matches the opening one here.
  bool skip_braces() {
    size_t depth = 0;
    for (; !at_end(); take()) {
      if (at('{')) ++depth;
      if (at('}') && --depth == 0) {
        take();
        return true;
      }
    }
    return fail("a closing brace is missing");
  }

  bool fail(std::string message) {
    if (!failed_) {
      failed_ = true;
      error_line_ = peek().line;
      error_ = std::move(message);
    }
    return false;
  }
  bool failed() const { return failed_; }
  uint32_t error_line() const { return error_line_; }
  const std::string& error() const { return error_; }

  static std::string quoted(const PtxToken& token) {
    return token.kind == PtxTokenKind::end ? "the end of the text" : fmt::format("'{}'", token.text.substr(0, 60));
  }

 private:
  std::vector<PtxToken> tokens_;
  size_t position_ = 0;
  bool failed_ = false;
  uint32_t error_line_ = 0;
  std::string error_;
};

/// A constant expression of integers (PTX ISA 9.0, 4.5.5): literals, parentheses, casts and the operators of C.
bool parse_constant(PtxCursor& cursor, uint64_t& value);
/// Whether a constant begins here: a literal, a sign or complement before one, or a parenthesis.
bool at_constant(const PtxCursor& cursor);

/// One variable after its state space: [.align N] .type name[dimensions] [= initialiser]. The cursor stays at the comma
/// or semicolon. Type and alignment carry over to the next name of the same declaration through `variable`.
bool parse_variable_type(PtxCursor& cursor, PtxVariable& variable, PtxType& element);
bool parse_variable_name(PtxCursor& cursor, PtxVariable& variable, const PtxType& element);

/// Whole declaration: type, names, semicolon.
bool parse_variables(PtxCursor& cursor, std::vector<PtxVariable>& variables);

/// (.param .type name, …): parameters or results of a function.
bool parse_parameters(PtxCursor& cursor, std::vector<PtxVariable>& list);

/// The body of a function, from its opening brace past its closing one. Names that occur in several scopes are made
/// unique; `names` owns the new ones.
bool parse_function_body(PtxCursor& cursor, PtxFunction& function, std::deque<std::string>& names);

}  // namespace tilescope
