#include "app/sandbox/reading/source_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/sandbox/reading/host_expression.hpp"
#include "app/sandbox/reading/token_terms.hpp"
#include "engine/compile/declared_kernels.hpp"
#include "engine/compile/source_parts.hpp"

namespace tilescope {
namespace {

using Kind = SourceToken::Kind;

constexpr size_t kLongestDeclaration = 256;  // tokens before its ; or {

/// The first ; or { from i on, or the limit for a declaration.
size_t end_of_declaration(Tokens tokens, size_t i) {
  const size_t last = std::min(tokens.size(), i + kLongestDeclaration);
  while (i < last && !tokens[i].is(";") && !tokens[i].is("{")) ++i;
  return i;
}

/// The parts of a list at its commas, brackets kept together.
std::vector<Tokens> split_list(Tokens tokens) {
  std::vector<Tokens> pieces;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= tokens.size(); ++i) {
    if (i == tokens.size() || (depth == 0 && tokens[i].is(","))) {
      if (i > begin) pieces.push_back(tokens.subspan(begin, i - begin));
      begin = i + 1;
      continue;
    }
    for (const char* open : {"(", "[", "{", "<"}) depth += tokens[i].is(open) ? 1 : 0;
    for (const char* close : {")", "]", "}", ">"}) depth -= tokens[i].is(close) ? 1 : 0;
  }
  return pieces;
}

/// "typename T", "int BLOCK = 256".
TemplateParameter read_template_parameter(Tokens tokens) {
  TemplateParameter parameter;
  size_t end = tokens.size();
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].is("=")) {
      parameter.default_value = text_of(tokens.subspan(i + 1));
      end = i;
      break;
    }
  if (end == 0) return parameter;
  parameter.is_type = tokens[0].is("typename") || tokens[0].is("class");
  if (tokens[end - 1].kind == Kind::name) parameter.name = tokens[end - 1].text;
  return parameter;
}

/// Size in bytes of a built-in number type.
std::optional<int64_t> size_of_type(const std::string& type) {
  const ParameterType known = read_parameter(type + " value", {});
  return known.kind == ParameterType::Kind::scalar ? std::optional(static_cast<int64_t>(known.size)) : std::nullopt;
}
std::optional<bool> floating_type(const std::string& type) {
  const ParameterType known = read_parameter(type + " value", {});
  if (known.kind != ParameterType::Kind::scalar || known.components != 1) return std::nullopt;
  return is_floating(known.type);
}

void add_constant(SourceFacts& facts, std::string_view name, Tokens value) {
  if (const auto known = constant_value(value, facts.constants)) facts.constants[std::string(name)] = *known;
}

/// #define NAME value
void read_define(SourceFacts& facts, const SourceToken& token) {
  const std::vector<SourceToken> words = source_tokens(directive_rest(token));
  if (words.size() < 2 || words[0].kind != Kind::name) return;
  const bool function = words[1].is("(") && words[1].offset == words[0].end();
  if (function) return;
  add_constant(facts, words[0].text, Tokens(words).subspan(1));
  const bool names_only =
      std::all_of(words.begin() + 1, words.end(), [](const SourceToken& word) { return word.kind == Kind::name; });
  if (names_only) facts.types.aliases[std::string(words[0].text)] = text_of(Tokens(words).subspan(1));
}

/// constexpr int TILE = 32; also in a kernel's body, and with several declarators.
void read_constant(SourceFacts& facts, Tokens tokens, size_t i) {
  const size_t end = end_of_declaration(tokens, i);
  for (Tokens piece : split_list(tokens.subspan(i, end - i)))
    for (size_t k = 1; k < piece.size(); ++k)
      if (piece[k].is("=") && piece[k - 1].kind == Kind::name)
        add_constant(facts, piece[k - 1].text, piece.subspan(k + 1));
}

/// Members of struct NAME { … }: "float a, b;" gives two declarations. Empty if a member is not a simple declaration.
std::vector<std::string> read_members(Tokens body, const std::map<std::string, int64_t>& constants) {
  std::vector<std::string> members;
  for (size_t i = 0; i < body.size();) {
    size_t end = i;
    while (end < body.size() && !body[end].is(";")) {
      if (body[end].is("(") || body[end].is("{") || body[end].is(":")) return {};
      ++end;
    }
    const std::vector<Tokens> pieces = split_list(body.subspan(i, end - i));
    i = end + 1;
    if (pieces.empty()) continue;
    // "float *a, *b": the type is the text before the first * or name that ends the part.
    Tokens type = pieces[0];
    while (!type.empty() && (type.back().is("]") || type.back().kind == Kind::number || type.back().is("[")))
      type = type.first(type.size() - 1);
    if (!type.empty()) type = type.first(type.size() - 1);
    while (!type.empty() && pieces.size() > 1 && type.back().is("*")) type = type.first(type.size() - 1);
    for (size_t piece = 0; piece < pieces.size(); ++piece) {
      Tokens one = pieces[piece];
      const auto open = std::find_if(one.begin(), one.end(), [](const SourceToken& token) { return token.is("["); });
      const auto at = static_cast<size_t>(open - one.begin());
      const std::string declaration = (piece > 0 ? text_of(type) + " " : "") + text_of(one.first(at));
      if (open == one.end()) {
        members.push_back(declaration);
        continue;
      }
      const auto extent = constant_value(one.subspan(at + 1, one.size() - at - 2), constants);
      if (!extent || *extent < 1 || *extent > 16) return {};
      for (int64_t k = 0; k < *extent; ++k) members.push_back(declaration + "_" + std::to_string(k));
    }
  }
  return members;
}

/// using real = float; typedef float real; struct Params { … };
size_t read_type(SourceFacts& facts, Tokens tokens, size_t i) {
  const size_t end = end_of_declaration(tokens, i);
  const auto after = [&](size_t from) { return tokens.subspan(from, std::max(end, from) - from); };
  if (tokens[i].is("using") && i + 3 < end && tokens[i + 2].is("=")) {
    facts.types.aliases[std::string(tokens[i + 1].text)] = text_of(after(i + 3));
  } else if (tokens[i].is("typedef") && end < tokens.size() && tokens[end].is(";") && end > i + 2) {
    facts.types.aliases[std::string(tokens[end - 1].text)] = text_of(tokens.subspan(i + 1, end - i - 2));
  } else if (end < tokens.size() && tokens[end].is("{") && (tokens[i].is("struct") || tokens[i].is("typedef"))) {
    const size_t close = after_group(tokens, end);
    const bool is_typedef = tokens[i].is("typedef");
    const size_t name = is_typedef ? close : i + 1;
    const auto members = read_members(tokens.subspan(end + 1, std::max(close, end + 2) - end - 2), facts.constants);
    if (name < tokens.size() && tokens[name].kind == Kind::name)
      facts.types.structs[std::string(tokens[name].text)] = members;
    if (is_typedef && end > i + 2) facts.types.structs[std::string(tokens[i + 2].text)] = members;
    return close;
  }
  return i + 1;
}

/// Constants, types and variables of the whole text, including its functions: a name rarely has two meanings in a file.
void read_names(SourceFacts& facts, Tokens tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (directive_name(tokens[i]) == "define") read_define(facts, tokens[i]);
    const bool constant = is_any(tokens[i], {"const", "constexpr"});
    if (constant && (i == 0 || !is_any(tokens[i - 1], {"const", "constexpr"}))) read_constant(facts, tokens, i);
    if (tokens[i].is("using") || tokens[i].is("typedef") || tokens[i].is("struct")) read_type(facts, tokens, i);
    const bool extent = tokens[i].is("dim3") && i + 2 < tokens.size() && tokens[i + 1].kind == Kind::name;
    if (extent && (tokens[i + 2].is("(") || tokens[i + 2].is("{"))) {
      const size_t close = after_group(tokens, i + 2);
      const Tokens inside = tokens.subspan(i + 3, std::max(close, i + 4) - i - 4);
      facts.declarations.try_emplace(std::string(tokens[i + 1].text), inside.begin(), inside.end());
    }
  }
}

/// The text between <<< and >>>.
void read_configuration(SourceKernel& kernel, Tokens tokens, size_t angles) {
  size_t end = angles + 1;
  while (end < tokens.size() && !tokens[end].is(">>>") && !tokens[end].is(";")) ++end;
  for (const Tokens piece : split_list(tokens.subspan(angles + 1, end - angles - 1)))
    kernel.configuration.emplace_back(piece.begin(), piece.end());
}

void read_head(SourceKernel& kernel, const SourceFacts& facts, Tokens part) {
  size_t body = 0;
  while (body < part.size() && !part[body].is("{")) ++body;
  kernel.head.assign(part.begin(), part.begin() + static_cast<ptrdiff_t>(body));
  kernel.body.assign(part.begin() + static_cast<ptrdiff_t>(body), part.end());
  for (size_t i = 0; i + 1 < body; ++i) {
    if (part[i].is("template") && part[i + 1].is("<")) {
      const size_t close = after_angles(part.first(body), i + 1);
      for (const Tokens one : split_list(part.subspan(i + 2, std::max(close, i + 3) - i - 3)))
        kernel.templated.push_back(read_template_parameter(one));
    }
    if (part[i].is("__launch_bounds__")) {
      const size_t close = after_group(part.first(body), i + 1);
      const std::vector<Tokens> bounds = split_list(part.subspan(i + 2, std::max(close, i + 3) - i - 3));
      if (!bounds.empty())
        if (const auto threads = constant_value(bounds[0], facts.constants))
          kernel.launch_bounds = static_cast<int>(std::clamp<int64_t>(*threads, 0, 1024));
    }
  }
}

Tokens tokens_of(const SourceParts& source, const SourcePart& part) {
  const auto before = [](size_t offset) {
    return [offset](const SourceToken& token) { return token.offset < offset; };
  };
  const auto first = std::partition_point(source.tokens.begin(), source.tokens.end(), before(part.begin));
  return Tokens(first, std::partition_point(first, source.tokens.end(), before(part.end)));
}

/// One name of a declaration and the text after it: "weights[2 * RADIUS + 1] = {…}".
void read_variable(SourceFacts& facts, SourceVariable variable, Tokens tokens) {
  if (tokens.empty() || tokens[0].kind != Kind::name) return;
  variable.last_name = tokens[0].text;
  variable.name += variable.last_name;
  variable.declared += variable.last_name;
  size_t at = 1;
  while (at < tokens.size() && tokens[at].is("[")) {
    const size_t close = after_group(tokens, at);
    const auto extent = constant_value(tokens.subspan(at + 1, std::max(close, at + 2) - at - 2), facts.constants);
    if (!extent || *extent < 1) return;  // its size is unknown
    variable.extents.push_back(*extent);
    at = close;
  }
  variable.is_initialised = at < tokens.size();
  facts.variables.push_back(std::move(variable));
}

/// __constant__ float weights[2 * RADIUS + 1] = {…}, scale;
void read_variables(SourceFacts& facts, const SourcePart& part, Tokens tokens) {
  SourceVariable variable{.line = part.first_line};
  const size_t colons = part.name.rfind("::");
  // No expression can name an anonymous namespace.
  if (colons != std::string::npos && part.name.find('(') == std::string::npos)
    variable.name = part.name.substr(0, colons + 2);
  bool is_variable = false;
  for (size_t at = 0; at + 1 < tokens.size(); ++at) {
    if (is_any(tokens[at], {"__shared__", "extern", "constexpr", "template"})) return;
    is_variable = is_variable || is_any(tokens[at], {"__constant__", "__device__", "__managed__"});
    variable.is_constant = variable.is_constant || tokens[at].is("__constant__");
    if (tokens[at].is("__align__")) {
      at = after_group(tokens, at + 1) - 1;
      continue;
    }
    if (is_any(tokens[at], {"__constant__", "__device__", "__managed__", "static", "inline", "volatile"})) continue;
    const bool is_name = !variable.declared.empty() && tokens[at].kind == Kind::name;
    if (is_name && is_any(tokens[at + 1], {",", ";", "[", "=", "{"})) {
      const Tokens rest = tokens.subspan(at, tokens.size() - at - (tokens.back().is(";") ? 1 : 0));
      for (const Tokens one : split_list(rest))
        if (is_variable) read_variable(facts, variable, one);
      return;
    }
    variable.declared += std::string(tokens[at].text) + " ";
  }
}

/// Marks those that device functions name.
void note_function_uses(SourceFacts& facts, const SourceParts& source) {
  std::set<std::string_view> names;
  for (const SourcePart& part : source.parts) {
    if (!part.on_device || part.is_kernel || part.kind == SourcePart::Kind::variable) continue;
    for (const SourceToken& token : tokens_of(source, part))
      if (token.kind == Kind::name) names.insert(token.text);
  }
  for (SourceVariable& variable : facts.variables) variable.is_used_by_function = names.contains(variable.last_name);
}

void note_symbol_copies(SourceFacts& facts, Tokens tokens) {
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (tokens[i].text.find("MemcpyToSymbol") == std::string_view::npos || !tokens[i + 1].is("(")) continue;
    size_t end = i + 2;
    while (end < tokens.size() && !is_any(tokens[end], {",", ")", ";"})) ++end;
    for (SourceVariable& variable : facts.variables)
      variable.is_set_by_host = variable.is_set_by_host || tokens[end - 1].is(variable.last_name);
  }
}

}  // namespace

const SourceKernel* SourceFacts::find(const std::string& name) const {
  for (const SourceKernel& kernel : kernels)
    if (kernel.name == name || kernel.last_name == name) return &kernel;
  return nullptr;
}

std::optional<int64_t> constant_value(Tokens tokens, const std::map<std::string, int64_t>& constants) {
  constexpr size_t kLongest = 256;
  if (tokens.size() > kLongest) return std::nullopt;
  const HostVariables none;
  const HostMeaning meaning{.variables = none,
                            .value =
                                [&](const std::string& name) {
                                  const auto found = constants.find(name);
                                  return found != constants.end() ? host_number(static_cast<long double>(found->second))
                                                                  : nullptr;
                                },
                            .call = [](const std::string&, const std::vector<Tokens>&) { return nullptr; },
                            .size_of = [](Tokens type) { return size_of_type(text_of(type)); },
                            .floating = [](Tokens type) { return floating_type(text_of(type)); }};
  const auto value = host_value_of(read_host_expression(tokens, meaning), none);
  if (!value || std::fabs(*value) > 1e15L || *value != std::trunc(*value)) return std::nullopt;
  return static_cast<int64_t>(*value);
}

SourceFacts read_source_facts(std::string text, uint32_t own_lines) {
  SourceFacts facts;
  facts.own_lines = own_lines > 0 ? own_lines : std::numeric_limits<uint32_t>::max();
  facts.text = std::make_shared<const std::string>(std::move(text));
  const SourceParts source = parts_of_source(*facts.text);
  read_names(facts, source.tokens);
  HostSource host(source, facts.types, *facts.text);
  for (const std::string_view name : host.device_names()) facts.device_names.emplace(name);
  for (const SourcePart& part : source.parts) {
    if (part.kind != SourcePart::Kind::variable || !part.on_device || part.is_member || part.name.empty()) continue;
    read_variables(facts, part, tokens_of(source, part));
  }
  note_symbol_copies(facts, source.tokens);
  note_function_uses(facts, source);
  const std::vector<DeclaredKernel> declared = declared_kernels(*facts.text);
  for (const DeclaredKernel& one : declared) {
    SourceKernel kernel;
    kernel.name = one.name;
    const size_t colons = one.name.rfind("::");
    kernel.last_name = colons == std::string::npos ? one.name : one.name.substr(colons + 2);
    kernel.parameters = one.parameters;
    kernel.instantiations = one.instantiations;
    kernel.line = one.line;
    for (const SourcePart& part : source.parts) {
      if (!part.is_kernel || part.name != one.name) continue;
      read_head(kernel, facts, tokens_of(source, part));
      if (part.is_definition) break;
      kernel.templated.clear();
    }
    if (const auto angles = host.first_angles(kernel.last_name)) read_configuration(kernel, source.tokens, *angles);
    kernel.launch = std::make_shared<const HostLaunch>(host.first_launch(kernel.last_name));
    facts.kernels.push_back(std::move(kernel));
  }
  return facts;
}

TypedKernel read_typed_kernel(const std::string& typed) {
  TypedKernel result;
  const size_t open = typed.find('<');
  result.name = typed.substr(0, open);
  while (result.name.ends_with(' ')) result.name.pop_back();
  while (result.name.starts_with(' ')) result.name.erase(0, 1);
  if (open == std::string::npos) return result;
  const size_t close = typed.rfind('>');
  result.closed = close != std::string::npos && close > open;
  if (!result.closed) return result;
  const std::string inside = typed.substr(open + 1, close - open - 1);
  const std::vector<SourceToken> tokens = source_tokens(inside);
  for (const Tokens piece : split_list(tokens))
    result.arguments.push_back(inside.substr(piece.front().offset, piece.back().end() - piece.front().offset));
  return result;
}

SourceFacts with_template_arguments(const SourceFacts& facts, const SourceKernel& kernel,
                                    const std::vector<std::string>& arguments) {
  SourceFacts inside = facts;
  for (size_t i = 0; i < kernel.templated.size(); ++i) {
    const TemplateParameter& parameter = kernel.templated[i];
    const std::string& argument = i < arguments.size() ? arguments[i] : parameter.default_value;
    if (argument.empty() || parameter.name.empty()) continue;
    if (parameter.is_type)
      inside.types.aliases[parameter.name] = argument;
    else if (const auto value = constant_value(source_tokens(argument), facts.constants))
      inside.constants[parameter.name] = *value;
  }
  return inside;
}

}  // namespace tilescope
