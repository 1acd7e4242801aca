// Lab "reduction-sum": out[0] = x[0] + … + x[n − 1]. kernels/reduction.cu holds the rungs,
// kernels/reduction.py those in Triton.
#include "labs/reduction_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "engine/parallel.hpp"
#include "engine/specs.hpp"
#include "labs/triton.hpp"

namespace tilescope::reduction_sum_lab {
namespace {

constexpr int64_t kLargestOnSimulator = int64_t{1} << 24;
constexpr int64_t kLargestOnGpu = int64_t{1} << 30;  // an int still indexes it
constexpr int64_t kAligned = 32;                     // floats of a cache line: each level of sums is aligned to it

enum Buffer : size_t { kX, kOut, kSums, kArrived };

/// Programs of the first pass in Triton: no more than there are tiles.
int64_t programs_of_pass(const Config& config) {
  return std::min(config.param("PROGRAMS"), ceil_divide(config.size("n"), config.param("BLOCK_SIZE")));
}

/// Floats for all levels but the last, stored one after another. Every CUDA rung adds at least one number per thread of
/// a CTA, so this is enough for all of them; the Triton rung stores one number per program.
int64_t room_for_sums(const Config& config) {
  int64_t room = 0;
  for (const int64_t count : levels(config.size("n"), config.param("BLOCK")))
    room += ceil_divide(count, kAligned) * kAligned;
  return std::max(room, programs_of_pass(config));
}

Launch launch_of(const std::string& kernel, int64_t ctas, int64_t threads, std::vector<Argument> arguments) {
  return {.kernel = kernel,
          .grid = {static_cast<uint32_t>(ctas), 1, 1},
          .block = {static_cast<uint32_t>(threads), 1, 1},
          .shared_bytes = 0,
          .arguments = std::move(arguments)};
}

Launch clear_launch() { return launch_of("clear", 1, 1, {BufferArgument{kOut}}); }

ScalarArgument count_argument(int64_t n) { return scalar(static_cast<int32_t>(n)); }

Rung make_atomic_rung() {
  const auto ctas = [](const Config& config) { return ceil_divide(config.size("n"), config.param("BLOCK")); };
  return {.name = "atomic-per-element",
          .title = {"Atomic per element", "每元素一次原子加"},
          .kernels = {"atomic_per_element", "clear"},
          .params = {"BLOCK"},
          .launches =
              [ctas](const Config& config) {
                return std::vector<Launch>{
                    clear_launch(),
                    launch_of("atomic_per_element", ctas(config), config.param("BLOCK"),
                              {BufferArgument{kX}, BufferArgument{kOut}, count_argument(config.size("n"))})};
              },
          .grid_formula =
              [ctas](const Config& config) {
                return fmt::format("⌈{} / {}⌉ = {}", with_separators(config.size("n")), config.param("BLOCK"),
                                   with_separators(ctas(config)));
              }};
}

/// A rung whose CTAs write one sum each; the next launch of the same kernel adds these, until one is left.
Rung make_tree_rung(std::string name, Text title, std::string kernel, int64_t elements_per_thread) {
  const auto per_cta = [elements_per_thread](const Config& config) {
    return elements_per_thread * config.param("BLOCK");
  };
  return {.name = std::move(name),
          .title = std::move(title),
          .kernels = {kernel},
          .params = {"BLOCK"},
          .launches =
              [kernel, per_cta](const Config& config) {
                std::vector<Launch> launches;
                BufferArgument from{kX};
                int64_t left = config.size("n"), used = 0;
                for (const int64_t ctas : levels(left, per_cta(config))) {
                  const BufferArgument to = ctas == 1 ? BufferArgument{kOut} : BufferArgument{kSums, 4 * used};
                  launches.push_back(launch_of(kernel, ctas, config.param("BLOCK"), {from, to, count_argument(left)}));
                  used += ceil_divide(ctas, kAligned) * kAligned;
                  from = to;
                  left = ctas;
                }
                return launches;
              },
          .grid_formula =
              [per_cta](const Config& config) {
                const int64_t n = config.size("n"), share = per_cta(config);
                return fmt::format("⌈{} / {}⌉ = {}", with_separators(n), share, with_separators(ceil_divide(n, share)));
              }};
}

Rung make_vector_rung() {
  return {
      .name = "vector-loads",
      .title = {"Vectors, one atomic", "向量读，每线程块一次原子加"},
      .kernels = {"vector_loads", "clear"},
      .params = {"BLOCK", "VEC", "LOADS", "TILES"},
      .launches =
          [](const Config& config) {
            return std::vector<Launch>{
                clear_launch(),
                launch_of("vector_loads", ceil_divide(config.size("n"), share_of_cta(config)), config.param("BLOCK"),
                          {BufferArgument{kX}, BufferArgument{kOut}, count_argument(config.size("n"))})};
          },
      .grid_formula = share_formula};
}

Rung make_single_pass_rung() {
  return {.name = "single-pass",
          .title = {"Single pass", "单遍归约"},
          .kernels = {"single_pass"},
          .params = {"BLOCK", "VEC", "LOADS", "TILES"},
          .launches =
              [](const Config& config) {
                return std::vector<Launch>{launch_of("single_pass", ceil_divide(config.size("n"), share_of_cta(config)),
                                                     config.param("BLOCK"),
                                                     {BufferArgument{kX}, BufferArgument{kOut}, BufferArgument{kSums},
                                                      BufferArgument{kArrived}, count_argument(config.size("n"))})};
              },
          .grid_formula = share_formula};
}

Rung make_triton_atomic_rung() {
  Rung rung = tile_per_program_rung("triton-atomic", {"Triton: one atomic", "Triton：一次原子加"}, "reduction.py",
                                    "atomic_per_program", {kX, kOut});
  rung.kernels.emplace_back("clear");
  rung.launches = [add = rung.launches](const Config& config) {
    std::vector<Launch> launches = add(config);
    launches.insert(launches.begin(), triton_launch("clear", {1, 1, 1}, {BufferArgument{kOut}}, config, {}));
    return launches;
  };
  return rung;
}

Rung make_triton_two_pass_rung() {
  return {.name = "triton-two-pass",
          .title = {"Triton: two passes", "Triton：两遍"},
          .kernel_file = "reduction.py",
          .kernels = {"sum_of_tiles"},
          .params = {"BLOCK_SIZE", "PROGRAMS", "num_warps"},
          .launches =
              [](const Config& config) {
                const int64_t n = config.size("n"), programs = programs_of_pass(config);
                const auto pass = [&](int64_t grid, BufferArgument from, BufferArgument to, int64_t count) {
                  return triton_launch("sum_of_tiles", {static_cast<uint32_t>(grid), 1, 1},
                                       {from, to, count_argument(count)}, config, {"BLOCK_SIZE"});
                };
                if (programs == 1) return std::vector<Launch>{pass(1, {kX}, {kOut}, n)};
                return std::vector<Launch>{pass(programs, {kX}, {kSums}, n), pass(1, {kSums}, {kOut}, programs)};
              },
          .grid_formula =
              [](const Config& config) {
                return fmt::format("min({}, ⌈{} / {}⌉) = {}", config.param("PROGRAMS"),
                                   with_separators(config.size("n")), config.param("BLOCK_SIZE"),
                                   with_separators(programs_of_pass(config)));
              }};
}

// Up to these counts warp-shuffle's tree is faster than the last rung, measured on an H200.
constexpr int64_t kMostInOneLaunch = 2048, kMostInTwoLaunches = 1 << 18;

/// warp-shuffle's tree adds few numbers: up to 2,048 in one launch of one CTA; from one CTA's share of the last rung up
/// to 2^18 in two launches. There the number of dependent steps determines the time, and two short kernels back to back
/// have fewer of them than a kernel that counts finished CTAs.
Pick pick_tree(int64_t n) {
  if (n <= kMostInOneLaunch) {
    const auto threads = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(ceil_divide(n, 2))));
    return {.rung = "warp-shuffle",
            .params = {{"BLOCK", std::max<int64_t>(32, threads)}},
            .why = {"One CTA adds up to 2,048 numbers, two in each thread: no count, no fence, no second step.",
                    "不超过 2,048 个数，一个线程块每线程加两个就够了：不用计数，不用栅栏，也没有第二步。"}};
  }
  constexpr int64_t kBlock = 512;
  const std::string numbers = with_separators(ceil_divide(n, 2 * kBlock));
  return {
      .rung = "warp-shuffle",
      .params = {{"BLOCK", kBlock}},
      .why = {
          fmt::format("Two short launches: {} CTAs leave one sum each, then one CTA adds those. For this few numbers "
                      "that is faster than counting which CTA is the last.",
                      numbers),
          fmt::format(
              "两次短启动：{} 个线程块各留下一个和，再由一个线程块相加。数这么少时，这比数出谁是最后一个线程块还快。",
              numbers)}};
}

/// One CTA of 1,024 threads adds what it can load at once by itself and needs no counter. Beyond 2^18 the last rung
/// divides n among CTAs: the largest share that leaves nearly two CTAs per SM. Larger shares mean fewer sums to
/// combine; but an SM without a CTA reads nothing.
Pick pick(const Config& config, const GpuSpec& gpu) {
  constexpr int64_t kVec = 4, kLargestBlock = 1024, kMostLoads = 4, kOnce = kLargestBlock * kVec;
  const int64_t n = config.size("n"), multiprocessors = gpu.multiprocessors;
  if (n <= kMostInOneLaunch || (n > kOnce * kMostLoads && n <= kMostInTwoLaunches)) return pick_tree(n);
  if (n <= kOnce * kMostLoads) {
    const auto loads = std::bit_ceil(static_cast<uint64_t>(ceil_divide(n, kOnce)));
    return {.rung = "single-pass",
            .params = {{"BLOCK", kLargestBlock}, {"VEC", kVec}, {"LOADS", static_cast<int64_t>(loads)}, {"TILES", 1}},
            .why = {"One CTA adds up to 16,384 numbers by itself, with no count and no fence.",
                    "不超过 16,384 个数，一个线程块自己就能加完，不用计数，也不用栅栏。"}};
  }
  struct Share {
    int64_t block, loads, tiles;
  };
  constexpr std::array<Share, 6> kShares{
      {{1024, 4, 4}, {512, 8, 2}, {512, 8, 1}, {512, 4, 1}, {512, 2, 1}, {256, 2, 1}}};
  const auto floats = [](const Share& share) { return share.block * kVec * share.loads * share.tiles; };
  const auto suits = [&](const Share& share) { return 8 * n >= 15 * multiprocessors * floats(share); };
  const auto* const found = std::find_if(kShares.begin(), kShares.end(), suits);
  const Share& share = found != kShares.end() ? *found : kShares.back();
  const std::string numbers = fmt::format("{} / {} = {}", with_separators(n), with_separators(floats(share)),
                                          with_separators(ceil_divide(n, floats(share))));
  return {.rung = "single-pass",
          .params = {{"BLOCK", share.block}, {"VEC", kVec}, {"LOADS", share.loads}, {"TILES", share.tiles}},
          .why = {fmt::format("One launch, always in the same order; {} CTAs for {} multiprocessors.", numbers,
                              multiprocessors),
                  fmt::format("只启动一次，次序固定；{} 个线程块，分给 {} 个 SM。", numbers, multiprocessors)}};
}

std::vector<Rung> make_rungs() {
  return {
      make_atomic_rung(),
      make_tree_rung("divergent-stride", {"Divergent tree", "树形，发散步长"}, "divergent_stride", 1),
      make_tree_rung("sequential-stride", {"Sequential tree", "树形，连续步长"}, "sequential_stride", 1),
      make_tree_rung("first-add-on-load", {"First add on load", "读入时先加一次"}, "first_add_on_load", 2),
      make_tree_rung("warp-shuffle", {"Warp shuffle", "线程束洗牌"}, "warp_shuffle", 2),
      make_vector_rung(),
      make_single_pass_rung(),
      {.name = "auto", .title = {"Auto", "自动"}, .pick = pick},
      make_triton_atomic_rung(),
      make_triton_two_pass_rung(),
  };
}

Param make_tile_param() {
  Param tile = triton_block_param("BLOCK_SIZE", {"BLOCK_SIZE, tile", "BLOCK_SIZE，分块"}, 1024, 64, 8192);
  tile.gpu_value = 4096;
  return tile;
}

std::vector<Param> make_params() {
  return {
      {.name = "BLOCK",
       .title = {"Block, threads", "线程块，线程数"},
       .unit = {"threads", "线程"},
       .help = {"Threads of one CTA. A tree over them has log2(BLOCK) levels.",
                "一个线程块的线程数。其上的树有 log2(BLOCK) 层。"},
       .value = 256,
       .min = 32,
       .max = 1024,
       .scale = Scale::power_of_two,
       .gpu_value = 512},
      {.name = "VEC",
       .title = {"Vector width", "向量宽度"},
       .unit = {"elements", "元素"},
       .help = {"Floats moved by one load of a thread: 4 make 16 bytes, the widest access.",
                "一条读指令带回的 float 个数：4 个即 16 字节，是最宽的一种。"},
       .value = 4,
       .min = 1,
       .max = 4,
       .scale = Scale::power_of_two},
      {.name = "LOADS",
       .title = {"Loads in flight", "在途读指令"},
       .unit = {"loads", "条"},
       .help = {"Vector loads that a thread issues before it adds the first: more bytes in flight, more registers.",
                "线程在做第一次加法之前发出的向量读条数：在途字节更多，寄存器也更多。"},
       .value = 4,
       .min = 1,
       .max = 16,
       .scale = Scale::power_of_two},
      {.name = "TILES",
       .title = {"Tiles per CTA", "每个线程块的分块数"},
       .unit = {"tiles", "块"},
       .help = {"Tiles that a CTA adds up before it publishes its sum: fewer CTAs, fewer sums to combine.",
                "线程块交出自己的和之前处理的分块数：越多，线程块越少，要汇总的和也越少。"},
       .value = 1,
       .min = 1,
       .max = 16,
       .scale = Scale::power_of_two,
       .gpu_value = 4},
      make_tile_param(),
      programs_param(32, 1024),
      num_warps_param(4),
  };
}

std::vector<BreakIt> make_switches() {
  return {
      {.name = "NO_BARRIER",
       .title = {"Remove the barrier", "去掉屏障"},
       .help = {"Threads add what others have not stored yet.", "线程加上别的线程还没写好的数。"},
       .plants = {{.in = "divergent_stride", .replace = "    __syncthreads();", .by = ""},
                  {.in = "sequential_stride", .replace = "    __syncthreads();", .by = ""},
                  {.in = "first_add_on_load", .replace = "    __syncthreads();", .by = ""},
                  {.in = "block_sum", .replace = "__syncthreads();", .by = ""}},
       .rungs = {"divergent-stride", "sequential-stride", "first-add-on-load", "warp-shuffle", "vector-loads",
                 "single-pass", "auto"}},
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"The last CTA adds what lies past the end of x.", "最后一个线程块会把 x 末尾之后的内容也加进来。"},
       .plants = {{.in = "atomic_per_element", .replace = "if (i < n) ", .by = ""},
                  {.in = "divergent_stride", .replace = "i < n ? x[i] : 0", .by = "x[i]"},
                  {.in = "sequential_stride", .replace = "i < n ? x[i] : 0", .by = "x[i]"},
                  {.in = "first_add_on_load",
                   .replace = "(i < n ? x[i] : 0) + (i + BLOCK < n ? x[i + BLOCK] : 0)",
                   .by = "x[i] + x[i + BLOCK]"},
                  {.in = "warp_shuffle",
                   .replace = "(i < n ? x[i] : 0) + (i + BLOCK < n ? x[i + BLOCK] : 0)",
                   .by = "x[i] + x[i + BLOCK]"},
                  {.in = "thread_sum", .replace = "if (first + TILE <= n) {", .by = "if (true) {"},
                  {.in = "atomic_per_program", .replace = ", mask=i < n, other=0.0", .by = "", .file = "reduction.py"},
                  {.in = "sum_of_tiles", .replace = ", mask=i < n, other=0.0", .by = "", .file = "reduction.py"}}},
      {.name = "FORGET_CLEAR",
       .title = {"Forget to clear the result", "忘记把结果清零"},
       .help = {"The atomics add to whatever was there before.", "原子加会加到原来留在那里的数上。"},
       .plants = {{.in = "clear", .replace = "out[0] = 0;", .by = ""},
                  {.in = "clear", .replace = "tl.store(out, 0.0)", .by = "pass", .file = "reduction.py"}},
       .rungs = {"atomic-per-element", "vector-loads", "triton-atomic"}},
      {.name = "NO_FENCE",
       .title = {"Remove the fences", "去掉内存栅栏"},
       .help = {"The last CTA may see the count before it sees the sums.",
                "最后一个线程块可能先看到计数，后看到各个和。"},
       .plants = {{.in = "single_pass", .replace = "__threadfence();  // whoever", .by = "// whoever"},
                  {.in = "single_pass", .replace = "__threadfence();  // and what", .by = "// and what"}},
       .rungs = {"single-pass"}},
      {.name = "HALF_SUM",
       .title = {"Add in half precision", "用半精度相加"},
       .help = {"The sum of a tile of fp16 stays fp16 unless the tile is widened first: it keeps 11 bits.",
                "fp16 分块若不先加宽，它的和仍是 fp16，只有 11 位有效数字。"},
       .plants = {{.in = "atomic_per_program",
                   .replace = "tl.sum(values, axis=0)",
                   .by = "tl.sum(values.to(tl.float16), axis=0)",
                   .file = "reduction.py"},
                  {.in = "sum_of_tiles",
                   .replace = "tl.sum(total, axis=0)",
                   .by = "tl.sum(total.to(tl.float16), axis=0)",
                   .file = "reduction.py"}},
       .rungs = {"triton-atomic", "triton-two-pass"}},
  };
}

/// The sum in double precision, in pieces for several threads: one thread would take too long for 2^30 numbers.
double exact_sum(std::span<const float> x) {
  constexpr size_t kPiece = size_t{1} << 16;
  std::vector<double> sums((x.size() + kPiece - 1) / kPiece);
  parallel_for(x.size(), kPiece, [&](size_t begin, size_t end) {
    sums[begin / kPiece] = std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(begin),
                                           x.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// An addition has an error of up to 2^-24 of its result, so the error of a sum grows with Σ|x|, not with the result,
/// which with mixed signs may be near zero. The numbers are N(0, 1), E|x| = √(2/π), so Σ|x| is 0.8 n; the 8 covers sums
/// of a few numbers that are all large. Twice 2^-24 Σ|x| holds for all rungs, and the loss of a single element is
/// detected among up to some 10^6 elements.
Tolerance tolerance(const Config& config) {
  return {.absolute = 0x1p-23 * (0.8 * static_cast<double>(config.size("n")) + 8), .relative = 0x1p-23};
}

Lab make_reduction_sum() {
  Lab lab;
  lab.name = "reduction-sum";
  lab.stage = 2;
  lab.order = 10;
  lab.title = {"Sum", "求和归约"};
  lab.kernel_file = "reduction.cu";
  lab.sizes = {{.name = "n",
                .title = {"n, elements", "n，元素个数"},
                .unit = {"elements", "元素"},
                .value = 100003,
                .gpu_value = 1 << 27,
                .min = 1,
                .max_sim = kLargestOnSimulator,
                .max_gpu = kLargestOnGpu,
                .offered = {1, 31, 32, 33, 1000, 10000, 100003, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 27, 1 << 28}}};
  lab.sizes[0].offered.push_back(kLargestOnGpu);
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.references = {{"CUB", "cub", "sum"},
                    {"PyTorch", "torch", "sum"},
                    {"torch.compile", "torch_compile", "sum"},
                    {"Triton", "triton", "sum"}};
  lab.tolerance_for = [](const std::string&, const Config& config, DType) { return tolerance(config); };
  lab.predicts = make_reduction_predicts();
  lab.buffers = [](const Config& config) {
    const int64_t n = config.size("n");
    return std::vector<BufferSpec>{
        {.name = "x", .type = DType::f32, .shape = {n}, .role = Role::input, .fill = Fill::normal},
        {.name = "out", .type = DType::f32, .shape = {1}, .role = Role::output, .fill = Fill::poison},
        {.name = "sums",
         .type = DType::f32,
         .shape = {room_for_sums(config)},
         .role = Role::scratch,
         .fill = Fill::poison},
        {.name = "arrived", .type = DType::u32, .shape = {1}, .role = Role::scratch, .fill = Fill::zero}};
  };
  lab.reference = [](const Config&, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t, size_t,
                     size_t, double* expected) { expected[0] = exact_sum(buffers[kX]->as<float>()); };
  lab.useful_bytes = [](const Config& config) { return 4.0 * static_cast<double>(config.size("n")); };
  lab.flops = [](const Config& config) { return static_cast<double>(config.size("n") - 1); };
  lab.bytes_formula = {"4 n bytes: x read once", "4 n 字节：x 读一遍"};
  for (int exponent = 10; exponent <= 26; exponent += 2) lab.sweep.push_back(int64_t{1} << exponent);
  for (const int exponent : {27, 28, 30}) lab.sweep.push_back(int64_t{1} << exponent);
  return lab;
}

const bool registered = register_lab(make_reduction_sum());

}  // namespace
}  // namespace tilescope::reduction_sum_lab
