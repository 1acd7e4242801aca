#include "engine/bench/fusion_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "engine/graph/graph_text.hpp"
#include "engine/numbers.hpp"
#include "engine/specs.hpp"

namespace tilescope {
namespace {

std::string sines_operators(const Config& config, DType type) {
  const int64_t n = config.size("n");
  return fmt::format("a: {0}[{1}]\nb: {0}[{1}]\ns = sin(a)\nc = cos(b)\nout = add(s, c)\n", name_of(type), n);
}

/// 0.5 x (1 + tanh(√(2/π) (x + 0.044715 x³))), as the eight kernels compute it.
std::string gelu_operators(const Config& config, DType type) {
  return fmt::format(
      "x: {}[{}]\ncube = pow(x)\nscaled = scale(cube)\ninner = add(x, scaled)\nargument = scale(inner)\n"
      "t = tanh(argument)\none = scale(t)\nproduct = mul(x, one)\nout = scale(product)\n",
      name_of(type), config.size("n"));
}

std::string matrix_text(const Config& config, DType type) {
  return fmt::format("x: {}[{}, {}]\n", name_of(type), config.size("rows"), config.size("columns"));
}
std::string softmax_operators(const Config& config, DType type) {
  return matrix_text(config, type) +
         "m = max(x, keep=1)\nd = sub(x, m)\ne = exp(d)\ntotal = sum(e, keep=1)\nout = div(e, total)\n";
}
std::string layernorm_operators(const Config& config, DType type) {
  return matrix_text(config, type) +
         fmt::format("gamma: {0}[{1}] weight\nbeta: {0}[{1}] weight\n", name_of(type), config.size("columns")) +
         "normal = layernorm(x)\nscaled = mul(normal, gamma)\nout = add(scaled, beta)\n";
}
std::string rmsnorm_operators(const Config& config, DType type) {
  return matrix_text(config, type) +
         fmt::format("gamma: {}[{}] weight\nout = rmsnorm(x, gamma)\n", name_of(type), config.size("columns"));
}
std::string chain_operators(const Config& config, DType type) {
  return matrix_text(config, type) +
         fmt::format("s: {0}[{1}] weight\nb: {0}[{1}] weight\n", name_of(type), config.size("columns")) +
         "scaled = mul(x, s)\nshifted = add(scaled, b)\ny = relu(shifted)\ntotal = sum(y)\n";
}
std::string epilogue_operators(const Config& config, DType type) {
  return fmt::format(
      "a: {0}[{1}, {3}]\nw: {0}[{3}, {2}] weight\nbias: {0}[{2}] weight\nproduct = matmul(a, w)\n"
      "biased = add(product, bias)\nc = {4}(biased)\n",
      name_of(type), config.size("M"), config.size("N"), config.size("K"),
      config.param("ACTIVATION") == 1 ? "gelu" : "relu");
}

const FusionPair kPairs[] = {
    {.lab = "fusion", .unfused = "kernel-per-operator", .fused = "fused-into-reduction", .text = chain_operators},
    {.lab = "sin-cos-add", .unfused = "three-kernels", .fused = "fused", .text = sines_operators},
    {.lab = "gelu", .unfused = "eight-kernels", .fused = "fused", .text = gelu_operators},
    {.lab = "softmax", .unfused = "five-kernels", .fused = "row-in-registers", .text = softmax_operators},
    {.lab = "layernorm",
     .unfused = "row-in-registers",
     .fused = "fused",
     .text = layernorm_operators,
     .kernels = {{"normal"}, {"scaled", "out"}}},
    {.lab = "rmsnorm", .unfused = "", .fused = "scheme-2", .text = rmsnorm_operators},
    {.lab = "matmul-epilogue", .unfused = "three-kernels", .fused = "fused", .text = epilogue_operators},
};

/// The GPU's rates as they apply to a sweep; see fusion_pairs.hpp.
GpuRates rates_in_sweep(const GpuSpec& gpu, const std::vector<GpuSpec>& gpus) {
  GpuRates rates = rates_of(gpu);
  const GpuSpec* usual = find_gpu(gpus, kUsualGpu);
  for (const GpuSpec* one : {usual, &gpu})
    if (one != nullptr && one->graph_launch_seconds) rates.launch_seconds = *one->graph_launch_seconds;
  return rates;
}

PairSide side_of(const std::vector<NodeCost>& kernels, const GpuRates& rates) {
  PairSide side{.launches = kernels.size()};
  side.launch_seconds = static_cast<double>(kernels.size()) * rates.launch_seconds;
  for (const NodeCost& kernel : kernels) {
    side.bytes += kernel.bytes();
    side.flops += kernel.flops;
    side.bytes_seconds += kernel.bytes_seconds;
    side.flops_seconds += kernel.flops_seconds;
  }
  return side;
}

std::optional<double> time_of_rung(const SpeedReport& report, std::string_view rung, int64_t size) {
  const auto series = std::ranges::find(report.series, rung, &TimingSeries::name);
  if (series == report.series.end()) return std::nullopt;
  const auto point = std::ranges::find(series->points, size, &TimingPoint::size);
  if (point == series->points.end()) return std::nullopt;
  return point->median_ms / 1000;
}

/// What a rung launches, as far as it explains its time.
struct Launched {
  uint64_t least_blocks = 0, most_threads = 0;
  bool other_kernel = false;  // not the one that the rung is named after
};
Launched launched_by(const Lab& lab, std::string_view name, const Config& config) {
  const Rung* rung = find_rung(lab, std::string(name));
  if (rung == nullptr || !rung->launches) return {};
  Launched launched{.least_blocks = UINT64_MAX};
  const std::vector<Launch> launches = rung->launches(config);
  for (const Launch& launch : launches) {
    launched.least_blocks = std::min(launched.least_blocks, launch.grid.count());
    launched.most_threads = std::max(launched.most_threads, launch.grid.count() * launch.block.count());
  }
  launched.other_kernel = !launches.empty() && launches.front().kernel != rung->kernels.front();
  return launched;
}

double largest_tensor(const OperatorGraph& graph) {
  double most = 0;
  for (const GraphTensor& tensor : graph.tensors) most = std::max(most, tensor.bytes());
  return most;
}

uint64_t most_elements(const OperatorGraph& graph) {
  int64_t most = 0;
  for (const GraphTensor& tensor : graph.tensors) most = std::max(most, elements_of(tensor.shape));
  return static_cast<uint64_t>(most);
}

PairReason reason_of(const PairSide& side, const Launched& launched, const OperatorGraph& graph, const GpuSpec& gpu) {
  const auto error = side.error();
  if (!error || std::abs(*error) < kLargeError) return PairReason::none;
  if (*error > 0) {
    const bool in_l2 = largest_tensor(graph) < static_cast<double>(gpu.l2_bytes);
    return in_l2 && side.bytes_seconds > side.launch_seconds ? PairReason::l2 : PairReason::overlap;
  }
  if (2 * launched.least_blocks <= uint64_t{gpu.multiprocessors}) return PairReason::few_blocks;
  if (side.launch_seconds > side.seconds() / 2) return PairReason::latency;
  if (launched.most_threads > most_elements(graph)) return PairReason::idle_threads;
  if (launched.other_kernel) return PairReason::other_kernel;
  return side.flops_seconds > side.bytes_seconds ? PairReason::throughput : PairReason::bandwidth;
}

std::vector<std::vector<size_t>> kernels_of_pair(const FusionPair& pair, const OperatorGraph& graph) {
  std::vector<std::vector<size_t>> kernels;
  if (pair.kernels.empty())
    for (size_t node = 0; node < graph.nodes.size(); ++node) kernels.push_back({node});
  for (const auto& names : pair.kernels) {
    kernels.emplace_back();
    for (const std::string_view name : names) kernels.back().push_back(*find_node(graph, name));
  }
  return kernels;
}

/// What stays the same over the sizes of a report.
struct PairSubject {
  const FusionPair& pair;
  const SpeedReport& report;
  const Lab& lab;
  const GpuSpec& gpu;
  GpuRates rates;
};

Result<PairRow> row_of(const PairSubject& subject, const Config& config, int64_t size, DType type) {
  const auto graph = graph_from_text(subject.pair.text(config, type));
  if (!graph) return forward(graph);
  const std::vector<NodeCost> costs = costs_of(*graph, subject.rates);
  std::vector<size_t> all(graph->nodes.size());
  for (size_t node = 0; node < all.size(); ++node) all[node] = node;
  const auto finish = [&](PairSide side, std::string_view rung) {
    side.measured_seconds = time_of_rung(subject.report, rung, size);
    side.reason = reason_of(side, launched_by(subject.lab, rung, config), *graph, subject.gpu);
    return side;
  };
  PairRow row;
  row.size = subject.report.shapes.empty() ? fmt::format("{} = {}", subject.report.size_name, with_separators(size))
                                           : subject.report.shapes[static_cast<size_t>(size) - 1].name;
  row.fused = finish(side_of({cost_of_group(*graph, costs, all, subject.rates)}, subject.rates), subject.pair.fused);
  if (!subject.pair.unfused.empty())
    row.unfused = finish(
        side_of(costs_of_groups(*graph, costs, kernels_of_pair(subject.pair, *graph), subject.rates), subject.rates),
        subject.pair.unfused);
  return row;
}

std::optional<double> quotient_of(std::optional<double> one, std::optional<double> other) {
  if (!one || !other || *other <= 0) return std::nullopt;
  return *one / *other;
}

}  // namespace

std::span<const FusionPair> fusion_pairs() { return kPairs; }

const FusionPair* find_fusion_pair(std::string_view lab) {
  const auto found = std::ranges::find(kPairs, lab, &FusionPair::lab);
  return found == std::end(kPairs) ? nullptr : &*found;
}

std::string_view name_of(PairReason reason) {
  constexpr std::string_view kNames[] = {
      "", "l2", "overlap", "few-blocks", "idle-threads", "other-kernel", "latency", "throughput", "bandwidth"};
  return kNames[static_cast<size_t>(reason)];
}

Phrase sentence_of(PairReason reason) {
  switch (reason) {
    case PairReason::none:
      return {};
    case PairReason::l2:
      return phrase(
          "Faster than predicted: intermediate results stay in the L2, and the model takes every byte from "
          "device memory.");
    case PairReason::overlap:
      return phrase("Faster than predicted: the next launch is prepared while a kernel still runs.");
    case PairReason::few_blocks:
      return phrase("Slower than predicted: it launches blocks for only some of the SMs, and the others sit idle.");
    case PairReason::idle_threads:
      return phrase("Slower than predicted: rows are so short that most threads of a block have no element.");
    case PairReason::other_kernel:
      return phrase("Slower than predicted: a row is too long for registers, so the kernel reads it again.");
    case PairReason::latency:
      return phrase(
          "Slower than predicted: so little data is moved that each kernel waits for memory longer than it "
          "transfers.");
    case PairReason::throughput:
      return phrase("Slower than predicted: the kernel does not reach the data sheet's peak rate.");
    case PairReason::bandwidth:
      return phrase("Slower than predicted: the kernel does not reach the data sheet's bandwidth.");
  }
  return {};
}

std::optional<double> PairSide::error() const {
  const auto quotient = quotient_of(seconds(), measured_seconds);
  if (!quotient) return std::nullopt;
  return *quotient - 1;
}

std::optional<double> PairRow::predicted_speedup() const {
  if (!unfused) return std::nullopt;
  return quotient_of(unfused->seconds(), fused.seconds());
}
std::optional<double> PairRow::measured_speedup() const {
  if (!unfused) return std::nullopt;
  return quotient_of(unfused->measured_seconds, fused.measured_seconds);
}

Result<PairTable> compare_pair(const FusionPair& pair, const SpeedReport& report, const std::vector<GpuSpec>& gpus,
                               size_t most) {
  const Lab* lab = find_lab(std::string(pair.lab));
  const GpuSpec* gpu = find_gpu_of_driver(gpus, report.gpu);
  if (lab == nullptr || report.lab != pair.lab || report.is_map || report.shapes != lab->points)
    return fail(ErrorId::usage, phrase("the recording of '{}' is no sweep of lab '{}'", report.lab, pair.lab));
  if (gpu == nullptr) return fail(ErrorId::usage, phrase("'{}' is not in the table of GPUs", report.gpu));
  Config config = default_config(*lab, DeviceKind::gpu);
  for (const auto& [name, value] : report.config.params) config.params[name] = value;
  for (const auto& [name, value] : report.config.sizes) config.sizes[name] = value;
  const DType type = lab->buffers(config).front().type;
  PairTable table{.pair = &pair,
                  .gpu = gpu->name,
                  .date = report.date,
                  .command = report.command,
                  .type = type,
                  .badge = report.badge,
                  .rows = {}};
  const auto series = std::ranges::find(report.series, pair.fused, &TimingSeries::name);
  if (series == report.series.end() || series->points.empty()) return table;
  const PairSubject subject{pair, report, *lab, *gpu, rates_in_sweep(*gpu, gpus)};
  const size_t points = series->points.size(), count = std::min(most, points);
  for (size_t i = 0; i < count; ++i) {
    const size_t index = count == 1 ? points - 1 : i * (points - 1) / (count - 1);
    const int64_t size = series->points[index].size;
    auto row = row_of(subject, sweep_config(*lab, config, size), size, type);
    if (!row) return forward(row);
    table.rows.push_back(std::move(*row));
  }
  return table;
}

std::vector<PairTable> compare_pairs(const Recordings& recordings, const std::vector<GpuSpec>& gpus, size_t most) {
  std::vector<PairTable> tables;
  for (const FusionPair& pair : kPairs)
    for (const SpeedReport& report : recordings.reports) {
      if (report.lab != pair.lab) continue;
      if (auto table = compare_pair(pair, report, gpus, most); table && !table->rows.empty())
        tables.push_back(std::move(*table));
    }
  return tables;
}

}  // namespace tilescope
