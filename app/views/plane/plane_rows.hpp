// The online softmax of one row of a plane: its largest score m and its sum l after each step over the keys. No ImGui.
#pragma once

#include <future>
#include <optional>
#include <vector>

#include "app/views/plane/plane_model.hpp"

namespace tilescope {

struct SoftmaxStep {
  int64_t first_key = 0, end_key = 0;  // of those that the row sees; empty where it sees none of them
  double largest = 0;                  // score of the step
  double m = 0, l = 0;
  double rescale = 1;   // what was older is worth so much of what it was
  bool raised = false;  // m is larger than before, and something had been added up
};

struct SoftmaxTrace {
  /// buffer: the run's own numbers. inputs: worked out from the run's Q and K in double precision. stored: no sums, but
  /// the row of the matrix that the run left behind; `largest` is all that a step has.
  enum class Source { buffer, inputs, stored };
  Source source = Source::inputs;
  int64_t row = 0;  // of O, through all heads
  std::vector<SoftmaxStep> steps;
};

/// The row whose steps the run has noted; nothing where it notes none.
std::optional<int64_t> noted_row(const PlanePicture& picture);
/// From what the run left behind; nothing if that is not enough for this row.
std::optional<SoftmaxTrace> left_trace(const PlanePicture& picture, int64_t row);

/// What the calculation needs: shared, because it may outlive the result on the screen.
struct RowInputs {
  std::shared_ptr<const HostBuffer> q, k;
  PlaneExtents extents;
  int64_t row = 0, visible = 0;
  double scale = 1;
  std::vector<ElementRange> steps;  // keys, in the order of the walk
  double products() const { return static_cast<double>(visible) * static_cast<double>(extents.depth); }
};
/// Nothing if the run's inputs are not there.
std::optional<RowInputs> inputs_of(const PlanePicture& picture, const KeyWalk& walk, int64_t row);
SoftmaxTrace trace_of(const RowInputs& inputs);

/// Rows of the table: rescalings and the newest, at most `count`, of the steps up to `newest`. Ascending.
std::vector<size_t> rows_worth_seeing(const SoftmaxTrace& trace, size_t newest, size_t count);

/// Keeps the trace of the row that was last asked for. Long rows are worked out on a thread; until then there is none.
class RowTraces {
 public:
  const SoftmaxTrace* take(const PlanePicture& picture, const KeyWalk& walk, int64_t row);
  bool busy() const { return pending_.valid(); }

 private:
  struct Key {
    uint64_t generation = 0;  // of the picture
    uint32_t block = 0;
    int64_t row = -1;
    bool operator==(const Key&) const = default;
  };
  Key held_, asked_;
  std::optional<SoftmaxTrace> trace_;
  std::future<SoftmaxTrace> pending_;
};

}  // namespace tilescope
