// Shared by the parts of the operator view.
//
//     Code  Graphs  Cost                                   RECORDED or MEASURED
//     library  custom_op  triton_op │ files                operator.cpp
//     the file, with what registers and launches marked
//     folder  Export
//
//     Graphs: what torch.compile captures, two ways side by side           operator_graphs.cpp
//     Cost:   graph breaks, kernels, µs per call; Measure here             operator_cost.cpp
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/draw/editor/code_view.hpp"
#include "app/views/context.hpp"
#include "app/views/operator/operator_model.hpp"
#include "app/views/view.hpp"

namespace tilescope {

enum class OperatorPage { code, graphs, cost };

class OperatorView final : public View {
 public:
  void draw(PanelContext& context) override;
  bool concerns(const Session& session) const override;
  bool needs_no_run() const override { return true; }
  bool moving(const Session&, const ViewState&) const override {
    return trial_.running() || export_.running() || files_.pending();
  }
  Lower lower(const PanelContext& context, bool stacked) const override;
  void apply(ViewState& view, const ShotWishes& wishes) override;

  // For tests.
  void show_page(OperatorPage page) { page_ = page; }
  void show_recording(OperatorRecording recording, Badge badge);
  void set_folder(std::string folder) { typed_ = std::move(folder); }
  const OperatorFiles& files() const { return files_; }
  OperatorWay way() const { return way_; }
  bool exporting() const { return export_.running(); }
  const std::string& said() const { return said_; }

 private:
  /// One of the two columns of the page Graphs.
  struct Column {
    size_t variant = 0;
    std::string shown;  // the text in the view
    CodeView view{Syntax::python};
  };

  void update(PanelContext& context);
  void take_recordings(PanelContext& context);
  void draw_code_page(PanelContext& context, ImVec2 low, ImVec2 high);
  float draw_choices(PanelContext& context, ImVec2 low, float right);
  void draw_export(PanelContext& context, ImVec2 low, ImVec2 high);
  void start_export(PanelContext& context);
  void draw_graphs_page(PanelContext& context, ImVec2 low, ImVec2 high);
  void draw_graph_column(PanelContext& context, size_t index, ImVec2 low, ImVec2 high);
  void draw_cost_page(PanelContext& context, ImVec2 low, ImVec2 high);
  float draw_cost_table(PanelContext& context, ImVec2 low, float width);
  float draw_measure(PanelContext& context, ImVec2 low, float width);
  /// "Recorded on …", or that there is nothing. Returns its height.
  float draw_source(PanelContext& context, ImVec2 low, float width);

  OperatorPage page_ = OperatorPage::code;
  OperatorWay way_ = OperatorWay::custom_op;
  OperatorFiles files_;
  std::string file_ = "torch_op.py", lab_;
  CodeView code_{Syntax::python};
  std::string shown_file_;  // in code_
  std::string typed_;       // folder
  std::string said_;        // what the last export came to
  bool said_problem_ = false;
  OperatorTask<std::string> export_;
  std::optional<std::vector<OperatorRecording>> recordings_;
  std::optional<OperatorRecording> shown_;  // the lab's
  std::optional<double> spread_;            // how far its times are from those of a second recording
  Badge badge_ = Badge::recorded;
  bool lowered_ = false;  // AOTAutograd's graphs in place of Dynamo's
  Column columns_[2];
  OperatorTask<OperatorRecording> trial_;
  std::string trial_said_;  // why a measurement gave nothing
};

}  // namespace tilescope
