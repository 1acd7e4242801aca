#include "engine/compile/kernel_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

#include "engine/compile/source_names.hpp"
#include "engine/compile/source_tokens.hpp"
#include "engine/compile/type_spelling.hpp"

namespace tilescope {
namespace {

/// The position at which the parameter list or the template arguments of a signature begin; the parentheses of
/// "(anonymous namespace)" and of "operator()" belong to a name.
size_t end_of_name(const std::string& signature, bool with_template_arguments) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    if (signature.compare(i, kAnonymous.size(), kAnonymous) == 0) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (signature[i] == '<') {
      // Arguments of a class or of the function: the function's are last.
      int inner = 0;
      size_t close = i;
      for (; close < signature.size(); ++close) {
        if (signature[close] == '<') ++inner;
        if (signature[close] == '>' && --inner == 0) break;
      }
      const bool last = close + 1 >= signature.size() || signature.compare(close + 1, 2, "::") != 0;
      if (last && !with_template_arguments) return i;
      i = close;
    }
    if (signature[i] == '(' && depth == 0) return i;
  }
  return signature.size();
}

/// The parts of a kernel's name, as written by a user or a demangler.
struct Spelling {
  std::string base;                   // as qualified as it was written
  std::string arguments, parameters;  // as written, without their brackets
  bool has_arguments = false, has_parameters = false;
};

/// "(anonymous namespace)::scale" → "scale": no expression can refer to the former.
std::string expressible(std::string name) {
  const std::string_view anonymous = "(anonymous namespace)::";
  for (size_t at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous))
    name.erase(at, anonymous.size());
  return name;
}

Spelling spelling_of(const std::string& said) {
  Spelling spelling;
  const size_t name = end_of_name(said, false), all = end_of_name(said, true);
  spelling.base = expressible(said.substr(0, name));
  while (spelling.base.ends_with(' ')) spelling.base.pop_back();
  spelling.base = spelling.base.substr(spelling.base.rfind(' ') + 1);  // after "__global__ void"
  if (all > name) {
    spelling.has_arguments = true;
    const size_t close = said.rfind('>', all);
    spelling.arguments = said.substr(name + 1, close - name - 1);
  }
  if (all < said.size()) {
    spelling.has_parameters = true;
    spelling.parameters = expressible(said.substr(all + 1, said.rfind(')') - all - 1));
  }
  return spelling;
}

/// Whether a user who writes `wanted` may mean the kernel with this entry.
bool may_mean(const std::string& wanted, const std::string& entry) {
  if (wanted == entry) return true;
  const Spelling said = spelling_of(wanted), is = spelling_of(kernel_signature(entry));
  if (!may_be_called(said.base, is.base)) return false;
  if (said.has_arguments && canonical_types(said.arguments) != canonical_types(is.arguments)) return false;
  // The name of an extern "C" function does not include its parameters.
  return !said.has_parameters || !is.has_parameters ||
         canonical_types(said.parameters) == canonical_types(is.parameters);
}

/// The name that a template parameter declares: "T" of "class T = float".
std::string name_of_parameter(const std::string& parameter) {
  std::string name;
  for (const SourceToken& token : source_tokens(parameter)) {
    if (token.is("=")) break;
    if (token.kind == SourceToken::Kind::name) name = token.text;
  }
  return name;
}

/// The values of an overload's template parameters for these template arguments.
std::map<std::string, std::string> meanings(const KernelOverload& overload, const std::string& arguments) {
  std::map<std::string, std::string> names;
  const std::vector<std::string> given = split_types(arguments);
  for (size_t i = 0; i < std::min(given.size(), overload.template_parameters.size()); ++i)
    names[name_of_parameter(overload.template_parameters[i])] = given[i];
  return names;
}

std::string types_of(const KernelOverload& overload, const std::string& arguments) {
  const auto names = meanings(overload, arguments);
  std::string types;
  for (const std::string& parameter : overload.parameters)
    types += (types.empty() ? "" : ", ") + canonical_type(parameter, names);
  return types;
}

size_t templates_in(const DeclaredKernel& kernel) {
  return static_cast<size_t>(
      std::ranges::count_if(kernel.all, [](const KernelOverload& one) { return !one.template_parameters.empty(); }));
}

/// An expression that selects, among functions of the same name, the one with these parameters.
std::string with_parameters(const std::string& name, const std::string& parameters) {
  std::string types;
  for (const std::string& one : split_types(parameters)) types += (types.empty() ? "" : ", ") + canonical_type(one);
  return "static_cast<void (*)(" + types + ")>(" + name + ")";
}

std::vector<const DeclaredKernel*> meant_by(const Spelling& said, std::span<const DeclaredKernel> declared) {
  std::vector<const DeclaredKernel*> meant;
  for (const DeclaredKernel& kernel : declared)
    if (said.base.empty() || may_be_called(said.base, expressible(kernel.name))) meant.push_back(&kernel);
  return meant;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Kernels of the module and template kernels of the source, as a user may name them.
Phrase kernels_there_are(const CompiledModule& module, std::span<const DeclaredKernel> declared) {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : module.kernels) {
    const std::string name = kernel_name(kernel.name);
    const auto same = std::count_if(module.kernels.begin(), module.kernels.end(),
                                    [&](const KernelInfo& one) { return kernel_name(one.name) == name; });
    names.push_back(same > 1 ? kernel_signature(kernel.name) : name);
  }
  for (const auto& [name, reason] : module.left_out) names.push_back(name);
  for (const DeclaredKernel& kernel : declared)
    if (kernel.is_template) names.push_back(kernel.name + "<…>");
  return names.empty() ? Phrase("none") : list_of(names);
}

}  // namespace

bool may_be_called(const std::string& said, const std::string& name) {
  return said == name || name.ends_with("::" + said);
}

std::string kernel_signature(const std::string& entry) {
  if (!entry.starts_with("_Z")) return entry;  // the demangler would turn "f" into float
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, &status),
                                                     std::free);
  if (status != 0 || !plain) return entry;
  std::string text = plain.get();
  // A template's signature begins with its return type: "void scale<float>(float*)".
  if (text.starts_with("void ")) text.erase(0, 5);
  return text;
}

std::string kernel_name(const std::string& entry) {
  const std::string signature = kernel_signature(entry);
  return signature.substr(0, end_of_name(signature, true));
}

std::string bare_kernel_name(const std::string& kernel) {
  return last_component(spelling_of(kernel_signature(kernel)).base);
}

bool names_template_arguments(const std::string& kernel) { return spelling_of(kernel_signature(kernel)).has_arguments; }

std::vector<const DeclaredKernel*> templates_meant(const std::string& wanted,
                                                   std::span<const DeclaredKernel> declared) {
  std::vector<const DeclaredKernel*> meant = meant_by(spelling_of(wanted), declared);
  std::erase_if(meant, [](const DeclaredKernel* kernel) { return templates_in(*kernel) == 0; });
  return meant;
}

std::vector<std::string> expressions_to_compile(const std::string& wanted, std::span<const DeclaredKernel> declared) {
  const Spelling said = spelling_of(wanted);
  const std::vector<const DeclaredKernel*> meant = meant_by(said, declared);
  if (meant.size() != 1) {
    if (said.has_arguments) return {said.base + "<" + said.arguments + ">"};
    return {};
  }
  const DeclaredKernel& kernel = *meant[0];
  const size_t templates = templates_in(kernel);
  if (templates == 0) return {};
  const std::string name = expressible(kernel.name);
  const std::string whole = said.has_arguments ? name + "<" + said.arguments + ">" : name;
  if (said.has_parameters) {
    for (const KernelOverload& one : kernel.all)
      if (!said.has_arguments && one.template_parameters.empty() &&
          canonical_types(said.parameters) == canonical_types(types_of(one, "")))
        return {};  // a plain function
    return {with_parameters(whole, said.parameters)};
  }
  if (templates > 1) return {};  // ambiguous
  if (said.has_arguments) return {whole};
  if (templates < kernel.all.size() || kernel.instantiations.size() != 1) return {};
  return {kernel.instantiations[0]};
}

namespace {

/// The reason why the module lacks this instance.
Error not_instantiated(const std::string& wanted, const std::string& file, const DeclaredKernel& kernel) {
  const Spelling said = spelling_of(wanted);
  if (templates_in(kernel) > 1 && !said.has_parameters) {
    std::vector<std::string> forms;
    for (const KernelOverload& one : kernel.all) {
      std::string arguments = said.arguments;
      if (!said.has_arguments)
        for (const std::string& parameter : one.template_parameters)
          arguments += (arguments.empty() ? "" : ", ") + name_of_parameter(parameter);
      if (!one.template_parameters.empty())
        forms.push_back(fmt::format("{}<{}>({})", kernel.name, arguments, types_of(one, said.arguments)));
    }
    return make_error(ErrorId::kernel_ambiguous, wanted, file, list_of(forms));
  }
  if (kernel.instantiations.empty())
    return make_error(ErrorId::kernel_needs_arguments, kernel.name, list_of(kernel.all[0].template_parameters));
  return make_error(ErrorId::kernel_is_template, kernel.name, list_of(kernel.instantiations));
}

}  // namespace

Result<std::string> find_kernel_entry(const CompiledModule& module, const std::string& wanted, const std::string& file,
                                      std::span<const DeclaredKernel> declared) {
  for (const std::string& expression : expressions_to_compile(wanted, declared))
    if (const auto found = module.kernel_of_expression.find(expression); found != module.kernel_of_expression.end())
      return found->second;
  if (module.find(wanted) != nullptr) return wanted;
  std::vector<std::string> meant;
  for (const KernelInfo& kernel : module.kernels)
    if (wanted.empty() || may_mean(wanted, kernel.name)) meant.push_back(kernel.name);
  // If others do not compile, it cannot be called the only kernel.
  const bool others = wanted.empty() && !module.left_out.empty();
  if (meant.size() == 1 && !others) return meant[0];
  if (meant.size() > 1 || others) {
    std::vector<std::string> signatures;
    signatures.reserve(meant.size());
    for (const std::string& entry : meant) signatures.push_back(kernel_signature(entry));
    if (!wanted.empty()) return fail(ErrorId::kernel_ambiguous, wanted, file, list_of(signatures));
    for (const auto& [name, reason] : module.left_out) signatures.push_back(name);
    return fail(ErrorId::kernel_not_named, file, list_of(signatures));
  }
  const auto templates = templates_meant(wanted, declared);
  const bool said_arguments = names_template_arguments(wanted);
  if (!templates.empty() && (!said_arguments || templates_in(*templates[0]) > 1))
    return tl::unexpected<Error>(not_instantiated(wanted, file, *templates[0]));
  if (module.kernels.empty() && wanted.empty()) return fail(ErrorId::no_kernel, file);
  return fail(ErrorId::kernel_not_found, wanted, file, kernels_there_are(module, declared));
}

std::vector<std::string> declared_parameters(const std::string& entry, std::span<const DeclaredKernel> declared) {
  const Spelling is = spelling_of(kernel_signature(entry));
  for (const DeclaredKernel& kernel : declared) {
    if (expressible(kernel.name) != is.base) continue;
    if (kernel.overloads == 1) return kernel.parameters;
    for (const KernelOverload& one : kernel.all)
      if (canonical_types(types_of(one, is.arguments)) == canonical_types(is.parameters)) return one.parameters;
  }
  return {};
}

}  // namespace tilescope
