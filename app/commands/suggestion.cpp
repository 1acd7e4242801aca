#include "app/commands/suggestion.hpp"

#include <algorithm>
#include <optional>

#include "app/commands/exec_foreign.hpp"
#include "app/commands/exec_names.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "app/sandbox/form/kernel_form.hpp"

namespace tilescope {
namespace {

/// The --arg of each parameter; nothing if none is given.
std::vector<std::optional<std::string>> given_arguments(const ExecOptions& options,
                                                        const std::vector<ParameterType>& parameters) {
  std::vector<std::optional<std::string>> given(parameters.size());
  for (const std::string& text : options.arguments) {
    const std::string name = split_argument(text).name;
    for (size_t i = 0; i < parameters.size() && !name.empty(); ++i)
      if (parameters[i].name == name) given[i] = text;
  }
  size_t next = 0;
  for (const std::string& text : options.arguments) {
    if (!split_argument(text).name.empty()) continue;
    while (next < given.size() && given[next]) ++next;
    if (next < given.size()) given[next] = text;
  }
  return given;
}

/// Enters a spec into the form as if typed, so that other fields are derived from it.
void fill_fields(const std::string& spec, const std::string& name, FieldTexts& edits) {
  const auto parts = split(spec, ':', 5);
  if (spec == "null") edits[name + ".shape"] = "null";
  if (parts[0] == "tex" || parts[0] == "desc") edits[name + ".spec"] = spec;
  if (parts.size() == 2 && parts[0] != "bytes" && parts[0] != "ptr" && parts[0] != "struct")
    edits[name + ".value"] = parts[1];
  if (parts.size() < 4 || parts[0] != "buf") return;
  edits[name + ".type"] = parts[1];
  edits[name + ".shape"] = parts[2];
}

void fill_extent(const std::string& object, const std::string& text, FieldTexts& edits) {
  if (text.empty()) return;
  const std::vector<std::string> axes = split_extents(text);
  for (size_t i = 0; i < 3; ++i) edits[object + "." + "xyz"[i]] = i < axes.size() ? axes[i] : "1";
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// Adds options that the form does not have.
void add_other_options(const ExecOptions& options, ExecWords& words) {
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      words.others.emplace_back(option);
      words.others.push_back(value);
    }
  };
  add("--dump", options.dumps);
  add("--expect", options.expects);
  add("--print", options.prints);
  add("--set", options.set);
  if (!options.architecture.empty()) add("--target", {options.architecture});
  if (options.device != "sim") add("--on", {options.device});
  if (options.seed != "1") add("--seed", {options.seed});
  if (options.traffic) words.others.emplace_back("--traffic");
  if (options.order) words.others.emplace_back("--order");
  if (options.check) words.others.emplace_back("--check");
  if (options.json) words.others.emplace_back("--json");
}

bool is_defined(const ExecOptions& options, const std::string& name) {
  return std::ranges::any_of(options.defines,
                             [&](const std::string& one) { return one.substr(0, one.find('=')) == name; });
}

/// What is given, and the form's own values for the rest.
std::string all_constexprs(const ExecOptions& options, const KernelForm& form) {
  std::vector<std::string> all = options.defines;
  for (const std::string& one : split(form.text("defines"), ' ', std::string::npos))
    if (!one.empty() && !is_defined(options, one.substr(0, one.find('=')))) all.push_back(one);
  return joined(all, " ");
}

}  // namespace

Result<void> check_complete(const ExecOptions& options, ExecSource& source) {
  const bool is_triton = source.language() == KernelLanguage::triton;
  std::vector<std::string> missing;
  if (options.grid.empty()) missing.emplace_back("--grid");
  if (options.block.empty() && !is_triton) missing.emplace_back("--block");
  if (source.language() != KernelLanguage::cuda) {
    const auto kernel = source.foreign_kernel();
    if (!kernel) return forward(kernel);
    for (size_t i = 0; is_triton && i < options.defines.size(); ++i)
      if (auto has = check_constexpr(**kernel, options.defines[i].substr(0, options.defines[i].find('='))); !has)
        return has;
    for (const std::string& name : (*kernel)->foreign->needed)
      if (!is_defined(options, name)) missing.push_back("-D " + name);
  }
  if (missing.empty()) return {};
  const SourceFacts& facts = source.facts();
  const SourceKernel* kernel = source.kernel();
  if (kernel == nullptr) {
    if (facts.kernels.empty()) return fail(ErrorId::no_kernel, options.file);
    std::vector<std::string> names;
    for (const SourceKernel& one : facts.kernels) names.push_back(one.name + (one.templated.empty() ? "" : "<…>"));
    if (options.kernel.empty()) return fail(ErrorId::kernel_not_named, options.file, joined(names, ", "));
    return fail(ErrorId::kernel_not_found, options.kernel, options.file, joined(names, ", "));
  }
  const KernelForm form = form_of(kernel->name, facts, {});
  const auto given = given_arguments(options, form.parameters);
  for (size_t i = 0; i < given.size(); ++i)
    if (!given[i]) missing.push_back("--arg for " + form.parameters[i].declared);
  return fail(ErrorId::launch_incomplete, kernel->name, joined(missing, ", "));
}

std::string suggest_command(const ExecOptions& options, ExecSource& source) {
  const SourceFacts& facts = source.facts();
  const SourceKernel* kernel = source.kernel();
  if (kernel == nullptr) return {};
  FieldTexts edits;
  const TypedKernel typed = read_typed_kernel(options.kernel);
  if (!typed.arguments.empty()) edits["template"] = joined(typed.arguments, ", ");
  fill_extent("grid", options.grid, edits);
  fill_extent("block", options.block, edits);
  if (options.shared != "0") edits["shared"] = options.shared;
  edits["defines"] = joined(options.defines, " ");
  if (source.language() == KernelLanguage::triton) {
    edits["defines"] = all_constexprs(options, form_of(kernel->name, facts, {}));
    if (!options.num_warps.empty()) edits["num_warps"] = options.num_warps;
    if (!options.num_stages.empty()) edits["num_stages"] = options.num_stages;
  }
  edits["includes"] = joined(options.includes, ":");
  const auto given = given_arguments(options, form_of(kernel->name, facts, edits).parameters);
  const KernelForm bare = form_of(kernel->name, facts, edits);
  for (size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) continue;
    const std::string& name = bare.parameters[i].name;
    fill_fields(split_argument(*given[i]).value, name, edits);
    // The size from which the other fields are derived.
    const auto value = edits.find(name + ".value");
    if (value == edits.end() || !parse_whole<int64_t>(value->second)) continue;
    const auto usual = bare.defaults.find(name + ".value");
    if (usual != bare.defaults.end() && usual->second == "n") edits.try_emplace("n", value->second);
  }
  const KernelForm form = form_of(kernel->name, facts, edits);
  ExecWords words = exec_words(fill_in(form, n_of(form)));
  if (!options.grid.empty()) words.grid = options.grid;
  if (!options.block.empty()) words.block = options.block;
  if (options.shared != "0") words.shared = options.shared;
  if (source.language() != KernelLanguage::triton) words.defines = options.defines;
  for (size_t i = 0; i < given.size() && i < words.arguments.size(); ++i)
    if (given[i]) words.arguments[i] = *given[i];
  if (!options.symbols.empty()) words.symbols = options.symbols;
  add_other_options(options, words);
  return exec_line(options.file, words);
}

}  // namespace tilescope
