// layer-matmuls layer=bert|llama sequence=512,1024: the matrix products of a layer of a Transformer and their FLOPs,
// at one length of the sequence or at several.
#include "app/views/lesson/figures/figure.hpp"
#include "app/views/lesson/figures/figure_canvas.hpp"
#include "engine/graph/cost.hpp"
#include "engine/graph/operators.hpp"
#include "engine/graph/transformer.hpp"
#include "engine/numbers.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

struct Product {
  std::string name;
  MatmulExtents extents;
  double flops = 0;
  bool weights = false;  // activations times weights; else activations times activations
};

/// 603979776 → "604 MFLOP": three significant digits.
std::string flops_text(double flops) {
  static constexpr const char* kUnits[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
  size_t unit = 0;
  for (; flops >= 999.5 && unit + 1 < std::size(kUnits); ++unit) flops /= 1000;
  const int digits = flops < 9.995 ? 2 : flops < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", flops, digits, kUnits[unit]);
}

std::vector<Product> products_of(const TransformerOptions& options) {
  const OperatorGraph graph = transformer_layer(options).value();  // options of the kind's own, in ranges that it takes
  const std::vector<size_t> numbers = matmul_numbers(graph);
  std::vector<Product> products;
  for (size_t node = 0; node < graph.nodes.size(); ++node) {
    if (numbers[node] == 0) continue;
    const GraphNode& one = graph.nodes[node];
    products.push_back({one.name, matmul_extents(graph, one), flops_of(graph, one),
                        graph.tensors[one.inputs.at(1)].role == TensorRole::weight});
  }
  return products;
}

class LayerMatmuls final : public Figure {
 public:
  LayerMatmuls(std::string layer, TransformerOptions options, std::vector<int64_t> sequences)
      : layer_(std::move(layer)), sequences_(std::move(sequences)) {
    for (const int64_t sequence : sequences_) {
      options.sequence = sequence;
      products_.push_back(products_of(options));
      for (const Product& product : products_.back()) most_ = std::max(most_, product.flops);
    }
  }

  float paint(FigureCanvas& canvas) const override {
    const Strings& strings = canvas.strings();
    const Theme& theme = canvas.theme();
    const size_t count = products_.front().size();
    float y = canvas.heading(strings.format("figure.matmuls_title", fmt::arg("count", count), fmt::arg("layer", layer_),
                                            fmt::arg("sequences", sequences_text(strings))));
    const FigureLegend entries[] = {{strings("figure.matmuls_weights"), theme.read},
                                    {strings("figure.matmuls_activations"), theme.write}};
    y = canvas.legend(y, entries) + 6;
    const Columns columns = columns_of(canvas);
    for (size_t number = 0; number < count; ++number) y = paint_product(canvas, number, columns, y) + kBetween;
    return canvas.note(y - kBetween, note_text(strings));
  }

 private:
  static constexpr float kLine = 22, kBar = 18, kBetween = 6;
  enum Kind { of_product };
  struct Columns {
    float left = 0, right = 0;  // where bars begin and may end
  };

  std::string sequences_text(const Strings& strings) const {
    std::string text;
    for (const int64_t sequence : sequences_)
      text += (text.empty() ? "" : strings("speed.comma")) + with_separators(sequence);
    return text;
  }

  Columns columns_of(const FigureCanvas& canvas) const {
    float left = 0, right = 0;
    if (sequences_.size() > 1)
      for (const int64_t sequence : sequences_)
        left = std::max(left, canvas.text_width(with_separators(sequence)) + 10);
    for (const auto& products : products_)
      for (const Product& product : products)
        right = std::max(right, canvas.text_width(flops_text(product.flops)) + 10);
    return {left, canvas.width() - right};
  }

  static std::string extents_text(const MatmulExtents& extents) {
    const std::string one =
        fmt::format("{} × {} × {}", with_separators(extents.m), with_separators(extents.n), with_separators(extents.k));
    return extents.batch == 1 ? one : fmt::format("{} · ({})", extents.batch, one);
  }

  /// How much the product grows from the first length to the last.
  double growth(size_t number) const { return products_.back()[number].flops / products_.front()[number].flops; }

  float paint_product(FigureCanvas& canvas, size_t number, const Columns& columns, float y) const {
    const Theme& theme = canvas.theme();
    const Product& first = products_.front()[number];
    const bool lit = canvas.pointed() == FigureItem{of_product, static_cast<int64_t>(number)};
    const ImU32 ink = canvas.pointed().kind < 0 || lit ? theme.text : theme.muted;
    canvas.text(0, y + kLine / 2, ink, fmt::format("{}  {}", number + 1, first.name), lit);
    canvas.text_right(
        canvas.width(), y + kLine / 2, lit ? theme.text : theme.muted,
        sequences_.size() == 1
            ? extents_text(first.extents)
            : canvas.strings().format("figure.matmuls_growth", fmt::arg("times", figure_number(growth(number)))));
    y += kLine;
    for (size_t at = 0; at < sequences_.size(); ++at) {
      const Product& product = products_[at][number];
      if (sequences_.size() > 1) canvas.text(0, y + kBar / 2, theme.muted, with_separators(sequences_[at]));
      const float wide = (columns.right - columns.left) * static_cast<float>(product.flops / most_);
      const FigureBox bar{columns.left, y + 2, columns.left + std::max(wide, 2.0F), y + kBar - 2};
      canvas.cell(bar, {}, product.weights ? theme.read : theme.write, canvas.light(lit));
      canvas.text_right(canvas.width(), y + kBar / 2, ink, flops_text(product.flops));
      const FigureItem item{of_product, static_cast<int64_t>(number)};
      canvas.element(item, {0, y, canvas.width(), y + kBar}, [&] { return meaning(canvas.strings(), at, number); });
      y += kBar;
    }
    return y;
  }

  std::string meaning(const Strings& strings, size_t at, size_t number) const {
    const Product& product = products_[at][number];
    return strings.format(product.weights ? "figure.matmuls_weights_meaning" : "figure.matmuls_activations_meaning",
                          fmt::arg("name", product.name), fmt::arg("extents", extents_text(product.extents)),
                          fmt::arg("flops", flops_text(product.flops)), fmt::arg("sequence", sequences_[at]));
  }

  std::string note_text(const Strings& strings) const {
    const auto share = [](const std::vector<Product>& products) {
      double all = 0, activations = 0;
      for (const Product& product : products) {
        all += product.flops;
        if (!product.weights) activations += product.flops;
      }
      return percent_text(activations / all);
    };
    if (sequences_.size() == 1)
      return strings.format("figure.matmuls_note", fmt::arg("share", share(products_.front())));
    return strings.format("figure.matmuls_growth_note", fmt::arg("share", share(products_.front())),
                          fmt::arg("later", share(products_.back())),
                          fmt::arg("from", with_separators(sequences_.front())),
                          fmt::arg("to", with_separators(sequences_.back())));
  }

  std::string layer_;
  std::vector<int64_t> sequences_;
  std::vector<std::vector<Product>> products_;  // by sequence
  double most_ = 0;
};

const FigureRegistration registered_matmuls{
    {"layer-matmuls", [](FigureParameters& parameters) -> std::unique_ptr<Figure> {
       const bool bert = parameters.choice("layer", {"bert", "llama"}) == "bert";
       const auto sequences = parameters.numbers("sequence", "512", 1, 1 << 17, 3);
       return std::make_unique<LayerMatmuls>(bert ? "BERT-base" : "LLaMA-7B", bert ? bert_base() : llama_7b(),
                                             sequences);
     }}};

}  // namespace
}  // namespace tilescope
