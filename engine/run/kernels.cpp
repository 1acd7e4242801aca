#include "engine/run/kernels.hpp"

#include <algorithm>
#include <array>

#include "engine/compile/device_source.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/compile/source_tokens.hpp"

namespace tilescope {
namespace {

using Number = ScalarArgument::Number;

/// "const float factor" → floating. Only for the fundamental types by their own names: what a typedef stands for is not
/// known here.
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

Result<void> check_arguments(const Launch& launch, const KernelInfo& kernel, const std::string& source_text) {
  std::vector<std::string> declared = declared_parameters(kernel.name, source_text);
  const bool known = declared.size() == kernel.parameter_bytes.size();
  const std::string name = kernel_name(kernel.name), signature = kernel_signature(kernel.name);
  if (kernel.parameter_bytes.size() != launch.arguments.size()) {
    std::string list;
    for (const std::string& one : declared) list += (list.empty() ? "" : ", ") + one;
    return fail(ErrorId::argument_count, known && !list.empty() ? fmt::format("{}({})", name, list) : signature,
                kernel.parameter_bytes.size(), launch.arguments.size());
  }
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const auto* given = std::get_if<ScalarArgument>(&launch.arguments[i]);
    const size_t bytes = given != nullptr ? given->bytes.size() : sizeof(uint64_t);
    const std::string place = known ? fmt::format("{} ({})", i + 1, declared[i]) : fmt::format("{}", i + 1);
    if (bytes != kernel.parameter_bytes[i])
      return fail(ErrorId::argument_size, place, name, kernel.parameter_bytes[i],
                  given != nullptr ? Phrase(given->text) : Phrase("a buffer"), bytes);
    if (given == nullptr || !known) continue;
    const Number wanted = number_declared(declared[i]);
    if (wanted == Number::unknown || given->number == Number::unknown || wanted == given->number) continue;
    return fail(ErrorId::argument_type, place, name,
                wanted == Number::floating ? Phrase("a floating number") : Phrase("a whole number"), given->text);
  }
  return {};
}

/// Kernels may be in headers of the user.
std::string text_with_headers(const Plan& plan) {
  return DeviceSource({.text = plan.source_text, .file = plan.source_file, .include_folders = plan.include_folders}, {})
      .original_text();
}

}  // namespace

std::vector<std::string> kernel_expressions(const Plan& plan) {
  const std::string source_text = text_with_headers(plan);
  std::vector<std::string> expressions;
  for (const Launch& launch : plan.launches)
    for (std::string& one : expressions_to_compile(launch.kernel, source_text))
      if (std::find(expressions.begin(), expressions.end(), one) == expressions.end())
        expressions.push_back(std::move(one));
  return expressions;
}

Result<void> settle_kernels(Plan& plan, const CompiledModule& module) {
  const std::string source_text = text_with_headers(plan);
  for (Launch& launch : plan.launches) {
    auto entry = find_kernel_entry(module, launch.kernel, plan.source_file, source_text);
    if (!entry) return tl::unexpected<Error>(entry.error());
    launch.kernel = std::move(*entry);
    if (auto good = check_arguments(launch, *module.find(launch.kernel), source_text); !good) return good;
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
