// Shared by the parts of the fusion view.
//
//     Graph  Loops  Cost                                              MODELLED
//     examples        │ the graph, its groups in colours        fusion_graph.cpp
//     text, editable  │ every merge and every refusal
//                     │
//     Loops: dependences, and the fused and the tiled nest      fusion_loops.cpp
//     Cost:  the graph's time, and predicted beside measured    fusion_cost.cpp
#pragma once

#include <string>
#include <vector>

#include "app/draw/editor/code_view.hpp"
#include "app/draw/small_button.hpp"
#include "app/views/context.hpp"
#include "app/views/fusion/fusion_model.hpp"
#include "app/views/graph/graph_drawing.hpp"
#include "app/views/view.hpp"
#include "engine/bench/fusion_pairs.hpp"

namespace tilescope {

/// A text that a learner edits: examples above it, an error below it.
struct FusionText {
  CodeView view{Syntax::python};
  std::optional<uint64_t> taken;  // the revision that was read
  FusionText() { view.editable = true; }
};

enum class FusionPage { graph, loops, cost };

class FusionView final : public View {
 public:
  FusionView();
  void draw(PanelContext& context) override;
  bool keys(PanelContext& context) override;
  bool concerns(const Session& session) const override { return session.lab().name == "fusion"; }
  bool needs_no_run() const override { return true; }
  Lower lower(const PanelContext& context, bool stacked) const override;
  void apply(ViewState& view, const ShotWishes& wishes) override;

  // For tests.
  void set_graph_text(std::string_view text) { graph_text_.view.buffer.reset(text); }
  void set_loops_text(std::string_view text) { loops_text_.view.buffer.reset(text); }
  void show_page(FusionPage page) { page_ = page; }
  const FusionGraph& graph() const { return graph_; }
  const FusionLoops& loops() const { return loops_; }

 private:
  void update(const PanelContext& context);
  void toggle_apart(size_t node);
  void draw_text_page(PanelContext& context, ImVec2 low, ImVec2 high);
  /// The left column: examples, the text and its error.
  void draw_text_column(PanelContext& context, FusionText& text, std::span<const FusionExample> examples,
                        const std::optional<TextProblem>& problem, ImVec2 low, ImVec2 high);
  void draw_graph_page(PanelContext& context, ImVec2 low, ImVec2 high);
  float draw_chosen(PanelContext& context, ImVec2 low, float right);
  void draw_reasons(PanelContext& context, ImVec2 low, ImVec2 high);
  void draw_loops_page(PanelContext& context, ImVec2 low, ImVec2 high);
  float draw_dependences(PanelContext& context, ImVec2 low, float width);
  float draw_nests(PanelContext& context, ImVec2 low, float width);
  void draw_cost_page(PanelContext& context, ImVec2 low, ImVec2 high);
  float draw_graph_cost(PanelContext& context, ImVec2 low, float width);
  float draw_groups_cost(PanelContext& context, ImVec2 low, float width);
  void take_pairs(const PanelContext& context);
  float draw_pairs(PanelContext& context, ImVec2 low, float width);
  std::vector<GraphFace> faces(const PanelContext& context) const;

  FusionPage page_ = FusionPage::graph;
  FusionText graph_text_, loops_text_;
  FusionGraph graph_;
  FusionLoops loops_;
  GraphCanvas canvas_;
  size_t shown_version_ = 0;  // of graph_, in canvas_
  std::string gpu_, language_;
  bool dark_ = true;
  std::optional<std::vector<PairTable>> pairs_;  // of the recordings, after this session's own if it has timed the lab
  std::shared_ptr<const SpeedReport> live_;      // from which the first of them was made
  size_t pair_ = 0;
};

/// The colour of a group of several operators.
ImU32 fusion_group_colour(const Theme& theme, size_t number);
std::string fusion_micro(double seconds);  // "1,376 µs"

}  // namespace tilescope
