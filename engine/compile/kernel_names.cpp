#include "engine/compile/kernel_names.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

#include "engine/compile/device_source.hpp"

namespace tilescope {
namespace {

std::string without_blanks(const std::string& text) {
  std::string result;
  for (const char c : text)
    if (std::isspace(static_cast<unsigned char>(c)) == 0) result += c;
  return result;
}

/// Where the parameter list or the template arguments of a signature begin: brackets of "(anonymous namespace)" and of
/// "operator()" are part of a name.
size_t end_of_name(const std::string& signature, bool with_template_arguments) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  int depth = 0;
  for (size_t i = 0; i < signature.size(); ++i) {
    if (signature.compare(i, kAnonymous.size(), kAnonymous) == 0) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (signature[i] == '<') {
      // Arguments of a class or of the function: the function's come last.
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

std::string last_component(const std::string& name) {
  const std::string plain = name.substr(0, end_of_name(name, false));
  const size_t at = plain.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

/// Whether a person who says `wanted` may mean the kernel with this signature.
bool may_mean(const std::string& wanted, const std::string& entry) {
  const std::string signature = kernel_signature(entry);
  const std::string name = signature.substr(0, end_of_name(signature, true));
  const std::string base = signature.substr(0, end_of_name(signature, false));
  const std::string said = without_blanks(wanted);
  for (const std::string& form :
       {entry, signature, name, base, last_component(signature), last_component(name), last_component(base)})
    if (said == without_blanks(form)) return true;
  return false;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Kernels of the module and template kernels of the source, as a person may name them.
Phrase kernels_there_are(const CompiledModule& module, const std::string& source_text) {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : module.kernels) {
    const std::string name = kernel_name(kernel.name);
    const auto same = std::count_if(module.kernels.begin(), module.kernels.end(),
                                    [&](const KernelInfo& one) { return kernel_name(one.name) == name; });
    names.push_back(same > 1 ? kernel_signature(kernel.name) : name);
  }
  for (const DeclaredKernel& kernel : declared_kernels(source_text))
    if (kernel.is_template) names.push_back(kernel.name + "<…>");
  return names.empty() ? Phrase("none") : list_of(names);
}

/// "(anonymous namespace)::scale" → "scale": no expression can say the former.
std::string expressible(std::string name) {
  const std::string_view anonymous = "(anonymous namespace)::";
  for (size_t at = name.find(anonymous); at != std::string::npos; at = name.find(anonymous))
    name.erase(at, anonymous.size());
  return name;
}

}  // namespace

std::string kernel_signature(const std::string& entry) {
  if (!entry.starts_with("_Z")) return entry;  // of "f" the demangler makes a float
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(entry.c_str(), nullptr, nullptr, &status),
                                                     std::free);
  if (status != 0 || !plain) return entry;
  std::string text = plain.get();
  // A template's signature begins with its result: "void scale<float>(float*)".
  if (text.starts_with("void ")) text.erase(0, 5);
  return text;
}

std::string kernel_name(const std::string& entry) {
  const std::string signature = kernel_signature(entry);
  return signature.substr(0, end_of_name(signature, true));
}

std::vector<std::string> expressions_to_compile(const std::string& wanted, const std::string& source_text) {
  const std::vector<DeclaredKernel> declared = declared_kernels(source_text);
  const std::string without_parameters = wanted.substr(0, end_of_name(wanted, true));
  const std::string base = wanted.substr(0, end_of_name(wanted, false));
  const std::string arguments = without_parameters.substr(base.size());
  std::vector<const DeclaredKernel*> meant;
  for (const DeclaredKernel& kernel : declared)
    if (wanted.empty() || kernel.name == base || last_component(kernel.name) == base) meant.push_back(&kernel);
  if (!arguments.empty()) {
    if (meant.size() == 1 && !meant[0]->is_template) return {};
    return {(meant.size() == 1 ? expressible(meant[0]->name) : base) + arguments};
  }
  if (meant.size() != 1 || !meant[0]->is_template || meant[0]->instantiations.size() != 1) return {};
  return {meant[0]->instantiations[0]};
}

Result<std::string> find_kernel_entry(const CompiledModule& module, const std::string& wanted, const std::string& file,
                                      const std::string& source_text) {
  for (const std::string& expression : expressions_to_compile(wanted, source_text))
    if (const auto found = module.kernel_of_expression.find(expression); found != module.kernel_of_expression.end())
      return found->second;
  if (module.find(wanted) != nullptr) return wanted;
  std::vector<std::string> meant;
  for (const KernelInfo& kernel : module.kernels)
    if (wanted.empty() || may_mean(wanted, kernel.name)) meant.push_back(kernel.name);
  if (meant.size() == 1) return meant[0];
  if (meant.size() > 1) {
    std::vector<std::string> signatures;
    signatures.reserve(meant.size());
    for (const std::string& entry : meant) signatures.push_back(kernel_signature(entry));
    if (wanted.empty()) return fail(ErrorId::kernel_not_named, file, list_of(signatures));
    return fail(ErrorId::kernel_ambiguous, wanted, file, list_of(signatures));
  }
  for (const DeclaredKernel& kernel : declared_kernels(source_text)) {
    if (!kernel.is_template) continue;
    if (!wanted.empty() && kernel.name != wanted && last_component(kernel.name) != wanted) continue;
    if (kernel.instantiations.empty()) return fail(ErrorId::kernel_is_template, kernel.name, kernel.name + "<float>");
    return fail(ErrorId::kernel_is_template, kernel.name, list_of(kernel.instantiations));
  }
  if (module.kernels.empty() && wanted.empty()) return fail(ErrorId::no_kernel, file);
  return fail(ErrorId::kernel_not_found, wanted, file, kernels_there_are(module, source_text));
}

std::vector<std::string> declared_parameters(const std::string& entry, const std::string& source_text) {
  const std::string signature = kernel_signature(entry);
  const std::string base = signature.substr(0, end_of_name(signature, false));
  for (const DeclaredKernel& kernel : declared_kernels(source_text))
    if (kernel.name == base && kernel.overloads == 1) return kernel.parameters;
  return {};
}

}  // namespace tilescope
