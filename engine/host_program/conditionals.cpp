#include "engine/host_program/conditionals.hpp"

#include <cctype>
#include <charconv>
#include <set>
#include <vector>

#include "engine/text.hpp"

namespace tilescope {
namespace {

bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

std::string_view word_at(std::string_view text) {
  size_t end = 0;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(0, end);
}

/// Reads an expression of #if, by precedence.
class ConditionReader {
 public:
  ConditionReader(std::string_view text, const Macros& macros, bool closed, int depth)
      : text_(text.substr(0, text.find("//"))), macros_(macros), closed_(closed), depth_(depth) {}

  std::optional<int64_t> read() {
    const int64_t value = binary(0);
    skip_spaces();
    return unknown_ || at_ != text_.size() ? std::nullopt : std::optional(value);
  }

 private:
  struct Operator {
    std::string_view sign;
    int precedence;
  };
  static constexpr Operator kOperators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4}, {"<", 4},
                                            {">", 4},  {"+", 5},  {"-", 5},  {"*", 6},  {"/", 6},  {"%", 6}};

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }
  bool take(std::string_view sign) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  int64_t binary(int least) {
    int64_t left = unary();
    while (!unknown_) {
      skip_spaces();
      const Operator* found = nullptr;
      for (const Operator& one : kOperators)
        if (found == nullptr && text_.substr(at_).starts_with(one.sign)) found = &one;
      if (found == nullptr || found->precedence <= least) return left;
      at_ += found->sign.size();
      const int64_t right = binary(found->precedence);
      left = apply(found->sign, left, right);
    }
    return left;
  }

  int64_t apply(std::string_view sign, int64_t left, int64_t right) {
    if (sign == "||") return static_cast<int64_t>(left != 0 || right != 0);
    if (sign == "&&") return static_cast<int64_t>(left != 0 && right != 0);
    if (sign == "==") return static_cast<int64_t>(left == right);
    if (sign == "!=") return static_cast<int64_t>(left != right);
    if (sign == "<=") return static_cast<int64_t>(left <= right);
    if (sign == ">=") return static_cast<int64_t>(left >= right);
    if (sign == "<") return static_cast<int64_t>(left < right);
    if (sign == ">") return static_cast<int64_t>(left > right);
    if (sign == "+") return left + right;
    if (sign == "-") return left - right;
    if (sign == "*") return left * right;
    if (right == 0) return give_up();
    return sign == "/" ? left / right : left % right;
  }

  int64_t give_up() {
    unknown_ = true;
    return 0;
  }

  int64_t unary() {
    if (take("!")) return static_cast<int64_t>(unary() == 0);
    if (take("-")) return -unary();
    if (take("(")) {
      const int64_t value = binary(0);
      return take(")") ? value : give_up();
    }
    skip_spaces();
    const std::string_view word = word_at(text_.substr(at_));
    if (word.empty()) return give_up();
    at_ += word.size();
    if (word == "defined") return read_defined();
    if (std::isdigit(static_cast<unsigned char>(word[0])) != 0) return number(word);
    return value_of(word);
  }

  int64_t number(std::string_view word) {
    while (!word.empty() && std::string_view("uUlL").find(word.back()) != std::string_view::npos) word.remove_suffix(1);
    const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
    if (hexadecimal) word.remove_prefix(2);
    int64_t value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value, hexadecimal ? 16 : 10);
    return error == std::errc() && stop == word.data() + word.size() ? value : give_up();
  }

  bool is_of_compiler(std::string_view word) const { return !closed_ || word.starts_with("__"); }

  int64_t read_defined() {
    const bool bracket = take("(");
    skip_spaces();
    const std::string_view word = word_at(text_.substr(at_));
    at_ += word.size();
    if (word.empty() || (bracket && !take(")"))) return give_up();
    if (macros_.contains(word)) return 1;
    return is_of_compiler(word) ? give_up() : 0;
  }

  int64_t value_of(std::string_view word) {
    constexpr int kDeepest = 16;  // a macro that names itself
    const auto found = macros_.find(word);
    if (found == macros_.end()) return is_of_compiler(word) ? give_up() : 0;
    if (depth_ == kDeepest) return give_up();
    const auto value = ConditionReader(found->second, macros_, closed_, depth_ + 1).read();
    return value ? *value : give_up();
  }

  std::string_view text_;
  const Macros& macros_;
  bool closed_;
  int depth_;
  size_t at_ = 0;
  bool unknown_ = false;
};

struct Group {
  bool known = true;         // its outcome
  bool taken = false;        // a branch has been compiled
  bool active = true;        // the present branch is compiled
  bool outer_active = true;  // what surrounds the group is
};

class Resolver {
 public:
  Resolver(Macros macros, bool closed) : macros_(std::move(macros)), closed_(closed) {}

  std::string resolve(std::string_view text) {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      take_line(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return std::move(out_);
  }

 private:
  bool active() const { return groups_.empty() || groups_.back().active; }
  void emit(std::string_view line) { out_ += std::string(line) + "\n"; }

  void take_line(std::string_view line) {
    std::string_view rest = trimmed(line);
    if (!rest.starts_with("#")) {
      if (active()) emit(line);
      return;
    }
    rest = trimmed(rest.substr(1));
    const std::string_view directive = word_at(rest);
    rest = trimmed(rest.substr(directive.size()));
    if (directive == "if" || directive == "ifdef" || directive == "ifndef")
      open(line, directive, rest);
    else if (directive == "elif" || directive == "else")
      turn(line, directive, rest);
    else if (directive == "endif")
      close(line);
    else if (active())
      take_other(line, directive, rest);
  }

  std::optional<int64_t> test(std::string_view directive, std::string_view rest) const {
    if (directive == "ifdef") return condition_value("defined(" + std::string(word_at(rest)) + ")", macros_, closed_);
    if (directive == "ifndef") return condition_value("!defined(" + std::string(word_at(rest)) + ")", macros_, closed_);
    return condition_value(rest, macros_, closed_);
  }

  void open(std::string_view line, std::string_view directive, std::string_view rest) {
    Group group{.outer_active = active()};
    if (group.outer_active) {
      const auto value = test(directive, rest);
      group.known = value.has_value();
      group.active = group.taken = !value || *value != 0;
      if (!group.known) emit(line);
    } else {
      group.active = false;
    }
    groups_.push_back(group);
  }

  void turn(std::string_view line, std::string_view directive, std::string_view rest) {
    if (groups_.empty()) return;
    Group& group = groups_.back();
    if (!group.outer_active) return;
    if (!group.known) return emit(line);
    if (group.taken) {
      group.active = false;
      return;
    }
    const auto value = directive == "else" ? std::optional<int64_t>(1) : test("if", rest);
    if (!value) {
      group.known = false;
      emit("#if " + std::string(rest));
    }
    group.active = group.taken = !value || *value != 0;
  }

  void close(std::string_view line) {
    if (groups_.empty()) return;
    if (groups_.back().outer_active && !groups_.back().known) emit(line);
    groups_.pop_back();
  }

  void take_other(std::string_view line, std::string_view directive, std::string_view rest) {
    emit(line);
    const std::string_view name = word_at(rest);
    if (directive == "undef") macros_.erase(std::string(name));
    if (directive == "define")
      macros_[std::string(name)] = std::string(trimmed(rest.substr(name.size(), rest.find("//") - name.size())));
  }

  Macros macros_;
  bool closed_;
  std::vector<Group> groups_;
  std::string out_;
};

}  // namespace

std::optional<int64_t> condition_value(std::string_view expression, const Macros& macros, bool closed) {
  return ConditionReader(expression, macros, closed, 0).read();
}

std::string resolve_conditionals(std::string_view text, Macros macros, bool closed) {
  return Resolver(std::move(macros), closed).resolve(text);
}

}  // namespace tilescope
