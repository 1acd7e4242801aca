// Shared by the parts of the graph view.
//
//     LLaMA-7B  BERT-base  This lab  Own file     Modules  Operators     Prefill  Decode
//     sentence
//     options of the layer                                     graph_options.cpp
//     the graph                                                graph_drawing.hpp
//     ─────────────────────────────────────────────────────
//     a row for each operator,       │ the chosen operator     graph_table.cpp, graph_card.cpp
//     in prefill and in decode       │ roofline                graph_roofline.cpp
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/views/context.hpp"
#include "app/views/graph/graph_drawing.hpp"
#include "app/views/graph/graph_model.hpp"
#include "app/views/view.hpp"

namespace tilescope {

/// What is shown of which model.
struct GraphChoice {
  GraphSource source = GraphSource::llama;
  GraphLevel level = GraphLevel::operators;
  bool decode = false;  // which side is drawn
  TransformerOptions options = llama_7b();
  bool operator==(const GraphChoice&) const = default;
};

/// A graph of the learner's own.
struct OwnGraph {
  std::string typed;  // the path
  std::filesystem::path file;
  std::optional<OperatorGraph> graph;
  std::optional<Error> error;
  size_t version = 0;  // counts what was opened
};
/// Reads the file of the typed path.
void open_own_graph(OwnGraph& own, const std::filesystem::path& file);

/// A row of the table: a box, or what it corresponds to in the other phase.
struct GraphRow {
  std::string name;    // as the window shows it
  size_t number = 0;   // among the matmuls; 0: none, or a module
  std::string module;  // of an operator, for its place in the table
  std::optional<size_t> box;
  bool is_module = false;
  struct Phase {
    std::vector<size_t> nodes;  // of that phase's graph
    NodeCost cost;
    double seconds = 0;
    size_t matmuls = 0;
  };
  std::optional<Phase> prefill, decode;
};

/// The layer or the own graph, and its rows; built anew when the choice, the GPU or the language changes.
struct GraphShown {
  GraphSide prefill;  // an own graph is here
  std::optional<GraphSide> decode;
  std::vector<GraphRow> rows;
  GpuRates gpu;
  const GraphSide& side(bool of_decode) const { return of_decode && decode ? *decode : prefill; }
};

enum class GraphTab { table, node, roofline };

class GraphView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool keys(PanelContext& context) override;
  bool concerns(const Session& session) const override;
  bool needs_no_run() const override { return true; }
  Lower lower(const PanelContext& context, bool stacked) const override;
  void draw_lower(PanelContext& context, const Area& left, const Area& right) override;
  void draw_lower_stacked(PanelContext& context, const Area& whole) override;
  void apply(ViewState& view, const ShotWishes& wishes) override;

  // For tests.
  const GraphCanvas& canvas() const { return canvas_; }
  const std::optional<GraphShown>& shown() const { return shown_; }
  const OwnGraph& own() const { return own_; }

 private:
  void update(const PanelContext& context);
  void build(const PanelContext& context, const GpuRates& gpu);
  bool draw_choices(PanelContext& context, float width);  // whether it has the badge
  void draw_sentence(PanelContext& context, float width);
  void draw_options(PanelContext& context, float width);
  float draw_fold(PanelContext& context, float width, bool unfolded);
  void draw_own(PanelContext& context, float width);
  void draw_legend(PanelContext& context, ImVec2 low, float right) const;
  void draw_table(PanelContext& context);
  void draw_node(PanelContext& context);
  void draw_node_and_roofline(PanelContext& context);
  void open_lab(PanelContext& context, size_t box);
  const GraphRow* selected_row() const;
  std::vector<GraphFace> faces(const PanelContext& context) const;

  GraphChoice choice_;
  OwnGraph own_;
  std::optional<GraphShown> shown_;
  std::optional<Error> error_;  // why there is no graph
  struct Key {
    GraphChoice choice;
    std::string gpu, language;
    size_t own = 0;
    bool dark = true;
    bool operator==(const Key&) const = default;
  };
  std::optional<Key> key_;
  GraphCanvas canvas_;
  GraphTab tab_ = GraphTab::table;
  std::optional<size_t> shown_row_;  // the row that the table has scrolled to
  std::optional<bool> unfolded_;     // the options; nothing: as the height of the view suggests
};

// ---- Parts

/// "QKᵀ" of the node "qk" of a layer; the node's own name otherwise.
std::string title_of_node(const Strings& strings, const GraphNode& node, bool of_layer);
std::string title_of_module(const Strings& strings, const std::string& module, bool of_layer);

/// Three significant digits: 1,376, 67.1, 0.033; "–" for 0.
std::string graph_number(double value);

/// The sliders and switches of a layer, at the cursor. Returns their height.
float draw_layer_options(PanelContext& context, TransformerOptions& options, float width);

/// The nodes of both phases in the roofline of the GPU. Returns the row that was pressed.
std::optional<size_t> draw_graph_roofline(PanelContext& context, const GraphShown& shown, bool decode,
                                          std::optional<size_t> selected_row, ImVec2 size);

}  // namespace tilescope
