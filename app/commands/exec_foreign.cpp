#include "app/commands/exec_foreign.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>

#include "app/sandbox/form/arguments.hpp"

namespace tilescope {
namespace {

constexpr int64_t kMostWarps = 32, kMostStages = 16;

struct Option {
  bool given;
  const char* name;
};

Result<void> refuse(std::initializer_list<Option> options, const char* why) {
  for (const Option& option : options)
    if (option.given) return fail(ErrorId::usage, fmt::format("{}: {}", option.name, why));
  return {};
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// The parameters that take an argument.
std::vector<std::string> parameters_of(const ForeignKernel& kernel, const Launch& launch) {
  std::vector<std::string> names;
  const auto& fixed = launch.triton.constexprs;
  for (const ParameterType& one : kernel.parameters)
    if (std::ranges::none_of(fixed, [&](const Define& define) { return define.name == one.name; }))
      names.push_back(one.name);
  return names;
}

Result<void> arrange(Launch& launch, const SourceKernel& kernel) {
  const std::vector<std::string> names = parameters_of(*kernel.foreign, launch);
  const Error count = make_error(ErrorId::argument_count, fmt::format("{}({})", kernel.name, list_of(names)),
                                 names.size(), launch.arguments.size());
  std::vector<std::optional<Argument>> arranged(names.size());
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::string& name = launch.argument_names[i];
    if (name.empty()) continue;
    if (contains(kernel.foreign->constexprs, name))
      return fail(ErrorId::usage, fmt::format("'{}' is a tl.constexpr parameter: give it as -D {}=VALUE", name, name));
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) return fail(ErrorId::argument_name, kernel.name, name, list_of(names));
    auto& place = arranged[static_cast<size_t>(found - names.begin())];
    if (place) return fail(ErrorId::bad_argument, name, "the parameter is given twice");
    place = launch.arguments[i];
  }
  size_t next = 0;
  for (size_t i = 0; i < launch.arguments.size(); ++i) {
    if (!launch.argument_names[i].empty()) continue;
    while (next < arranged.size() && arranged[next]) ++next;
    if (next == arranged.size()) return tl::unexpected<Error>(count);
    arranged[next] = launch.arguments[i];
  }
  if (std::ranges::any_of(arranged, [](const auto& one) { return !one; })) return tl::unexpected<Error>(count);
  launch.arguments.clear();
  for (auto& one : arranged) launch.arguments.push_back(std::move(*one));
  launch.argument_names.clear();
  return {};
}

Result<void> read_constexprs(const SourceKernel& kernel, const Plan& plan, ExecNames& known, Launch& launch) {
  for (const Define& define : plan.defines) {
    if (auto has = check_constexpr(kernel, define.name); !has) return has;
    // A word such as True, relu or tl.float16 is passed on as it is.
    std::string value = define.value;
    if (value.find_first_of("*/+(^") != std::string::npos || known.lookup()(value))
      if (const auto number = evaluate_whole(value, known.lookup(), -1e18L, 1e18L))
        value = fmt::format("{:.0f}", *number);
    launch.triton.constexprs.push_back({define.name, value});
  }
  return {};
}

Result<void> read_options(const ExecOptions& options, ExecNames& known, Launch& launch) {
  const auto read = [&](const char* name, const std::string& text, int64_t most, int& into) -> Result<void> {
    if (text.empty()) return {};
    const auto value = parse_whole_expression(name, text, 1, most, known.lookup());
    if (!value) return forward(value);
    into = static_cast<int>(*value);
    return {};
  };
  if (auto warps = read("--num-warps", options.num_warps, kMostWarps, launch.triton.num_warps); !warps) return warps;
  if (launch.triton.num_warps > 0 && !std::has_single_bit(static_cast<unsigned>(launch.triton.num_warps)))
    return fail(ErrorId::usage,
                fmt::format("--num-warps {} is not possible: Triton takes a power of two", launch.triton.num_warps));
  return read("--num-stages", options.num_stages, kMostStages, launch.triton.num_stages);
}

}  // namespace

Result<void> check_constexpr(const SourceKernel& kernel, const std::string& name) {
  const auto& constexprs = kernel.foreign->constexprs;
  const auto& parameters = kernel.foreign->parameters;
  if (contains(constexprs, name) || std::ranges::find(parameters, name, &ParameterType::name) != parameters.end())
    return {};
  return fail(ErrorId::usage,
              fmt::format("-D {}: kernel '{}' has no such parameter; its tl.constexpr parameters are: {}", name,
                          kernel.name, constexprs.empty() ? "none" : list_of(constexprs)));
}

Result<void> check_options(const ExecOptions& options, KernelLanguage language) {
  const Option warps{!options.num_warps.empty(), "--num-warps"}, stages{!options.num_stages.empty(), "--num-stages"};
  const Option block{!options.block.empty(), "--block"}, shared{options.shared != "0", "--shared"};
  const Option include{!options.includes.empty(), "--include"}, standard{!options.standard.empty(), "--std"};
  const Option symbol{!options.symbols.empty(), "--symbol"}, more{!options.more_files.empty(), "a second file"};
  const Option define{!options.defines.empty(), "--define"}, arch{!options.architecture.empty(), "--arch"};
  switch (language) {
    case KernelLanguage::triton:
      if (auto no = refuse({block}, "Triton's compiler chooses the block; --num-warps says how many warps it has"); !no)
        return no;
      if (auto no = refuse({shared}, "Triton's compiler decides how much shared memory a kernel needs"); !no) return no;
      return refuse({include, standard, symbol, more}, "a Triton kernel has no use for it");
    case KernelLanguage::ptx:
      if (auto no = refuse({warps, stages}, "it is for Triton kernels, in a .py file"); !no) return no;
      return refuse({define, arch, include, standard, more}, "PTX is already compiled");
    case KernelLanguage::cuda:
      break;
  }
  return refuse({warps, stages}, "it is for Triton kernels, in a .py file");
}

Result<void> settle_foreign(const ExecOptions& options, ExecSource& source, ExecNames& known, Plan& plan) {
  const auto kernel = source.foreign_kernel();
  if (!kernel) return forward(kernel);
  Launch& launch = plan.launches.front();
  if (source.language() == KernelLanguage::triton) {
    launch.kernel = (*kernel)->name;
    if (auto read = read_constexprs(**kernel, plan, known, launch); !read) return read;
    if (auto read = read_options(options, known, launch); !read) return read;
  }
  return arrange(launch, **kernel);
}

std::string absolute_path(const std::string& file) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(file, failed);
  return failed ? file : path.lexically_normal().string();
}

}  // namespace tilescope
