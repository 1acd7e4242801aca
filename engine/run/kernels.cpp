#include "engine/run/kernels.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/compile/device_source.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/compile/source_tokens.hpp"
#include "engine/compile/type_spelling.hpp"
#include "engine/run/pointee.hpp"

namespace tilescope {
namespace {

using Number = ScalarArgument::Number;

/// "const float factor" → floating. Only for fundamental types by name: the meaning of a typedef is unknown here.
Number number_declared(const std::string& parameter) {
  std::vector<std::string_view> words;
  for (const SourceToken& token : source_tokens(parameter)) {
    if (token.kind != SourceToken::Kind::name) return Number::unknown;
    if (!token.is("const") && !token.is("volatile")) words.push_back(token.text);
  }
  if (words.size() > 1) words.pop_back();  // the name
  const auto has = [&](std::string_view word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (words.size() == 1 && (has("float") || has("double"))) return Number::floating;
  constexpr std::array<std::string_view, 14> kWhole{"int",      "unsigned", "long",     "short",    "char",
                                                    "bool",     "size_t",   "int32_t",  "uint32_t", "int64_t",
                                                    "uint64_t", "uint8_t",  "uint16_t", "signed"};
  const bool all = !words.empty() && std::all_of(words.begin(), words.end(), [&](std::string_view word) {
    return std::find(kWhole.begin(), kWhole.end(), word) != kWhole.end();
  });
  return all ? Number::whole : Number::unknown;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& one : words) list += (list.empty() ? "" : ", ") + one;
  return list;
}

/// "const float x[4]" → "x"; empty if the parameter has no name.
std::string name_of_parameter(const std::string& declaration) {
  std::vector<SourceToken> tokens = source_tokens(declaration);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].is("[") || tokens[i].is("=")) tokens.resize(i);
  if (tokens.size() < 2 || tokens.back().kind != SourceToken::Kind::name) return {};
  constexpr std::array<std::string_view, 9> kTypes{"int",   "long",     "short",        "char",      "unsigned",
                                                   "const", "volatile", "__restrict__", "__restrict"};
  const std::string_view last = tokens.back().text;
  return std::find(kTypes.begin(), kTypes.end(), last) == kTypes.end() ? std::string(last) : std::string();
}

Error wrong_count(const Launch& launch, const KernelInfo& kernel, const std::vector<std::string>& declared) {
  const bool known = declared.size() == kernel.parameter_bytes.size() && !declared.empty();
  return make_error(
      ErrorId::argument_count,
      known ? fmt::format("{}({})", kernel_name(kernel.name), list_of(declared)) : kernel_signature(kernel.name),
      kernel.parameter_bytes.size(), launch.arguments.size());
}

/// Moves arguments that name their parameter to its position; the others fill the remaining positions in order.
Result<void> arrange_arguments(Launch& launch, const KernelInfo& kernel, const std::vector<std::string>& declared) {
  const std::vector<std::string> given = std::exchange(launch.argument_names, {});
  const auto is_named = [](const std::string& name) { return !name.empty(); };
  if (std::none_of(given.begin(), given.end(), is_named)) return {};
  std::vector<std::string> names;
  names.reserve(declared.size());
  for (const std::string& one : declared) names.push_back(name_of_parameter(one));
  std::vector<std::optional<Argument>> arguments(kernel.parameter_bytes.size());
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i].empty()) continue;
    const auto found = std::find(names.begin(), names.end(), given[i]);
    if (found == names.end() || names.size() != arguments.size())
      return fail(ErrorId::argument_name, kernel_name(kernel.name), given[i],
                  names.size() != arguments.size() ? Phrase("parameters whose names are not known")
                  : names.empty()                  ? Phrase("none")
                                                   : Phrase(list_of(names)));
    auto& place = arguments[static_cast<size_t>(found - names.begin())];
    if (place) return fail(ErrorId::bad_argument, given[i], "the parameter is given twice");
    place = launch.arguments[i];
  }
  const Error count = wrong_count(launch, kernel, declared);
  size_t next = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i].empty()) continue;
    while (next < arguments.size() && arguments[next]) ++next;
    if (next == arguments.size()) return tl::unexpected<Error>(count);
    arguments[next] = launch.arguments[i];
  }
  launch.arguments.clear();
  for (auto& one : arguments) {
    if (!one) return tl::unexpected<Error>(count);
    launch.arguments.push_back(std::move(*one));
  }
  return {};
}

/// Buffers that a parameter points to, including those in the table of a float**.
std::vector<BufferArgument> targets_of(const Launch& launch, const BufferArgument& argument, const Pointee& pointee) {
  if (!pointee.is_pointer) return {argument};
  std::vector<BufferArgument> targets;
  for (const Preset& preset : launch.presets)
    if (preset.variable.empty() && preset.buffer == argument.buffer)
      for (const ScalarArgument::Pointer& one : preset.value.pointers) targets.push_back(one.target);
  return targets;
}

Result<void> check_types(const Plan& plan, const Launch& launch, const KernelInfo& kernel,
                         const std::vector<std::string>& declared, const std::string& source_text) {
  const auto pointees = pointees_of(kernel.name, declared, source_text, plan.defines);
  if (pointees.size() != launch.arguments.size()) return {};
  for (size_t i = 0; i < pointees.size(); ++i) {
    const auto* argument = std::get_if<BufferArgument>(&launch.arguments[i]);
    if (!pointees[i] || argument == nullptr) continue;
    const Pointee& pointee = *pointees[i];
    if (argument->texture) {
      const bool named = declared.size() == launch.arguments.size();
      return fail(ErrorId::argument_type, named ? fmt::format("{} ({})", i + 1, declared[i]) : fmt::format("{}", i + 1),
                  kernel_name(kernel.name), Phrase("a pointer"), "tex:…");
    }
    if (argument->raw && !pointee.is_pointer) continue;
    for (const BufferArgument& target : targets_of(launch, *argument, pointee)) {
      const BufferSpec& buffer = plan.buffers[target.buffer];
      if (target.raw || fits(buffer.type, pointee)) continue;
      const bool known = declared.size() == launch.arguments.size();
      return fail(ErrorId::buffer_type, buffer.name, std::string(name_of(buffer.type)),
                  known ? fmt::format("{} ({})", i + 1, declared[i]) : fmt::format("{}", i + 1),
                  kernel_name(kernel.name), pointee.text);
    }
  }
  return {};
}

Result<void> check_arguments(const Launch& launch, const KernelInfo& kernel, const std::vector<std::string>& declared) {
  const bool known = declared.size() == kernel.parameter_bytes.size();
  const std::string name = kernel_name(kernel.name);
  if (kernel.parameter_bytes.size() != launch.arguments.size())
    return tl::unexpected<Error>(wrong_count(launch, kernel, declared));
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto* given = std::get_if<ScalarArgument>(&launch.arguments[i]);
    const size_t bytes = given != nullptr ? given->bytes.size() : sizeof(uint64_t);
    const std::string place = known ? fmt::format("{} ({})", i + 1, declared[i]) : fmt::format("{}", i + 1);
    if (bytes != kernel.parameter_bytes[i])
      return fail(ErrorId::argument_size, place, name, kernel.parameter_bytes[i],
                  given != nullptr ? Phrase(given->text) : Phrase("a buffer"), bytes);
    if (!known) continue;
    const auto* buffer = std::get_if<BufferArgument>(&launch.arguments[i]);
    if (is_texture_object(declared[i]) && (buffer == nullptr || !buffer->texture))
      return fail(ErrorId::argument_type, place, name,
                  Phrase("a texture object, as tex:f32x4:64x32:uniform makes one of 64 x 32 texels"),
                  given != nullptr ? Phrase(given->text) : Phrase("a buffer"));
    if (given == nullptr) continue;
    const Number wanted = number_declared(declared[i]);
    if (wanted == Number::unknown || given->number == Number::unknown || wanted == given->number) continue;
    return fail(ErrorId::argument_type, place, name,
                wanted == Number::floating ? Phrase("a floating number") : Phrase("a whole number"), given->text);
  }
  return {};
}

/// The sources with the headers that they include.
std::string text_with_headers(const Plan& plan) {
  const auto with_headers = [&](const std::string& file, const std::string& text) {
    return DeviceSource({.text = text, .file = file, .include_folders = plan.include_folders}, {}).original_text();
  };
  std::string text = with_headers(plan.source_file, plan.source_text);
  for (const SourceFile& source : plan.more_sources) text += "\n" + with_headers(source.file, source.text);
  return text;
}

}  // namespace

std::vector<DeclaredKernel> declared_kernels(const Plan& plan) { return declared_kernels(text_with_headers(plan)); }

std::vector<std::string> kernel_expressions(const Plan& plan, std::span<const DeclaredKernel> declared) {
  std::vector<std::string> expressions;
  for (const Launch& launch : plan.launches)
    for (std::string& one : expressions_to_compile(launch.kernel, declared))
      if (std::find(expressions.begin(), expressions.end(), one) == expressions.end())
        expressions.push_back(std::move(one));
  return expressions;
}

Result<void> settle_kernels(Plan& plan, const CompiledModule& module, std::span<const DeclaredKernel> declared) {
  // Reading all headers takes time, and a lab's arguments are not checked against its types.
  const std::string source_text = plan.from_lab ? std::string() : text_with_headers(plan);
  for (Launch& launch : plan.launches) {
    auto entry = find_kernel_entry(module, launch.kernel, plan.source_file, declared);
    if (!entry) return forward(entry);
    launch.kernel = std::move(*entry);
    const KernelInfo& kernel = *module.find(launch.kernel);
    const std::vector<std::string> parameters = declared_parameters(kernel.name, declared);
    if (auto good = arrange_arguments(launch, kernel, parameters); !good) return good;
    if (auto good = check_arguments(launch, kernel, parameters); !good) return good;
    // Some labs pass a __half* where the type is a template parameter.
    if (!plan.from_lab)
      if (auto good = check_types(plan, launch, kernel, parameters, source_text); !good) return good;
  }
  return {};
}

size_t shown_launch(const std::vector<Launch>& launches, const std::vector<std::string>& kernels) {
  for (const std::string& kernel : kernels)
    for (size_t i = 0; i < launches.size(); ++i)
      if (launches[i].kernel == kernel) return i;
  const auto threads = [](const Launch& launch) { return launch.grid.count() * launch.block.count(); };
  size_t largest = 0;
  for (size_t i = 1; i < launches.size(); ++i)
    if (threads(launches[i]) >= threads(launches[largest])) largest = i;
  return largest;
}

bool blocks_may_wait(std::string_view ptx) {
  constexpr std::array<std::string_view, 7> kSigns{"atom.",      "red.",   "ld.volatile", "ld.acquire",
                                                   "ld.relaxed", "membar", "fence."};
  return std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return ptx.find(sign) != std::string_view::npos; });
}

}  // namespace tilescope
