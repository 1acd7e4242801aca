#include <algorithm>

#include "app/sandbox/host_interpreter.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

constexpr size_t kMostSteps = 100000;  // tokens looked at for one launch beside those of the file itself

constexpr auto kNoType = std::to_array<std::string_view>(
    {"return",   "if",     "else",     "for",    "while",  "do",       "switch",        "case",
     "default",  "break",  "goto",     "throw",  "delete", "new",      "using",         "typedef",
     "template", "public", "private",  "sizeof", "struct", "class",    "union",         "namespace",
     "extern",   "enum",   "operator", "asm",    "friend", "continue", "static_assert", "protected"});
constexpr auto kQualifiers = std::to_array<std::string_view>(
    {"const", "constexpr", "static", "inline", "volatile", "register", "thread_local", "__restrict__", "__restrict"});
constexpr auto kArithmetic = std::to_array<std::string_view>(
    {"unsigned", "signed", "int", "long", "short", "char", "float", "double", "bool", "auto"});
constexpr auto kVectors = std::to_array<std::string_view>({"vector", "device_vector", "host_vector"});
constexpr auto kAllocates =
    std::to_array<std::string_view>({"cudaMalloc", "cudaMallocAsync", "cudaMallocManaged", "cudaMallocHost",
                                     "cudaHostAlloc", "hipMalloc", "hipMallocManaged"});

template <class List>
bool is_one_of(const SourceToken& token, const List& list) {
  return token.kind == Kind::name && std::ranges::find(list, token.text) != list.end();
}

}  // namespace

bool begins_no_type(const SourceToken& token) { return is_one_of(token, kNoType); }
bool is_qualifier(const SourceToken& token) { return is_one_of(token, kQualifiers); }
bool is_arithmetic(const SourceToken& token) { return is_one_of(token, kArithmetic); }
bool is_vector(const SourceToken& token) { return is_one_of(token, kVectors); }
bool is_allocation(const SourceToken& token) { return is_one_of(token, kAllocates); }

HostInterpreter::HostInterpreter(const HostSource& host) : host_(host), tokens_(host.source_.tokens) {
  std::vector<size_t> open;
  group_ends_.assign(tokens_.size(), tokens_.size());
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (is_any(tokens_[i], {"(", "[", "{"})) open.push_back(i);
    if (!is_any(tokens_[i], {")", "]", "}"}) || open.empty()) continue;
    group_ends_[open.back()] = i + 1;
    open.pop_back();
  }
  size_t at = 0;
  for (const HostSource::Function& function : host_.functions_) {
    run(global_, at, function.begin, tokens_.size());
    at = std::max(at, function.end);
  }
  run(global_, at, tokens_.size(), tokens_.size());
}

bool HostInterpreter::spend(size_t steps) {
  steps_ += steps;
  return steps_ < 4 * tokens_.size() + kMostSteps;
}

HostPlace HostInterpreter::place_of(const Scope& scope, size_t token) const {
  const uint32_t line = token < tokens_.size() ? host_.line_at(tokens_[token].offset) : 0;
  return {scope.function != nullptr ? scope.function->name : std::string(), line};
}

Tokens HostInterpreter::between(size_t begin, size_t end) const {
  end = std::min(end, tokens_.size());
  return begin < end ? Tokens(tokens_).subspan(begin, end - begin) : Tokens();
}

size_t HostInterpreter::new_buffer(const std::string& type) {
  buffers_.push_back({.type = type});
  return buffers_.size() - 1;
}

size_t HostInterpreter::new_variable(const HostPlace& place, const std::string& name, HostValue value, bool floating) {
  HostVariable variable{
      .name = name, .value = std::move(value), .is_floating = floating, .line = place.line, .function = place.function};
  if (!floating) variable.value = host_whole(variable.value, variables_);
  variable.number = host_value_of(variable.value, variables_);
  variables_.push_back(std::move(variable));
  return variables_.size() - 1;
}

size_t HostInterpreter::define(Scope& scope, const std::string& name, HostValue value, bool floating, size_t token) {
  return scope.values[name] = new_variable(place_of(scope, token), name, std::move(value), floating);
}

std::vector<Tokens> HostInterpreter::group_at(size_t open) const {
  return split_arguments(between(open + 1, group_end(open) - 1));
}

size_t HostInterpreter::end_of_initialiser(size_t i, size_t end) const {
  while (i < end && !is_any(tokens_[i], {",", ";"})) {
    if (is_any(tokens_[i], {")", "}", "]"})) return i;
    if (is_any(tokens_[i], {"(", "[", "{"}))
      i = group_end(i);
    else if (tokens_[i].is("<") && i > 0 && tokens_[i - 1].kind == Kind::name)
      i = std::max(i + 1, after_template_arguments(tokens_, i));
    else
      ++i;
  }
  return std::min(i, end);
}

void HostInterpreter::run(Scope& scope, size_t begin, size_t end, size_t target) {
  size_t weak_until = 0, starts_at = begin, skipped = end;  // `skipped`: the third clause of a for
  end = std::min(end, tokens_.size());
  const auto weaken = [&](size_t close) {
    if (close <= target) weak_until = std::max(weak_until, close);
  };
  for (size_t i = begin; i < end && spend(1); ++i) {
    const SourceToken& now = tokens_[i];
    const bool after_sign = i > begin && (is_any(tokens_[i - 1], {";", "{", "}", ":", "else", "do"}) ||
                                          tokens_[i - 1].kind == Kind::directive);
    const bool starts = i == starts_at || after_sign;
    if (i == skipped) {  // for (…; …; here)
      int depth = 1;
      while (i < end && depth > 0) {
        if (is_any(tokens_[i], {"(", "[", "{"})) ++depth;
        if (is_any(tokens_[i], {")", "]", "}"})) --depth;
        ++i;
      }
      starts_at = i;
      --i;
      continue;
    }
    if (now.is("{")) weaken(group_end(i));
    if (now.kind != Kind::name) continue;
    if (now.is("if") || now.is("for") || now.is("while") || now.is("else")) {
      size_t statement = i + 1;
      if (is(statement, "constexpr")) ++statement;
      if (is(statement, "(")) statement = group_end(statement);
      const bool may_be_left_out = now.is("if") || now.is("else");
      if (may_be_left_out && statement < end && !tokens_[statement].is("{")) {
        size_t close = statement;
        while (close < end && !tokens_[close].is(";")) {
          const bool group = is_any(tokens_[close], {"(", "[", "{"});
          const bool block = tokens_[close].is("{");
          close = group ? group_end(close) : close + 1;
          if (block) break;
        }
        weaken(close);
      }
      if (now.is("for") && is(i + 1, "(")) {
        size_t semicolons = 0, k = i + 2;
        for (; k < statement && semicolons < 2; ++k)
          if (tokens_[k].is(";")) ++semicolons;
        skipped = semicolons == 2 ? k : end;
        starts_at = i + 2;
      } else if (!now.is("else")) {
        starts_at = statement;
      }
      continue;
    }
    if (now.is("struct") || now.is("class") || now.is("union")) {
      size_t k = i + 1, names = 0;
      for (; k < end && !is_any(tokens_[k], {"{", ";", "=", "(", ">"}); ++k)
        names += tokens_[k].kind == Kind::name ? 1 : 0;
      if (k < end && tokens_[k].is("{") && names <= 1) {
        i = group_end(k) - 1;
        continue;
      }
    }
    const bool weak = i < weak_until;
    if (now.is("enum")) enumeration(scope, i);
    if (now.is("return") && i + 2 < end && tokens_[i + 1].kind == Kind::name && tokens_[i + 2].is(";"))
      scope.returned = tokens_[i + 1].text;
    if (starts && declaration(scope, i, end, weak) == 0) assignment(scope, i, weak);
    if (is_allocation(now)) allocation(scope, i);
    if (now.text.starts_with("cudaMemset") || now.text.starts_with("hipMemset")) memory_set(scope, i);
    if (now.text.starts_with("cudaMemcpy") || now.text.starts_with("hipMemcpy")) memory_copy(scope, i);
    if (now.is("resize") && i >= 2 && is_any(tokens_[i - 1], {".", "->"}) && is(i + 1, "(")) {
      const auto arguments = group_at(i + 1);
      if (!arguments.empty())
        scope.lengths[std::string(tokens_[i - 2].text) + ".size()"] = evaluate(scope, arguments[0]);
    }
    run_function(scope, i);
  }
}

/// n = …, n *= 2, block.x = 16, in = d_x
void HostInterpreter::assignment(Scope& scope, size_t i, bool weak) {
  if (begins_no_type(tokens_[i])) return;
  size_t sign = i;
  const std::string path = read_path(tokens_, i, sign);
  if (path.empty() || sign + 1 >= tokens_.size()) return;
  std::string_view operation;
  if (is_any(tokens_[sign], {"+", "-", "*", "/", "%"}) && is(sign + 1, "=")) operation = tokens_[sign++].text;
  const bool shifts = (is(sign, "<") && is(sign + 1, "<")) || (is(sign, ">") && is(sign + 1, ">"));
  if (shifts && is(sign + 2, "=")) {
    operation = tokens_[sign].is("<") ? "<<" : ">>";
    sign += 2;
  }
  if (!is(sign, "=")) return;
  const size_t begin = sign + 1, end = end_of_initialiser(begin, tokens_.size());
  spend(end - i);
  const Tokens tokens = between(begin, end);
  const size_t dot = path.rfind('.');
  if (const auto object = scope.extents.find(path.substr(0, dot));
      dot != std::string::npos && object != scope.extents.end()) {
    const size_t axis = std::string_view("xyz").find(path.back());
    if (!weak && axis < 3 && operation.empty())
      object->second[axis] = new_variable(place_of(scope, i), {}, evaluate(scope, tokens), false);
    return;
  }
  if (const auto object = scope.extents.find(path); object != scope.extents.end()) {
    if (const auto found = extents(scope, tokens, i); found && !weak) object->second = *found;
    return;
  }
  if (const auto other = pointer(scope, tokens)) {
    if (!weak || !scope.pointers.contains(path)) scope.pointers[path] = *other;
    return;
  }
  if (scope.pointers.contains(path)) return;
  const auto known = scope.values.find(path);
  const bool has_value = known != scope.values.end() && variables_[known->second].value != nullptr;
  if (weak && has_value) return;
  HostValue value = evaluate(scope, tokens);
  if (!operation.empty()) {
    const HostValue before = value_of(scope, path);
    const auto bits = host_value_of(value, variables_);
    const HostValue power = bits && *bits >= 0 && *bits <= 60
                                ? host_number(static_cast<long double>(uint64_t{1} << static_cast<unsigned>(*bits)))
                                : nullptr;
    if (operation == "+") value = host_sum({before, value}, variables_);
    if (operation == "-") value = host_sum({before, host_product({host_number(-1), value})}, variables_);
    if (operation == "*") value = host_product({before, value});
    if (operation == "/") value = host_quotient(before, value, variables_);
    if (operation == "%") value = host_node(HostNode::Kind::remainder, {before, value}, variables_);
    if (operation == "<<") value = host_product({before, power});
    if (operation == ">>") value = host_quotient(before, power, variables_);
  }
  const bool floating =
      known != scope.values.end() ? variables_[known->second].is_floating : value != nullptr && value->is_floating;
  if (known == scope.values.end() && value == nullptr) return;
  define(scope, path, std::move(value), floating, i);
}

/// enum { BINS = 256, N };
void HostInterpreter::enumeration(Scope& scope, size_t i) {
  size_t open = i + 1;
  while (open < tokens_.size() && open < i + 8 && !tokens_[open].is("{")) ++open;
  if (!is(open, "{")) return;
  HostValue next = host_number(0);
  for (const Tokens one : group_at(open)) {
    if (one[0].kind != Kind::name || !spend(one.size())) return;
    if (one.size() > 2 && one[1].is("=")) next = evaluate(scope, one.subspan(2));
    const size_t index = define(scope, std::string(one[0].text), next, false, i);
    variables_[index].is_constant = scope.function == nullptr;
    next = host_sum({next, host_number(1)}, variables_);
  }
}

/// cudaMalloc(&d_x, bytes), cudaMalloc((void**)&d_x, bytes), cudaMalloc<float>(&d_x, bytes)
void HostInterpreter::allocation(Scope& scope, size_t i) {
  const size_t open = after_template_arguments(tokens_, i + 1);
  if (!is(open, "(")) return;
  const auto arguments = group_at(open);
  if (arguments.size() < 2) return;
  // The name after the last &, else the last.
  const Tokens target = arguments[0];
  std::string path;
  for (size_t k = 0; k < target.size(); ++k) {
    size_t end = k;
    if (target[k].kind != Kind::name) continue;
    const std::string one = read_path(target, k, end);
    if (one != "void" && one != "reinterpret_cast" && one != "static_cast") path = one;
    k = end - 1;
  }
  if (path.empty()) return;
  auto known = scope.pointers.find(path);
  if (known == scope.pointers.end()) {
    const auto outside = global_.pointers.find(path);
    const size_t buffer = outside != global_.pointers.end() ? outside->second : new_buffer("");
    known = scope.pointers.emplace(path, buffer).first;
  }
  HostMemory& buffer = buffers_[known->second];
  HostValue bytes = evaluate(scope, arguments[1]);
  if (buffer.bytes != nullptr && bytes == nullptr) return;
  buffer.bytes = std::move(bytes);
  buffer.place = place_of(scope, i);
  buffer.set_to.reset();
}

void HostInterpreter::memory_set(Scope& scope, size_t i) {
  if (!is(i + 1, "(")) return;
  const auto arguments = group_at(i + 1);
  if (arguments.size() < 3) return;
  const auto buffer = pointer(scope, arguments[0]);
  const auto value = host_value_of(evaluate(scope, arguments[1]), variables_);
  if (!buffer || !value || *value < -128 || *value > 255) return;
  const auto all = host_value_of(buffers_[*buffer].bytes, variables_);
  const auto part = host_value_of(evaluate(scope, arguments[2]), variables_);
  if (all && part && *part < *all) return;
  buffers_[*buffer].set_to = static_cast<int>(*value) & 255;
  buffers_[*buffer].set_at = place_of(scope, i);
}

void HostInterpreter::memory_copy(Scope& scope, size_t i) {
  if (!is(i + 1, "(")) return;
  const auto arguments = group_at(i + 1);
  if (arguments.size() < 3) return;
  if (const auto buffer = pointer(scope, arguments[0])) buffers_[*buffer].set_to.reset();
}

}  // namespace tilescope
