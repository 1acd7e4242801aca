// Lab "hello": out[i] = a[i] + 10, the first launch; its lesson is about the host side. kernels/hello.cu holds the
// rungs, kernels/hello.py the one in Triton.
#include <algorithm>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "labs/predict.hpp"
#include "labs/triton.hpp"

namespace tilescope::hello_lab {
namespace {

constexpr int64_t kLargestHelloOnSimulator = int64_t{1} << 18;  // one thread takes them one after the other
constexpr int64_t kLargestHelloOnGpu = int64_t{1} << 24;
constexpr int64_t kLanes = 32;
constexpr uint32_t kRefusedThreads = 2048;  // a block has at most 1,024

int64_t hello_blocks(const Config& config) { return ceil_divide(config.size("n"), config.param("BLOCK")); }
int64_t full_blocks(const Config& config) { return config.size("n") / config.param("BLOCK"); }

std::vector<Argument> hello_arguments(const Config& config) {
  return {BufferArgument{0}, BufferArgument{1}, scalar(static_cast<int32_t>(config.size("n")))};
}

/// `blocks` and `threads` of the launch, and the text of the formula that gives the blocks.
Rung hello_rung(std::string name, Text title, std::string kernel, std::vector<std::string> params,
                const std::function<int64_t(const Config&)>& blocks,
                const std::function<int64_t(const Config&)>& threads,
                std::function<std::string(const Config&)> formula) {
  Rung rung{.name = std::move(name), .title = std::move(title), .kernels = {kernel}, .params = std::move(params)};
  rung.launches = [kernel, blocks, threads](const Config& config) {
    Launch launch{.kernel = kernel};
    launch.grid.x = static_cast<uint32_t>(blocks(config));
    launch.block.x = static_cast<uint32_t>(threads(config));
    launch.arguments = hello_arguments(config);
    return std::vector<Launch>{launch};
  };
  rung.grid_formula = std::move(formula);
  return rung;
}

std::vector<Rung> hello_rungs() {
  const auto one = [](const Config&) { return int64_t{1}; };
  const auto block = [](const Config& config) { return config.param("BLOCK"); };
  const auto always_one = [](const Config&) { return std::string("1"); };
  return {hello_rung("one-thread", {"One thread", "一个线程"}, "one_thread", {}, one, one, always_one),
          hello_rung("one-block", {"One block", "一个线程块"}, "one_block", {"BLOCK"}, one, block, always_one),
          hello_rung("grid", {"A whole grid", "整个网格"}, "whole_grid", {"BLOCK"}, hello_blocks, block,
                     [](const Config& config) {
                       return fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("n")), config.param("BLOCK"),
                                          with_separators(hello_blocks(config)));
                     }),
          tile_per_program_rung("triton-tile", {"Triton: tile per program", "Triton：每个 program 一个分块"},
                                "hello.py", "add_ten", {0, 1})};
}

Plant hello_triton_plant(std::string replace, std::string by) {
  return {.in = "add_ten", .replace = std::move(replace), .by = std::move(by), .file = "hello.py"};
}

void ask_for_too_many_threads(const Config&, std::vector<Launch>& launches) {
  for (Launch& launch : launches) launch.block.x = kRefusedThreads;
}

std::vector<BreakIt> hello_bugs() {
  return {{.name = "DROP_MASK",
           .title = {"Drop the boundary mask", "去掉边界判断"},
           .help = {"The last block has more threads than elements are left; they run past the end.",
                    "最后一个线程块的线程多于剩下的元素，多出的线程会越界。"},
           .plants = {{.in = "whole_grid", .replace = "if (i < n) ", .by = ""},
                      hello_triton_plant("(a + i, mask=mask)", "(a + i)"),
                      hello_triton_plant("x + 10.0, mask=mask", "x + 10.0")},
           .rungs = {"grid", "triton-tile"}},
          {.name = "TOO_FEW_BLOCKS",
           .title = {"Round the grid down", "网格向下取整"},
           .help = {"The host launches n / BLOCK blocks, rounded down (in Triton n / BLOCK_SIZE programs). The last "
                    "elements get no thread.",
                    "主机启动 n / BLOCK 个线程块（Triton 是 n / BLOCK_SIZE 个 "
                    "program），向下取整。最后几个元素没有线程负责。"},
           .rungs = {"grid", "triton-tile"},
           .relaunch =
               [](const Config& config, std::vector<Launch>& launches) {
                 for (Launch& launch : launches) {
                   const bool triton = launch.kernel == "add_ten";
                   const int64_t tile = config.param(triton ? "BLOCK_SIZE" : "BLOCK");
                   launch.grid.x = static_cast<uint32_t>(config.size("n") / tile);
                 }
               }},
          {.name = "TOO_MANY_THREADS",
           .title = {"2,048 threads per block", "每个线程块 2,048 个线程"},
           .help = {"The runtime refuses the launch: a block has at most 1,024 threads. The check after the launch "
                    "tells you so.",
                    "运行时拒绝这次启动：一个线程块最多 1,024 个线程。启动之后的检查会报告这个错误。"},
           .rungs = {"one-block", "grid"},
           .relaunch = ask_for_too_many_threads},
          {.name = "NO_CHECK",
           .title = {"2,048 threads, no check", "2,048 个线程，且不检查"},
           .help = {"The runtime refuses the launch, and the host does not ask. The kernel never runs, and the program "
                    "ends as if all were well.",
                    "运行时拒绝这次启动，而主机不查错误码。kernel 根本没有运行，程序却像一切正常那样结束。"},
           .rungs = {"one-block", "grid"},
           .relaunch = ask_for_too_many_threads,
           .unchecked = true}};
}

std::vector<Predict> hello_predicts() {
  return {
      ask({.question = {"A thread for each of the n elements, BLOCK threads to a block: how many blocks must the host "
                        "launch?",
                        "n 个元素各一个线程，每个线程块 BLOCK 个线程：主机要启动多少个线程块？"},
           .answer = hello_blocks,
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{full_blocks(config), hello_blocks(config) + 1, config.size("n"),
                                             2 * hello_blocks(config)};
               },
           .why =
               [](const Config& config) {
                 const std::string sum = fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("n")),
                                                     config.param("BLOCK"), with_separators(hello_blocks(config)));
                 return Text{"Rounded up, so that the last elements have threads as well: " + sum + ".",
                             "要向上取整，最后几个元素才有线程负责：" + sum + "。"};
               },
           .rungs = {"grid"},
           .veils = ShownNumber::blocks}),
      ask({.question = {"How many threads of the last block have no element?",
                        "最后一个线程块里，有多少个线程没有元素可做？"},
           .answer =
               [](const Config& config) { return hello_blocks(config) * config.param("BLOCK") - config.size("n"); },
           .others =
               [](const Config& config) {
                 const int64_t rest = config.size("n") % config.param("BLOCK");
                 return std::vector<int64_t>{rest, config.param("BLOCK"), 0, config.param("BLOCK") - 1};
               },
           .why =
               [](const Config& config) {
                 const std::string sum =
                     fmt::format("{} × {} − {} = {}", with_separators(hello_blocks(config)), config.param("BLOCK"),
                                 with_separators(config.size("n")),
                                 with_separators(hello_blocks(config) * config.param("BLOCK") - config.size("n")));
                 return Text{"The launch makes whole blocks: " + sum + ". The mask i < n keeps them from the memory.",
                             "启动总是以整个线程块为单位：" + sum + "。靠边界判断 i < n，它们不会访存。"};
               },
           .rungs = {"grid"}}),
      ask({.question = {"One thread does all the work: how many load requests does it issue?",
                        "一个线程做完全部工作：它发出多少次读请求？"},
           .answer = [](const Config& config) { return config.size("n"); },
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{ceil_divide(config.size("n"), kLanes), ceil_divide(config.size("n"), 8), 1,
                                             kLanes * config.size("n")};
               },
           .why =
               [](const Config&) {
                 return Text{
                     "One request for each element: a request serves a whole warp, and 31 of its 32 lanes sit "
                     "idle.",
                     "每个元素一次请求：一次请求本可以服务整个线程束，这里 32 个通道有 31 个闲着。"};
               },
           .rungs = {"one-thread"},
           .veils = ShownNumber::sectors}),
      ask({.question = {"One block of BLOCK threads for n elements: how many times does thread 0 go through its loop?",
                        "一个线程块、BLOCK 个线程处理 n 个元素：线程 0 的循环执行多少次？"},
           .answer = hello_blocks,
           .others =
               [](const Config& config) {
                 return std::vector<int64_t>{1, ceil_divide(config.size("n"), kLanes), config.size("n"),
                                             config.param("BLOCK")};
               },
           .why =
               [](const Config& config) {
                 const std::string sum = fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("n")),
                                                     config.param("BLOCK"), with_separators(hello_blocks(config)));
                 return Text{"In each iteration the block takes the next BLOCK elements: " + sum + ".",
                             "每次循环，线程块处理接下来的 BLOCK 个元素：" + sum + "。"};
               },
           .rungs = {"one-block"}}),
      ask({.question = {"If the host rounds the grid down, how many elements are never written?",
                        "如果主机把网格向下取整，有多少个元素永远不会被写入？"},
           .answer = [](const Config& config) { return config.size("n") % config.param("BLOCK"); },
           .others =
               [](const Config& config) {
                 const int64_t rest = config.size("n") % config.param("BLOCK");
                 return std::vector<int64_t>{config.param("BLOCK") - rest, 0, config.param("BLOCK"), 1};
               },
           .why =
               [](const Config& config) {
                 const std::string sum = fmt::format("{} − {} × {} = {}", with_separators(config.size("n")),
                                                     with_separators(full_blocks(config)), config.param("BLOCK"),
                                                     config.size("n") % config.param("BLOCK"));
                 return Text{"What is left after the full blocks: " + sum +
                                 ". Nothing reports it; only the result "
                                 "is wrong.",
                             "整块之后剩下的元素：" + sum + "。没有任何报错，只是结果不对。"};
               },
           .rungs = {"grid"}}),
  };
}

Lab make_hello() {
  Lab lab;
  lab.name = "hello";
  lab.stage = 0;
  lab.order = 1;
  lab.title = {"Hello, GPU", "你好，GPU"};
  lab.kernel_file = "hello.cu";
  lab.sizes = {{.name = "n",
                .title = {"n, elements", "n，元素个数"},
                .unit = {"elements", "元素"},
                .value = 10000,
                .gpu_value = 1 << 20,
                .min = 1,
                .max_sim = kLargestHelloOnSimulator,
                .max_gpu = kLargestHelloOnGpu,
                .offered = {1, 100, 256, 1000, 1024, 10000, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24}}};
  lab.params = {{.name = "BLOCK",
                 .title = {"Block, threads", "线程块，线程数"},
                 .unit = {"threads", "线程"},
                 .help = {"Threads of one CTA: the second number of <<<grid, block>>>. At most 1,024.",
                          "一个线程块的线程数，即 <<<grid, block>>> 的第二个数，最多 1,024。"},
                 .value = 256,
                 .min = 32,
                 .max = 1024,
                 .scale = Scale::power_of_two},
                triton_block_param("BLOCK_SIZE", {"BLOCK_SIZE, tile", "BLOCK_SIZE，分块"}, 256, 64, 2048),
                num_warps_param(4)};
  lab.break_it = hello_bugs();
  lab.rungs = hello_rungs();
  lab.default_rung = "grid";
  lab.references = {{"copy", "device_copy", "copy"}};
  lab.tolerance = {.absolute = 0, .relative = 6e-8};  // one sum, rounded once: at most 2⁻²⁴ of it
  lab.predicts = hello_predicts();
  lab.buffers = [](const Config& config) {
    const int64_t n = config.size("n");
    return std::vector<BufferSpec>{{.name = "a", .shape = {n}, .role = Role::input, .fill = Fill::normal},
                                   {.name = "out", .shape = {n}, .role = Role::output, .fill = Fill::poison}};
  };
  lab.reference = [](const Config&, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t, size_t begin,
                     size_t end, double* expected) {
    const auto a = buffers[0]->as<float>();
    for (size_t i = begin; i < end; ++i) expected[i - begin] = double{a[i]} + 10;
  };
  lab.useful_bytes = [](const Config& config) { return 8.0 * static_cast<double>(config.size("n")); };
  lab.flops = [](const Config& config) { return static_cast<double>(config.size("n")); };
  lab.bytes_formula = {"8 · n bytes: a read once, out written once", "8 · n 字节：a 读一次，out 写一次"};
  for (int exponent = 8; exponent <= 20; exponent += 2) lab.sweep.push_back(int64_t{1} << exponent);
  return lab;
}

const bool registered = register_lab(make_hello());

}  // namespace
}  // namespace tilescope::hello_lab
