// Lab "execution-model": how the blocks of a grid are distributed to the SMs in waves, and what limits the number of
// resident blocks. kernels/execution_model.cu holds the rungs.
#include <algorithm>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "engine/specs.hpp"

namespace tilescope::execution_model_lab {
namespace {

constexpr int64_t kLargestOnSimulator = int64_t{1} << 14;  // blocks
constexpr int64_t kLargestOnGpu = int64_t{1} << 20;        // with 1,024 threads each, an int still indexes the elements
constexpr int64_t kMissing = 5;  // this many threads of the last block have no element, as is usual
constexpr int64_t kNumbersPerKib = 256;
constexpr int64_t kNumbersPerSpan = 3;
enum Buffer : size_t { kIn, kNext, kOut, kSchedule };

int64_t elements(const Config& config) { return config.size("blocks") * config.param("BLOCK") - kMissing; }
int64_t table(const Config& config) { return config.param("TABLE_KB") * kNumbersPerKib; }

struct RungText {
  std::string name;
  Text title;
  std::string kernel;
};

Rung make_rung(const RungText& text, const std::vector<std::string>& own_params, bool in_shared) {
  Rung rung{.name = text.name,
            .title = text.title,
            .kernels = {text.kernel},
            .params = {"BLOCK", "CHAINS", "WORK", "TABLE_KB"}};
  rung.params.insert(rung.params.end(), own_params.begin(), own_params.end());
  rung.launches = [kernel = text.kernel, in_shared](const Config& config) {
    Launch launch{.kernel = kernel};
    launch.grid.x = static_cast<uint32_t>(config.size("blocks"));
    launch.block.x = static_cast<uint32_t>(config.param("BLOCK"));
    if (in_shared) launch.shared_bytes = static_cast<uint32_t>(table(config) * 4);
    launch.arguments = {BufferArgument{kIn}, BufferArgument{kNext}, BufferArgument{kOut}, BufferArgument{kSchedule},
                        scalar(static_cast<int32_t>(elements(config)))};
    return std::vector<Launch>{launch};
  };
  rung.grid_formula = [](const Config& config) {
    return fmt::format("⌈{} / {}⌉ = {}", with_separators(elements(config)), config.param("BLOCK"),
                       with_separators(config.size("blocks")));
  };
  return rung;
}

std::vector<Rung> make_rungs() {
  return {
      make_rung({"one-by-one", {"One chain at a time", "逐条跟随"}, "one_by_one"}, {}, false),
      make_rung({"side-by-side", {"Chains side by side", "并行跟随"}, "side_by_side"}, {}, false),
      make_rung({"capped-registers", {"Registers capped", "限制寄存器"}, "capped_registers"}, {"MIN_BLOCKS"}, false),
      make_rung({"table-in-shared", {"Shared-memory table", "表放进共享内存"}, "table_in_shared"}, {}, true)};
}

std::vector<Param> make_params() {
  const Text kilobytes{"KiB", "KiB"}, threads{"threads", "线程"};
  return {
      {.name = "BLOCK",
       .title = {"Block, threads", "线程块，线程数"},
       .unit = threads,
       .help = {"Threads of one CTA. An SM holds whole CTAs only.", "一个线程块的线程数。SM 只按整个线程块分配资源。"},
       .value = 256,
       .min = 32,
       .max = 1024,
       .scale = Scale::power_of_two},
      {.name = "CHAINS",
       .title = {"Chains per thread", "每线程链数"},
       .unit = {"chains", "条"},
       .help = {"Side by side, each chain takes two registers of its thread: more chains, more registers.",
                "并行跟随时，每条链占线程的两个寄存器：链越多，寄存器越多。"},
       .value = 16,
       .min = 1,
       .max = 64,
       .scale = Scale::power_of_two},
      {.name = "WORK",
       .title = {"Steps per chain", "每条链的步数"},
       .unit = {"steps", "步"},
       .help = {"Decides how long a block takes: each step waits for the one before it.",
                "决定一个线程块要多久：每一步都要等前一步。"},
       .value = 4,
       .min = 1,
       .max = 64,
       .scale = Scale::power_of_two,
       .gpu_value = 32},
      {.name = "TABLE_KB",
       .title = {"Table, KiB", "表，KiB"},
       .unit = kilobytes,
       .help = {"Size of the table that the chains lead through. In the last rung every CTA keeps the whole table in "
                "shared memory.",
                "各条链所在的表的大小。最后一级里，每个线程块都把整张表放进共享内存。"},
       .value = 32,
       .min = 4,
       .max = 128,
       .scale = Scale::power_of_two},
      {.name = "MIN_BLOCKS",
       .title = {"Blocks that must fit", "要容下的线程块数"},
       .unit = {"blocks", "线程块"},
       .help = {"__launch_bounds__(BLOCK, MIN_BLOCKS): the compiler caps the registers so that this many blocks "
                "fit on an SM, and spills the rest.",
                "__launch_bounds__(BLOCK, MIN_BLOCKS)：编译器限制寄存器，使一个 SM "
                "能容下这么多线程块，放不下的溢出到内存。"},
       .value = 6,
       .min = 1,
       .max = 8}};
}

std::vector<BreakIt> make_break_it() {
  return {
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"The last block has five threads too many; they run past the end.",
                "最后一个线程块多出五个线程，它们会越界。"},
       .plants = {{.in = "one_by_one", .replace = "if (i < n) {", .by = "{"},
                  {.in = "follow_side_by_side", .replace = "if (i >= n) return;", .by = ""},
                  {.in = "table_in_shared", .replace = "if (i < n) {", .by = "{"}}},
      {.name = "TRUST_ORDER",
       .title = {"Trust the order of blocks", "依赖线程块的先后"},
       .help = {"A block starts from what the previous block wrote. Nothing guarantees that it has already written it.",
                "线程块从前一个线程块写出的结果开始，但没有什么能保证它已经写好。"},
       .plants = {{.in = "one_by_one", .replace = "start = in[i]", .by = "start = i >= BLOCK ? out[i - BLOCK] : in[i]"},
                  {.in = "follow_side_by_side",
                   .replace = "start = in[i]",
                   .by = "start = i >= BLOCK ? out[i - BLOCK] : in[i]"},
                  {.in = "table_in_shared",
                   .replace = "start = in[i]",
                   .by = "start = i >= BLOCK ? out[i - BLOCK] : in[i]"}}},
      {.name = "NO_BARRIER",
       .title = {"Remove the barrier", "去掉屏障"},
       .help = {"Threads read a table that others are still copying.", "线程读取别的线程还没拷完的表。"},
       .plants = {{.in = "table_in_shared", .replace = "__syncthreads();", .by = ""}},
       .rungs = {"table-in-shared"}}};
}

/// Three choices, one of them the answer.
Predict predict(Text question, const std::function<int64_t(const Config&)>& answer, std::vector<int64_t> others,
                std::function<Text(const Config&)> why, std::vector<std::string> rungs = {}) {
  return {.question = std::move(question),
          .choices =
              [answer, others = std::move(others)](const Config& config) {
                std::vector<int64_t> choices{answer(config)};
                for (const int64_t other : others)
                  if (choices.size() < 3 && std::find(choices.begin(), choices.end(), other) == choices.end())
                    choices.push_back(other);
                return choices;
              },
          .answer = answer,
          .why = std::move(why),
          .rungs = std::move(rungs)};
}

int64_t warps_of(const Config& config) { return (config.param("BLOCK") + 31) / 32; }

/// The questions are about an SM of the usual GPU, so that they can be answered on paper.
std::vector<Predict> make_predicts() {
  const GpuSpec& gpu = usual_gpu();
  const int64_t processors = gpu.multiprocessors, warps = gpu.max_warps_per_multiprocessor;
  const int64_t most_blocks = gpu.max_blocks_per_multiprocessor, registers = gpu.registers_per_multiprocessor;
  const int64_t shared_kib = gpu.shared_bytes_per_multiprocessor / 1024;
  const int64_t reserved_kib = gpu.reserved_shared_bytes_per_block / 1024;
  constexpr int64_t kResident = 8;                        // resident blocks per SM, in the first question
  constexpr int64_t kBlockRegisters = int64_t{256} * 80;  // in the third question
  const int64_t resident = kResident * processors;
  return {
      predict(
          {fmt::format("{} multiprocessors hold {} blocks each: in how many waves does your grid run?", processors,
                       kResident),
           fmt::format("{} 个 SM 每个容纳 {} 个线程块：你的网格要跑几波？", processors, kResident)},
          [resident](const Config& config) { return (config.size("blocks") + resident - 1) / resident; }, {1, 2, 3, 19},
          [=](const Config& config) {
            const std::string blocks = with_separators(config.size("blocks")), at_once = with_separators(resident);
            return Text{fmt::format("{0} · {1} = {2} blocks are resident at a time, and {3} / {2} is rounded up: a "
                                    "partial wave counts as a wave.",
                                    kResident, processors, at_once, blocks),
                        fmt::format("同时驻留 {0} · {1} = {2} 个线程块，{3} / {2} 向上取整：不满的一波也算一波。",
                                    kResident, processors, at_once, blocks)};
          }),
      predict(
          {fmt::format("{} warps fit on a multiprocessor. How many of your blocks is that?", warps),
           fmt::format("一个 SM 容纳 {} 个线程束，也就是几个你的线程块？", warps)},
          [warps, most_blocks](const Config& config) { return std::min(most_blocks, warps / warps_of(config)); },
          {64, 16, 8, 2},
          [most_blocks](const Config& config) {
            return Text{
                fmt::format("{} threads are {} warps. An SM never holds more than {} blocks, however small they are.",
                            config.param("BLOCK"), warps_of(config), most_blocks),
                fmt::format("{} 个线程就是 {} 个线程束。而且不论多小，最多 {} 个线程块。", config.param("BLOCK"),
                            warps_of(config), most_blocks)};
          }),
      predict(
          {fmt::format("256 threads of 80 registers: how many blocks do {} registers hold?",
                       with_separators(registers)),
           fmt::format("256 个线程，每线程 80 个寄存器：{} 个寄存器容纳几个线程块？", with_separators(registers))},
          [registers](const Config&) { return registers / kBlockRegisters; }, {8, 4},
          [registers](const Config&) {
            const int64_t fit = registers / kBlockRegisters, taken = fit * kBlockRegisters;
            const auto number = [](int64_t value) { return with_separators(value); };
            return Text{fmt::format("A block takes {} registers, and {} blocks take {}. The {} that are left cannot "
                                    "hold one more.",
                                    number(kBlockRegisters), fit, number(taken), number(registers - taken)),
                        fmt::format("一个线程块占 {} 个，{} 个线程块占 {} 个。剩下的 {} 个再也放不下一个。",
                                    number(kBlockRegisters), fit, number(taken), number(registers - taken))};
          }),
      predict(
          {fmt::format("A block keeps the table in shared memory, and an SM has {} KiB of it. How many blocks fit?",
                       shared_kib),
           fmt::format("线程块把表放进共享内存，而一个 SM 有 {} KiB。容得下几个线程块？", shared_kib)},
          [=](const Config& config) { return shared_kib / (config.param("TABLE_KB") + reserved_kib); }, {7, 8, 3},
          [=](const Config& config) {
            const int64_t block_kib = config.param("TABLE_KB") + reserved_kib;
            return Text{
                fmt::format(
                    "The system reserves {0} KiB for each block, so a block takes {1} KiB: {2} / {1}, rounded down.",
                    reserved_kib, block_kib, shared_kib),
                fmt::format("系统还要为每个线程块占 {0} KiB，所以每块 {1} KiB：{2} / {1}，向下取整。", reserved_kib,
                            block_kib, shared_kib)};
          },
          {"table-in-shared"}),
  };
}

/// The sum over all chains after WORK steps each, in double precision.
double chains_of(const Config& config, std::span<const int32_t> next, double start, int64_t block) {
  constexpr double kRate = 0.999F;  // as the kernel's constant is rounded
  const int64_t chains = config.param("CHAINS"), work = config.param("WORK"), numbers = table(config);
  double sum = 0;
  for (int64_t chain = 0; chain < chains; ++chain) {
    double x = start;
    auto at = static_cast<size_t>((block + chain) % numbers);
    for (int64_t step = 0; step < work; ++step) {
      at = static_cast<size_t>(next[at]);
      x = kRate * x + static_cast<double>(at);
    }
    sum += x;
  }
  return sum;
}

Lab make_execution_model() {
  Lab lab;
  lab.name = "execution-model";
  lab.stage = 0;
  lab.order = 3;
  lab.title = {"Execution model", "执行模型"};
  lab.kernel_file = "execution_model.cu";
  lab.sizes = {{.name = "blocks",
                .title = {"Grid, blocks", "网格，线程块数"},
                .unit = {"blocks", "线程块"},
                .value = 2500,
                .gpu_value = 2500,
                .min = 1,
                .max_sim = kLargestOnSimulator,
                .max_gpu = kLargestOnGpu,
                .offered = {1, 64, 132, 264, 528, 1056, 1057, 1500, 2112, 2113, 2500, 3168, 3169, 4224, 8448, 16384,
                            1 << 16, 1 << 18, 1 << 20}}};
  lab.params = make_params();
  lab.break_it = make_break_it();
  lab.rungs = make_rungs();
  // CHAINS + WORK ≤ 128 roundings of half an ulp each: 128 · 6e-8.
  lab.tolerance = {.absolute = 1e-5, .relative = 1e-5};
  lab.predicts = make_predicts();
  lab.buffers = [](const Config& config) {
    const int64_t n = elements(config);
    return std::vector<BufferSpec>{{.name = "in", .shape = {n}, .role = Role::input, .fill = Fill::normal},
                                   {.name = "next",
                                    .type = DType::i32,
                                    .shape = {table(config)},
                                    .role = Role::input,
                                    .fill = Fill::uniform,
                                    .fill_values = {0, static_cast<double>(table(config))}},
                                   {.name = "out", .shape = {n}, .role = Role::output, .fill = Fill::poison},
                                   {.name = "schedule",
                                    .type = DType::u64,
                                    .shape = {config.size("blocks"), kNumbersPerSpan},
                                    .role = Role::scratch,
                                    .fill = Fill::poison}};
  };
  lab.schedule_buffer = "schedule";
  lab.reference = [](const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
                     size_t begin, size_t end, double* expected) {
    const auto in = buffers[kIn]->as<float>();
    const auto next = buffers[kNext]->as<int32_t>();
    for (size_t i = begin; i < end; ++i)
      expected[i - begin] = chains_of(config, next, double{in[i]}, static_cast<int64_t>(i) / config.param("BLOCK"));
  };
  lab.useful_bytes = [](const Config& config) { return 8.0 * static_cast<double>(elements(config)); };
  lab.flops = [](const Config& config) {
    return 2.0 * static_cast<double>(elements(config) * config.param("CHAINS") * config.param("WORK"));
  };
  lab.bytes_formula = {"8 n bytes: in read and out written; the time goes into the chains",
                       "8 n 字节：读 in，写 out；真正花时间的是沿着链读"};
  lab.sweep_size = "blocks";
  lab.sweep_shows_time = true;
  lab.sweep = {132,  264,  396,  528,  660,  792,  924,  1056, 1057, 1188, 1320, 1584, 1848, 2112,
               2113, 2376, 2640, 2904, 3168, 3169, 3432, 3696, 3960, 4224, 4225, 4752, 5280};
  return lab;
}

const bool registered = register_lab(make_execution_model());

}  // namespace
}  // namespace tilescope::execution_model_lab
