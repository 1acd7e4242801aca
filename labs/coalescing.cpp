// Lab "coalescing": scales n points of STRIDE floats, out[j] = 2 · in[OFFSET + j]; which thread takes which float
// decides how many sectors move. kernels/coalescing.cu holds the rungs.
#include <set>

#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "labs/predict.hpp"

namespace tilescope::coalescing_lab {
namespace {

constexpr int64_t kLargestOnSimulator = int64_t{1} << 18;  // with STRIDE 32, 2 buffers of 32 MiB
constexpr int64_t kLargestOnGpu = int64_t{1} << 25;        // with STRIDE 32, an int still indexes it
constexpr int64_t kWarp = 32, kFloatBytes = 4, kSectorBytes = 32;

int64_t floats(const Config& config) { return config.size("n") * config.param("STRIDE"); }

/// The rung that goes field by field has one grid row per field.
Rung make_rung(std::string name, Text title, std::string kernel, bool row_per_field, bool vectors) {
  Rung rung{
      .name = std::move(name), .title = std::move(title), .kernels = {kernel}, .params = {"STRIDE", "OFFSET", "BLOCK"}};
  if (vectors) rung.params.emplace_back("VEC");
  rung.launches = [kernel, row_per_field](const Config& config) {
    Launch launch{.kernel = kernel};
    launch.grid.x = static_cast<uint32_t>(ceil_divide(config.size("n"), config.param("BLOCK")));
    launch.grid.y = static_cast<uint32_t>(row_per_field ? config.param("STRIDE") : 1);
    launch.block.x = static_cast<uint32_t>(config.param("BLOCK"));
    launch.arguments = {BufferArgument{0}, BufferArgument{1}, scalar(static_cast<int32_t>(config.size("n")))};
    return std::vector<Launch>{launch};
  };
  rung.grid_formula = [row_per_field](const Config& config) {
    const int64_t across = ceil_divide(config.size("n"), config.param("BLOCK"));
    const std::string columns = fmt::format("⌈{} / {}⌉", with_separators(config.size("n")), config.param("BLOCK"));
    if (!row_per_field) return fmt::format("{} = {}", columns, with_separators(across));
    return fmt::format("{} × {} = {}", columns, config.param("STRIDE"),
                       with_separators(across * config.param("STRIDE")));
  };
  return rung;
}

std::vector<Rung> make_rungs() {
  return {
      make_rung("field-by-field", {"Field by field", "逐字段"}, "field_by_field", true, false),
      make_rung("point-by-point", {"Array of structures", "结构体数组"}, "point_by_point", false, false),
      make_rung("vector-fields", {"Structures, vectors", "结构体数组，向量访问"}, "vector_fields", false, true),
      make_rung("staged", {"Structures, staged", "结构体数组，共享内存中转"}, "staged", false, false),
      make_rung("structure-of-arrays", {"Structure of arrays", "数组结构体"}, "structure_of_arrays", false, false),
      make_rung("blocks-of-32", {"Blocks of 32", "每 32 个一组"}, "blocks_of_32", false, false),
  };
}

std::vector<Param> make_params() {
  return {
      {.name = "STRIDE",
       .title = {"Floats per point", "每点 float 数"},
       .unit = {"elements", "元素"},
       .help = {"Fields of one point. In an array of structures this is the stride between neighbouring lanes.",
                "一个点的字段数；在结构体数组里，它也是相邻通道之间的步长。"},
       .value = 8,
       .min = 1,
       .max = 32},
      {.name = "OFFSET",
       .title = {"Offset", "偏移"},
       .unit = {"elements", "元素"},
       .help = {"Floats before the first point. 8 floats are a sector, so only multiples of 8 keep accesses aligned to "
                "sectors.",
                "第一个点之前的 float 个数。8 个为一个扇区，只有 8 的倍数才与扇区对齐。"},
       .value = 0,
       .min = 0,
       .max = 8},
      {.name = "BLOCK",
       .title = {"Block, threads", "线程块，线程数"},
       .unit = {"threads", "线程"},
       .help = {"Threads of one CTA.", "一个线程块的线程数。"},
       .value = 256,
       .min = 32,
       .max = 256,
       .scale = Scale::power_of_two},
      {.name = "VEC",
       .title = {"Vector width", "向量宽度"},
       .unit = {"elements", "元素"},
       .help = {"Floats moved by one access of a thread, where stride and offset are multiples of it.",
                "步长和偏移都是它的倍数时，线程一条访存指令搬运的 float 个数。"},
       .value = 4,
       .min = 1,
       .max = 4,
       .scale = Scale::power_of_two},
  };
}

/// Distinct sectors that a full warp touches when each lane takes `width` floats and neighbouring lanes are `stride`
/// floats apart.
int64_t sectors_of_a_warp(int64_t stride, int64_t offset, int64_t width) {
  std::set<int64_t> sectors;
  for (int64_t lane = 0; lane < kWarp; ++lane)
    for (int64_t k = 0; k < width; ++k) sectors.insert((offset + lane * stride + k) * kFloatBytes / kSectorBytes);
  return static_cast<int64_t>(sectors.size());
}

int64_t ctas_field_by_field(const Config& config) {
  return ceil_divide(config.size("n"), config.param("BLOCK")) * config.param("STRIDE");
}

/// Three choices, one of them the answer.
Predict predict(Text question, std::function<int64_t(const Config&)> answer, std::vector<int64_t> others,
                std::function<Text(const Config&)> why, std::vector<std::string> rungs = {},
                std::optional<ShownNumber> veils = {}) {
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
          .rungs = std::move(rungs),
          .veils = veils};
}

std::vector<Predict> make_predicts() {
  return {
      predict(
          {"Structures of STRIDE floats: how many sectors does one load of a full warp touch?",
           "每个结构体 STRIDE 个 float：一个满线程束的一条读指令触及多少个扇区？"},
          [](const Config& config) { return sectors_of_a_warp(config.param("STRIDE"), config.param("OFFSET"), 1); },
          {4, 16, 32, 8},
          [](const Config& config) {
            const int64_t bytes = kFloatBytes * config.param("STRIDE");
            return Text{fmt::format("Lanes are {} bytes apart. From 32 bytes on, each has a sector of its own; below "
                                    "that the warp touches all sectors of its {} bytes.",
                                    bytes, with_separators(kWarp * bytes)),
                        fmt::format("相邻通道相隔 {} 字节。达到 32 字节，每个通道就各占一个扇区；不足 32 "
                                    "字节，则触及这 {} 字节里的全部扇区。",
                                    bytes, with_separators(kWarp * bytes))};
          },
          {"field-by-field", "point-by-point"}, ShownNumber::sectors),
      predict(
          {"Structure of arrays, which begins OFFSET floats into the buffer: how many sectors does one load of a warp "
           "touch?",
           "数组结构体，从缓冲区的第 OFFSET 个 float 开始：一个线程束的一条读指令触及多少个扇区？"},
          [](const Config& config) { return sectors_of_a_warp(1, config.param("OFFSET"), 1); }, {4, 5, 8},
          [](const Config& config) {
            const int64_t into = config.param("OFFSET") * kFloatBytes % kSectorBytes;
            if (into == 0)
              return Text{"128 contiguous bytes that begin at a sector are exactly 4 sectors.",
                          "从扇区起点开始的连续 128 字节，正好是 4 个扇区。"};
            return Text{
                fmt::format("128 bytes that start {0} bytes into a sector end {0} bytes into a fifth one.", into),
                fmt::format("这 128 字节从某个扇区的第 {0} 字节开始，就要在第五个扇区的第 {0} 字节处结束。", into)};
          },
          {"structure-of-arrays"}, ShownNumber::sectors),
      predict(
          {"Structures of 4 floats, 16-byte loads: what percentage of the bytes moved is used?",
           "每个结构体 4 个 float，用 16 字节访问：搬运的字节有百分之几被用到？"},
          [](const Config&) { return 100 * kWarp * 4 * kFloatBytes / (sectors_of_a_warp(4, 0, 4) * kSectorBytes); },
          {25, 50},
          [](const Config&) {
            return Text{
                "A lane reads its whole structure, and the structures are contiguous: 512 bytes requested, 16 sectors "
                "moved.",
                "每个通道取走整个结构体，结构体又紧挨着：要 512 字节，搬 16 个扇区。"};
          },
          {"vector-fields"}),
      ask({.question = {"Field by field, one row of the grid for each of the STRIDE fields: how many CTAs?",
                        "逐字段，STRIDE 个字段各占网格的一行：有多少个线程块？"},
           .answer = ctas_field_by_field,
           .others =
               [](const Config& config) {
                 const int64_t across = ceil_divide(config.size("n"), config.param("BLOCK"));
                 return std::vector<int64_t>{across, across * config.param("STRIDE") * 2,
                                             config.size("n") * config.param("STRIDE")};
               },
           .why =
               [](const Config& config) {
                 const std::string sum =
                     fmt::format("⌈{} / {}⌉ × {} = {}", with_separators(config.size("n")), config.param("BLOCK"),
                                 config.param("STRIDE"), with_separators(ctas_field_by_field(config)));
                 return Text{"A thread takes one field of one structure: " + sum + ".",
                             "一个线程取一个结构体的一个字段：" + sum + "。"};
               },
           .rungs = {"field-by-field"},
           .veils = ShownNumber::blocks}),
  };
}

Lab make_coalescing() {
  Lab lab;
  lab.name = "coalescing";
  lab.stage = 1;
  lab.order = 3;
  lab.title = {"Coalescing", "合并访存"};
  lab.kernel_file = "coalescing.cu";
  lab.sizes = {
      {.name = "n",
       .title = {"n, points", "n，点数"},
       .unit = {"points", "点"},
       .value = 20000,
       .gpu_value = 1 << 20,
       .min = 1,
       .max_sim = kLargestOnSimulator,
       .max_gpu = kLargestOnGpu,
       .offered = {1, 31, 256, 1000, 4000, 10000, 20000, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 25}}};
  lab.params = make_params();
  lab.break_it = {
      {.name = "DROP_MASK",
       .title = {"Drop the boundary mask", "去掉边界判断"},
       .help = {"The last CTA runs past the last point.", "最后一个线程块会越过最后一个点。"},
       .plants = {{.in = "field_by_field", .replace = "if (point < n) {", .by = "{"},
                  {.in = "point_by_point", .replace = "if (point < n)", .by = ""},
                  {.in = "vector_fields", .replace = "if (point >= n) return;", .by = ""},
                  {.in = "staged", .replace = "min(BLOCK * STRIDE, n * STRIDE - first)", .by = "BLOCK * STRIDE"},
                  {.in = "structure_of_arrays", .replace = "if (point < n)", .by = ""},
                  {.in = "blocks_of_32", .replace = "if (point < n)", .by = ""}}},
      {.name = "ONE_TOO_FAR",
       .title = {"Index one element too far", "下标多移一位"},
       .help =
           {"Each read of in is one float too far: wrong results, more sectors per request, and misaligned vectors.",
            "in 的读取后移一个 float：结果出错，每次请求触及更多扇区，向量也不再对齐。"},
       .plants = {{.in = "field_by_field", .replace = "in[OFFSET + j]", .by = "in[OFFSET + 1 + j]"},
                  {.in = "point_by_point", .replace = "in[OFFSET + j]", .by = "in[OFFSET + 1 + j]"},
                  {.in = "vector_fields", .replace = "in[OFFSET + j]", .by = "in[OFFSET + 1 + j]"},
                  {.in = "structure_of_arrays", .replace = "in[OFFSET + j]", .by = "in[OFFSET + 1 + j]"},
                  {.in = "blocks_of_32", .replace = "in[OFFSET + j]", .by = "in[OFFSET + 1 + j]"},
                  {.in = "vector_fields", .replace = "in + OFFSET + j", .by = "in + OFFSET + 1 + j"},
                  {.in = "staged", .replace = "in[OFFSET + first + k]", .by = "in[OFFSET + 1 + first + k]"}}},
      {.name = "NO_BARRIER",
       .title = {"Remove the barriers", "去掉屏障"},
       .help = {"Threads process points that others are still loading.", "线程处理的点，别的线程还没搬完。"},
       .plants = {{.in = "staged", .replace = "__syncthreads();\n  for (int field", .by = "\n  for (int field"},
                  {.in = "staged", .replace = "__syncthreads();\n  for (int k", .by = "\n  for (int k"}},
       .rungs = {"staged"}}};
  lab.rungs = make_rungs();
  lab.references = {{"copy", "device_copy", "copy"}};
  lab.tolerance = {.absolute = 0, .relative = 0};  // doubling a float is exact
  lab.predicts = make_predicts();
  lab.buffers = [](const Config& config) {
    return std::vector<BufferSpec>{
        {.name = "in", .shape = {config.param("OFFSET") + floats(config)}, .role = Role::input, .fill = Fill::normal},
        {.name = "out", .shape = {floats(config)}, .role = Role::output, .fill = Fill::poison}};
  };
  lab.reference = [](const Config& config, const std::vector<std::shared_ptr<const HostBuffer>>& buffers, size_t,
                     size_t begin, size_t end, double* expected) {
    const auto in = buffers[0]->as<float>().subspan(static_cast<size_t>(config.param("OFFSET")));
    for (size_t j = begin; j < end; ++j) expected[j - begin] = 2 * double{in[j]};
  };
  lab.useful_bytes = [](const Config& config) { return 8.0 * static_cast<double>(floats(config)); };
  lab.flops = [](const Config& config) { return static_cast<double>(floats(config)); };
  lab.bytes_formula = {"8 · n · STRIDE bytes: every float read once and written once",
                       "8 · n · STRIDE 字节：每个 float 读一次、写一次"};
  for (int exponent = 10; exponent <= 24; exponent += 2) lab.sweep.push_back(int64_t{1} << exponent);
  return lab;
}

const bool registered = register_lab(make_coalescing());

}  // namespace
}  // namespace tilescope::coalescing_lab
