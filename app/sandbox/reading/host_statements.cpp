// The statements, other than declarations (host_declarations.cpp), that set what the launch depends on.
#include <algorithm>

#include "app/sandbox/reading/host_flow.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

constexpr size_t kMostVariables = 50'000;

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

HostInterpreter::HostInterpreter(const HostSource& host, size_t most_steps)
    : host_(host), tokens_(host.source_.tokens), most_steps_(most_steps) {
  size_t at = 0;
  for (const HostSource::Function& function : host_.functions_) {
    run(global_, at, function.begin, tokens_.size());
    at = std::max(at, function.end);
  }
  run(global_, at, tokens_.size(), tokens_.size());
}

HostInterpreter::HostInterpreter(const HostInterpreter& around, size_t most_steps) : HostInterpreter(around) {
  most_steps_ = most_steps;
  steps_ = around.steps_ < around.most_steps_ ? 0 : most_steps;
}

bool HostInterpreter::spend(size_t steps) {
  steps_ += steps;
  return steps_ < most_steps_ && variables_.size() < kMostVariables;
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

void HostInterpreter::statement(Scope& scope, const Flow& flow, size_t i) {
  const SourceToken& now = tokens_[i];
  const Certainty certainty{.weak = i < flow.weak_until,
                            .repeated = i < flow.loop_until,
                            .counts = i < flow.loop_until && i < flow.third_clause && flow.third_clause < flow.end};
  if (now.is("enum")) enumeration(scope, i);
  if (now.is("return") && i + 2 < flow.end && tokens_[i + 1].kind == Kind::name && tokens_[i + 2].is(";"))
    scope.returned = tokens_[i + 1].text;
  if (flow.starts(tokens_, i) && declaration(scope, i, flow.end, certainty.weak) == 0) assignment(scope, i, certainty);
  increment(scope, i, certainty);
  if (is_allocation(now)) allocation(scope, i, certainty.weak);
  if (now.text.starts_with("cudaMemset") || now.text.starts_with("hipMemset")) memory_set(scope, i);
  if (now.text.starts_with("cudaMemcpyToSymbol") || now.text.starts_with("hipMemcpyToSymbol"))
    symbol_copy(scope, i);
  else if (now.text.starts_with("cudaMemcpy") || now.text.starts_with("hipMemcpy"))
    memory_copy(scope, i);
  library_call(scope, i);
  if (now.is("cin")) stream_input(scope, i);
  if (now.is("resize") && i >= 2 && is_any(tokens_[i - 1], {".", "->"}) && is(i + 1, "(")) {
    const auto arguments = group_at(i + 1);
    if (!arguments.empty()) scope.lengths[std::string(tokens_[i - 2].text) + ".size()"] = evaluate(scope, arguments[0]);
  }
  run_function(scope, i);
}

/// From here on the value of a number is unknown.
void HostInterpreter::forget(Scope& scope, const std::string& path, size_t token) {
  if (const auto known = scope.values.find(path); known != scope.values.end())
    define(scope, path, nullptr, variables_[known->second].is_floating, token);
}

/// n = …, n *= 2, block.x = 16, in = d_x
void HostInterpreter::assignment(Scope& scope, size_t i, Certainty certainty) {
  if (begins_no_type(tokens_[i])) return;
  size_t sign = i;
  const std::string path = read_path(tokens_, i, sign);
  if (path.empty() || sign + 1 >= tokens_.size()) return;
  const bool element = tokens_[sign - 1].is("]");
  std::string_view operation;
  if (is_any(tokens_[sign], {"+", "-", "*", "/", "%", "&", "|", "^"}) && is(sign + 1, "="))
    operation = tokens_[sign++].text;
  const bool shifts = (is(sign, "<") && is(sign + 1, "<")) || (is(sign, ">") && is(sign + 1, ">"));
  if (shifts && is(sign + 2, "=")) {
    operation = tokens_[sign].is("<") ? "<<" : ">>";
    sign += 2;
  }
  if (!is(sign, "=")) return;
  const size_t begin = sign + 1, end = end_of_initialiser(begin, tokens_.size());
  spend(end - i);
  const Tokens tokens = between(begin, end);
  if (assign_extents(scope, path, operation, tokens, i, certainty)) return;
  if (!scope.values.contains(path))
    if (const auto other = pointer(scope, tokens)) {
      if (!certainty.weak || !scope.pointers.contains(path)) scope.pointers[path] = *other;
      return;
    }
  // Elements of an array are not distinguished.
  if (element) scope.elements.erase(path);
  if (!scope.pointers.contains(path) && !element) assign_number(scope, path, operation, tokens, i, certainty);
}

/// grid = dim3(…), grid.x = …; false: `path` is neither.
bool HostInterpreter::assign_extents(Scope& scope, const std::string& path, std::string_view operation, Tokens tokens,
                                     size_t i, Certainty certainty) {
  const size_t dot = path.rfind('.');
  const bool has_axis = dot != std::string::npos;
  const std::string name = path.substr(0, dot);
  const auto object = scope.extents.find(name);
  if (object == scope.extents.end()) return false;
  const size_t axis = has_axis ? std::string_view("xyz").find(path.back()) : 0;
  if (axis > 2) return true;
  // Without an initial value it is certainly set later, to an unknown value.
  const bool unknown = certainty.repeated || !operation.empty() || scope.defaults.contains(name);
  if (certainty.weak && !unknown) return true;
  const auto new_axis = [&](HostValue value) { return new_variable(place_of(scope, i), {}, std::move(value), false); };
  if (has_axis) {
    const bool is_known = !certainty.weak && !certainty.repeated && operation.empty();
    object->second[axis] = new_axis(is_known ? evaluate(scope, tokens) : nullptr);
    return true;
  }
  const auto found = certainty.weak || certainty.repeated ? std::nullopt : extents(scope, tokens, i);
  if (!certainty.weak) scope.defaults.erase(name);
  object->second = found ? *found : Extents{new_axis(nullptr), new_axis(nullptr), new_axis(nullptr)};
  return true;
}

void HostInterpreter::assign_number(Scope& scope, const std::string& path, std::string_view operation, Tokens tokens,
                                    size_t i, Certainty certainty) {
  const auto known = scope.values.find(path);
  const bool is_known = known != scope.values.end();
  const bool has_value = is_known && variables_[known->second].value != nullptr;
  const bool follows_itself =
      !operation.empty() || std::ranges::any_of(tokens, [&](const SourceToken& token) { return token.is(path); });
  if (certainty.counts || (certainty.repeated && follows_itself)) return forget(scope, path, i);
  HostValue value = evaluate(scope, tokens);
  if (certainty.weak && has_value && (certainty.repeated || scope.guessed.contains(path))) {
    const auto before = variables_[known->second].number, now = host_value_of(value, variables_);
    if (!before || before != now) forget(scope, path, i);
    return;
  }
  if (certainty.weak && (has_value || scope.guessed.contains(path))) return;
  if (certainty.weak && value != nullptr) scope.guessed.insert(path);
  if (!certainty.weak) scope.guessed.erase(path);
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
    if (operation == "&" || operation == "|" || operation == "^") value = nullptr;
  }
  const bool floating = is_known ? variables_[known->second].is_floating : value != nullptr && value->is_floating;
  if (!is_known && value == nullptr) return;
  define(scope, path, std::move(value), floating, i);
}

/// n++; and ++n;
void HostInterpreter::increment(Scope& scope, size_t i, Certainty certainty) {
  const auto is_twice = [&](size_t k) {
    return k + 1 < tokens_.size() && is_any(tokens_[k], {"+", "-"}) && tokens_[k + 1].is(tokens_[k].text) &&
           tokens_[k].end() == tokens_[k + 1].offset;
  };
  size_t end = i;
  // Not the b in a+++b.
  const bool before = i >= 2 && is_twice(i - 2) &&
                      (i == 2 || (tokens_[i - 3].kind != Kind::name && !is_any(tokens_[i - 3], {")", "]", "+", "-"})));
  if (!before && !is_twice(i + 1)) return;
  const std::string path = read_path(tokens_, i, end);
  const auto known = scope.values.find(path);
  if (known == scope.values.end() || tokens_[end - 1].is("]")) return;
  if (certainty.repeated) return forget(scope, path, i);
  if (certainty.weak) return;
  const size_t sign = before ? i - 2 : end;
  const HostValue step = host_number(is(sign, "+") ? 1 : -1);
  define(scope, path, host_sum({value_of(scope, path), step}, variables_), variables_[known->second].is_floating, i);
}

/// enum { BINS = 256, N };
void HostInterpreter::enumeration(Scope& scope, size_t i) {
  size_t open = i + 1;
  while (open < tokens_.size() && open < i + 8 && !is_any(tokens_[open], {"{", ";", "(", ")", "="})) ++open;
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
void HostInterpreter::allocation(Scope& scope, size_t i, bool weak) {
  const size_t open = after_template_arguments(tokens_, i + 1);
  if (!is(open, "(")) return;
  const auto arguments = group_at(open);
  if (arguments.size() < 2) return;
  // The name after the last &, else the last name.
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
  if (weak && buffer.bytes != nullptr && bytes == nullptr) return;
  buffer.bytes = std::move(bytes);
  buffer.place = place_of(scope, i);
  buffer.set_to.reset();
}

void HostInterpreter::memory_set(Scope& scope, size_t i) {
  if (!is(i + 1, "(")) return;
  const auto arguments = group_at(i + 1);
  if (arguments.size() < 3) return;
  const auto found = pointer(scope, arguments[0]);
  if (!found) return;
  HostMemory& buffer = buffers_[*found];
  const auto value = host_value_of(evaluate(scope, arguments[1]), variables_);
  const HostValue bytes = evaluate(scope, arguments[2]);
  const auto all = host_value_of(buffer.bytes, variables_), part = host_value_of(bytes, variables_);
  const bool whole = all && part ? *part >= *all : is_same(buffer.bytes, bytes);
  // cudaMemset2D and 3D have different arguments.
  const bool plain = is_any(tokens_[i], {"cudaMemset", "cudaMemsetAsync", "hipMemset", "hipMemsetAsync"});
  buffer.set_to.reset();
  if (!plain || !whole || !value || *value < -128 || *value > 255) return;
  buffer.set_to = static_cast<int>(*value) & 255;
  buffer.set_at = place_of(scope, i);
}

void HostInterpreter::memory_copy(Scope& scope, size_t i) {
  if (!is(i + 1, "(")) return;
  const auto arguments = group_at(i + 1);
  if (arguments.size() < 3) return;
  if (const auto buffer = pointer(scope, arguments[0])) buffers_[*buffer].set_to.reset();
}

/// cudaMemcpyToSymbol(filter, weights, sizeof(weights)), (count, &n, sizeof(int))
void HostInterpreter::symbol_copy(Scope& scope, size_t i) {
  if (!is(i + 1, "(")) return;
  const auto arguments = group_at(i + 1);
  if (arguments.size() < 2 || !spend(1)) return;
  std::string name;
  for (const SourceToken& token : arguments[0])
    if (token.kind == SourceToken::Kind::name) name = token.text;
  if (name.empty()) return;
  HostSymbol symbol{.place = place_of(scope, i)};
  const Tokens from = arguments[1];
  const bool is_address = !from.empty() && from[from.size() - 1].kind == SourceToken::Kind::name && from.size() >= 2 &&
                          from[from.size() - 2].is("&");
  const std::string source = from.empty() ? std::string() : std::string(from.back().text);
  if (is_address) {
    if (const HostValue value = value_of(scope, source)) symbol.values = {value};
  } else if (const auto known = scope.elements.find(source); known != scope.elements.end()) {
    symbol.values = known->second;
  } else if (const auto outside = global_.elements.find(source); outside != global_.elements.end()) {
    symbol.values = outside->second;
  }
  const bool known = std::ranges::all_of(symbol.values, [&](const HostValue& value) {
    return value != nullptr && host_value_of(value, variables_).has_value();
  });
  if (!known || arguments.size() > 3) symbol.values.clear();  // an offset: a part of it
  symbols_[name] = std::move(symbol);
}

/// cudaDeviceGetAttribute(&sms, …), scanf("%d", &n): a number written by a library function is unknown. A function in
/// the file, such as parse(argc, argv, &n), leaves the number unchanged when there are no arguments.
void HostInterpreter::library_call(Scope& scope, size_t i) {
  const SourceToken& name = tokens_[i];
  const bool reads_input = is_any(name, {"scanf", "fscanf", "sscanf"});
  const bool is_cuda = name.text.starts_with("cuda") || name.text.starts_with("hip");
  if (!is(i + 1, "(") || !(reads_input || is_cuda) || name.text.find("ToSymbol") != std::string_view::npos) return;
  const auto arguments = group_at(i + 1);
  const bool copies = name.text.find("Memcpy") != std::string_view::npos;  // its inputs begin with the second argument
  for (size_t k = 0; k < (copies ? std::min<size_t>(arguments.size(), 1) : arguments.size()); ++k) {
    const Tokens one = arguments[k];
    if (one.size() >= 2 && one[one.size() - 2].is("&")) forget(scope, std::string(one.back().text), i);
  }
}

/// std::cin >> n >> m
void HostInterpreter::stream_input(Scope& scope, size_t i) {
  for (size_t k = i + 1; is(k, ">") && is(k + 1, ">") && k + 2 < tokens_.size(); k += 3)
    forget(scope, std::string(tokens_[k + 2].text), i);
}

}  // namespace tilescope
