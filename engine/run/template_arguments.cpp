#include "engine/run/template_arguments.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "engine/compile/kernel_names.hpp"
#include "engine/compile/source_tokens.hpp"
#include "engine/compile/type_spelling.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 5s;  // limit, since this only improves a message
constexpr size_t kMostCandidates = 10;

enum class ParameterKind { type, truth, number, pack, unknown };

ParameterKind kind_of(const std::string& parameter) {
  const std::vector<SourceToken> tokens = source_tokens(parameter);
  if (tokens.empty()) return ParameterKind::unknown;
  if (parameter.find("...") != std::string::npos) return ParameterKind::pack;
  if (tokens[0].is("typename") || tokens[0].is("class")) return ParameterKind::type;
  constexpr auto kWhole =
      std::to_array<std::string_view>({"int", "unsigned", "long", "short", "char", "size_t", "uint", "auto", "int32_t",
                                       "uint32_t", "int64_t", "uint64_t", "uint8_t", "int8_t", "int16_t", "uint16_t"});
  for (const SourceToken& token : tokens) {
    if (token.is("=")) break;
    if (token.is("bool")) return ParameterKind::truth;
    if (std::ranges::find(kWhole, token.text) != kWhole.end()) return ParameterKind::number;
  }
  return ParameterKind::unknown;
}

bool has_default(const std::string& parameter) {
  return std::ranges::any_of(source_tokens(parameter), [](const SourceToken& token) { return token.is("="); });
}

/// Whether an argument means the same everywhere: a number, or a built-in type.
bool is_plain(const std::string& argument) {
  return std::ranges::all_of(source_tokens(argument), [](const SourceToken& token) {
    constexpr auto kWords = std::to_array<std::string_view>(
        {"true", "false", "float", "double", "int", "unsigned", "long", "short", "char", "bool", "half", "__half",
         "__half2", "half2", "__nv_bfloat16", "float2", "float4", "int4", "uint4"});
    return token.kind == SourceToken::Kind::number || token.is("*") || token.is("-") ||
           std::ranges::find(kWords, token.text) != kWords.end();
  });
}

struct Choice {
  const char *type, *number, *truth, *unknown;
};

std::string usual_argument(ParameterKind kind, const Choice& choice) {
  switch (kind) {
    case ParameterKind::type:
      return choice.type;
    case ParameterKind::truth:
      return choice.truth;
    case ParameterKind::number:
      return choice.number;
    case ParameterKind::pack:
      break;
    case ParameterKind::unknown:  // a type with a concept, or an enumeration value
      return choice.unknown;
  }
  return {};
}

/// `given` if it is plain, otherwise the default candidate.
std::string with_usual_arguments(const DeclaredKernel& kernel, const std::vector<std::string>& parameters,
                                 const std::vector<std::string>& given, const Choice& choice) {
  std::string arguments;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterKind kind = kind_of(parameters[i]);
    const bool said = i < given.size() && is_plain(given[i]);
    if (!said && (has_default(parameters[i]) || kind == ParameterKind::pack)) break;
    arguments += (arguments.empty() ? "" : ", ") + (said ? given[i] : usual_argument(kind, choice));
  }
  return kernel.name + "<" + arguments + ">";
}

std::vector<std::string> arguments_in(const std::string& expression) {
  const size_t open = expression.find('<'), close = expression.rfind('>');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return split_types(std::string_view(expression).substr(open + 1, close - open - 1));
}

}  // namespace

std::vector<std::string> template_candidates(const DeclaredKernel& kernel) {
  constexpr std::array<Choice, 6> kChoices{{{"float", "128", "true", "float"},
                                            {"float", "32", "true", "0"},
                                            {"float", "8", "false", "float"},
                                            {"float", "4", "true", "0"},
                                            {"__half", "16", "true", "__half"},
                                            {"int", "1", "false", "int"}}};
  std::vector<std::string> candidates;
  const auto add = [&](std::string candidate) {
    if (candidates.size() < kMostCandidates && std::ranges::find(candidates, candidate) == candidates.end())
      candidates.push_back(std::move(candidate));
  };
  const auto overload =
      std::ranges::find_if(kernel.all, [](const KernelOverload& one) { return !one.template_parameters.empty(); });
  if (overload == kernel.all.end()) return {};
  for (const std::string& said : kernel.instantiations)
    if (candidates.size() < 3 && std::ranges::all_of(arguments_in(said), is_plain)) add(said);
  for (const std::string& said : kernel.instantiations)
    if (candidates.size() < 5) {
      add(said);
      add(with_usual_arguments(kernel, overload->template_parameters, arguments_in(said), kChoices[0]));
    }
  for (const Choice& choice : kChoices) add(with_usual_arguments(kernel, overload->template_parameters, {}, choice));
  return candidates;
}

Error with_arguments_that_compile(Error error, Compiler& compiler, CompileRequest request,
                                  std::span<const Launch> launches, std::span<const DeclaredKernel> declared,
                                  const std::stop_token& stop) {
  if (error.id != ErrorId::kernel_is_template && error.id != ErrorId::kernel_needs_arguments &&
      error.id != ErrorId::kernel_not_instantiated)
    return error;
  const auto start = std::chrono::steady_clock::now();
  for (const Launch& launch : launches) {
    if (names_template_arguments(launch.kernel)) continue;
    const auto meant = templates_meant(launch.kernel, declared);
    if (meant.empty()) continue;
    const DeclaredKernel& kernel = *meant[0];
    request.want_cubin = false;
    request.wanted_kernels = {kernel.name};
    for (const std::string& candidate : template_candidates(kernel)) {
      request.kernel_expressions = {candidate};
      if (compiler.compile(request, stop)) return make_error(ErrorId::kernel_is_template, kernel.name, candidate);
      if (stop.stop_requested() || std::chrono::steady_clock::now() - start > kPatience) break;
    }
    std::string parameters;
    for (const std::string& one : kernel.all[0].template_parameters)
      parameters += (parameters.empty() ? "" : ", ") + one;
    return make_error(ErrorId::kernel_needs_arguments, kernel.name, parameters);
  }
  return error;
}

}  // namespace tilescope
