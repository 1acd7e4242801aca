// The meaning of names in an expression of host code at a statement.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/sandbox/reading/host_interpreter.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

constexpr size_t kLongestExpression = 256;  // tokens
constexpr int kDeepest = 12;                // nested calls and nested macros

}  // namespace

bool is_floating_type(const ParameterType& type) { return is_floating(type.type); }

HostMeaning HostInterpreter::meaning(Scope& scope) {
  return {variables_, [this, &scope](const std::string& path) { return value_of(scope, path); },
          [this, &scope](const std::string& name, const std::vector<Tokens>& arguments) {
            return call(scope, name, arguments);
          },
          [this, &scope](Tokens tokens) { return size_of(scope, tokens); },
          [this, &scope](Tokens tokens) -> std::optional<bool> {
            const auto type = number_type(scope, tokens);
            return type ? std::optional(is_floating_type(*type)) : std::nullopt;
          }};
}

HostValue HostInterpreter::evaluate(Scope& scope, Tokens tokens) {
  if (tokens.empty() || tokens.size() > kLongestExpression || !spend(tokens.size())) return nullptr;
  return read_host_expression(tokens, meaning(scope));
}

HostValue HostInterpreter::value_of(Scope& scope, const std::string& path) {
  for (Scope* one : {&scope, &global_}) {
    if (const auto length = one->lengths.find(path); path.ends_with("()") && length != one->lengths.end())
      return length->second;
    if (const auto found = one->values.find(path); found != one->values.end())
      return host_variable(found->second, variables_[found->second].is_floating);
    const size_t dot = path.rfind('.');
    if (dot == std::string::npos) continue;
    const size_t axis = std::string_view("xyz").find(path.back());
    const auto object = one->extents.find(path.substr(0, dot));
    if (object != one->extents.end() && axis < 3 && path.size() == dot + 2)
      return host_variable(object->second[axis], false);
  }
  const auto macro = host_.macros_.find(path);
  if (macro == host_.macros_.end() || macro->second.is_function || depth_ >= kDeepest) return nullptr;
  if (!open_macros_.insert(path).second) return nullptr;
  ++depth_;
  HostValue value = evaluate(global_, macro->second.value);
  --depth_;
  open_macros_.erase(path);
  if (value == nullptr) return nullptr;
  const bool is_floating = value->is_floating;
  const size_t index = define(global_, path, std::move(value), is_floating, tokens_.size());
  variables_[index].is_constant = true;
  variables_[index].line = macro->second.line;
  return host_variable(index, is_floating);
}

/// A macro, or a function that consists of one return statement.
HostValue HostInterpreter::call(Scope& scope, const std::string& name, const std::vector<Tokens>& arguments) {
  if (depth_ >= kDeepest) return nullptr;
  ++depth_;
  const auto macro = host_.macros_.find(name);
  const bool is_macro = macro != host_.macros_.end() && macro->second.is_function;
  HostValue value = is_macro ? call_macro(scope, macro->second, arguments)
                             : call_expression(scope, host_.function_named(name), arguments);
  --depth_;
  return value;
}

/// Expands by tokens, like the preprocessor: with SQUARE(x) x * x, SQUARE(n + 1) is n + 1 * n + 1.
HostValue HostInterpreter::call_macro(Scope& scope, const HostSource::Macro& macro,
                                      const std::vector<Tokens>& arguments) {
  if (macro.parameters.size() != arguments.size()) return nullptr;
  std::vector<SourceToken> tokens;
  for (const SourceToken& token : macro.value) {
    const auto parameter =
        token.kind == Kind::name ? std::ranges::find(macro.parameters, token.text) : macro.parameters.end();
    if (parameter == macro.parameters.end()) {
      tokens.push_back(token);
    } else {
      const Tokens argument = arguments[static_cast<size_t>(parameter - macro.parameters.begin())];
      tokens.insert(tokens.end(), argument.begin(), argument.end());
    }
    if (tokens.size() > kLongestExpression) return nullptr;
  }
  return evaluate(scope, tokens);
}

HostValue HostInterpreter::call_expression(Scope& scope, const HostSource::Function* function,
                                           const std::vector<Tokens>& arguments) {
  if (function == nullptr || !is(function->body, "return")) return nullptr;
  const size_t end = end_of_expression(tokens_, function->body + 1, {});
  const auto parameters = group_at(function->open);
  if (!is(end, ";") || end + 2 < function->end || parameters.size() != arguments.size()) return nullptr;
  Scope callee;
  callee.function = function;
  std::map<std::string, HostValue> given;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Tokens type = parameters[i].first(parameters[i].size() - 1);
    HostValue value = evaluate(scope, arguments[i]);
    if (const auto number = number_type(callee, type))
      value = held_by(*number, is_floating_type(*number) ? value : host_whole(value, variables_));
    given[std::string(parameters[i].back().text)] = value;
  }
  HostMeaning inside = meaning(callee);
  inside.value = [&](const std::string& path) {
    const auto found = given.find(path);
    return found != given.end() ? found->second : value_of(callee, path);
  };
  const Tokens body = between(function->body + 1, end);
  return body.size() <= kLongestExpression && spend(body.size()) ? read_host_expression(body, inside) : nullptr;
}

ParameterType HostInterpreter::type_named(const Scope& scope, const std::string& text) const {
  const auto argument = scope.type_arguments.find(text);
  return read_parameter((argument != scope.type_arguments.end() ? argument->second : text) + " value", host_.types_);
}

std::optional<ParameterType> HostInterpreter::number_type(const Scope& scope, Tokens tokens) const {
  if (tokens.empty() || tokens.size() > 8) return std::nullopt;
  for (const SourceToken& token : tokens)
    if (token.kind != Kind::name && !token.is("::")) return std::nullopt;
  const std::string text = text_of(tokens);
  if (tokens.size() == 1 && (scope.values.contains(text) || global_.values.contains(text))) return std::nullopt;
  std::string words;
  for (const SourceToken& token : tokens)
    if (!is_any(token, {"const", "constexpr", "static", "::", "std", "inline"}))
      words += (words.empty() ? "" : " ") + std::string(token.text);
  ParameterType type = type_named(scope, words);
  if (type.kind != ParameterType::Kind::scalar || type.components != 1 || type.size == 0) return std::nullopt;
  return type;
}

HostValue HostInterpreter::held_by(const ParameterType& type, HostValue value) const {
  const auto number = host_value_of(value, variables_);
  if (!number || is_floating_type(type)) return value;
  const bool is_signed = is_signed_integer(type.type);
  const auto bits = static_cast<int>(8 * type.size);
  const long double most = type.type == DType::boolean ? 1 : std::ldexp(1.0L, is_signed ? bits - 1 : bits) - 1;
  const long double least = is_signed ? -most - 1 : 0;
  return least <= *number && *number <= most ? value : nullptr;
}

/// sizeof(float), sizeof(*x), sizeof(x[0]), sizeof(x)
std::optional<int64_t> HostInterpreter::size_of(Scope& scope, Tokens tokens) {
  if (tokens.empty() || tokens.size() > 32) return std::nullopt;
  const bool pointee = tokens[0].is("*");
  size_t end = 0;
  const size_t begin = pointee ? 1 : 0;
  const std::string path = read_path(tokens, begin, end);
  const auto declared = scope.types.find(path);
  if (!path.empty() && declared != scope.types.end()) {
    const auto element = static_cast<int64_t>(type_named(scope, declared->second).size);
    const bool one = pointee || (end > begin + 1 && tokens[end - 1].is("]"));
    if (element == 0) return std::nullopt;
    if (one) return element;
    if (const auto length = scope.lengths.find(path); length != scope.lengths.end()) {
      const auto count = host_value_of(length->second, variables_);
      if (!count || *count < 0 || *count > 1e12L) return std::nullopt;
      return static_cast<int64_t>(*count) * element;
    }
    return scope.pointers.contains(path) ? 8 : element;
  }
  if (tokens.back().is("*")) return 8;
  std::string text;
  for (const SourceToken& token : tokens)
    if (!token.is("const")) text += (text.empty() ? "" : " ") + std::string(token.text);
  const auto size = static_cast<int64_t>(type_named(scope, text).size);
  return size > 0 ? std::optional(size) : std::nullopt;
}

/// The buffer that d_x, (float4*)d_x, &d_x[0], d_x.data().get() or a cast of it points to. Sums of addresses are not
/// tracked.
std::optional<size_t> HostInterpreter::pointer(Scope& scope, Tokens tokens) {
  constexpr size_t kLongest = 48;
  if (tokens.size() > kLongest || !spend(tokens.size())) return std::nullopt;
  std::optional<size_t> found;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (is_any(tokens[i], {"+", "-", "?", "/"})) return std::nullopt;
    if (tokens[i].kind != Kind::name || found) continue;
    size_t end = i;
    std::string path = read_path(tokens, i, end);
    for (const char* suffix : {".get", ".data", ".get"})
      if (path.ends_with(suffix)) path.resize(path.size() - std::string_view(suffix).size());
    for (const Scope* one : {&std::as_const(scope), &std::as_const(global_)})
      if (const auto known = one->pointers.find(path); !found && known != one->pointers.end()) found = known->second;
    // sizeof(*x), and an element x[i] as a value, are not addresses.
    if (found && i > 0 && tokens[i - 1].is("*") && i > 1 && tokens[i - 2].is("(")) found.reset();
    if (is_any(tokens[i], {"sizeof"})) return std::nullopt;
    i = end - 1;
  }
  return found;
}

bool HostInterpreter::is_null_pointer(Tokens tokens) {
  if (tokens.empty()) return false;
  const SourceToken& last = tokens.back();
  return (tokens.size() == 1 || tokens[tokens.size() - 2].is(")")) && is_any(last, {"nullptr", "NULL", "0"});
}

/// dim3(16, 16), {16, 16}, a variable of type dim3, or a number.
std::optional<HostInterpreter::Extents> HostInterpreter::extents(Scope& scope, Tokens tokens, size_t at) {
  if (tokens.empty()) return std::nullopt;
  size_t end = 0;
  const std::string path = read_path(tokens, 0, end);
  if (end == tokens.size())
    for (const Scope* one : {&std::as_const(scope), &std::as_const(global_)})
      if (const auto known = one->extents.find(path); known != one->extents.end()) return known->second;
  std::vector<Tokens> arguments{tokens};
  const bool closes = tokens.size() > 2 && is_any(tokens.back(), {")", "}"});
  if (closes && tokens[0].is("dim3") && is_any(tokens[1], {"(", "{"}))
    arguments = split_arguments(tokens.subspan(2, tokens.size() - 3));
  if (closes && tokens[0].is("{")) arguments = split_arguments(tokens.subspan(1, tokens.size() - 2));
  const auto result = extents_of(scope, arguments, at);
  // A call or similar may yield a dim3, so y and z are not known to be 1 either.
  const bool is_whole = arguments.size() == 1 && arguments[0].size() == tokens.size();
  if (result && is_whole && variables_[(*result)[0]].value == nullptr && variables_[(*result)[0]].name.empty())
    return std::nullopt;
  return result;
}

std::optional<HostInterpreter::Extents> HostInterpreter::extents_of(Scope& scope, const std::vector<Tokens>& arguments,
                                                                    size_t at) {
  if (arguments.size() > 3) return std::nullopt;
  Extents result{};
  for (size_t axis = 0; axis < 3; ++axis) {
    HostValue value =
        axis < arguments.size() ? host_whole(evaluate(scope, arguments[axis]), variables_) : host_number(1);
    const bool variable = value != nullptr && value->kind == HostNode::Kind::variable;
    result[axis] = variable ? value->variable : new_variable(place_of(scope, at), {}, std::move(value), false);
  }
  return result;
}

}  // namespace tilescope
