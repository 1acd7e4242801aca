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

constexpr auto kMlirKeywords = std::to_array<std::string_view>(
    {"attributes", "dense", "false", "loc", "mask", "module", "private", "public", "step", "to", "token", "true"});
constexpr auto kMlirTypes = std::to_array<std::string_view>({"bf16", "index", "none", "tensor", "vector"});

static_assert(std::ranges::is_sorted(kCudaKeywords) && std::ranges::is_sorted(kCudaTypes) &&
              std::ranges::is_sorted(kCudaBuiltins) && std::ranges::is_sorted(kPythonKeywords) &&
              std::ranges::is_sorted(kPythonBuiltins) && std::ranges::is_sorted(kMlirKeywords) &&
              std::ranges::is_sorted(kMlirTypes));

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
    if (syntax_ == Syntax::python ? step_python() : syntax_ == Syntax::mlir ? step_mlir() : step_c_like()) return;
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
    if (peek() == '"' || peek() == '\'') return emit(quoted_end(at_), TokenKind::string), true;
    if (const size_t prefix = string_prefix(); prefix > 0) return step_prefixed(prefix), true;
    if (peek() == '@' && starts_word(peek(1))) return emit(path_end(at_ + 1), TokenKind::preprocessor), true;
    return false;
  }

  /// Letters before a string: 1 for f"…", 2 for rb'…'; 0 where there is no string.
  size_t string_prefix() const {
    static constexpr std::string_view kLetters = "rRbBfFuU";
    size_t letters = 0;
    while (letters < 2 && kLetters.find(peek(letters)) != std::string_view::npos && peek(letters) != '\0') ++letters;
    const char next = peek(letters);
    return letters > 0 && (next == '"' || next == '\'') ? letters : 0;
  }
  void step_prefixed(size_t letters) {
    const std::string_view quotes = line_.substr(at_ + letters);
    if (quotes.starts_with("\"\"\""))
      emit_until("\"\"\"", at_ + letters + 3, TokenKind::string, LineState::python_double_quotes);
    else if (quotes.starts_with("'''"))
      emit_until("'''", at_ + letters + 3, TokenKind::string, LineState::python_single_quotes);
    else
      emit(quoted_end(at_ + letters), TokenKind::string);
  }

  /// MLIR: %a is a value, #blocked and !tt.ptr<f16> are an attribute and a type, "tt.load" is an operation.
  bool step_mlir() {
    if (sees("//")) return emit(line_.size(), TokenKind::comment), true;
    if (peek() == '"') return emit(quoted_end(at_), TokenKind::string), true;
    const char mark = peek();
    if ((mark != '%' && mark != '#' && mark != '!' && mark != '@' && mark != '^') || !continues_word(peek(1)))
      return false;
    const TokenKind kind = mark == '#'   ? TokenKind::builtin
                           : mark == '!' ? TokenKind::type
                           : mark == '^' ? TokenKind::preprocessor
                                         : TokenKind::identifier;
    size_t end = path_end(at_ + 1);
    if (mark == '%')
      while (end < line_.size() && (line_[end] == '#' || line_[end] == '-') && end + 1 < line_.size() &&
             continues_word(line_[end + 1]))
        end = path_end(end + 1);
    return emit(end, kind), true;
  }

  bool step_c_like() {
    if (sees("//")) return emit(line_.size(), TokenKind::comment), true;
    if (sees("/*")) return emit_until("*/", at_ + 2, TokenKind::comment, LineState::block_comment), true;
    if (peek() == '"' || (peek() == '\'' && syntax_ == Syntax::cuda))
      return emit(quoted_end(at_), TokenKind::string), true;
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
    const size_t end = syntax_ == Syntax::mlir ? path_end(at_) : word_end(at_);
    emit(end, kind_of(line_.substr(at_, end - at_), end));
  }

  TokenKind kind_of(std::string_view word, size_t end) const {
    if (syntax_ == Syntax::python) {
      if (contains(kPythonKeywords, word)) return TokenKind::keyword;
      if (contains(kPythonBuiltins, word)) return TokenKind::builtin;
      return is_member_of_builtin() ? TokenKind::builtin : TokenKind::identifier;
    }
    if (syntax_ == Syntax::mlir) {
      if (word.find('.') != std::string_view::npos || contains(kMlirKeywords, word)) return TokenKind::keyword;
      return is_mlir_type(word) ? TokenKind::type : TokenKind::identifier;
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

  /// tl.load, triton.cdiv, tl.math.exp: a word after the dot of a builtin.
  bool is_member_of_builtin() const {
    return tokens_.size() >= 2 && at_ > 0 && line_[at_ - 1] == '.' && tokens_.back().begin == at_ - 1 &&
           tokens_[tokens_.size() - 2].kind == TokenKind::builtin;
  }

  /// tensor<64x32xf16, …>: the word, and the shape with the element type, which follows a number.
  static bool is_mlir_type(std::string_view word) {
    if (contains(kMlirTypes, word)) return true;
    const size_t digits = word.find_first_of("0123456789");
    return digits == 1 && (word.front() == 'i' || word.front() == 'f') &&
           word.find_first_not_of("0123456789", 1) == std::string_view::npos;
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
  /// Words joined by dots: "triton.jit".
  size_t path_end(size_t from) const {
    size_t end = word_end(from);
    while (end + 1 < line_.size() && line_[end] == '.' && continues_word(line_[end + 1])) end = word_end(end + 1);
    return end;
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

  size_t quoted_end(size_t begin) const {
    const char quote = line_[begin];
    for (size_t end = begin + 1; end < line_.size(); ++end) {
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
  if (name == "mlir") return Syntax::mlir;
  return Syntax::none;
}

std::vector<Token> tokenize(Syntax syntax, std::string_view line, LineState* state) {
  return LineReader(syntax, line, state).read(state);
}

}  // namespace tilescope
