#include "app/commands/exec_names.hpp"

#include <algorithm>

#include "app/sandbox/form/arguments.hpp"

namespace tilescope {
namespace {

/// "i32:1000" → "1000"; nothing for several numbers.
std::optional<std::string> number_of(const std::string& spec) {
  const auto parts = split(spec, ':', 2);
  if (parts.size() != 2 || parts[1].find_first_of(":;") != std::string::npos) return std::nullopt;
  if (parts[0] == "bytes" || parts[0] == "ptr" || parts[0] == "tex" || parts[0] == "struct") return std::nullopt;
  if (parts[1] == "true" || parts[1] == "false") return parts[1] == "true" ? "1" : "0";
  return split_at_commas(parts[1]).size() == 1 ? std::optional(parts[1]) : std::nullopt;
}

/// "const float* x" → "x".
std::string name_of_parameter(const std::string& declaration) { return read_parameter(declaration, {}).name; }

}  // namespace

ExecNames::ExecNames(const ExecOptions& options, ExecSource& source)
    : options_(options), source_(source), positional_(options.arguments.size()) {
  for (const std::string& text : options.defines) {
    const size_t sign = text.find('=');
    texts_[text.substr(0, sign)] = sign == std::string::npos ? "1" : text.substr(sign + 1);
  }
  for (const std::string& text : options.arguments) {
    const Assignment given = split_argument(text);
    const auto number = number_of(given.value);
    if (!given.name.empty() && number) texts_[given.name] = *number;
  }
}

NameLookup ExecNames::lookup() {
  return [this](std::string_view name) { return find(name); };
}

Checked<long double> ExecNames::evaluate_named(const std::string& name, const std::string& text) {
  if (!in_evaluation_.insert(name).second) return wrong("sandbox.circular", {{"name", name}});
  auto value = evaluate(text, lookup());
  in_evaluation_.erase(name);
  return value;
}

std::optional<Checked<long double>> ExecNames::find(std::string_view wanted) {
  const std::string name(wanted);
  if (const auto found = texts_.find(name); found != texts_.end()) return evaluate_named(name, found->second);
  if (auto value = find_extent(name, "grid", options_.grid)) return value;
  if (auto value = find_extent(name, "block", options_.block)) return value;
  return find_in_source(name);
}

/// "block" means its number of threads.
std::optional<Checked<long double>> ExecNames::find_extent(const std::string& name, const std::string& object,
                                                           const std::string& text) {
  constexpr std::string_view kAxes = "xyz";
  const std::vector<std::string> axes = split_extents(text);
  if (name == object) {
    long double product = 1;
    for (const std::string& axis : axes) {
      const auto value = evaluate_named(name, axis);
      if (!value) return value;
      product *= *value;
    }
    return product;
  }
  if (name.size() != object.size() + 2 || !name.starts_with(object + ".")) return std::nullopt;
  const size_t axis = kAxes.find(name.back());
  if (axis == std::string_view::npos) return std::nullopt;
  return axis < axes.size() ? evaluate_named(name, axes[axis]) : Checked<long double>(1);
}

void ExecNames::read_source() {
  facts_ = source_.facts();
  const SourceKernel* kernel = kernel_meant(*facts_, options_.kernel);
  if (kernel == nullptr) return;
  if (kernel->foreign)
    for (const auto& [name, value] : kernel->foreign->values) texts_.try_emplace(name, value);
  if (!kernel->foreign)
    facts_ = with_template_arguments(*facts_, *kernel, read_typed_kernel(options_.kernel).arguments);
  kernel = kernel_meant(*facts_, options_.kernel);
  match_positional(*kernel);
  for (size_t i = 0; i < positional_.size(); ++i)
    if (const auto number = number_of(options_.arguments[i]); number && !positional_[i].empty())
      texts_.try_emplace(positional_[i], *number);
}

/// Arguments without a parameter name are assigned, in order, to the parameters that no argument names.
void ExecNames::match_positional(const SourceKernel& kernel) {
  std::set<std::string> named;
  for (const std::string& text : options_.arguments) named.insert(split_argument(text).name);
  std::vector<std::string> parameters;
  for (const std::string& one : kernel.parameters) parameters.push_back(name_of_parameter(one));
  if (kernel.foreign)
    for (const ParameterType& one : kernel.foreign->parameters) parameters.push_back(one.name);
  size_t next = 0;
  for (size_t i = 0; i < options_.arguments.size(); ++i) {
    if (!split_argument(options_.arguments[i]).name.empty()) continue;
    while (next < parameters.size() && named.contains(parameters[next])) ++next;
    if (next >= parameters.size()) return;
    positional_[i] = parameters[next++];
  }
}

const std::vector<std::string>& ExecNames::positional() {
  if (!facts_) read_source();
  return positional_;
}

std::optional<Checked<long double>> ExecNames::find_in_source(const std::string& name) {
  if (!facts_) {
    read_source();
    if (const auto found = texts_.find(name); found != texts_.end()) return evaluate_named(name, found->second);
  }
  const auto constant = facts_->constants.find(name);
  if (constant == facts_->constants.end()) return std::nullopt;
  return static_cast<long double>(constant->second);
}

}  // namespace tilescope
