#include "labs/elementwise.hpp"

#include "engine/numbers.hpp"
#include "labs/predict.hpp"
#include "labs/triton.hpp"

namespace tilescope {
namespace {

constexpr int64_t kLargestOnSimulator = int64_t{1} << 24;  // 3 buffers of 64 MiB
constexpr int64_t kLargestOnGpu = int64_t{1} << 30;        // an int still indexes it

enum Buffer : size_t { kA, kB, kOut };

/// Elements that one CTA handles: the product of the parameters that the rung uses.
int64_t elements_per_cta(const Rung& rung, const Config& config) {
  int64_t elements = 1;
  for (const auto& param : rung.params) elements *= config.param(param);
  return elements;
}

Rung make_rung(std::string name, Text title, std::string kernel, std::vector<std::string> params) {
  Rung rung{.name = std::move(name),
            .title = std::move(title),
            .kernels = {kernel},
            .params = std::move(params),
            .launches = {},
            .grid_formula = {}};
  rung.launches = [kernel, shape = rung](const Config& config) {
    const int64_t n = config.size("n");
    Launch launch{.kernel = kernel, .grid = {}, .block = {}, .shared_bytes = 0, .arguments = {}};
    launch.grid.x = static_cast<uint32_t>(ceil_divide(n, elements_per_cta(shape, config)));
    launch.block.x = static_cast<uint32_t>(config.param("BLOCK"));
    launch.arguments = {BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kOut}, scalar(static_cast<int32_t>(n))};
    return std::vector<Launch>{launch};
  };
  rung.grid_formula = [shape = rung](const Config& config) {
    const int64_t n = config.size("n");
    std::string divisor;
    for (const auto& param : shape.params)
      divisor += (divisor.empty() ? "" : " × ") + std::to_string(config.param(param));
    if (shape.params.size() > 1) divisor = "(" + divisor + ")";
    return fmt::format("⌈{} / {}⌉ = {}", with_separators(n), divisor,
                       with_separators(ceil_divide(n, elements_per_cta(shape, config))));
  };
  return rung;
}

/// A rung in Triton, in which a program handles `tiles` tiles: the configuration's TILES if 0.
Rung make_triton_rung(std::string name, Text title, std::string kernel, int64_t tiles, const std::string& operation) {
  Rung rung{.name = std::move(name),
            .title = std::move(title),
            .kernel_file = "elementwise.py",
            .kernels = {kernel},
            .params = {"BLOCK_SIZE", "num_warps"}};
  if (tiles == 0) rung.params.insert(rung.params.begin() + 1, "TILES");
  const auto tiles_of = [tiles](const Config& config) { return tiles == 0 ? config.param("TILES") : tiles; };
  rung.launches = [kernel, operation, tiles_of](const Config& config) {
    const int64_t n = config.size("n"), elements = tiles_of(config) * config.param("BLOCK_SIZE");
    return std::vector<Launch>{
        triton_launch(kernel, {static_cast<uint32_t>(ceil_divide(n, elements)), 1, 1},
                      {BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kOut}, scalar(static_cast<int32_t>(n))},
                      config, {"BLOCK_SIZE"}, {{"OP", operation}})};
  };
  rung.grid_formula = [tiles_of](const Config& config) {
    const int64_t n = config.size("n"), count = tiles_of(config), block = config.param("BLOCK_SIZE");
    const std::string divisor = count == 1 ? std::to_string(block) : fmt::format("({} × {})", count, block);
    return fmt::format("⌈{} / {}⌉ = {}", with_separators(n), divisor, with_separators(ceil_divide(n, count * block)));
  };
  return rung;
}

std::vector<Param> make_params() {
  return {
      {.name = "BLOCK",
       .title = {"Block, threads", "线程块，线程数"},
       .unit = {"threads", "线程"},
       .help = {"Threads of one CTA. A warp is 32 of them, so fewer than 32 would leave lanes idle.",
                "一个线程块的线程数。每 32 个线程组成一个线程束，少于 32 会让通道空闲。"},
       .value = 256,
       .min = 32,
       .max = 1024,
       .scale = Scale::power_of_two,
       .gpu_value = 128},  // the last rung at 2^24 elements on an H200: 0.999 x PyTorch, with 256 0.99
      {.name = "TILES",
       .title = {"Tiles per CTA", "每个线程块的分块数"},
       .unit = {"tiles", "块"},
       .help = {"Tiles that one CTA handles, one after the other; more tiles mean fewer CTAs.",
                "一个线程块依次处理的分块数；分块越多，线程块越少。"},
       .value = 4,
       .min = 1,
       .max = 16,
       .scale = Scale::power_of_two},
      {.name = "VEC",
       .title = {"Vector width", "向量宽度"},
       .unit = {"elements", "元素"},
       .help = {"Floats moved by one load or store of a thread: 4 make 16 bytes, the widest access.",
                "线程一条访存指令搬运的 float 个数：4 个即 16 字节，是最宽的一种。"},
       .value = 4,
       .min = 1,
       .max = 4,
       .scale = Scale::power_of_two},
      triton_block_param("BLOCK_SIZE", {"BLOCK_SIZE, tile", "BLOCK_SIZE，分块"}, 1024, 64, 8192),
      num_warps_param(4),
  };
}

Plant triton_plant(std::string in, std::string replace, std::string by) {
  return {.in = std::move(in), .replace = std::move(replace), .by = std::move(by), .file = "elementwise.py"};
}

Size make_size() {
  Size n{.name = "n",
         .title = {"n, elements", "n，元素个数"},
         .unit = {"elements", "元素"},
         .value = 98432,
         .gpu_value = int64_t{1} << 20,
         .min = 1,
         .max_sim = kLargestOnSimulator,
         .max_gpu = kLargestOnGpu,
         .offered = {1, 31, 256, 1000}};
  for (int exponent = 10; exponent <= 28; ++exponent) {
    n.offered.push_back(int64_t{1} << exponent);
    if (exponent == 16) n.offered.push_back(98432);
  }
  return n;
}

std::vector<Rung> make_rungs(const std::string& operation) {
  return {
      make_rung("thread-per-element", {"Thread per element", "每线程一个元素"}, "thread_per_element", {"BLOCK"}),
      make_rung("tile-per-cta", {"One tile per CTA", "每个线程块一个分块"}, "tile_per_cta", {"BLOCK"}),
      make_rung("tiles-per-cta", {"Several tiles per CTA", "每个线程块多个分块"}, "tiles_per_cta", {"BLOCK", "TILES"}),
      make_rung("grid-stride", {"Grid-stride loop", "网格跨步循环"}, "grid_stride", {"BLOCK", "TILES"}),
      make_rung("vector-loads", {"16-byte vector loads", "16 字节向量访问"}, "vector_loads", {"BLOCK", "VEC"}),
      make_triton_rung("triton-tile", {"Triton: tile per program", "Triton：每个 program 一个分块"}, "tile_per_program",
                       1, operation),
      make_triton_rung("triton-two-tiles", {"Triton: two tiles", "Triton：两个分块"}, "two_tiles_per_program", 2,
                       operation),
      make_triton_rung("triton-loop", {"Triton: loop over tiles", "Triton：循环分块"}, "tile_loop", 0, operation),
  };
}

Predict predict_ctas() {
  const auto per_cta = [](const Config& config) { return config.param("BLOCK") * config.param("TILES"); };
  const auto ctas = [per_cta](const Config& config) { return ceil_divide(config.size("n"), per_cta(config)); };
  return ask({.question = {"A CTA handles TILES tiles of BLOCK elements. How many CTAs are launched?",
                           "一个线程块处理 TILES 个分块，每块 BLOCK 个元素。要启动多少个线程块？"},
              .answer = ctas,
              .others =
                  [per_cta, ctas](const Config& config) {
                    return std::vector<int64_t>{ceil_divide(config.size("n"), config.param("BLOCK")),
                                                config.size("n") / per_cta(config), 2 * ctas(config)};
                  },
              .why =
                  [per_cta, ctas](const Config& config) {
                    const std::string sum =
                        fmt::format("⌈{} / ({} × {})⌉ = {}", with_separators(config.size("n")), config.param("BLOCK"),
                                    config.param("TILES"), with_separators(ctas(config)));
                    return Text{fmt::format("A CTA covers {} elements: {}.", with_separators(per_cta(config)), sum),
                                fmt::format("一个线程块覆盖 {} 个元素：{}。", with_separators(per_cta(config)), sum)};
                  },
              .rungs = {"tiles-per-cta"},
              .veils = ShownNumber::blocks});
}

Predict predict_sectors_of_a_load() {
  return ask(
      {.question = {"A thread loads VEC floats at once. How many 32-byte sectors does one load of a full warp "
                    "touch?",
                    "一个线程一次读 VEC 个 float。满线程束的一条读指令触及多少个 32 字节扇区？"},
       .answer = [](const Config& config) { return 4 * config.param("VEC"); },
       .others =
           [](const Config& config) {
             return std::vector<int64_t>{4, 16, 32, config.param("VEC")};
           },
       .why =
           [](const Config& config) {
             const int64_t bytes = 4 * config.param("VEC");
             const std::string sum = fmt::format("32 × {} = {}", bytes, 32 * bytes);
             return Text{
                 fmt::format("32 lanes read {} bytes each: {} contiguous bytes, {} sectors of 32.", bytes, sum, bytes),
                 fmt::format("32 个通道各读 {} 字节：{} 个连续字节，即 {} 个 32 字节扇区。", bytes, sum, bytes)};
           },
       .rungs = {"vector-loads"},
       .veils = ShownNumber::sectors});
}

Predict predict_sectors_read() {
  const auto sectors = [](const Config& config) { return 2 * sectors_of_elements(config.size("n"), 4); };
  return ask(
      {.question = {"Neighbouring threads read neighbouring floats of a and b. How many sectors does the whole "
                    "grid read?",
                    "相邻线程读 a、b 中相邻的 float。整个网格一共读多少个扇区？"},
       .answer = sectors,
       .others =
           [sectors](const Config& config) {
             return std::vector<int64_t>{sectors(config) / 2, config.size("n"), 2 * config.size("n")};
           },
       .why =
           [sectors](const Config& config) {
             const std::string n = with_separators(config.size("n")), of_one = with_separators(sectors(config) / 2);
             return Text{fmt::format("A sector holds 8 floats. {} floats take {} sectors, and there are two "
                                     "vectors.",
                                     n, of_one),
                         fmt::format("一个扇区装 8 个 float。{} 个 float 占 {} 个扇区，共两个向量。", n, of_one)};
           },
       .rungs = {"thread-per-element"},
       .veils = ShownNumber::sectors});
}

Predict predict_idle_threads() {
  const auto idle = [](const Config& config) {
    const int64_t n = config.size("n"), block = config.param("BLOCK");
    return ceil_divide(n, block) * block - n;
  };
  return ask(
      {.question = {"How many threads of the last CTA have no element?", "最后一个线程块里有多少个线程没有元素可算？"},
       .answer = idle,
       .others =
           [idle](const Config& config) {
             const int64_t block = config.param("BLOCK");
             return std::vector<int64_t>{block - idle(config), 0, block / 2, block - 1};
           },
       .why =
           [idle](const Config& config) {
             const int64_t n = config.size("n"), block = config.param("BLOCK"), ctas = ceil_divide(n, block);
             const std::string sum =
                 fmt::format("{} × {} − {} = {}", with_separators(ctas), block, with_separators(n), idle(config));
             return Text{"The grid is rounded up to whole CTAs: " + sum + ".",
                         "网格按整个线程块向上取整：" + sum + "。"};
           },
       .rungs = {"tile-per-cta"},
       .veils = ShownNumber::blocks});
}

std::vector<Predict> make_predicts() {
  return {predict_ctas(), predict_sectors_of_a_load(), predict_sectors_read(), predict_idle_threads()};
}

}  // namespace

Lab make_elementwise_lab(const ElementwiseOperator& op) {
  Lab lab;
  lab.name = op.name;
  lab.stage = 1;
  lab.order = op.order;
  lab.title = op.title;
  lab.kernel_file = "elementwise.cu";
  lab.defines = {{"OP", op.functor}};
  lab.sizes = {make_size()};
  lab.params = make_params();
  lab.break_it = {
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"The last CTA runs past the end of the vectors.", "最后一个线程块会越过向量末尾。"},
       .plants = {{.in = "thread_per_element", .replace = "if (i < n) {", .by = "{"},
                  {.in = "tile_per_cta", .replace = "if (whole || i < n) {", .by = "{"},
                  {.in = "tiles_per_cta", .replace = "if (i < n) {", .by = "{"},
                  {.in = "grid_stride", .replace = "i < n;", .by = "i < (n + BLOCK - 1) / BLOCK * BLOCK;"},
                  {.in = "vector_loads", .replace = "if (i + VEC <= n) {", .by = "if (true) {"},
                  triton_plant("tile_per_program", "(a + i, mask=mask)", "(a + i)"),
                  triton_plant("tile_per_program", "(b + i, mask=mask)", "(b + i)"),
                  triton_plant("tile_per_program", "OP), mask=mask", "OP)"),
                  triton_plant("two_tiles_per_program", "(a + i, mask=i < n)", "(a + i)"),
                  triton_plant("two_tiles_per_program", "(b + i, mask=i < n)", "(b + i)"),
                  triton_plant("two_tiles_per_program", "(a + j, mask=j < n)", "(a + j)"),
                  triton_plant("two_tiles_per_program", "(b + j, mask=j < n)", "(b + j)"),
                  triton_plant("two_tiles_per_program", "OP), mask=i < n", "OP)"),
                  triton_plant("two_tiles_per_program", "OP), mask=j < n", "OP)"),
                  triton_plant("tile_loop", "(a + i, mask=mask)", "(a + i)"),
                  triton_plant("tile_loop", "(b + i, mask=mask)", "(b + i)"),
                  triton_plant("tile_loop", "OP), mask=mask", "OP)")}},
      {.name = "ONE_TOO_FAR",
       .title = {"Index one element too far", "下标多移一位"},
       .help = {"Each read of a is one element too far: wrong results, and the last read is past the end.",
                "a 的读取后移一个元素：结果出错，最后一次读取越界。"},
       .plants = {{.in = "thread_per_element", .replace = "= a[i];", .by = "= a[i + 1];"},
                  {.in = "tile_per_cta", .replace = "= a[i];", .by = "= a[i + 1];"},
                  {.in = "tiles_per_cta", .replace = "= a[i];", .by = "= a[i + 1];"},
                  {.in = "grid_stride", .replace = "= a[i];", .by = "= a[i + 1];"},
                  {.in = "vector_loads", .replace = "(a + i)", .by = "(a + i + 1)"},
                  {.in = "vector_loads", .replace = "(a[i], b[i])", .by = "(a[i + 1], b[i])"},
                  triton_plant("tile_per_program", "load(a + i", "load(a + i + 1"),
                  triton_plant("two_tiles_per_program", "load(a + i", "load(a + i + 1"),
                  triton_plant("two_tiles_per_program", "load(a + j", "load(a + j + 1"),
                  triton_plant("tile_loop", "load(a + i", "load(a + i + 1")}},
      {.name = "ODD_TILE",
       .title = {"A tile of 1,000 elements", "1,000 个元素的分块"},
       .help = {"The extent of a tile must be a power of two: Triton refuses to compile the kernel.",
                "分块的大小必须是 2 的幂：Triton 拒绝编译这个内核。"},
       .plants = {triton_plant("tile_per_program", "arange(0, BLOCK_SIZE)", "arange(0, 1000)"),
                  triton_plant("two_tiles_per_program", "arange(0, BLOCK_SIZE)", "arange(0, 1000)"),
                  triton_plant("tile_loop", "arange(0, BLOCK_SIZE)", "arange(0, 1000)")},
       .rungs = {"triton-tile", "triton-two-tiles", "triton-loop"}},
  };
  lab.rungs = make_rungs(op.operation);
  lab.references = {
      {"copy", "device_copy", "copy"}, {"PyTorch", "torch", op.operation}, {"Triton", "triton", op.operation}};
  lab.predicts = make_predicts();
  lab.buffers = [](const Config& config) {
    const int64_t n = config.size("n");
    return std::vector<BufferSpec>{
        {.name = "a", .type = DType::f32, .shape = {n}, .role = Role::input, .fill = Fill::normal},
        {.name = "b", .type = DType::f32, .shape = {n}, .role = Role::input, .fill = Fill::normal},
        {.name = "out", .type = DType::f32, .shape = {n}, .role = Role::output, .fill = Fill::poison}};
  };
  lab.reference = [exact = op.exact](const Config&, const std::vector<std::shared_ptr<const HostBuffer>>& buffers,
                                     size_t, size_t begin, size_t end, double* expected) {
    const auto a = buffers[kA]->as<float>(), b = buffers[kB]->as<float>();
    for (size_t i = begin; i < end; ++i) expected[i - begin] = exact(a[i], b[i]);
  };
  lab.useful_bytes = [](const Config& config) { return 12.0 * static_cast<double>(config.size("n")); };
  lab.flops = [](const Config& config) { return static_cast<double>(config.size("n")); };
  lab.bytes_formula = {"12 n bytes: a and b read, out written, 4 bytes each", "12 n 字节：读 a、b，写 out，各 4 字节"};
  for (int exponent = 10; exponent <= 26; exponent += 2) lab.sweep.push_back(int64_t{1} << exponent);
  for (int exponent : {27, 28, 30}) lab.sweep.push_back(int64_t{1} << exponent);
  return lab;
}

}  // namespace tilescope
