// The parts of the correctness view.
//
//   All 98,432 elements of out match. The largest error is …            [SIMULATED]
//   out  got            −4.2 ▂▂▂▂ 4.4   |out − expected|   ≤ 10⁻⁴ ▂▂▂▂ 1 × allowed  ■ above
//   ┌───────────────────────────────┐   ┌───────────────────────────────┐
//   │ result map                    │   │ error map                     │
//   └───────────────────────────────┘   └───────────────────────────────┘
//   printed by the kernel
//   ─────────────────────────────────────────────────────────────────────
//   checked 98,432   mismatches 0   NaN 0   never written 0
//                   element  expected  got  error  allowed     findings of the simulator, or the error distribution
#pragma once

#include <imgui.h>

#include "app/draw/gl/heat_map.hpp"
#include "app/observed/correctness_model.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/context.hpp"
#include "app/views/view.hpp"

namespace tilescope {

/// State between frames.
struct CorrectnessState {
  std::string lab, unchecked_lab;  // the labs whose output was chosen
  std::optional<size_t> chosen;    // by the learner, for as long as the lab stays the same
  size_t unchecked = 0;            // the output of a run without a reference
  ResultReference spread_of;       // the result of `spread`,
  size_t spread_output = 0;        // and the output
  std::optional<ErrorSpread> spread;
  std::weak_ptr<const RunResult> printed_by;
  std::vector<std::string_view> printed;  // the lines of that run
};

class CorrectnessView final : public View {
 public:
  void draw(PanelContext& context) override;
  const char* empty_reason(const std::shared_ptr<const RunResult>& result) const override;

 private:
  CorrectnessState state_;
};

struct CorrectnessFrame {
  PanelContext& context;
  CorrectnessState& state;
  const RunResult& run;
  size_t output = 0;                    // index into run.correctness
  size_t buffer = 0;                    // index into run.plan.buffers
  std::optional<int64_t> pointed = {};  // the element under the pointer, this frame
  const Correctness& check() const { return run.correctness[output]; }
  const BufferSpec& spec() const { return run.plan.buffers[buffer]; }
};

/// The two heat maps in a rectangle. Returns their lower end: cells are whole pixels, so they rarely fill it.
float draw_error_maps(CorrectnessFrame& frame, ImVec2 low, ImVec2 high);
/// The strip below: counts, the table of elements, the findings. Low views have fewer rows.
struct StripLayout {
  size_t rows = 3;      // in the table
  size_t findings = 0;  // shown
  bool beside = true;   // findings to the right of the table, else below it
  float height = 0;
};
StripLayout lay_out_strip(const CorrectnessFrame& frame, ImVec2 room);
void draw_correctness_strip(CorrectnessFrame& frame, const StripLayout& layout, ImVec2 low, ImVec2 high);

/// The first findings of the simulator, one per row, with a title if requested.
void draw_findings(PanelContext& context, const RunResult& run, ImVec2 low, float right, size_t most, bool titled);

/// Drawn instead of findings: the distribution of errors relative to the tolerance. Nothing if the errors are not known
/// for each element, or there is too little room.
void draw_error_spread(CorrectnessFrame& frame, ImVec2 low, ImVec2 high);

/// A run without a reference: its outputs as a map and in numbers.
void draw_unchecked(PanelContext& context, CorrectnessState& state);

/// The kernel's printed output, below the maps; its height if `room` is available, 0 if nothing was printed.
float output_height(const PanelContext& context, CorrectnessState& state, float room);
void draw_output(PanelContext& context, CorrectnessState& state, ImVec2 low, ImVec2 high);

/// Selects an element in all views.
void pick_element(CorrectnessFrame& frame, int64_t element);
/// The selected element of this output; nothing if a different buffer is selected.
std::optional<int64_t> selected_element(const CorrectnessFrame& frame);

}  // namespace tilescope
