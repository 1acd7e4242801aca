#include "engine/compile/linked_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/compile/declared_kernels.hpp"
#include "engine/compile/device_source.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/compile/ptx_link.hpp"
#include "engine/compile/source_names.hpp"
#include "engine/compile/source_tokens.hpp"

namespace tilescope {
namespace {

/// The expressions that name a template of this source.
std::vector<std::string> expressions_for(const CompileRequest& one, const std::vector<std::string>& expressions) {
  if (expressions.empty()) return {};
  std::set<std::string, std::less<>> templates;
  for (const DeclaredKernel& kernel : declared_kernels(DeviceSource(one, {}).original_text()))
    if (kernel.is_template) templates.insert(last_component(kernel.name));
  std::vector<std::string> found;
  for (const std::string& expression : expressions)
    if (std::ranges::any_of(source_tokens(expression),
                            [&](const SourceToken& token) { return templates.contains(token.text); }))
      found.push_back(expression);
  return found;
}

/// Why a name is not defined, if it was omitted from a module.
std::string reason_for(const std::string& name, const std::vector<CompiledModule>& modules) {
  const std::string quoted = "'" + bare_kernel_name(name) + "'";
  for (const CompiledModule& module : modules)
    for (const CompileMessage& message : module.messages)
      if (message.text.starts_with(quoted)) return fmt::format("{}({}): {}", message.file, message.line, message.text);
  return {};
}

}  // namespace

Result<CompiledModule> compile_linked(const CompileRequest& request, const CompileOne& compile_one) {
  std::vector<SourceFile> sources{{request.file, request.text}};
  sources.insert(sources.end(), request.more_sources.begin(), request.more_sources.end());
  std::vector<CompiledModule> modules;
  std::vector<LinkInput> texts;
  for (const SourceFile& source : sources) {
    CompileRequest one = request;
    one.more_sources.clear();
    one.file = source.file;
    one.text = source.text;
    one.relocatable = true;
    one.want_cubin = false;
    one.kernel_expressions = expressions_for(one, request.kernel_expressions);
    auto module = compile_one(one);
    if (!module) return module;
    texts.push_back({source.file, module->ptx});
    modules.push_back(std::move(*module));
  }
  std::vector<std::string> wanted;
  for (const std::string& kernel : request.wanted_kernels)
    if (!kernel.empty()) wanted.push_back(bare_kernel_name(kernel));
  auto linked = link_ptx(texts, wanted);
  if (!linked) return forward(linked);
  if (!linked->undefined.empty()) {
    const std::string& name = linked->undefined.front();
    const std::string reason = reason_for(name, modules);
    return fail(
        ErrorId::link_failed, request.file,
        reason.empty() ? phrase("'{}' is defined in none of the files", kernel_signature(name)) : Phrase(reason));
  }
  CompiledModule all = std::move(modules[0]);
  for (size_t i = 1; i < modules.size(); ++i) {
    CompiledModule& more = modules[i];
    for (KernelInfo& kernel : more.kernels)  // several modules may contain an instance of one template
      if (all.find(kernel.name) == nullptr) all.kernels.push_back(std::move(kernel));
    std::ranges::move(more.messages, std::back_inserter(all.messages));
    all.kernel_of_expression.merge(more.kernel_of_expression);
    all.left_out.merge(more.left_out);
    all.log += more.log;
    all.milliseconds += more.milliseconds;
    all.from_cache = all.from_cache && more.from_cache;
  }
  all.ptx = std::move(linked->ptx);
  if (request.want_cubin) {
    const auto* bytes = reinterpret_cast<const std::byte*>(all.ptx.c_str());
    all.cubin.assign(bytes, bytes + all.ptx.size() + 1);  // the driver reads PTX up to its terminating zero
  }
  return all;
}

}  // namespace tilescope
