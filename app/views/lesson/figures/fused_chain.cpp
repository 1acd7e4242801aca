// fused-chain rows=8192 columns=4096 gpu=h200: the bytes that the kernels of a chain of operators read and write, with
// a kernel for each operator and with fewer.
#include "app/views/lesson/figures/fused_chain.hpp"

#include <algorithm>

#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"
#include "engine/graph/graph_text.hpp"
#include "engine/graph/operators.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

class FusedChain final : public Figure {
 public:
  FusedChain(OperatorGraph graph, std::optional<GpuSpec> gpu) : graph_(std::move(graph)), gpu_(std::move(gpu)) {}

  float paint(FigureCanvas& canvas) const override {
    const GpuSpec& gpu = gpu_ ? *gpu_ : canvas.gpu();
    const Strings& strings = canvas.strings();
    const Theme& theme = canvas.theme();
    const std::vector<ChainStage> stages = chain_stages(graph_, rates_of(gpu));
    float y = canvas.heading(strings.format("figure.chain_title", fmt::arg("shape", shape_text())));
    const FigureLegend entries[] = {{strings("figure.chain_read"), theme.read},
                                    {strings("figure.chain_written"), theme.write}};
    y = canvas.legend(y, entries) + 6;
    float label = 0;
    double most = 0;
    for (const ChainStage& stage : stages)
      for (const ChainKernel& kernel : stage) {
        label = std::max(label, canvas.text_width(operators_of(kernel)));
        most = std::max(most, kernel.cost.bytes());
      }
    for (size_t stage = 0; stage < stages.size(); ++stage) {
      if (stage > 0) y += kBetween;
      y = paint_stage(canvas, stages[stage], {label + 14, most}, y);
    }
    return canvas.note(
        y, strings.format("figure.chain_note", fmt::arg("gpu", gpu.name), fmt::arg("kept", inner_of(stages.back()))));
  }

 private:
  static constexpr float kLine = 22, kRow = 28, kBetween = 14, kLeast = 4;
  enum Kind { of_tensor };
  struct Bars {
    float left = 0;
    double most = 0;  // bytes of the widest
  };

  std::string shape_text() const { return text_of_shape(graph_.tensors.front().shape); }
  std::string operators_of(const ChainKernel& kernel) const {
    std::string text;
    for (const size_t node : kernel.nodes) text += (text.empty() ? "" : ", ") + graph_.nodes[node].type;
    return text;
  }
  /// The results that no kernel of the stage moves.
  std::string inner_of(const ChainStage& stage) const {
    std::string text;
    for (const GraphNode& node : graph_.nodes) {
      const bool moved = std::ranges::any_of(stage, [&](const ChainKernel& kernel) {
        return std::ranges::find(kernel.moved, node.output, &MovedTensor::tensor) != kernel.moved.end();
      });
      if (!moved) text += (text.empty() ? "" : ", ") + graph_.tensors[node.output].name;
    }
    return text;
  }

  float paint_stage(FigureCanvas& canvas, const ChainStage& stage, const Bars& bars, float y) const {
    const Strings& strings = canvas.strings();
    NodeCost sum;
    for (const ChainKernel& kernel : stage) sum += kernel.cost;
    canvas.text(0, y + kLine / 2, canvas.theme().text,
                strings.format(stage.size() == 1 ? "figure.chain_kernel" : "figure.chain_kernels",
                               fmt::arg("count", stage.size())),
                true);
    const std::string total = strings.format("figure.chain_total", fmt::arg("bytes", three_figures(sum.bytes())),
                                             fmt::arg("time", fmt::format("{:.1f}", sum.bytes_seconds * 1e6)));
    canvas.text_right(canvas.width(), y + kLine / 2, canvas.theme().text, total, true);
    y += kLine;
    for (const ChainKernel& kernel : stage) {
      canvas.text(0, y + kRow / 2, canvas.theme().muted, operators_of(kernel));
      paint_kernel(canvas, kernel, bars, y);
      y += kRow;
    }
    return y;
  }

  void paint_kernel(FigureCanvas& canvas, const ChainKernel& kernel, const Bars& bars, float y) const {
    const Theme& theme = canvas.theme();
    const float room = canvas.width() - bars.left - kLeast * static_cast<float>(kernel.moved.size());
    float x = bars.left;
    for (const MovedTensor& moved : kernel.moved) {
      // A vector beside a matrix is still seen.
      const float wide = kLeast + room * static_cast<float>(moved.bytes / bars.most);
      const FigureBox box{x + 0.5F, y + 3, x + wide - 0.5F, y + kRow - 3};
      const FigureItem item{of_tensor, static_cast<int64_t>(moved.tensor)};
      canvas.cell(box, graph_.tensors[moved.tensor].name, moved.written ? theme.write : theme.read,
                  canvas.light(canvas.pointed() == item), moved.written);
      canvas.element(item, box, [&] {
        return canvas.strings().format(moved.written ? "figure.chain_write_meaning" : "figure.chain_read_meaning",
                                       fmt::arg("kernel", operators_of(kernel)),
                                       fmt::arg("tensor", graph_.tensors[moved.tensor].name),
                                       fmt::arg("bytes", bytes_text(moved.bytes)));
      });
      x += wide;
    }
  }

  OperatorGraph graph_;
  std::optional<GpuSpec> gpu_;
};

const FigureRegistration registered_chain{{"fused-chain", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
                                             const int64_t rows = parameters.number("rows", 8192, 1, 1 << 20);
                                             const int64_t columns = parameters.number("columns", 4096, 1, 1 << 20);
                                             return std::make_unique<FusedChain>(chain_of_rows(rows, columns),
                                                                                 parameters.gpu("gpu"));
                                           }}};

/// What the kernel reads from outside it, and what is needed outside.
std::vector<MovedTensor> moved_by(const OperatorGraph& graph, const GraphUses& uses, const std::vector<size_t>& nodes) {
  const auto inside = [&](size_t node) { return std::ranges::find(nodes, node) != nodes.end(); };
  std::vector<MovedTensor> moved;
  for (const size_t node : nodes)
    for (size_t input = 0; input < graph.nodes[node].inputs.size(); ++input) {
      const size_t tensor = graph.nodes[node].inputs[input];
      if (uses.writer[tensor] && inside(*uses.writer[tensor])) continue;
      if (std::ranges::find(moved, tensor, &MovedTensor::tensor) != moved.end()) continue;
      moved.push_back({tensor, bytes_read_of(graph, graph.nodes[node], input)});
    }
  for (const size_t node : nodes) {
    const std::vector<size_t>& readers = uses.readers[graph.nodes[node].output];
    if (readers.empty() || !std::ranges::all_of(readers, inside))
      moved.push_back({graph.nodes[node].output, bytes_written(graph, graph.nodes[node]), true});
  }
  return moved;
}

}  // namespace

OperatorGraph chain_of_rows(int64_t rows, int64_t columns) {
  const std::string text = fmt::format(
      "x: f32[{0}, {1}]\n"
      "s: f32[{1}] weight\n"
      "b: f32[{1}] weight\n"
      "scaled = mul(x, s)\n"
      "shifted = add(scaled, b)\n"
      "y = relu(shifted)\n"
      "total = sum(y)\n",
      rows, columns);
  return graph_from_text(text).value();
}

std::vector<ChainStage> chain_stages(const OperatorGraph& graph, const GpuRates& gpu) {
  const std::vector<NodeCost> costs = costs_of(graph, gpu);
  const GraphUses uses = uses_of(graph);
  std::vector<bool> all(graph.nodes.size(), true), reductions(graph.nodes.size(), false);
  for (size_t node = 0; node < graph.nodes.size(); ++node)
    reductions[node] = find_operator(graph.nodes[node].type)->kind != OperatorClass::elementwise;
  std::vector<ChainStage> stages;
  for (const std::vector<bool>& apart : {all, reductions, std::vector<bool>{}}) {
    ChainStage stage;
    for (const std::vector<size_t>& group : fuse_greedily(graph, apart).groups)
      stage.push_back({group, moved_by(graph, uses, group), cost_of_group(graph, costs, group, gpu)});
    stages.push_back(std::move(stage));
  }
  return stages;
}

}  // namespace tilescope
