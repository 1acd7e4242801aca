// Host functions that lead to a launch, or allocate for it; and the launch itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/sandbox/reading/host_interpreter.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

constexpr int kDeepestCall = 6;

}  // namespace

/// A call for its side effects: a helper that allocates.
void HostInterpreter::run_function(Scope& scope, size_t i) {
  if (i + 1 >= tokens_.size() || (!is(i + 1, "(") && !is(i + 1, "<"))) return;
  const HostSource::Function* function = host_.function_named(tokens_[i].text);
  if (function == nullptr || !function->allocates || function == scope.function || scope.function == nullptr) return;
  (void)call_function(scope, i);
}

std::optional<HostInterpreter::Scope> HostInterpreter::call_function(Scope& scope, size_t name) {
  const HostSource::Function* function = host_.function_named(tokens_[name].text);
  if (function == nullptr || depth_ >= kDeepestCall || !spend(1)) return std::nullopt;
  ++depth_;
  Scope callee;
  callee.function = function;
  bind(callee, *function, &scope, name);
  run(callee, function->body, function->end, function->end);
  --depth_;
  return callee;
}

HostInterpreter::Scope HostInterpreter::scope_at(const HostSource::Function& function, size_t token, int depth) {
  Scope scope;
  scope.function = &function;
  const auto call = function.name == "main" || depth >= kDeepestCall ? std::nullopt : host_.call_of(function);
  const HostSource::Function* caller = call ? host_.function_around(*call) : nullptr;
  if (caller != nullptr && caller != &function) {
    Scope around = scope_at(*caller, *call, depth + 1);
    bind(scope, function, &around, *call);
  } else {
    bind(scope, function, nullptr, 0);
  }
  run(scope, function.body, token, token);
  return scope;
}

/// Binds the parameters of a function to a call's arguments; unknown without a call.
void HostInterpreter::bind(Scope& callee, const HostSource::Function& function, Scope* caller, size_t name) {
  std::vector<Tokens> arguments;
  if (caller != nullptr) {
    const size_t open = after_template_arguments(tokens_, name + 1);
    if (is(open, "(")) arguments = group_at(open);
    const auto given = open > name + 1 ? split_arguments(between(name + 2, open - 1)) : std::vector<Tokens>{};
    for (size_t i = 0; i < given.size() && i < function.type_parameters.size(); ++i) {
      callee.type_arguments[function.type_parameters[i]] = text_of(given[i]);
      if (const HostValue value = evaluate(*caller, given[i]))
        define(callee, function.type_parameters[i], value, false, name);
    }
  }
  size_t number = 0;
  for (Tokens one : group_at(function.open)) {
    const size_t index = number++;
    Tokens preset;
    for (size_t k = 0; k < one.size(); ++k)
      if (one[k].is("=")) {
        preset = one.subspan(k + 1);
        one = one.first(k);
        break;
      }
    size_t last = one.size();
    while (last > 0 && one[last - 1].kind != Kind::name) --last;
    if (last < 2 || !spend(one.size())) continue;
    const std::string parameter(one[last - 1].text);
    const auto stars = std::ranges::count_if(one, [](const SourceToken& token) { return token.is("*"); });
    std::string type;
    for (const SourceToken& word : one.first(last - 1))
      if (!is_qualifier(word) && !is_any(word, {"*", "&"})) type += (type.empty() ? "" : " ") + std::string(word.text);
    callee.types[parameter] = type;
    const Tokens argument = index < arguments.size() ? arguments[index] : Tokens();
    if (stars > 0) {
      const auto known = caller != nullptr ? pointer(*caller, argument) : std::nullopt;
      callee.pointers[parameter] = known ? *known : new_buffer(type);
      // template <typename T> void run(T* x): T is deduced from the argument
      const bool deduced = std::ranges::find(function.type_parameters, type) != function.type_parameters.end();
      if (known && deduced && !buffers_[*known].type.empty())
        callee.type_arguments.try_emplace(type, buffers_[*known].type);
      continue;
    }
    if (caller != nullptr && !argument.empty()) {
      size_t end = 0;
      const std::string path = read_path(argument, 0, end);
      if (type == "dim3") {
        if (const auto found = extents(*caller, argument, name)) callee.extents[parameter] = *found;
        continue;
      }
      // Members of a structure, and the length of a vector.
      const auto inherit = [&](const auto& from, auto& to) {
        const std::string prefix = path + ".";
        for (auto at = from.lower_bound(prefix); at != from.end() && at->first.starts_with(prefix); ++at)
          to[parameter + "." + at->first.substr(prefix.size())] = at->second;
      };
      if (!path.empty() && end == argument.size()) {
        inherit(caller->values, callee.values);
        inherit(caller->pointers, callee.pointers);
        inherit(caller->lengths, callee.lengths);
      }
    }
    const auto known_type = type_named(callee, type);
    if (known_type.kind != ParameterType::Kind::scalar || known_type.components != 1) continue;
    const bool floating = is_floating_type(known_type);
    HostValue value = caller != nullptr && !argument.empty() ? evaluate(*caller, argument) : evaluate(callee, preset);
    value = held_by(known_type, floating ? value : host_whole(value, variables_));
    if (value != nullptr && value->kind == HostNode::Kind::variable && value->is_floating == floating) {
      callee.values[parameter] = value->variable;
      continue;
    }
    const HostPlace place =
        caller != nullptr && !argument.empty() ? place_of(*caller, name) : place_of(callee, function.open);
    callee.values[parameter] = new_variable(place, parameter, std::move(value), floating);
  }
}

/// In a form valid outside the function: its local names are replaced by types and numbers.
std::vector<std::string> HostInterpreter::template_arguments(Scope& scope, Tokens tokens, std::set<size_t>& variables) {
  std::vector<std::string> result;
  for (const Tokens one : split_arguments(tokens)) {
    const std::string text = text_of(one);
    const bool literal = one.size() == 1 && (one[0].kind != Kind::name || one[0].is("true") || one[0].is("false"));
    const HostValue value = literal ? nullptr : evaluate(scope, one);
    const auto number = host_value_of(value, variables_);
    const auto type = scope.type_arguments.find(text);
    for_each_variable(value, variables_, [&](size_t variable) { variables.insert(variable); });
    if (number && std::trunc(*number) == *number) {
      result.push_back(fmt::format("{:.0f}", *number));
    } else if (type != scope.type_arguments.end()) {
      result.push_back(type->second);
    } else if (scope.function != nullptr &&
               std::ranges::find(scope.function->type_parameters, text) != scope.function->type_parameters.end()) {
      return {};
    } else {
      result.push_back(text);
    }
  }
  return result;
}

HostLaunch HostInterpreter::launch_at(size_t name, size_t angles, size_t launches) {
  HostLaunch launch;
  launch.count = launches;
  const HostSource::Function* function = host_.function_around(name);
  Scope scope = function != nullptr ? scope_at(*function, name, 0) : global_;
  launch.place = place_of(scope, angles);
  size_t close = angles + 1;
  while (close < tokens_.size() && !is_any(tokens_[close], {">>>", ";"})) ++close;
  const auto configuration = split_arguments(between(angles + 1, close));
  const auto take = [&](size_t which, std::array<std::optional<size_t>, 3>& axes) {
    if (which >= configuration.size()) return;
    const auto found = extents(scope, configuration[which], angles);
    for (size_t axis = 0; found && axis < 3; ++axis) axes[axis] = (*found)[axis];
  };
  take(0, launch.grid);
  take(1, launch.block);
  launch.shared = configuration.size() > 2 ? evaluate(scope, configuration[2]) : host_number(0);
  if (is(close, ">>>") && is(close + 1, "("))
    for (const Tokens one : group_at(close + 1)) {
      HostArgument argument;
      argument.buffer = pointer(scope, one);
      argument.is_null = is_null_pointer(one);
      if (!argument.buffer) argument.value = evaluate(scope, one);
      launch.arguments.push_back(std::move(argument));
    }
  if (angles > name + 2)
    launch.template_arguments = template_arguments(scope, between(name + 2, angles - 1), launch.template_variables);
  if (!spend(0)) return {.count = launches, .place = launch.place};
  launch.variables = std::move(variables_);
  launch.buffers = std::move(buffers_);
  launch.symbols = std::move(symbols_);
  return launch;
}

}  // namespace tilescope
