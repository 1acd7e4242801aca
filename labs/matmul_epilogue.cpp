// Lab "matmul-epilogue": C = act(A · B + bias), as three kernels and as one. kernels/matmul_epilogue.cu holds the
// rungs, kernels/matmul_epilogue.py the one in Triton; the multiplication is that of the lab matmul-tensor-core.
#include <cmath>

#include "engine/numbers.hpp"
#include "labs/matmul_tiles.hpp"
#include "labs/matmul_triton.hpp"
#include "labs/predict.hpp"
#include "labs/triton.hpp"

namespace tilescope::matmul_epilogue_lab {
namespace {

enum Buffer : size_t { kA, kB, kProduct, kBias, kC };
const std::vector<std::string> kTileParams{"DTYPE", "BM", "BN", "BK", "WARPS", "STAGES", "GROUP_M"};
const std::vector<std::string> kCudaRungs{"three-kernels", "fused", "product"};

bool is_gelu(const Config& config) { return config.param("ACTIVATION") == 1; }

/// a, b, product, bias and c; the rung "product" has only the first three.
std::vector<BufferSpec> make_buffers(const Config& config) {
  const DType type = memory_type(config);
  const int64_t m = config.size("M"), n = config.size("N");
  std::vector<BufferSpec> buffers = make_matmul_buffers(config, operands_of(config), type);
  // As a layer is initialised, so that sums are about 1 and the activation has something to do.
  buffers[kB].fill_values = {0, 1 / std::sqrt(static_cast<double>(config.size("K")))};
  buffers[kProduct].name = "product";
  buffers[kProduct].role = Role::scratch;
  buffers.push_back({.name = "bias", .type = type, .shape = {n}, .role = Role::input, .fill = Fill::normal});
  buffers.push_back({.name = "c", .type = type, .shape = {m, n}, .role = Role::output, .fill = Fill::poison});
  return buffers;
}
std::vector<BufferSpec> make_product_buffers(const Config& config) {
  std::vector<BufferSpec> buffers = make_buffers(config);
  buffers.resize(kProduct + 1);
  buffers[kProduct].role = Role::output;
  return buffers;
}

Launch launch_product(const Config& config) {
  return launch_tiles(rows_are_aligned(config) ? "product" : "product_unaligned", config, config.param("STAGES"),
                      {BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kProduct}});
}
/// One CTA for each row of C.
Launch launch_rows(std::string kernel, const Config& config, std::vector<Argument> arguments) {
  Launch launch{.kernel = std::move(kernel), .grid = {}, .block = {}, .shared_bytes = 0, .arguments = {}};
  launch.grid.x = static_cast<uint32_t>(config.size("M"));
  launch.block.x = static_cast<uint32_t>(32 * config.param("WARPS"));
  launch.arguments = std::move(arguments);
  launch.arguments.emplace_back(scalar(static_cast<int32_t>(config.size("N"))));
  launch.arguments.emplace_back(scalar(static_cast<int32_t>(rows_are_aligned(config))));
  return launch;
}

std::vector<Launch> launch_three(const Config& config) {
  return {launch_product(config), launch_rows("add_bias", config, {BufferArgument{kProduct}, BufferArgument{kBias}}),
          launch_rows("activate", config, {BufferArgument{kProduct}, BufferArgument{kC}})};
}
std::vector<Launch> launch_fused(const Config& config) {
  return {launch_tiles(rows_are_aligned(config) ? "fused" : "fused_unaligned", config, config.param("STAGES"),
                       {BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kBias}, BufferArgument{kC}})};
}

Rung make_rung(std::string name, Text title, std::vector<std::string> kernels,
               std::function<std::vector<Launch>(const Config&)> launches) {
  Rung rung{.name = std::move(name),
            .title = std::move(title),
            .kernels = std::move(kernels),
            .params = kTileParams,
            .launches = std::move(launches),
            .grid_formula = tiles_formula,
            .check = [](const Config& config) { return check_tile(config, config.param("STAGES")); }};
  rung.params.insert(rung.params.begin() + 1, "ACTIVATION");
  return rung;
}

Rung make_triton() {
  return {.name = "triton-fused",
          .title = {"Triton, fused", "Triton，融合"},
          .kernel_file = "matmul_epilogue.py",
          .kernels = {"matmul_bias_activation"},
          .params = {"DTYPE", "ACTIVATION", "BM", "BN", "BK", "GROUP_M", "num_warps", "num_stages"},
          .launches =
              [](const Config& config) {
                std::vector<Argument> arguments{BufferArgument{kA}, BufferArgument{kB}, BufferArgument{kBias},
                                                BufferArgument{kC}};
                for (const char* size : {"M", "N", "K"})
                  arguments.emplace_back(scalar(static_cast<int32_t>(config.size(size))));
                return std::vector<Launch>{triton_launch("matmul_bias_activation", triton_tiles(config),
                                                         std::move(arguments), config, {"BM", "BN", "BK", "GROUP_M"},
                                                         {{"ACTIVATION", is_gelu(config) ? "gelu" : "relu"}})};
              },
          .grid_formula = tiles_formula,
          .check = [](const Config& config) { return check_triton_tile(config, memory_type(config)); }};
}

double activate(double x, bool gelu) {
  if (!gelu) return std::max(x, 0.0);
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

using Buffers = std::vector<std::shared_ptr<const HostBuffer>>;

void expect_product(const Config& config, const Buffers& buffers, size_t, size_t begin, size_t end, double* expected) {
  multiply_in_double(config, operands_of(config), *buffers[kA], *buffers[kB], begin, end, expected);
}
void expect_layer(const Config& config, const Buffers& buffers, size_t output, size_t begin, size_t end,
                  double* expected) {
  expect_product(config, buffers, output, begin, end, expected);
  const auto columns = static_cast<size_t>(config.size("N"));
  for (size_t i = begin; i < end; ++i)
    expected[i - begin] = activate(expected[i - begin] + value_at(*buffers[kBias], i % columns), is_gelu(config));
}

std::vector<Rung> make_rungs() {
  std::vector<Rung> rungs{
      make_rung("three-kernels", {"Three kernels", "三个内核"},
                {"product", "add_bias", "activate", "product_unaligned"}, launch_three),
      make_rung("fused", {"Fused epilogue", "融合收尾"}, {"fused", "fused_unaligned"}, launch_fused),
      make_rung("product", {"Product alone", "只有乘积"}, {"product", "product_unaligned"},
                [](const Config& config) { return std::vector<Launch>{launch_product(config)}; })};
  Rung& product = rungs.back();
  product.params = kTileParams;
  product.buffers = make_product_buffers;
  product.reference = expect_product;
  rungs.push_back(make_triton());
  return rungs;
}

std::vector<Param> make_params() {
  std::vector<Param> params{
      make_type_param(2),
      make_choice("ACTIVATION", {"Activation", "激活函数"},
                  {"The function that is applied to product plus bias.", "作用于乘积与偏置之和的函数。"},
                  {{"relu", {"ReLU", "ReLU"}}, {"gelu", {"GELU, tanh formula", "GELU，tanh 公式"}}})};
  for (Param& param : make_tile_params()) params.push_back(std::move(param));
  for (Param& param : make_triton_matmul_params(4, 8)) params.push_back(std::move(param));
  return params;
}

Tolerance tolerance_for(const std::string& rung, const Config& config, DType) {
  const Tolerance product = product_tolerance(config);  // for sums about √K; here they are about 1, so it is generous
  const double root = std::sqrt(static_cast<double>(config.size("K")));
  Tolerance tolerance{.absolute = 1e-6 + product.absolute / root, .relative = product.relative};
  if (rung == "product") return tolerance;
  // GELU falls by at most 1.13 for a step of 1, and tanh.approx is off by 2^-11 of at most ½ |x| where it matters: to
  // |x| = 4.
  if (is_gelu(config)) tolerance.absolute = 1.13 * tolerance.absolute + std::ldexp(2, -11);
  // Two more roundings: of the product, and of the sum, which may be small where both terms are about 6.
  if (rung == "three-kernels")
    tolerance = {.absolute = tolerance.absolute + 12 * 1.13 * product.relative, .relative = 2 * product.relative};
  return tolerance;
}

std::vector<BreakIt> make_switches() {
  std::vector<BreakIt> switches = make_pipeline_switches(kCudaRungs, kCudaRungs);
  BreakIt& mask = switches.front();  // DROP_MASK
  mask.rungs.clear();
  for (const char* text : {", mask=row_inside[:, None] & (k[None, :] < K - start), other=0.0",
                           ", mask=(k[:, None] < K - start) & column_inside[None, :], other=0.0",
                           ", mask=row_inside[:, None] & column_inside[None, :]"})
    mask.plants.push_back({.in = "matmul_bias_activation", .replace = text, .by = "", .file = "matmul_epilogue.py"});
  switches.push_back(
      {.name = "BIAS_AFTER",
       .title = {"Add the bias after the activation", "先激活再加偏置"},
       .help = {"act(x) + b is not act(x + b).", "act(x) + b 不等于 act(x + b)。"},
       .plants = {{.in = "finish", .replace = "return activation(sum + bias);", .by = "return activation(sum) + bias;"},
                  {.in = "matmul_bias_activation",
                   .replace = "activate(acc + column_bias, ACTIVATION)",
                   .by = "activate(acc, ACTIVATION) + column_bias",
                   .file = "matmul_epilogue.py"}},
       .rungs = {"fused", "triton-fused"}});
  return switches;
}

int64_t bytes_of_product(const Config& config) {
  return config.size("M") * config.size("N") * static_cast<int64_t>(size_of(memory_type(config)));
}

std::vector<Predict> make_predicts() {
  return {{.question = {"Three kernels: how many times does a whole matrix of M × N go through global memory, read or "
                        "written?",
                        "三个内核：M × N 的整个矩阵要经过全局内存几趟（读写都算）？"},
           .choices =
               [](const Config&) {
                 return std::vector<int64_t>{1, 3, 5};
               },
           .answer = [](const Config&) { return int64_t{5}; },
           .why =
               [](const Config&) {
                 return Text{
                     "The product is written; the bias reads and writes; the activation reads and writes. Fused, "
                     "it is written once.",
                     "乘积写一趟；偏置读写各一趟；激活读写各一趟。融合后只写一趟。"};
               },
           .rungs = {"three-kernels"}},
          {.question = {"How many bytes of bias does one lane of the fused kernel read, with a tile of 64 columns for "
                        "each warp?",
                        "融合内核里，每个线程束的分块宽 64 列，一个通道读多少字节的偏置？"},
           .choices =
               [](const Config&) {
                 return std::vector<int64_t>{32, 128, 256};
               },
           .answer = [](const Config&) { return int64_t{32}; },
           .why =
               [](const Config&) {
                 return Text{
                     "A lane has two neighbouring columns of each 8: 16 of the 64, 2 bytes each, the same for all of "
                     "its rows.",
                     "每 8 列里一个通道有相邻两列：64 列里有 16 列，每个 2 字节，它的各行共用。"};
               },
           .rungs = {"fused"}},
          ask_tiles({"fused", "product"}),
          ask({.question = {"Three kernels: how many bytes does the product take in device memory between them?",
                            "三个内核之间，乘积在显存里占多少字节？"},
               .answer = bytes_of_product,
               .others =
                   [](const Config& config) {
                     const int64_t bytes = bytes_of_product(config);
                     return std::vector<int64_t>{2 * bytes, bytes / 2, 5 * bytes};
                   },
               .why =
                   [](const Config& config) {
                     const std::string sum =
                         fmt::format("{} × {} × 2 = {}", with_separators(config.size("M")),
                                     with_separators(config.size("N")), with_separators(bytes_of_product(config)));
                     return Text{sum +
                                     ". It is written once, read and written for the bias, and read for the "
                                     "activation. Fused, it stays in registers.",
                                 sum + "。写一遍，加偏置时读写各一遍，激活时再读一遍。融合后它留在寄存器里。"};
                   },
               .rungs = {"three-kernels"}})};
}

std::function<std::string(const Config&)> layer_operation() {
  return [](const Config& config) { return typed_operation(is_gelu(config) ? "linear_gelu" : "linear_relu", config); };
}

Lab make_matmul_epilogue() {
  Lab lab;
  lab.name = "matmul-epilogue";
  lab.stage = 5;
  lab.order = 40;
  lab.title = {"Matmul epilogue", "矩阵乘的收尾"};
  lab.kernel_file = "matmul_epilogue.cu";
  lab.defines = {{"B_LAYOUT", "0"}};
  lab.sizes = {make_matmul_size("M", 300, 8192, 1, 32768), make_matmul_size("N", 336, 8192, 1, 32768),
               make_matmul_size("K", 144, 8192, 1, 32768)};
  lab.params = make_params();
  lab.break_it = make_switches();
  lab.rungs = make_rungs();
  lab.default_rung = "fused";
  lab.references = {{"cuBLASLt", "cublaslt", "linear_relu", layer_operation()},
                    {"PyTorch", "torch", "linear_relu", layer_operation()},
                    {"torch.compile", "torch_compile", "linear_relu", layer_operation()}};
  lab.tolerance_for = tolerance_for;
  lab.predicts = make_predicts();
  lab.buffers = make_buffers;
  lab.reference = expect_layer;
  lab.flops = matmul_flops;
  lab.useful_bytes = [](const Config& config) {
    return matmul_bytes(config, memory_type(config), memory_type(config)) + 2.0 * static_cast<double>(config.size("N"));
  };
  lab.bytes_formula = {"2 (M K + K N + M N + N) bytes: A, B and bias read once, C written",
                       "2（M K + K N + M N + N）字节：A、B、偏置各读一次，写 C"};
  lab.speed_unit = SpeedUnit::teraflops;
  lab.peak_rate = [](const std::string&, const Config& config) { return tensor_rate(config); };
  lab.sweep_size = "M";
  lab.sweep_with = {"N", "K"};
  lab.sweep = {1024, 2048, 4096, 8192, 16384};
  lab.most_simulated_flops = 1e10;
  lab.most_reference_flops = 2e9;
  return lab;
}

const bool registered = register_lab(make_matmul_epilogue());

}  // namespace
}  // namespace tilescope::matmul_epilogue_lab
