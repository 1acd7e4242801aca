// Lab "transformer-graph": one Transformer layer, kernel by kernel and with operators fused.
// kernels/transformer_layer.cu holds the rungs.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/numbers.hpp"
#include "labs/sizes.hpp"
#include "labs/transformer_layer.hpp"

namespace tilescope::transformer_graph_lab {
namespace {

constexpr int64_t kMostHeadDim = 128;  // of the attention in one kernel: 32 · DIMS

// ---- Buffers

BufferSpec layer_weight(std::string name, int64_t rows, int64_t columns) {
  return {.name = std::move(name),
          .shape = {rows, columns},
          .role = Role::input,
          .fill = Fill::normal,
          .fill_values = {0, 1 / std::sqrt(static_cast<double>(rows))}};  // as a layer is initialised
}
BufferSpec layer_vector(std::string name, int64_t columns, double mean) {
  return {.name = std::move(name),
          .shape = {columns},
          .role = Role::input,
          .fill = Fill::normal,
          .fill_values = {mean, 0.1}};
}
BufferSpec between(std::string name, std::vector<int64_t> shape) {
  return {.name = std::move(name), .shape = std::move(shape), .role = Role::scratch, .fill = Fill::poison};
}

/// Inputs and the output, then what every rung has between its kernels.
std::vector<BufferSpec> make_layer_buffers(const Config& config) {
  const LayerShape layer(config);
  const int64_t tokens = layer.tokens(), hidden = layer.hidden;
  return {{.name = "x", .shape = {tokens, hidden}, .role = Role::input, .fill = Fill::normal},
          layer_vector("gamma_1", hidden, 1),
          layer_vector("beta_1", hidden, 0),
          layer_weight("w_qkv", hidden, layer.qkv_width()),
          layer_weight("w_o", hidden, hidden),
          layer_vector("gamma_2", hidden, 1),
          layer_vector("beta_2", hidden, 0),
          layer_weight("w_up", hidden, layer.mlp()),
          layer_weight("w_down", layer.mlp(), hidden),
          {.name = "out", .shape = {tokens, hidden}, .role = Role::output, .fill = Fill::poison},
          between("normed", {tokens, hidden}),
          between("qkv", {tokens, layer.qkv_width()}),
          between("context", {tokens, hidden}),
          between("middle", {tokens, hidden}),
          between("active", {tokens, layer.mlp()})};
}
std::vector<BufferSpec> make_unfused_layer_buffers(const Config& config) {
  const LayerShape layer(config);
  std::vector<BufferSpec> buffers = make_layer_buffers(config);
  buffers.push_back(between("projected", {layer.tokens(), layer.hidden}));
  buffers.push_back(between("up", {layer.tokens(), layer.mlp()}));
  const std::vector<int64_t> scores{layer.batch, layer.heads, layer.sequence, layer.sequence};
  buffers.push_back(between("scores", scores));
  buffers.push_back(between("weights", scores));
  return buffers;
}

// ---- Launches

ScalarArgument whole_scalar(int64_t value) { return scalar(static_cast<int32_t>(value)); }

/// The launches of one layer, in order.
class LayerPlan {
 public:
  explicit LayerPlan(const Config& config)
      : layer_(config), block_(config.param("BLOCK")), tile_(config.param("TILE")) {}

  std::vector<Launch> take() { return std::move(launches_); }
  const LayerShape& shape() const { return layer_; }

  /// A CTA for each row.
  void norm(size_t x, size_t gamma, size_t beta) {
    Launch& launch = add_rows("layernorm", layer_.tokens());
    launch.arguments = {BufferArgument{x},       BufferArgument{gamma},       BufferArgument{beta},
                        BufferArgument{kNormed}, whole_scalar(layer_.hidden), scalar(kLayerEpsilon)};
  }
  void softmax() {
    Launch& launch = add_rows("softmax", layer_.batch * layer_.heads * layer_.sequence);
    launch.arguments = {BufferArgument{kScores}, BufferArgument{kWeights}, whole_scalar(layer_.sequence)};
  }
  /// The columns of b from `first` on, `columns` of them, of rows that are `step` long; c likewise.
  void matmul(size_t a, int64_t depth, size_t b, size_t c, int64_t step, int64_t first, int64_t columns) {
    constexpr int64_t kFloat = 4;
    Launch& launch = add_tiles("matmul", layer_.tokens(), columns, 1);
    launch.arguments = {BufferArgument{a},
                        whole_scalar(depth),
                        BufferArgument{b, kFloat * first},
                        whole_scalar(step),
                        BufferArgument{c, kFloat * first},
                        whole_scalar(step),
                        whole_scalar(layer_.tokens()),
                        whole_scalar(columns),
                        whole_scalar(depth)};
  }
  void fused_matmul(const std::string& kernel, std::vector<Argument> buffers, int64_t columns, int64_t depth) {
    Launch& launch = add_tiles(kernel, layer_.tokens(), columns, 1);
    launch.arguments = std::move(buffers);
    for (const int64_t extent : {layer_.tokens(), columns, depth}) launch.arguments.emplace_back(whole_scalar(extent));
  }
  void query_key(const std::string& kernel) {
    Launch& launch = add_tiles(kernel, layer_.sequence, layer_.sequence, layer_.batch * layer_.heads);
    launch.arguments = {BufferArgument{kQkv}, BufferArgument{kScores}};
    add_heads(launch);
  }
  void weights_value() {
    Launch& launch = add_tiles("weights_value", layer_.sequence, layer_.head_dim(), layer_.batch * layer_.heads);
    launch.arguments = {BufferArgument{kWeights}, BufferArgument{kQkv}, BufferArgument{kContext}};
    add_heads(launch);
  }
  void attention() {
    Launch& launch = add_rows("attention", ceil_divide(layer_.sequence, block_ / 32));
    launch.grid.z = static_cast<uint32_t>(layer_.batch * layer_.heads);
    launch.arguments = {BufferArgument{kQkv}, BufferArgument{kContext}};
    add_heads(launch);
  }
  void elements(const std::string& kernel, int64_t count, std::vector<Argument> buffers,
                const std::vector<int64_t>& extents = {}) {
    Launch& launch = add_rows(kernel, ceil_divide(count, block_));
    launch.arguments = std::move(buffers);
    launch.arguments.emplace_back(scalar(static_cast<long long>(count)));
    for (const int64_t extent : extents) launch.arguments.emplace_back(whole_scalar(extent));
  }

 private:
  Launch& add_rows(const std::string& kernel, int64_t blocks) {
    Launch launch{.kernel = kernel, .grid = {}, .block = {}, .shared_bytes = 0, .arguments = {}};
    launch.grid.x = static_cast<uint32_t>(blocks);
    launch.block.x = static_cast<uint32_t>(block_);
    return launches_.emplace_back(std::move(launch));
  }
  Launch& add_tiles(const std::string& kernel, int64_t rows, int64_t columns, int64_t products) {
    Launch& launch = add_rows(kernel, ceil_divide(columns, tile_));
    launch.grid.y = static_cast<uint32_t>(ceil_divide(rows, tile_));
    launch.grid.z = static_cast<uint32_t>(products);
    launch.block.x = launch.block.y = static_cast<uint32_t>(tile_);
    return launch;
  }
  void add_heads(Launch& launch) const {
    for (const int64_t extent : {layer_.sequence, layer_.head_dim(), layer_.heads, layer_.kv_heads})
      launch.arguments.emplace_back(whole_scalar(extent));
  }

  LayerShape layer_;
  int64_t block_, tile_;
  std::vector<Launch> launches_;
};

void project_separately(LayerPlan& plan) {
  const LayerShape& layer = plan.shape();
  const int64_t step = layer.qkv_width(), width = layer.kv_width();
  plan.matmul(kNormed, layer.hidden, kWeightQkv, kQkv, step, 0, layer.hidden);
  plan.matmul(kNormed, layer.hidden, kWeightQkv, kQkv, step, layer.hidden, width);
  plan.matmul(kNormed, layer.hidden, kWeightQkv, kQkv, step, layer.hidden + width, width);
}

/// The second half of the fused rungs, from the output projection on.
void finish_with_epilogues(LayerPlan& plan) {
  const LayerShape& layer = plan.shape();
  const BufferArgument middle{kMiddle};
  plan.fused_matmul("matmul_add", {BufferArgument{kContext}, BufferArgument{kWeightO}, BufferArgument{kLayerX}, middle},
                    layer.hidden, layer.hidden);
  plan.norm(kMiddle, kGamma2, kBeta2);
  plan.fused_matmul("matmul_gelu", {BufferArgument{kNormed}, BufferArgument{kWeightUp}, BufferArgument{kActive}},
                    layer.mlp(), layer.hidden);
  plan.fused_matmul("matmul_add",
                    {BufferArgument{kActive}, BufferArgument{kWeightDown}, middle, BufferArgument{kLayerOut}},
                    layer.hidden, layer.mlp());
}

std::vector<Launch> launch_each_operator(const Config& config) {
  LayerPlan plan(config);
  const LayerShape& layer = plan.shape();
  const int64_t row_elements = layer.tokens() * layer.hidden;
  plan.norm(kLayerX, kGamma1, kBeta1);
  project_separately(plan);
  plan.query_key("query_key");
  plan.elements("scale", layer.scores(), {BufferArgument{kScores}}, {layer.head_dim()});
  plan.elements("mask", layer.scores(), {BufferArgument{kScores}}, {layer.sequence});
  plan.softmax();
  plan.weights_value();
  plan.matmul(kContext, layer.hidden, kWeightO, kProjected, layer.hidden, 0, layer.hidden);
  plan.elements("add", row_elements, {BufferArgument{kProjected}, BufferArgument{kLayerX}, BufferArgument{kMiddle}});
  plan.norm(kMiddle, kGamma2, kBeta2);
  plan.matmul(kNormed, layer.hidden, kWeightUp, kUp, layer.mlp(), 0, layer.mlp());
  plan.elements("gelu", layer.tokens() * layer.mlp(), {BufferArgument{kUp}, BufferArgument{kActive}});
  plan.matmul(kActive, layer.mlp(), kWeightDown, kProjected, layer.hidden, 0, layer.hidden);
  plan.elements("add", row_elements, {BufferArgument{kProjected}, BufferArgument{kMiddle}, BufferArgument{kLayerOut}});
  return plan.take();
}

std::vector<Launch> launch_with_epilogues(const Config& config) {
  LayerPlan plan(config);
  plan.norm(kLayerX, kGamma1, kBeta1);
  project_separately(plan);
  plan.query_key("query_key_scale_mask");
  plan.softmax();
  plan.weights_value();
  finish_with_epilogues(plan);
  return plan.take();
}

std::vector<Launch> launch_fused_layer(const Config& config) {
  LayerPlan plan(config);
  const LayerShape& layer = plan.shape();
  plan.norm(kLayerX, kGamma1, kBeta1);
  plan.matmul(kNormed, layer.hidden, kWeightQkv, kQkv, layer.qkv_width(), 0, layer.qkv_width());
  plan.attention();
  finish_with_epilogues(plan);
  return plan.take();
}

// ---- What is possible

Result<void> check_layer(const Config& config) {
  const LayerShape layer(config);
  if (layer.hidden % layer.heads != 0)
    return fail(ErrorId::parameter_range, "heads", layer.heads,
                phrase("what divides hidden = {}: each head has as many elements of a row", layer.hidden));
  if (layer.heads % layer.kv_heads != 0)
    return fail(ErrorId::parameter_range, "kv_heads", layer.kv_heads,
                phrase("what divides heads = {}: each head of K and V serves as many heads of Q", layer.heads));
  constexpr int64_t kMostInGrid = 65535;
  if (layer.batch * layer.heads > kMostInGrid)
    return fail(ErrorId::parameter_range, "heads", layer.heads,
                phrase("at most {} with batch = {}: a grid has 65,535 CTAs in y and z", kMostInGrid / layer.batch,
                       layer.batch));
  if (const int64_t most = kMostInGrid * config.param("TILE"); layer.tokens() > most)
    return fail(ErrorId::parameter_range, "batch", layer.batch,
                phrase("what keeps batch × sequence at {} tokens or below: a grid has 65,535 CTAs in y", most));
  if (layer.scores() >= int64_t{1} << 31)
    return fail(ErrorId::parameter_range, "sequence", layer.sequence,
                phrase("what keeps the scores of all heads below 2^31 elements; here they are {}", layer.scores()));
  return {};
}
Result<void> check_fused_layer(const Config& config) {
  if (auto possible = check_layer(config); !possible) return possible;
  const LayerShape layer(config);
  if (layer.head_dim() <= kMostHeadDim) return {};
  return fail(
      ErrorId::parameter_range, "heads", layer.heads,
      phrase("what leaves a head at most {} elements: the fused attention holds them in registers", kMostHeadDim));
}

// ---- The lab

std::string grid_of_mlp(const Config& config) {
  const LayerShape layer(config);
  const int64_t tile = config.param("TILE"), across = ceil_divide(layer.mlp(), tile),
                down = ceil_divide(layer.tokens(), tile);
  return fmt::format("⌈{} / {}⌉ × ⌈{} / {}⌉ = {}", with_separators(layer.mlp()), tile, with_separators(layer.tokens()),
                     tile, with_separators(across * down));
}

std::vector<Rung> make_layer_rungs() {
  return {{.name = "kernel-per-operator",
           .title = {"Kernel per operator", "每算子一个内核"},
           .kernels = {"matmul", "layernorm", "query_key", "scale", "mask", "softmax", "weights_value", "add", "gelu"},
           .params = {"BLOCK", "TILE"},
           .launches = launch_each_operator,
           .grid_formula = grid_of_mlp,
           .buffers = make_unfused_layer_buffers,
           .check = check_layer},
          {.name = "fused-epilogues",
           .title = {"Fused epilogues", "融合收尾"},
           .kernels = {"matmul_gelu", "layernorm", "matmul", "query_key_scale_mask", "softmax", "weights_value",
                       "matmul_add"},
           .params = {"BLOCK", "TILE"},
           .launches = launch_with_epilogues,
           .grid_formula = grid_of_mlp,
           .buffers = make_unfused_layer_buffers,
           .check = check_layer},
          {.name = "fused",
           .title = {"Fused attention too", "注意力也融合"},
           .kernels = {"attention", "layernorm", "matmul", "matmul_add", "matmul_gelu"},
           .params = {"BLOCK", "TILE"},
           .launches = launch_fused_layer,
           .grid_formula = grid_of_mlp,
           .check = check_fused_layer}};
}

std::vector<Size> make_layer_sizes() {
  const Text heads{"heads", "头"};
  std::vector<Size> sizes{
      size_from_one("batch", {"Batch", "批量"}, {"sequences", "序列"}, {1, 1, 64, 256}, {1, 2, 4, 8, 16, 32, 64}),
      size_from_one("sequence", {"Sequence", "序列长度"}, {"tokens", "token"}, {48, 512, 1024, 8192},
                    {1, 16, 33, 48, 64, 100, 128, 256, 512, 1024, 2048, 4096}),
      size_from_one("hidden", {"Hidden", "隐藏维度"}, {"elements", "元素"}, {64, 1024, 1024, 8192},
                    {32, 64, 96, 128, 256, 512, 768, 1024, 2048, 4096}),
      size_from_one("heads", {"Heads", "头数"}, heads, {4, 16, 64, 128}, {1, 2, 4, 8, 12, 16, 32, 64}),
      size_from_one("kv_heads", {"KV heads", "KV 头数"}, heads, {2, 4, 64, 128}, {1, 2, 4, 8, 12, 16, 32, 64}),
      size_from_one("ratio", {"MLP ratio", "MLP 倍率"}, {"times hidden", "倍隐藏维度"}, {4, 4, 8, 8},
                    {1, 2, 3, 4, 6, 8})};
  sizes[2].min = sizes[2].multiple_of = 32;
  return sizes;
}

std::vector<Param> make_layer_params() {
  return {
      {.name = "BLOCK",
       .title = {"Block, threads", "线程块，线程数"},
       .unit = {"threads", "线程"},
       .help = {"Threads per CTA of the kernels without a matrix product.", "不含矩阵乘的内核，一个线程块的线程数。"},
       .value = 256,
       .min = 32,
       .max = 512,
       .scale = Scale::power_of_two},
      {.name = "TILE",
       .title = {"Tile edge", "分块边长"},
       .unit = {"elements", "元素"},
       .help = {"A CTA of a matrix product computes TILE × TILE elements, one for each thread.",
                "矩阵乘的一个线程块计算 TILE × TILE 个元素，每个线程一个。"},
       .value = 16,
       .min = 8,
       .max = 32,
       .scale = Scale::power_of_two}};
}

std::vector<BreakIt> make_layer_switches() {
  return {
      {.name = "NO_MASK",
       .title = {"Drop the causal mask", "去掉因果掩码"},
       .help = {"A token attends to tokens after it, which it could not know in decode.",
                "token 会看到它之后的 token，而解码时它不可能知道它们。"},
       .plants = {{.in = "is_visible", .replace = "return key <= query;", .by = "return true;"}}},
      {.name = "NO_SCALE",
       .title = {"Do not divide by √d", "不除以 √d"},
       .help = {"The scores grow with the head dimension, and softmax favours the largest too much.",
                "得分随头维度变大，softmax 会过分偏向最大的那个。"},
       .plants = {{.in = "softmax_scale",
                   .replace = "return rsqrtf(static_cast<float>(head_dim));",
                   .by = "return 1;"}}},
      {.name = "HEAD_MODULO",
       .title = {"Share KV heads in turns", "轮流分配 KV 头"},
       .help = {"Neighbouring heads share a KV head: head / group, not head % kv_heads.",
                "相邻的头共用一个 KV 头：是 head / group，不是 head % kv_heads。"},
       .plants = {{.in = "Heads", .replace = "head() / (heads / kv_heads)", .by = "head() % kv_heads"}}},
      {.name = "NO_RESIDUAL",
       .title = {"Forget the residual", "漏掉残差"},
       .help = {"The layer returns only what its last part adds.", "这一层只返回最后一部分的增量。"},
       .plants = {{.in = "add", .replace = "branch[i] + residual[i]", .by = "branch[i]"},
                  {.in = "matmul_add", .replace = "sum + residual[i]", .by = "sum"}}},
      {.name = "NO_BARRIER",
       .title = {"Remove the barrier after a tile", "去掉分块之后的屏障"},
       .help = {"A tile is overwritten while other threads of the CTA still read it.",
                "线程块里还有线程在读这一块，就被覆盖了。"},
       .plants = {{.in = "multiply", .replace = "b_tile[k][x];\n    __syncthreads();", .by = "b_tile[k][x];\n"},
                  {.in = "attention", .replace = "32 * i];\n    }\n    __syncthreads();", .by = "32 * i];\n    }\n"}}}};
}

/// The products alone: the operators between them are less than a hundredth.
double layer_flops(const Config& config) {
  const LayerShape layer(config);
  const double projections =
      static_cast<double>(layer.hidden) * static_cast<double>(layer.qkv_width() + layer.hidden + 2 * layer.mlp());
  return 2 * static_cast<double>(layer.tokens()) * projections +
         4 * static_cast<double>(layer.scores()) * static_cast<double>(layer.head_dim());
}
double layer_bytes(const Config& config) {
  double elements = 0;
  for (const BufferSpec& buffer : make_layer_buffers(config))
    if (buffer.role != Role::scratch) elements += static_cast<double>(buffer.count());
  return 4 * elements;
}

Lab make_transformer_graph() {
  Lab lab;
  lab.name = "transformer-graph";
  lab.stage = 0;
  lab.order = 1;
  lab.title = {"Transformer graph", "Transformer 计算图"};
  lab.kernel_file = "transformer_layer.cu";
  lab.defines = {{"DTYPE", "0"}};
  lab.sizes = make_layer_sizes();
  lab.params = make_layer_params();
  lab.break_it = make_layer_switches();
  lab.rungs = make_layer_rungs();
  // Eight products in a row, each a sum of K terms whose rounding errors grow with √K; at K = 4,096 the sum of a float
  // accumulator is off by some 2^-24 · √K = 4e-6 of terms of size 1, and norms and softmax keep that size.
  lab.tolerance_for = [](const std::string&, const Config& config, DType) {
    const double terms = static_cast<double>(std::max(LayerShape(config).mlp(), config.size("sequence")));
    return Tolerance{.absolute = 2e-6 + 16 * 0x1p-24 * std::sqrt(terms), .relative = 1e-5};
  };
  lab.predicts = make_layer_predicts();
  lab.buffers = make_layer_buffers;
  lab.reference = expect_layer_output;
  lab.useful_bytes = layer_bytes;
  lab.flops = layer_flops;
  lab.bytes_formula = {"4 bytes for each element of x, the weights and out, moved once",
                       "x、各权重和 out 的每个元素 4 字节，各搬一次"};
  lab.speed_unit = SpeedUnit::teraflops;
  lab.most_simulated_flops = 1.5e8;
  lab.most_reference_flops = 2e9;
  lab.sweep_size = "sequence";
  lab.sweep = {128, 256, 512, 1024, 2048};
  lab.fusion = {.unfused = "kernel-per-operator", .fused = "fused"};
  return lab;
}

const bool registered = register_lab(make_transformer_graph());

}  // namespace
}  // namespace tilescope::transformer_graph_lab
