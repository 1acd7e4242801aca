#include "labs/triton.hpp"

#include <utility>

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
