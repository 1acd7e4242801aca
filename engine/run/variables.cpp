#include "engine/run/variables.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "engine/compile/kernel_names.hpp"
#include "engine/compile/source_tokens.hpp"
#include "engine/run/inputs.hpp"
#include "engine/sim/lower/variable_use.hpp"
#include "engine/sim/ptx/parser.hpp"

namespace tilescope {
namespace {

/// The last component of a name: "table" for "ns::table".
std::string last_part(const std::string& name) {
  const size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

/// Variables that the compiler made for strings and the like have names that C++ does not allow.
bool is_of_source(std::string_view name) {
  return !name.empty() && name.find('$') == std::string_view::npos && !name.starts_with("__nv_");
}

std::vector<const PtxVariable*> variables_of(const PtxModule& module) {
  std::vector<const PtxVariable*> variables;
  for (const auto* list : {&module.constant, &module.global})
    for (const PtxVariable& variable : *list)
      if (is_of_source(variable.name)) variables.push_back(&variable);
  return variables;
}

std::string names_of(const std::vector<const PtxVariable*>& variables) {
  std::string names;
  for (const PtxVariable* one : variables)
    names += (names.empty() ? "" : ", ") + kernel_signature(std::string(one->name));
  return names;
}

Result<const PtxVariable*> find_variable(const PtxModule& module, const std::string& wanted, const std::string& file) {
  const std::vector<const PtxVariable*> all = variables_of(module);
  std::vector<const PtxVariable*> whole, last;
  for (const PtxVariable* one : all) {
    const std::string name = kernel_signature(std::string(one->name));
    if (one->name == wanted || name == wanted) whole.push_back(one);
    if (last_part(name) == wanted) last.push_back(one);
  }
  const auto& found = whole.empty() ? last : whole;
  if (found.size() == 1) return found.front();
  if (found.empty())
    return fail(ErrorId::variable_not_found, wanted, file, all.empty() ? Phrase("none") : Phrase(names_of(all)));
  return fail(ErrorId::variable_ambiguous, wanted, file, names_of(found));
}

/// Whether a line declares a variable initialised to zeros: `.global .align 4 .u32 count;`.
bool may_begin_as_zeros(std::string_view ptx) {
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    for (const std::string_view linkage : {".visible ", ".weak ", ".common "})
      if (line.starts_with(linkage)) line.remove_prefix(linkage.size());
    const bool declares = line.starts_with(".global ") || line.starts_with(".const ");
    if (declares && line.find('=') == std::string_view::npos) return true;
  }
  return false;
}

bool begins_as_zeros(const PtxVariable& variable) {
  const auto is_zero = [](uint8_t byte) { return byte == 0; };
  return variable.relocations.empty() && std::all_of(variable.initial.begin(), variable.initial.end(), is_zero);
}

/// `__device__ int count = 0;`: the source itself sets the initial value.
bool is_set_in_source(const std::string& name, const std::vector<SourceToken>& tokens) {
  for (size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(name) || tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("=")) continue;
    size_t after = i + 1;
    while (after < tokens.size() && tokens[after].is("[")) {
      while (after < tokens.size() && !tokens[after].is("]")) ++after;
      ++after;
    }
    const bool initial = after < tokens.size() && (tokens[after].is("=") || tokens[after].is("{"));
    if (!initial) continue;
    // The declaration, not an assignment: it is preceded by its specifier.
    for (size_t k = i; k-- > 0 && !tokens[k].is(";") && !tokens[k].is("}") && !tokens[k].is("{");)
      if (tokens[k].is("__device__") || tokens[k].is("__constant__") || tokens[k].is("__managed__")) return true;
  }
  return false;
}

void add_unset_variables(const Plan& plan, const PtxModule& module, std::vector<Phrase>& doubts) {
  std::set<std::string_view> known;  // set by the host
  for (const Launch& launch : plan.launches) {
    for (const Preset& preset : launch.presets) known.insert(preset.variable);
    for (const VariableUse& use : find_variable_uses(module, launch.kernel))
      if (use.is_written) known.insert(use.variable->name);
  }
  const std::vector<SourceToken> tokens = source_tokens(plan.source_text);
  for (const Launch& launch : plan.launches)
    for (const VariableUse& use : find_variable_uses(module, launch.kernel)) {
      const std::string_view entry = use.variable->name;
      if (!use.is_read || !begins_as_zeros(*use.variable) || !is_of_source(entry)) continue;
      const std::string name = kernel_signature(std::string(entry));
      if (!known.insert(entry).second || is_set_in_source(last_part(name), tokens)) continue;
      doubts.push_back(
          phrase("{} reads the variable '{}', which is zero because the host code that sets it does not "
                 "run; set it with --symbol {}=…, or in the Sandbox's form",
                 kernel_name(launch.kernel), name, name));
    }
}

/// Checked before the PTX is parsed: "{" and "ret;" with only blank lines and .loc directives between.
bool has_an_empty_body(std::string_view ptx) {
  bool after_brace = false;
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size());
    std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (after_brace && line.starts_with("ret;")) return true;
    if (line.starts_with("{"))
      after_brace = true;
    else if (!line.empty() && !line.starts_with(".loc") && !line.starts_with("$") && !line.starts_with("//"))
      after_brace = false;
  }
  return false;
}

/// A kernel without parameters may intentionally do nothing: it measures the launch.
void add_empty_kernels(const Plan& plan, const PtxModule& module, std::vector<Phrase>& doubts) {
  for (const Launch& launch : plan.launches)
    for (const PtxFunction& function : module.functions)
      if (function.is_entry && function.name == launch.kernel && !function.parameters.empty() &&
          function.instructions.size() == 1)
        doubts.push_back(phrase(
            "{} does nothing when it is compiled for {}; if an #if about __CUDA_ARCH__ leaves its code out, give "
            "exec another architecture with --arch",
            kernel_name(launch.kernel), std::string(module.target)));
}

}  // namespace

Result<void> settle_variables(Plan& plan, const CompiledModule& module, uint64_t seed) {
  if (plan.variables.empty() || plan.launches.empty()) return {};
  const auto parsed = parse_ptx(module.ptx);
  if (!parsed) return forward(parsed);
  for (size_t i = 0; i < plan.variables.size(); ++i) {
    const VariableInput& given = plan.variables[i];
    const auto found = find_variable(**parsed, given.name, plan.source_file);
    if (!found && given.may_be_absent && found.error().id == ErrorId::variable_not_found) continue;
    if (!found) return forward(found);
    Preset preset{.variable = std::string((*found)->name), .value = given.value};
    if (given.contents) {
      // Separate random streams: the buffers use the streams before these.
      auto made = make_contents(*given.contents, plan.buffers.size() + i, seed);
      if (!made) return forward(made);
      preset.value.bytes = std::move(made->bytes);
    }
    if (preset.value.bytes.size() > (*found)->bytes)
      return fail(ErrorId::variable_size, given.name, (*found)->bytes, preset.value.bytes.size());
    plan.launches.front().presets.push_back(std::move(preset));
  }
  return {};
}

std::vector<Phrase> doubts_about(const Plan& plan, const CompiledModule& module) {
  const bool may_be_unset = may_begin_as_zeros(module.ptx), may_be_empty = has_an_empty_body(module.ptx);
  if ((!may_be_unset && !may_be_empty) || plan.launches.empty()) return {};
  const auto parsed = parse_ptx(module.ptx);
  if (!parsed) return {};
  std::vector<Phrase> doubts;
  if (may_be_empty) add_empty_kernels(plan, **parsed, doubts);
  if (may_be_unset) add_unset_variables(plan, **parsed, doubts);
  return doubts;
}

}  // namespace tilescope
