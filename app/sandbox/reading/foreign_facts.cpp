#include "app/sandbox/reading/foreign_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/sandbox/reading/token_terms.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/compile/ptx_text.hpp"

namespace tilescope {
namespace {

using ParameterKind = ParameterType::Kind;

void suggest_buffer(ForeignKernel& kernel, const std::string& name, DType type, const std::string& shape,
                    const std::string& role, const std::string& fill) {
  kernel.fields[name + ".type"] = std::string(name_of(type));
  kernel.fields[name + ".shape"] = shape;
  kernel.fields[name + ".role"] = role;
  kernel.fields[name + ".fill"] = fill;
}

void add_parameter(ForeignKernel& kernel, const TritonParameter& one) {
  ParameterType type{.name = one.name, .declared = one.name};
  if (!one.spec.empty()) {
    kernel.fields[one.name + ".spec"] = one.spec;
    kernel.parameters.push_back(std::move(type));
    return;
  }
  type.type = dtype_from(one.type).value_or(one.is_pointer ? DType::f32 : DType::i32);
  type.kind = one.is_pointer ? ParameterKind::pointer : ParameterKind::scalar;
  type.size = type.alignment = one.is_pointer ? sizeof(uint64_t) : size_of(type.type);
  type.element_bytes = one.is_pointer ? size_of(type.type) : 0;
  if (one.is_pointer)
    suggest_buffer(kernel, one.name, type.type, one.shape, one.role, one.fill);
  else
    kernel.fields[one.name + ".value"] = one.number;
  kernel.parameters.push_back(std::move(type));
}

SourceKernel kernel_of(const TritonFunction& function) {
  ForeignKernel kernel{.language = KernelLanguage::triton};
  std::string defines;
  for (const TritonParameter& one : function.parameters) {
    if (!one.is_constexpr) {
      add_parameter(kernel, one);
      continue;
    }
    kernel.constexprs.push_back(one.name);
    if (!one.is_given) kernel.needed.push_back(one.name);
    if (one.is_given) kernel.values[one.name] = one.value;
    const bool is_word = one.value.find_first_of(" \t") == std::string::npos;
    if (!one.value.empty() && is_word)
      defines += fmt::format("{}{}={}", defines.empty() ? "" : " ", one.name, one.value);
  }
  kernel.fields["n"] = function.n;
  kernel.fields["defines"] = defines;
  constexpr std::string_view kAxes = "xyz";
  for (size_t i = 0; i < kAxes.size(); ++i) kernel.fields[fmt::format("grid.{}", kAxes[i])] = function.grid[i];
  kernel.fields["num_warps"] = function.num_warps > 0 ? std::to_string(function.num_warps) : "4";
  kernel.fields["target"] = "sm_80";
  kernel.fields["num_stages"] = function.num_stages > 0 ? std::to_string(function.num_stages) : "3";
  return {.name = function.name,
          .last_name = function.name,
          .line = function.line,
          .launch = std::make_shared<HostLaunch>(),
          .foreign = std::make_shared<ForeignKernel>(std::move(kernel))};
}

/// "scale(float const*, float*, float, int)" → its types; nothing for a name that is not mangled.
std::vector<std::string> types_in(const std::string& signature) {
  const size_t open = signature.find('(');
  if (open == std::string::npos || !signature.ends_with(')')) return {};
  std::vector<std::string> types;
  const std::string list = signature.substr(open + 1, signature.size() - open - 2);
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && (list[i] == '<' || list[i] == '(')) ++depth;
    if (i < list.size() && (list[i] == '>' || list[i] == ')')) --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    std::string one = list.substr(begin, i - begin);
    one.erase(0, std::min(one.find_first_not_of(' '), one.size()));
    if (!one.empty()) types.push_back(std::move(one));
    begin = i + 1;
  }
  return types;
}

/// A declaration of C++ for a parameter of PTX: "float* arg0" for ".param .u64 .ptr .global …".
std::string declaration_of(const PtxParameter& parameter, const std::string& name) {
  if (parameter.is_pointer) return "float* " + name;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kTypes{{{".f32", "float"},
                                                                                  {".f64", "double"},
                                                                                  {".f16", "__half"},
                                                                                  {".bf16", "__nv_bfloat16"},
                                                                                  {".u64", "long long"},
                                                                                  {".s64", "long long"},
                                                                                  {".b64", "long long"},
                                                                                  {".u32", "int"},
                                                                                  {".s32", "int"},
                                                                                  {".b32", "int"},
                                                                                  {".u16", "short"},
                                                                                  {".s16", "short"},
                                                                                  {".b16", "short"},
                                                                                  {".u8", "unsigned char"},
                                                                                  {".s8", "signed char"}}};
  if (!parameter.is_array)
    for (const auto& [type, spelled] : kTypes)
      if (parameter.type == type) return fmt::format("{} {}", spelled, name);
  return fmt::format("struct_of_{}_bytes {}", parameter.bytes, name);
}

SourceKernel kernel_of(const PtxKernel& kernel, const std::string& text) {
  ForeignKernel foreign{.language = KernelLanguage::ptx};
  const std::string signature = kernel_signature(kernel.name);
  std::vector<std::string> types = types_in(signature);
  if (types.size() != kernel.parameters.size()) types.clear();
  bool any_size = false;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const std::string name = fmt::format("arg{}", i);
    ParameterType type =
        read_parameter(types.empty() ? declaration_of(kernel.parameters[i], name) : types[i] + " " + name, {});
    type.name = name;
    const bool floating = is_floating(type.type);
    if (type.kind == ParameterKind::pointer) {
      suggest_buffer(foreign, name, type.type, "n", type.is_const ? "input" : "inout", floating ? "normal" : "zero");
    } else if (type.kind == ParameterKind::scalar) {
      foreign.fields[name + ".value"] = floating ? "0.5" : any_size ? "1" : "n";
      any_size |= !floating;
    } else {
      foreign.fields[name + ".spec"] = "";
    }
    // The name is this program's, so an argument is given by its place.
    type.declared =
        types.empty() ? fmt::format("{} of {} bytes", kernel.parameters[i].type, kernel.parameters[i].bytes) : types[i];
    foreign.parameters.push_back(std::move(type));
  }
  const std::array<uint32_t, 3> block = block_of_ptx(text, kernel.name);
  constexpr std::string_view kAxes = "xyz";
  for (size_t i = 0; i < kAxes.size(); ++i) {
    foreign.fields[fmt::format("block.{}", kAxes[i])] = std::to_string(block[0] > 0 ? block[i] : i == 0 ? 256 : 1);
    foreign.fields[fmt::format("grid.{}", kAxes[i])] = i == 0 ? "ceil(n/block.x)" : "1";
  }
  foreign.fields["n"] = "4096";
  foreign.fields["shared"] = "0";
  const std::string name = signature == kernel.name ? kernel.name : kernel_name(kernel.name);
  return {.name = name,
          .last_name = name,
          .line = kernel.line,
          .launch = std::make_shared<HostLaunch>(),
          .foreign = std::make_shared<ForeignKernel>(std::move(foreign))};
}

}  // namespace

SourceFacts facts_of_triton(const TritonFile& file, std::string text) {
  SourceFacts facts;
  facts.own_lines = static_cast<uint32_t>(std::ranges::count(text, '\n') + 1);
  facts.text = std::make_shared<const std::string>(std::move(text));
  for (const TritonFunction& function : file.kernels) facts.kernels.push_back(kernel_of(function));
  return facts;
}

SourceFacts facts_of_ptx(std::string text) {
  SourceFacts facts;
  facts.own_lines = static_cast<uint32_t>(std::ranges::count(text, '\n') + 1);
  const std::vector<PtxKernel> kernels = kernels_of_ptx(text);
  for (const PtxKernel& kernel : kernels) {
    SourceKernel made = kernel_of(kernel, text);
    // Overloads and instances share a name: then the name in the PTX tells them apart.
    const auto same = [&](const PtxKernel& other) { return kernel_name(other.name) == made.name; };
    if (std::ranges::count_if(kernels, same) > 1) made.name = made.last_name = kernel.name;
    facts.kernels.push_back(std::move(made));
  }
  facts.text = std::make_shared<const std::string>(std::move(text));
  return facts;
}

}  // namespace tilescope
