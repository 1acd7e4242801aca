#include "app/sandbox/reading/host_reading.hpp"

#include <algorithm>

#include "app/sandbox/reading/host_interpreter.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostSteps = 2'000'000;        // per file; about half a second
constexpr size_t kMostStepsOfLaunch = 100'000;  // in addition to those for its tokens

size_t token_at(const std::vector<SourceToken>& tokens, size_t offset) {
  const auto before = [&](const SourceToken& token) { return token.offset < offset; };
  return static_cast<size_t>(std::partition_point(tokens.begin(), tokens.end(), before) - tokens.begin());
}

}  // namespace

HostSource::HostSource(const SourceParts& source, const TypeNames& types, std::string_view text)
    : source_(source), types_(types), line_begins_{0}, steps_left_(kMostSteps) {
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') line_begins_.push_back(i + 1);
  read_groups();
  read_macros();
  read_functions();
  read_launches();
}

void HostSource::read_groups() {
  const auto& tokens = source_.tokens;
  std::vector<size_t> open, conditions;
  group_ends_.assign(tokens.size(), tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view directive = directive_name(tokens[i]);
    if (!conditions.empty() && (directive.starts_with("el") || directive == "endif")) {
      next_directives_[conditions.back()] = i;
      conditions.pop_back();
    }
    if (directive.starts_with("if") || directive.starts_with("el")) conditions.push_back(i);
    if (is_any(tokens[i], {"(", "[", "{"})) open.push_back(i);
    if (!is_any(tokens[i], {")", "]", "}"}) || open.empty()) continue;
    group_ends_[open.back()] = i + 1;
    open.pop_back();
  }
}

void HostSource::read_macros() {
  for (const SourceToken& token : source_.tokens) {
    if (directive_name(token) != "define") continue;
    std::vector<SourceToken> words = source_tokens(directive_rest(token));
    if (words.empty() || words[0].kind != SourceToken::Kind::name) continue;
    Macro macro;
    macro.line = line_at(token.offset);
    const std::string name(words[0].text);
    size_t begin = 1;
    macro.is_function = words.size() > 1 && words[1].is("(") && words[1].offset == words[0].end();
    if (macro.is_function) {
      begin = after_group(words, 1);
      for (size_t i = 2; i + 1 < begin; ++i)
        if (words[i].kind == SourceToken::Kind::name) macro.parameters.emplace_back(words[i].text);
    }
    macro.value.assign(words.begin() + static_cast<ptrdiff_t>(begin), words.end());
    const auto [known, is_new] = macros_.try_emplace(name, macro);
    if (is_new) continue;
    // With several definitions, as in #if and #else, it is unknown which one applies.
    Macro& first = known->second;
    const bool equal = first.is_function == macro.is_function && first.parameters == macro.parameters &&
                       text_of(first.value) == text_of(macro.value);
    if (!equal) first = {.line = first.line};
  }
}

void HostSource::read_launches() {
  const auto& tokens = source_.tokens;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind != SourceToken::Kind::name) continue;
    const size_t angles = after_template_arguments(tokens, i + 1);
    if (angles >= tokens.size() || !tokens[angles].is("<<<")) continue;
    const auto [found, is_new] = launches_.try_emplace(tokens[i].text, KernelLaunches{i, angles});
    ++found->second.count;
  }
}

void HostSource::read_functions() {
  const auto& tokens = source_.tokens;
  for (const SourcePart& part : source_.parts) {
    const size_t begin = token_at(tokens, part.begin), end = token_at(tokens, part.end);
    if (part.on_device)
      for (size_t i = begin; i < end; ++i)
        if (tokens[i].kind == SourceToken::Kind::name) device_names_.insert(tokens[i].text);
    if (part.kind != SourcePart::Kind::function || !part.is_definition) continue;
    Function function;
    const size_t colons = part.name.rfind("::");
    function.name = colons == std::string::npos ? part.name : part.name.substr(colons + 2);
    function.begin = begin;
    function.end = end;
    size_t i = begin;
    while (i + 1 < end && !(tokens[i].is(function.name) && tokens[i + 1].is("("))) ++i;
    if (i + 1 >= end) continue;
    function.open = i + 1;
    for (i = after_group(tokens, function.open); i < end && !tokens[i].is("{");) ++i;
    if (i >= end) continue;
    function.body = i + 1;
    if (tokens[begin].is("template") && begin + 1 < end && tokens[begin + 1].is("<"))
      for (size_t k = begin + 2; k + 1 < function.open && !tokens[k - 1].is(">"); ++k)
        if (tokens[k].kind == SourceToken::Kind::name && is_any(tokens[k + 1], {",", ">", "="}))
          function.type_parameters.emplace_back(tokens[k].text);
    const auto prepares = [](const SourceToken& token) {
      return is_allocation(token) || token.text.find("MemcpyToSymbol") != std::string_view::npos;
    };
    function.allocates = !part.is_kernel && std::any_of(tokens.begin() + static_cast<ptrdiff_t>(function.body),
                                                        tokens.begin() + static_cast<ptrdiff_t>(end), prepares);
    functions_.push_back(std::move(function));
  }
  std::ranges::stable_sort(functions_, {}, &Function::begin);
}

uint32_t HostSource::line_at(size_t offset) const {
  return static_cast<uint32_t>(std::ranges::upper_bound(line_begins_, offset) - line_begins_.begin());
}

const HostSource::Function* HostSource::function_around(size_t token) const {
  const Function* found = nullptr;
  for (const Function& function : functions_)
    if (function.body <= token && token < function.end) found = &function;  // the innermost function begins last
  return found;
}

const HostSource::Function* HostSource::function_named(std::string_view name) const {
  for (const Function& function : functions_)
    if (function.name == name) return &function;
  return nullptr;
}

/// Its first call in main(), else anywhere.
std::optional<size_t> HostSource::call_of(const Function& function) const {
  const auto& tokens = source_.tokens;
  std::optional<size_t> found;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(function.name) || (i >= function.begin && i < function.end)) continue;
    const size_t open = after_template_arguments(tokens, i + 1);
    if (open >= tokens.size() || !tokens[open].is("(")) continue;
    const Function* caller = function_around(i);
    if (caller == nullptr || caller == &function) continue;
    if (caller->name == "main") return i;
    if (!found) found = i;
  }
  return found;
}

std::optional<size_t> HostSource::first_angles(const std::string& kernel) const {
  const auto found = launches_.find(kernel);
  return found != launches_.end() ? std::optional(found->second.angles) : std::nullopt;
}

HostLaunch HostSource::first_launch(const std::string& kernel) {
  const auto found = launches_.find(kernel);
  if (found == launches_.end()) return {};
  const auto& [name, angles, count] = found->second;
  const size_t most = std::min(steps_left_, 4 * source_.tokens.size() + kMostStepsOfLaunch);
  if (around_ == nullptr) around_ = std::make_shared<const HostInterpreter>(*this, most);
  HostInterpreter interpreter(*around_, most);
  HostLaunch launch = interpreter.launch_at(name, angles, count);
  steps_left_ -= std::min(steps_left_, interpreter.steps());
  return launch;
}

}  // namespace tilescope
