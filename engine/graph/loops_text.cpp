// Reads loop nests; see loops.hpp for their form.
#include <algorithm>
#include <cctype>
#include <charconv>

#include "engine/graph/loops.hpp"

namespace tilescope {
namespace {

constexpr int64_t kMostInBounds = 1 << 20;  // of bounds, factors and constants, so that no sum overflows

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class NestReader {
 public:
  NestReader(std::string_view text, size_t line) : text_(text), line_(line) { nest_.line = line; }

  Result<LoopNest> read() {
    if (word() != "for") return error(phrase("a nest begins with 'for'"));
    do {
      if (auto good = read_loop(); !good) return forward(good);
    } while (take(','));
    if (!take(':')) return error(phrase("after the loops comes ':' and a statement"));
    skip();
    nest_.statement = text_.substr(at_);
    while (!nest_.statement.empty() && nest_.statement.back() == ' ') nest_.statement.pop_back();
    if (auto good = read_statement(); !good) return forward(good);
    return nest_;
  }

 private:
  tl::unexpected<Error> error(const Phrase& what) const { return fail(ErrorId::bad_loops, line_, what); }
  tl::unexpected<Error> unexpected_here() {
    skip();
    if (at_ == text_.size()) return error(phrase("it ends too early"));
    return error(phrase("'{}' is not understood", text_.substr(at_)));
  }

  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(char sign) {
    skip();
    if (at_ == text_.size() || text_[at_] != sign) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip();
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  std::optional<int64_t> number() {
    skip();
    int64_t value = 0;
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    const auto [stop, problem] = std::from_chars(begin, end, value);
    if (problem != std::errc() || std::abs(value) > kMostInBounds) return std::nullopt;
    at_ += static_cast<size_t>(stop - begin);
    return value;
  }

  Result<void> read_loop() {
    const std::string variable(word());
    const bool named = !variable.empty() && std::isdigit(static_cast<unsigned char>(variable.front())) == 0;
    if (!named || word() != "in") return error(phrase("a loop has the form i in 0..8"));
    const auto begin = number();
    if (!begin || !take('.') || !take('.')) return error(phrase("a loop has the form i in 0..8"));
    const auto end = number();
    if (!end) return error(phrase("a loop has the form i in 0..8"));
    if (*end <= *begin) return error(phrase("the loop over '{}' has no iteration", variable));
    if (std::ranges::find(nest_.loops, variable, &Loop::variable) != nest_.loops.end())
      return error(phrase("two loops have the variable '{}'", variable));
    nest_.loops.push_back({variable, *begin, *end});
    if (nest_.loops.size() > kMostLoops) return error(phrase("a nest has at most {} loops", kMostLoops));
    if (nest_.iterations() > kMostIterations)
      return error(
          phrase("a nest has at most {} iterations, and this one has {}", kMostIterations, nest_.iterations()));
    return {};
  }

  /// ARRAY[…] = expression, or += : the element is then read as well.
  Result<void> read_statement() {
    const std::string_view array = word();
    if (array.empty()) return error(phrase("a statement begins with the element that it writes"));
    auto target = read_access(array);
    if (!target) return forward(target);
    target->writes = true;
    const bool adds = take('+') || take('*');
    if (!take('=')) return error(phrase("after the element comes '=' or '+='"));
    if (adds) nest_.accesses.push_back({target->array, false, target->subscripts});
    if (auto good = read_expression(); !good) return good;
    nest_.accesses.push_back(std::move(*target));
    return {};
  }

  Result<ArrayAccess> read_access(std::string_view array) {
    if (!take('[')) return error(phrase("'{}' needs subscripts, as in {}[i]", array, array));
    ArrayAccess access{.array = std::string(array), .subscripts = {}};
    do {
      auto subscript = read_subscript();
      if (!subscript) return forward(subscript);
      access.subscripts.push_back(std::move(*subscript));
    } while (take(','));
    if (!take(']')) return unexpected_here();
    return access;
  }

  /// ± term ± term …, each a number, a variable, or number * variable.
  Result<Subscript> read_subscript() {
    Subscript sum{.constant = 0, .factors = std::vector<int64_t>(nest_.loops.size())};
    bool negative = take('-');
    do {
      if (auto good = read_term(sum, negative); !good) return forward(good);
      negative = take('-');
    } while (negative || take('+'));
    return sum;
  }
  Result<void> read_term(Subscript& sum, bool negative) {
    int64_t factor = negative ? -1 : 1;
    skip();
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      const auto value = number();
      if (!value) return unexpected_here();
      factor *= *value;
      if (!take('*')) {
        sum.constant += factor;
        return {};
      }
    }
    const std::string_view variable = word();
    const auto loop = std::ranges::find(nest_.loops, variable, &Loop::variable);
    if (loop == nest_.loops.end())
      return variable.empty() ? unexpected_here()
                              : error(phrase("no loop of the nest has the variable '{}'", variable));
    sum.factors[static_cast<size_t>(loop - nest_.loops.begin())] += factor;
    return {};
  }

  /// Only the elements that it reads matter. A word with a bracket after it is an array, with a parenthesis a function.
  Result<void> read_expression() {
    int depth = 0;
    bool empty = true;
    for (skip(); at_ < text_.size(); skip()) {
      empty = false;
      const char c = text_[at_];
      if (is_word(c)) {
        const std::string_view name = word();
        skip();
        if (at_ == text_.size() || text_[at_] != '[') continue;
        auto access = read_access(name);
        if (!access) return forward(access);
        nest_.accesses.push_back(std::move(*access));
        continue;
      }
      if (std::string_view("+-*/().,").find(c) == std::string_view::npos) return unexpected_here();
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth < 0) return unexpected_here();
      ++at_;
    }
    if (empty || depth > 0) return unexpected_here();
    return {};
  }

  std::string_view text_;
  size_t line_ = 0, at_ = 0;
  LoopNest nest_;
};

}  // namespace

Result<LoopPair> loops_from_text(std::string_view text) {
  std::vector<LoopNest> nests;
  size_t line = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, std::min(end, text.find('#')));
    ++line;
    text.remove_prefix(std::min(end + 1, text.size()));
    if (std::ranges::all_of(one, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; })) continue;
    auto nest = NestReader(one, line).read();
    if (!nest) return forward(nest);
    if (nests.size() == 2) return fail(ErrorId::bad_loops, line, phrase("there are two nests already"));
    nests.push_back(std::move(*nest));
  }
  if (nests.size() < 2) return fail(ErrorId::bad_loops, line, phrase("two nests are needed, each in a line"));
  return LoopPair{std::move(nests[0]), std::move(nests[1])};
}

}  // namespace tilescope
