#include "app/draw/editor/tokenizer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

namespace tilescope {
namespace {

using Words = std::span<const std::string_view>;

// Sorted, for std::ranges::binary_search.
constexpr auto kCudaKeywords = std::to_array<std::string_view>({"alignas",
                                                                "asm",
                                                                "break",
                                                                "case",
                                                                "class",
                                                                "const",
                                                                "const_cast",
                                                                "constexpr",
                                                                "continue",
                                                                "default",
                                                                "delete",
                                                                "do",
                                                                "else",
                                                                "enum",
                                                                "extern",
                                                                "false",
                                                                "for",
                                                                "goto",
                                                                "if",
                                                                "inline",
                                                                "namespace",
                                                                "new",
                                                                "nullptr",
                                                                "operator",
                                                                "private",
                                                                "public",
                                                                "reinterpret_cast",
                                                                "return",
                                                                "sizeof",
                                                                "static",
                                                                "static_assert",
                                                                "static_cast",
                                                                "struct",
                                                                "switch",
                                                                "template",
                                                                "this",
                                                                "true",
                                                                "typedef",
                                                                "typename",
                                                                "union",
                                                                "using",
                                                                "volatile",
                                                                "while"});
constexpr auto kCudaTypes = std::to_array<std::string_view>(
    {"auto",   "bool",    "char",     "dim3",    "double",   "float",   "float2",   "float4", "half",  "half2",
     "int",    "int16_t", "int2",     "int32_t", "int4",     "int64_t", "int8_t",   "long",   "short", "signed",
     "size_t", "uint2",   "uint32_t", "uint4",   "uint64_t", "uint8_t", "unsigned", "void"});
constexpr auto kCudaBuiltins =
    std::to_array<std::string_view>({"blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize"});
constexpr auto kPythonKeywords = std::to_array<std::string_view>(
    {"False",  "None", "True",   "and",     "as",    "assert", "break",  "class", "continue", "def",  "del",
     "elif",   "else", "except", "finally", "for",   "from",   "global", "if",    "import",   "in",   "is",
     "lambda", "not",  "or",     "pass",    "raise", "return", "try",    "while", "with",     "yield"});
constexpr auto kPythonBuiltins =
    std::to_array<std::string_view>({"float", "int", "len", "print", "range", "tl", "torch", "triton"});

static_assert(std::ranges::is_sorted(kCudaKeywords) && std::ranges::is_sorted(kCudaTypes) &&
              std::ranges::is_sorted(kCudaBuiltins) && std::ranges::is_sorted(kPythonKeywords) &&
              std::ranges::is_sorted(kPythonBuiltins));

bool contains(Words words, std::string_view word) { return std::ranges::binary_search(words, word); }
bool starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Reads one line from left to right and emits tokens without gaps.
class LineReader {
 public:
  LineReader(Syntax syntax, std::string_view line, LineState* state) : syntax_(syntax), line_(line), state_(*state) {}

  std::vector<Token> read(LineState* state) {
    if (syntax_ == Syntax::none) {
      emit(line_.size(), TokenKind::text);
    } else {
      while (at_ < line_.size()) step();
    }
    *state = state_;
    return std::move(tokens_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < line_.size() ? line_[at_ + ahead] : '\0'; }
  bool sees(std::string_view text) const { return line_.substr(at_).starts_with(text); }

  void emit(size_t end, TokenKind kind) {
    end = std::min(end, line_.size());
    if (end <= at_) return;
    if (!tokens_.empty() && tokens_.back().kind == kind && kind == TokenKind::text)
      tokens_.back().end = static_cast<uint32_t>(end);
    else
      tokens_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(end), kind});
    at_ = end;
  }

  /// Emits up to and including `terminator`; the state stays open if the line ends first.
  void emit_until(std::string_view terminator, size_t from, TokenKind kind, LineState open) {
    const size_t found = line_.find(terminator, from);
    state_ = found == std::string_view::npos ? open : LineState::plain;
    emit(found == std::string_view::npos ? line_.size() : found + terminator.size(), kind);
  }

  void step() {
    if (state_ == LineState::block_comment) return emit_until("*/", at_, TokenKind::comment, state_);
    if (state_ == LineState::python_single_quotes) return emit_until("'''", at_, TokenKind::string, state_);
    if (state_ == LineState::python_double_quotes) return emit_until("\"\"\"", at_, TokenKind::string, state_);
    if (syntax_ == Syntax::python ? step_python() : step_c_like()) return;
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)) && syntax_ != Syntax::ptx))
      return emit(number_end(), TokenKind::number);
    if (starts_word(c) || static_cast<unsigned char>(c) >= 0x80) return step_word();
    emit(at_ + 1, TokenKind::text);
  }

  bool step_python() {
    if (peek() == '#') return emit(line_.size(), TokenKind::comment), true;
    if (sees("'''")) return emit_until("'''", at_ + 3, TokenKind::string, LineState::python_single_quotes), true;
    if (sees("\"\"\"")) return emit_until("\"\"\"", at_ + 3, TokenKind::string, LineState::python_double_quotes), true;
    if (peek() == '"' || peek() == '\'') return emit(quoted_end(), TokenKind::string), true;
    if (peek() == '@' && starts_word(peek(1))) return emit(word_end(at_ + 1), TokenKind::preprocessor), true;
    return false;
  }

  bool step_c_like() {
    if (sees("//")) return emit(line_.size(), TokenKind::comment), true;
    if (sees("/*")) return emit_until("*/", at_ + 2, TokenKind::comment, LineState::block_comment), true;
    if (peek() == '"' || (peek() == '\'' && syntax_ == Syntax::cuda))
      return emit(quoted_end(), TokenKind::string), true;
    if (syntax_ == Syntax::cuda) {
      if (peek() != '#' || line_.find_first_not_of(" \t") != at_) return false;
      const size_t comment = line_.find("//", at_);
      return emit(comment, TokenKind::preprocessor), true;
    }
    return step_ptx();
  }

  /// PTX: %tid.x is a special register, %r1 and %rd2 are virtual registers; .version is a directive at the start of a
  /// line or statement, but a type (.f32) or modifier elsewhere.
  bool step_ptx() {
    if (peek() == '%' && starts_word(peek(1))) {
      const size_t end = word_end(at_ + 1);
      static constexpr auto kMachine =
          std::to_array<std::string_view>({"clock", "ctaid", "laneid", "nctaid", "ntid", "smid", "tid", "warpid"});
      const bool machine = contains(kMachine, line_.substr(at_ + 1, end - at_ - 1));
      return emit(end, machine ? TokenKind::builtin : TokenKind::identifier), true;
    }
    if (peek() == '.' && starts_word(peek(1))) {
      const bool first = line_.find_first_not_of(" \t") == at_;
      return emit(word_end(at_ + 1), first ? TokenKind::preprocessor : TokenKind::type), true;
    }
    return false;
  }

  void step_word() {
    if (static_cast<unsigned char>(peek()) >= 0x80) {
      size_t end = at_ + 1;
      while (end < line_.size() && static_cast<unsigned char>(line_[end]) >= 0x80) ++end;
      return emit(end, TokenKind::text);
    }
    const size_t end = word_end(at_);
    emit(end, kind_of(line_.substr(at_, end - at_), end));
  }

  TokenKind kind_of(std::string_view word, size_t end) const {
    if (syntax_ == Syntax::python) {
      if (contains(kPythonKeywords, word)) return TokenKind::keyword;
      return contains(kPythonBuiltins, word) ? TokenKind::builtin : TokenKind::identifier;
    }
    if (syntax_ == Syntax::ptx) {
      // The first word of a statement is its instruction, unless it is a label ("$L__BB0_2:").
      const bool guarded = line_.find('@') < at_;
      const bool first =
          line_.substr(0, at_).find_first_not_of(" \t{") == std::string_view::npos || guarded_start(guarded);
      const bool label = end < line_.size() && line_[end] == ':';
      return first && !label ? TokenKind::keyword : TokenKind::identifier;
    }
    if (contains(kCudaKeywords, word)) return TokenKind::keyword;
    if (contains(kCudaTypes, word)) return TokenKind::type;
    return contains(kCudaBuiltins, word) || word.starts_with("__") ? TokenKind::builtin : TokenKind::identifier;
  }

  /// "@%p1 bra": the word after the guard is the instruction.
  bool guarded_start(bool guarded) const {
    if (!guarded) return false;
    const size_t guard = line_.find('@');
    const size_t space = line_.find_first_of(" \t", guard);
    return space != std::string_view::npos && line_.find_first_not_of(" \t", space) == at_;
  }

  size_t word_end(size_t from) const {
    while (from < line_.size() && continues_word(line_[from])) ++from;
    return from;
  }

  size_t number_end() const {
    size_t end = at_;
    while (end < line_.size()) {
      const char c = line_[end];
      const bool exponent_sign = (c == '+' || c == '-') && end > at_ &&
                                 (line_[end - 1] == 'e' || line_[end - 1] == 'E') &&
                                 !line_.substr(at_).starts_with("0x");
      if (!continues_word(c) && c != '.' && c != '\'' && !exponent_sign) break;
      ++end;
    }
    return end;
  }

  size_t quoted_end() const {
    const char quote = line_[at_];
    for (size_t end = at_ + 1; end < line_.size(); ++end) {
      if (line_[end] == '\\')
        ++end;
      else if (line_[end] == quote)
        return end + 1;
    }
    return line_.size();
  }

  Syntax syntax_;
  std::string_view line_;
  LineState state_;
  size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Syntax syntax_from(std::string_view name) {
  if (name == "cuda" || name == "cpp" || name == "c++" || name == "cu") return Syntax::cuda;
  if (name == "ptx") return Syntax::ptx;
  if (name == "python" || name == "py") return Syntax::python;
  return Syntax::none;
}

std::vector<Token> tokenize(Syntax syntax, std::string_view line, LineState* state) {
  return LineReader(syntax, line, state).read(state);
}

}  // namespace tilescope
