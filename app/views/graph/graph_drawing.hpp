// A graph on the screen: boxes with their texts and colours, arrows, and what the mouse and the keys do with them.
//
//     if (canvas.wants(graph_id, GraphLevel::operators)) canvas.show(context, graph, level, faces, size);
//     canvas.draw(context, low, high);
//     if (canvas.opened()) …
//
// The wheel zooms about the pointer, dragging moves the picture, a double click on the background fits it again. Texts
// keep their size: a box that has become too small for one shows none, and the tooltip still says it.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/draw/context.hpp"
#include "app/views/graph/graph_layout.hpp"

namespace tilescope {

/// What a box looks like. Colours of 0 are the theme's usual ones.
struct GraphFace {
  std::string title;        // never cut off: boxes are as wide as their titles
  size_t number = 0;        // in a square before the title; 0: none
  std::string left, right;  // the quiet line below it
  float bar = 0;            // 0 … 1 of the box's width, below the quiet line
  bool bar_of_memory = true;
  bool raised = false;          // a highlighted box
  ImU32 outline = 0, fill = 0;  // of its group
  std::string explanation;      // the tooltip
};

class GraphCanvas {
 public:
  /// Takes over a graph; `faces` has one for each box of the pieces. The picture is fitted again when it is next drawn,
  /// and the selection goes back to nothing.
  void show(GraphPieces pieces, std::vector<GraphFace> faces);
  /// New texts and colours for the same boxes: nothing moves unless a box has become wider.
  void set_faces(std::vector<GraphFace> faces);
  const GraphPieces& pieces() const { return pieces_; }

  /// Draws into the rectangle, as marks "graph.box.NAME". `compact` boxes have a title only.
  void draw(DrawContext& context, ImVec2 low, ImVec2 high);
  /// Arrow keys go along the arrows, plus and minus zoom, Home fits. Returns whether a key was used.
  bool keys();

  std::optional<size_t> selected() const { return selected_; }
  void select(std::optional<size_t> box);
  /// Whether the boxes have room for their titles only.
  bool compact() const { return compact_; }
  std::optional<size_t> hovered() const { return hovered_; }
  /// The box that was double-clicked, or chosen by Enter, since the last call.
  std::optional<size_t> take_opened();

 private:
  void fit(const DrawContext& context, ImVec2 size);
  GraphLayout laid_out(const DrawContext& context, float width, bool compact) const;
  float wanted_width(const DrawContext& context, size_t box, bool compact) const;
  void handle_mouse(const DrawContext& context, ImVec2 low, ImVec2 high);
  void zoom_about(ImVec2 point, float factor);
  void draw_arrows(const DrawContext& context, ImDrawList* list) const;
  void draw_box(DrawContext& context, ImDrawList* list, size_t box, ImVec2 clip_low, ImVec2 clip_high) const;
  void bring_into_view(ImVec2 size);
  void go(int layers, int rows);
  ImVec2 at(GraphPoint point) const { return {origin_.x + point.x * zoom_, origin_.y + point.y * zoom_}; }

  GraphPieces pieces_;
  std::vector<GraphFace> faces_;
  GraphLayout layout_;
  bool fits_ = false;  // laid out for the present size
  ImVec2 size_{0, 0}, offset_{0, 0}, origin_{0, 0}, low_{0, 0};
  float zoom_ = 1, fitted_ = 1, scale_ = 1;
  bool compact_ = false, reveal_ = false;
  std::optional<size_t> selected_, hovered_, opened_;
};

}  // namespace tilescope
