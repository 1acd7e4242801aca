// Where the boxes and arrows of an operator graph are drawn. No ImGui.
//
//     ┌──────┐   ┌───┐   ┌────┐          Boxes stand in layers, each to the right of those that it reads. Layers that
//     do
//   x ┤ norm ├─┬─┤ q ├───┤ qk ├─ …       not fit into the width continue in a band below. Arrows to the next layer
//   cross
//     └──────┘ │ └───┘   └─▲──┘          the gap; the others take a free row, or a lane above their band.
//              │ ┌───┐     │
//              └─┤ k ├─────┘             All lengths are in unscaled pixels.
//                └───┘
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/graph/graph.hpp"

namespace tilescope {

enum class GraphLevel { modules, operators };

/// An operator, the neighbouring operators of one module, or an input of the graph.
struct GraphBox {
  std::string name;
  std::vector<size_t> nodes;    // of the graph; none: an input
  std::optional<size_t> input;  // the tensor
};
struct GraphArrow {
  size_t from = 0, to = 0;  // boxes
  bool operator==(const GraphArrow&) const = default;
};
/// Boxes in an order in which they can run.
struct GraphPieces {
  std::vector<GraphBox> boxes;
  std::vector<GraphArrow> arrows;             // each pair of boxes once
  std::vector<std::optional<size_t>> box_of;  // of each node; none: a view, which stands for what it shows
};
/// Views (reshape, transpose, …) have no box: arrows go through them. Weights and constants have none either.
GraphPieces pieces_of(const OperatorGraph& graph, GraphLevel level);

struct GraphPoint {
  float x = 0, y = 0;
};
struct PlacedBox {
  GraphPoint low, high;
  size_t layer = 0, row = 0, band = 0;
};
struct PlacedArrow {
  GraphArrow arrow;
  std::vector<GraphPoint> points;  // horizontal and vertical lines; the last one ends in the arrow's head
};
struct GraphLayout {
  std::vector<PlacedBox> boxes;     // as GraphPieces::boxes
  std::vector<PlacedArrow> arrows;  // as GraphPieces::arrows
  float width = 0, height = 0;
  size_t bands = 0;
};
struct GraphRoom {
  float width = 1000;     // of a band
  float box_height = 46;  // of every box
  std::function<float(size_t box)> box_width;
};
GraphLayout lay_out_graph(const GraphPieces& pieces, const GraphRoom& room);

}  // namespace tilescope
