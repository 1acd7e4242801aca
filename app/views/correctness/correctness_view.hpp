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
//                   element  expected  got  error  allowed     findings of the simulator, or how the errors spread
#pragma once

#include <imgui.h>

#include "app/draw/gl/heat_map.hpp"
#include "app/observed/correctness_model.hpp"
#include "app/observed/trace_index.hpp"
#include "app/views/context.hpp"
#include "app/views/view.hpp"

namespace tilescope {

/// What the view keeps between frames.
struct CorrectnessState {
  std::string lab, unchecked_lab;  // whose output was chosen
  std::optional<size_t> chosen;    // by the learner, as long as the lab stays the same
  size_t unchecked = 0;            // the output of a run without a reference
  ResultReference spread_of;       // what the spread is of,
  size_t spread_output = 0;        // and of which output
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

/// The two heat maps in a rectangle. Returns where they end: cells are whole pixels, and rarely fill it.
float draw_error_maps(CorrectnessFrame& frame, ImVec2 low, ImVec2 high);
/// The strip below: counts, the table of elements, the findings. Short views have fewer rows.
struct StripLayout {
  size_t rows = 3;      // of the table
  size_t findings = 0;  // shown
  bool beside = true;   // findings at the right of the table, else below it
  float height = 0;
};
StripLayout lay_out_strip(const CorrectnessFrame& frame, ImVec2 room);
void draw_correctness_strip(CorrectnessFrame& frame, const StripLayout& layout, ImVec2 low, ImVec2 high);

/// The first findings of the simulator, one a row, under a title where asked for.
void draw_findings(PanelContext& context, const RunResult& run, ImVec2 low, float right, size_t most, bool titled);

/// Where findings would be: how many elements have which error, as a share of what is allowed. Nothing where the errors
/// are not known element by element, or the room is small.
void draw_error_spread(CorrectnessFrame& frame, ImVec2 low, ImVec2 high);

/// A run without a reference: its outputs in a map and in numbers.
void draw_unchecked(PanelContext& context, CorrectnessState& state);

/// What the kernel printed, below the maps; its height in a room of this height, 0 where nothing was printed.
float output_height(const PanelContext& context, CorrectnessState& state, float room);
void draw_output(PanelContext& context, CorrectnessState& state, ImVec2 low, ImVec2 high);

/// Picks an element for every view.
void pick_element(CorrectnessFrame& frame, int64_t element);
/// The selected element of this output; nothing if another buffer is selected.
std::optional<int64_t> selected_element(const CorrectnessFrame& frame);

}  // namespace tilescope
