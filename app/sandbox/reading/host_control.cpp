// Branches, loops and conditional compilation in host code: which statements are read, and how certainly they are
// executed.
#include <algorithm>

#include "app/sandbox/reading/host_flow.hpp"

namespace tilescope {

using Kind = SourceToken::Kind;

void HostInterpreter::run(Scope& scope, size_t begin, size_t end, size_t target) {
  end = std::min(end, tokens_.size());
  Flow flow{.begin = begin, .end = end, .target = target, .starts_at = begin, .third_clause = end};
  for (size_t i = begin; i < end && spend(1);) {
    const size_t next = control(scope, flow, i);
    if (next == i) statement(scope, flow, i);
    i = std::max(next, i + 1);
  }
}

size_t HostInterpreter::control(Scope& scope, Flow& flow, size_t i) {
  const SourceToken& now = tokens_[i];
  if (i == flow.third_clause) return after_third_clause(flow, i);
  if (now.kind == Kind::directive) return after_directive(i, flow.target) + 1;
  if (now.is("{") && !flow.sure.contains(i)) flow.weaken(group_end(i));
  if (now.is("]")) return lambda(scope, flow, i);
  if (now.kind != Kind::name) return i + 1;
  if (now.is("if") || now.is("else")) return branch(scope, flow, i);
  if (now.is("for") || now.is("while") || now.is("do")) return loop(flow, i);
  if (now.is("struct") || now.is("class") || now.is("union")) return after_type(i, flow.end);
  return i;
}

/// for (…; …; here)
size_t HostInterpreter::after_third_clause(Flow& flow, size_t i) const {
  for (int depth = 1; i < flow.end && depth > 0; ++i) {
    if (is_any(tokens_[i], {"(", "[", "{"})) ++depth;
    if (is_any(tokens_[i], {")", "]", "}"})) --depth;
  }
  flow.starts_at = i;
  flow.third_clause = flow.end;
  return i;
}

/// A type definition contains no statements. i: `struct Config c = …`
size_t HostInterpreter::after_type(size_t i, size_t end) const {
  size_t k = i + 1, names = 0;
  for (; k < end && !is_any(tokens_[k], {"{", ";", "=", "(", ">"}); ++k) names += tokens_[k].kind == Kind::name ? 1 : 0;
  return k < end && tokens_[k].is("{") && names <= 1 ? group_end(k) : i;
}

size_t HostInterpreter::statement_end(size_t i) {
  size_t ifs = 0, dos = 0;
  while (i < tokens_.size() && spend(1)) {
    if (is_any(tokens_[i], {"if", "for", "while", "switch", "do", "else"})) {
      ifs += tokens_[i].is("if") ? 1 : 0;
      dos += tokens_[i].is("do") ? 1 : 0;
      ++i;
      if (is(i, "constexpr")) ++i;
      if (is(i, "(")) i = group_end(i);
      continue;
    }
    const bool block = tokens_[i].is("{");
    while (!block && i < tokens_.size() && !is_any(tokens_[i], {";", "}"}) && spend(1))
      i = is_any(tokens_[i], {"(", "[", "{"}) ? group_end(i) : i + 1;
    if (block)
      i = group_end(i);
    else if (is(i, ";"))
      ++i;
    for (; dos > 0 && is(i, "while") && is(i + 1, "("); --dos) {
      i = group_end(i + 1);
      if (is(i, ";")) ++i;
    }
    if (ifs == 0 || !is(i, "else")) break;
    --ifs;
  }
  return std::min(i, tokens_.size());
}

size_t HostInterpreter::branch(Scope& scope, Flow& flow, size_t i) {
  const bool is_else = tokens_[i].is("else");
  size_t begin = i + 1;
  std::optional<long double> condition;
  if (!is_else) {
    if (is(begin, "constexpr")) ++begin;
    const size_t open = begin;
    if (is(open, "(")) {
      begin = group_end(open);
      condition = host_value_of(evaluate(scope, between(open + 1, begin - 1)), variables_);
    }
    flow.starts_at = begin;
  }
  const size_t end = statement_end(begin);
  const bool has_target = flow.is_around_target(begin, end);
  if (is_else && flow.untaken.contains(i) && !has_target) return end;
  if (condition && *condition == 0 && !has_target) {
    if (is(end, "else")) flow.sure.insert(end);
    return std::max(end, i + 1);
  }
  if (condition && *condition != 0) {
    flow.sure.insert(begin);
    if (is(end, "else")) flow.untaken.insert(end);
  } else if (is_else && flow.sure.contains(i)) {
    flow.sure.insert(begin);
  } else if (!is(begin, "{")) {
    flow.weaken(end);
  }
  return i + 1;
}

size_t HostInterpreter::loop(Flow& flow, size_t i) {
  size_t begin = i + 1;
  if (is(begin, "(")) begin = group_end(begin);
  const size_t end = statement_end(i);
  if (end <= flow.target) flow.loop_until = std::max(flow.loop_until, end);
  if (tokens_[i].is("for") && is(i + 1, "(")) {
    size_t semicolons = 0, k = i + 2;
    for (; k < begin && semicolons < 2; ++k)
      if (tokens_[k].is(";")) ++semicolons;
    flow.third_clause = semicolons == 2 ? k : flow.end;
    flow.starts_at = i + 2;
  } else {
    flow.starts_at = begin;
  }
  return i + 1;
}

/// The body of a lambda is read only if it contains the launch; its parameters are then unknown.
size_t HostInterpreter::lambda(Scope& scope, Flow& flow, size_t i) {
  const bool has_parameters = is(i + 1, "(");
  size_t open = has_parameters ? group_end(i + 1) : i + 1;
  const bool starts_result = is(open, "mutable") || (has_parameters && is(open, "->"));
  constexpr size_t kLongestResult = 12;  // tokens of `-> std::vector<float>`
  for (size_t k = 0; k < kLongestResult && starts_result && !is(open, "{"); ++k) ++open;
  if (!is(open, "{")) return i + 1;
  if (!flow.is_around_target(open, group_end(open))) return group_end(open);
  if (has_parameters)
    for (const Tokens one : group_at(i + 1)) {
      const std::string name(one.back().text);
      scope.pointers.erase(name);
      scope.extents.erase(name);
      define(scope, name, nullptr, false, i);
    }
  return open;
}

/// Whether the code after #if, #ifdef, #ifndef or #elif is compiled; nothing: unknown.
std::optional<bool> HostInterpreter::is_taken(const SourceToken& directive) const {
  const std::string_view name = directive_name(directive), rest = directive_rest(directive);
  if (name == "ifdef" || name == "ifndef") {
    const auto macro = host_.macros_.find(rest);
    const bool in_file = macro != host_.macros_.end() && macro->second.line < host_.line_at(directive.offset);
    const bool by_nvcc = rest == "__CUDACC__" || rest == "__NVCC__" || rest == "__cplusplus";
    return (in_file || by_nvcc) == (name == "ifdef");
  }
  if (rest == "0" || rest == "1") return rest == "1";
  return std::nullopt;
}

/// The last token of #if … #else … #endif before the compiled code, for a directive at i. The compiled branch is the
/// one with the launch, else the first that may be compiled.
size_t HostInterpreter::after_directive(size_t i, size_t target) const {
  const std::string_view name = directive_name(tokens_[i]);
  const bool is_if = name.starts_with("if");
  if (!is_if && !name.starts_with("el")) return i;
  const auto next_of = [&](size_t at) {
    const auto found = host_.next_directives_.find(at);
    return found != host_.next_directives_.end() ? found->second : tokens_.size();
  };
  size_t chosen = tokens_.size();
  for (size_t at = i; at < tokens_.size();) {
    const size_t next = next_of(at);
    const bool last = directive_name(tokens_[at]) == "endif";
    if (!last && at <= target && target < next) return at;
    const bool taken = last || directive_name(tokens_[at]) == "else" || is_taken(tokens_[at]).value_or(true);
    // From #else or #elif, which end a compiled branch, to #endif.
    if (chosen == tokens_.size() && (is_if ? taken : last)) chosen = at;
    if (last) break;
    at = next;
  }
  return chosen < tokens_.size() ? chosen : i;
}

}  // namespace tilescope
