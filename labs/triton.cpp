#include "labs/triton.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/numbers.hpp"

namespace tilescope {

Param triton_block_param(std::string name, Text title, int64_t value, int64_t min, int64_t max) {
  return {.name = std::move(name),
          .title = std::move(title),
          .unit = {"elements", "元素"},
          .help = {"A tl.constexpr: the extent of a tile, which must be a power of two.",
                   "tl.constexpr 参数：分块的大小，必须是 2 的幂。"},
          .value = value,
          .min = min,
          .max = max,
          .scale = Scale::power_of_two,
          .of_triton = true};
}

Param num_warps_param(int64_t value, int64_t max) {
  return {.name = "num_warps",
          .title = {"num_warps", "num_warps"},
          .unit = {"warps", "线程束"},
          .help = {"Warps of one program: the compiler distributes a tile over 32 times as many threads.",
                   "一个 program 的线程束数：编译器把分块分给 32 倍于此的线程。"},
          .value = value,
          .min = 1,
          .max = max,
          .scale = Scale::power_of_two,
          .of_triton = true};
}

Param num_stages_param(int64_t value, int64_t max) {
  return {.name = "num_stages",
          .title = {"num_stages", "num_stages"},
          .unit = {"stages", "级"},
          .help = {"Stages of the software pipeline that the compiler makes of the loop: how many tiles are in flight.",
                   "编译器为循环生成的软件流水线的级数：同时在途的分块数。"},
          .value = value,
          .min = 1,
          .max = max,
          .of_triton = true};
}

Param programs_param(int64_t value, int64_t gpu_value) {
  constexpr int64_t kMostPrograms = 8192;
  return {
      .name = "PROGRAMS",
      .title = {"Programs", "program 数"},
      .unit = {"programs", "program"},
      .help = {"The grid: programs that share the work in a loop, whatever the size. There are never more than there "
               "is work for.",
               "网格大小：不论规模多大，都由这些 program 在循环里分担工作；不会多于工作的份数。"},
      .value = value,
      .min = 1,
      .max = kMostPrograms,
      .scale = Scale::power_of_two,
      .gpu_value = gpu_value,
      .of_triton = true};
}

Rung tile_per_program_rung(std::string name, Text title, std::string file, const std::string& kernel,
                           std::vector<size_t> buffers, const std::vector<std::string>& more) {
  Rung rung{.name = std::move(name),
            .title = std::move(title),
            .kernel_file = std::move(file),
            .kernels = {kernel},
            .params = {"BLOCK_SIZE", "num_warps"}};
  rung.params.insert(rung.params.end(), more.begin(), more.end());
  const auto programs = [](const Config& config) { return ceil_divide(config.size("n"), config.param("BLOCK_SIZE")); };
  rung.launches = [kernel, programs, buffers = std::move(buffers)](const Config& config) {
    std::vector<Argument> arguments;
    for (const size_t buffer : buffers) arguments.emplace_back(BufferArgument{buffer});
    arguments.emplace_back(scalar(static_cast<int32_t>(config.size("n"))));
    return std::vector<Launch>{triton_launch(kernel, {static_cast<uint32_t>(programs(config)), 1, 1},
                                             std::move(arguments), config, {"BLOCK_SIZE"})};
  };
  rung.grid_formula = [programs](const Config& config) {
    return fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("n")), config.param("BLOCK_SIZE"),
                       with_separators(programs(config)));
  };
  return rung;
}

Launch triton_launch(std::string kernel, Dim3 grid, std::vector<Argument> arguments, const Config& config,
                     std::initializer_list<const char*> params, std::vector<Define> constexprs) {
  Launch launch{.kernel = std::move(kernel), .grid = grid, .block = {}, .arguments = std::move(arguments)};
  launch.triton.constexprs = std::move(constexprs);
  for (const char* name : params) launch.triton.constexprs.push_back({name, std::to_string(config.param(name))});
  const auto value_of = [&](const char* name) {
    const auto found = config.params.find(name);
    return found == config.params.end() ? 0 : static_cast<int>(found->second);
  };
  launch.triton.num_warps = value_of("num_warps");
  launch.triton.num_stages = value_of("num_stages");
  return launch;
}

}  // namespace tilescope
