#include "app/views/graph/graph_layout.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "engine/graph/operators.hpp"

namespace tilescope {
namespace {

// Unscaled pixels.
constexpr float kLayerGap = 26, kBoxGap = 8, kBandGap = 12, kLanePitch = 8, kGraphMargin = 14;
constexpr size_t kMostLanes = 12, kFarthestRow = 64;

bool is_view_node(const GraphNode& node) {
  const OperatorType* type = find_operator(node.type);
  return type != nullptr && type->kind == OperatorClass::view;
}

/// The tensor behind views: what is really read.
size_t source_of(const OperatorGraph& graph, const GraphUses& uses, size_t tensor) {
  while (uses.writer[tensor] && is_view_node(graph.nodes[*uses.writer[tensor]]))
    tensor = graph.nodes[*uses.writer[tensor]].inputs.front();
  return tensor;
}

}  // namespace

GraphPieces pieces_of(const OperatorGraph& graph, GraphLevel level) {
  GraphPieces pieces;
  pieces.box_of.resize(graph.nodes.size());
  const GraphUses uses = uses_of(graph);
  std::map<size_t, size_t> input_boxes;  // by tensor
  std::set<std::pair<size_t, size_t>> known;
  std::string module;
  size_t open = 0;  // the box that further nodes of the module join
  for (size_t index = 0; index < graph.nodes.size(); ++index) {
    const GraphNode& node = graph.nodes[index];
    const bool view = is_view_node(node);
    const bool joins = level == GraphLevel::modules && open > 0 && node.module == module && !node.module.empty();
    if (view) {
      if (joins) pieces.box_of[index] = open - 1;
      continue;
    }
    std::vector<size_t> sources;
    for (const size_t input : node.inputs) {
      const size_t tensor = source_of(graph, uses, input);
      if (const auto writer = uses.writer[tensor]) {
        sources.push_back(*pieces.box_of[*writer]);
      } else if (graph.tensors[tensor].role == TensorRole::input) {
        if (const auto found = input_boxes.find(tensor); found != input_boxes.end()) {
          sources.push_back(found->second);
          continue;
        }
        input_boxes[tensor] = pieces.boxes.size();
        sources.push_back(pieces.boxes.size());
        pieces.boxes.push_back({.name = graph.tensors[tensor].name, .nodes = {}, .input = tensor});
      }
    }
    size_t box = open - 1;
    if (!joins) {
      box = pieces.boxes.size();
      const bool named = level == GraphLevel::modules && !node.module.empty();
      pieces.boxes.push_back({.name = named ? node.module : node.name, .nodes = {}, .input = {}});
      module = node.module;
      open = box + 1;
    }
    pieces.boxes[box].nodes.push_back(index);
    pieces.box_of[index] = box;
    for (const size_t from : sources)
      if (from != box && known.emplace(from, box).second) pieces.arrows.push_back({from, box});
  }
  return pieces;
}

namespace {

/// The layer of each box: after everything that it reads. An input stands just before its first reader.
std::vector<size_t> layers_of(const GraphPieces& pieces, const std::vector<std::vector<size_t>>& reads,
                              const std::vector<std::vector<size_t>>& read_by) {
  std::vector<size_t> order(pieces.boxes.size()), layers(pieces.boxes.size());
  // An input that a module reads later stands after the module's box, so inputs go first.
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_partition(order.begin(), order.end(), [&](size_t box) { return pieces.boxes[box].input.has_value(); });
  for (const size_t box : order)
    for (const size_t from : reads[box]) layers[box] = std::max(layers[box], layers[from] + 1);
  for (const size_t box : order) {
    if (!pieces.boxes[box].input || read_by[box].empty()) continue;
    size_t first = SIZE_MAX;
    for (const size_t reader : read_by[box]) first = std::min(first, layers[reader]);
    layers[box] = first - 1;
  }
  return layers;
}

/// Lanes above a band: arrows of one box share one, and two lanes overlap only where no further one is left.
class Lanes {
 public:
  void want(size_t source, float from, float to) {
    auto [found, added] = spans_.try_emplace(source, Span{std::min(from, to), std::max(from, to), 0});
    if (added) return;
    found->second.low = std::min({found->second.low, from, to});
    found->second.high = std::max({found->second.high, from, to});
  }
  void assign() {
    std::vector<std::pair<float, size_t>> order;
    order.reserve(spans_.size());
    for (const auto& [source, span] : spans_) order.emplace_back(span.high - span.low, source);
    std::ranges::sort(order);  // short ones next to the boxes
    std::vector<std::vector<std::pair<float, float>>> taken;
    for (const auto& [length, source] : order) {
      Span& span = spans_.at(source);
      size_t lane = 0;
      const auto free = [&](size_t at) {
        return std::ranges::none_of(taken[at], [&](const auto& other) {
          return span.low < other.second + kLanePitch && other.first < span.high + kLanePitch;
        });
      };
      while (lane < taken.size() && lane + 1 < kMostLanes && taken[lane].size() < 256 && !free(lane)) ++lane;
      if (lane == taken.size()) taken.emplace_back();
      taken[lane].emplace_back(span.low, span.high);
      span.lane = lane;
    }
    count_ = taken.size();
  }
  float height() const { return count_ == 0 ? 0 : static_cast<float>(count_) * kLanePitch + 4; }
  /// Distance above the band's boxes.
  float above(size_t source) const { return static_cast<float>(spans_.at(source).lane + 1) * kLanePitch + 2; }

 private:
  struct Span {
    float low = 0, high = 0;
    size_t lane = 0;
  };
  std::map<size_t, Span> spans_;  // by box
  size_t count_ = 0;
};

class Placer {
 public:
  Placer(const GraphPieces& pieces, const GraphRoom& room) : pieces_(pieces), room_(room) {
    reads_.resize(pieces.boxes.size());
    read_by_.resize(pieces.boxes.size());
    for (const auto& [from, to] : pieces.arrows) {
      reads_[to].push_back(from);
      read_by_[from].push_back(to);
    }
  }

  GraphLayout place() {
    layout_.boxes.resize(pieces_.boxes.size());
    fill_layers();
    fill_bands();
    for (const GraphArrow& arrow : pieces_.arrows) want_lanes(arrow);
    place_rows();
    for (const GraphArrow& arrow : pieces_.arrows) layout_.arrows.push_back({arrow, route(arrow)});
    return std::move(layout_);
  }

 private:
  struct Layer {
    std::vector<size_t> boxes;  // from the top
    float left = 0, width = 0;
    size_t band = 0;
  };
  struct Band {
    size_t rows = 0;
    float top = 0;  // of its boxes
    Lanes lanes;
  };

  void fill_layers() {
    const std::vector<size_t> layers = layers_of(pieces_, reads_, read_by_);
    for (size_t box = 0; box < layers.size(); ++box) {
      if (layers[box] >= layers_.size()) layers_.resize(layers[box] + 1);
      layers_[layers[box]].boxes.push_back(box);
      layout_.boxes[box].layer = layers[box];
    }
    for (Layer& layer : layers_) {
      std::ranges::stable_sort(layer.boxes, {}, [&](size_t box) { return wanted_row(box); });
      for (size_t row = 0; row < layer.boxes.size(); ++row) {
        layout_.boxes[layer.boxes[row]].row = row;
        layer.width = std::max(layer.width, room_.box_width(layer.boxes[row]));
      }
    }
  }
  /// The mean row of what it reads. Inputs stand below computed boxes.
  double wanted_row(size_t box) const {
    if (reads_[box].empty()) return 1e9;
    double sum = 0;
    for (const size_t from : reads_[box]) sum += static_cast<double>(layout_.boxes[from].row);
    return sum / static_cast<double>(reads_[box].size());
  }

  void fill_bands() {
    float x = kGraphMargin;
    bands_.emplace_back();
    for (size_t index = 0; index < layers_.size(); ++index) {
      Layer& layer = layers_[index];
      if (index > 0 && x + layer.width + kGraphMargin > room_.width && x > kGraphMargin + kLayerGap) {
        bands_.emplace_back();
        x = kGraphMargin + kLayerGap;
      }
      layer.band = bands_.size() - 1;
      layer.left = x;
      x += layer.width;
      layout_.width = std::max(layout_.width, x + kGraphMargin);
      x += kLayerGap;
      bands_.back().rows = std::max(bands_.back().rows, layer.boxes.size());
      for (const size_t box : layer.boxes) {
        PlacedBox& placed = layout_.boxes[box];
        placed.band = layer.band;
        placed.low.x = layer.left;
        placed.high.x = layer.left + std::min(layer.width, room_.box_width(box));
        if (!pieces_.boxes[box].input) placed.high.x = layer.left + layer.width;
      }
    }
    layout_.bands = bands_.size();
  }

  void place_rows() {
    const float pitch = room_.box_height + kBoxGap;
    float y = 0;
    for (Band& band : bands_) {
      band.lanes.assign();
      y += kGraphMargin / 2 + band.lanes.height();
      band.top = y;
      y += static_cast<float>(band.rows) * pitch - kBoxGap + kBandGap;
    }
    layout_.height = y;
    for (PlacedBox& box : layout_.boxes) {
      box.low.y = bands_[box.band].top + static_cast<float>(box.row) * pitch;
      box.high.y = box.low.y + room_.box_height;
    }
  }

  enum class Way { gap, row, lane, band };
  Way way_of(const GraphArrow& arrow) const {
    const PlacedBox &from = layout_.boxes[arrow.from], &to = layout_.boxes[arrow.to];
    if (from.band != to.band) return Way::band;
    if (to.layer == from.layer + 1) return Way::gap;
    if (to.layer > from.layer + kFarthestRow || to.row >= from.row) return Way::lane;
    if (layers_[to.layer].boxes.size() > to.row + 1) return Way::lane;  // others stand below it
    for (size_t layer = from.layer + 1; layer <= to.layer; ++layer)
      if (layers_[layer].boxes.size() > from.row) return Way::lane;
    return Way::row;
  }

  void want_lanes(const GraphArrow& arrow) {
    const PlacedBox &from = layout_.boxes[arrow.from], &to = layout_.boxes[arrow.to];
    const Way way = way_of(arrow);
    if (way == Way::lane) bands_[from.band].lanes.want(arrow.from, gutter_after(arrow.from), entry_x(arrow));
    if (way != Way::band) return;
    const bool next = to.band == from.band + 1;
    bands_[from.band + 1].lanes.want(arrow.from, gutter_after(arrow.from), next ? entry_x(arrow) : kGraphMargin / 2);
    if (!next) bands_[to.band].lanes.want(arrow.from, kGraphMargin / 2, entry_x(arrow));
  }

  /// The vertical line to the right of a box on which its arrows leave; boxes of one layer have different ones.
  float gutter_after(size_t box) const {
    const PlacedBox& placed = layout_.boxes[box];
    const Layer& layer = layers_[placed.layer];
    return layer.left + layer.width + 6 + 4 * static_cast<float>(placed.row % 3);
  }
  /// Where an arrow comes down from a lane: onto the top of the box, or to its left where others stand above.
  bool from_above(const GraphArrow& arrow) const { return layout_.boxes[arrow.to].row == 0 && !starts_band(arrow.to); }
  bool starts_band(size_t box) const {
    const size_t layer = layout_.boxes[box].layer;
    return layer > 0 && layers_[layer - 1].band != layers_[layer].band;
  }
  float entry_x(const GraphArrow& arrow) const {
    const PlacedBox& to = layout_.boxes[arrow.to];
    return from_above(arrow) ? (to.low.x + to.high.x) / 2 : layers_[to.layer].left - kLayerGap / 2;
  }
  static float middle(const PlacedBox& box) { return (box.low.y + box.high.y) / 2; }

  std::vector<GraphPoint> route(const GraphArrow& arrow) const {
    const PlacedBox &from = layout_.boxes[arrow.from], &to = layout_.boxes[arrow.to];
    std::vector<GraphPoint> points{{from.high.x, middle(from)}};
    const float out = gutter_after(arrow.from);
    const Way way = way_of(arrow);
    if (way == Way::gap) {
      if (from.row != to.row) points.insert(points.end(), {{out, middle(from)}, {out, middle(to)}});
      points.push_back({to.low.x, middle(to)});
      return points;
    }
    if (way == Way::row) {
      const float x = (to.low.x + to.high.x) / 2;
      points.insert(points.end(), {{x, middle(from)}, {x, to.high.y}});
      return points;
    }
    points.push_back({out, middle(from)});
    size_t band = way == Way::lane ? from.band : from.band + 1;
    float lane = bands_[band].top - bands_[band].lanes.above(arrow.from);
    points.push_back({out, lane});
    if (band != to.band) {
      points.push_back({kGraphMargin / 2, lane});
      lane = bands_[to.band].top - bands_[to.band].lanes.above(arrow.from);
      points.push_back({kGraphMargin / 2, lane});
    }
    const float x = entry_x(arrow);
    points.push_back({x, lane});
    if (from_above(arrow)) {
      points.push_back({x, to.low.y});
    } else {
      points.insert(points.end(), {{x, middle(to)}, {to.low.x, middle(to)}});
    }
    return points;
  }

  const GraphPieces& pieces_;
  const GraphRoom& room_;
  std::vector<std::vector<size_t>> reads_, read_by_;
  std::vector<Layer> layers_;
  std::vector<Band> bands_;
  GraphLayout layout_;
};

}  // namespace

GraphLayout lay_out_graph(const GraphPieces& pieces, const GraphRoom& room) { return Placer(pieces, room).place(); }

}  // namespace tilescope
