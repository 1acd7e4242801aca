// The online softmax of one row of a plane: its maximum score m and its sum l after each step over the keys. No ImGui.
#pragma once

#include <future>
#include <optional>
#include <vector>

#include "app/views/plane/plane_model.hpp"

namespace tilescope {

struct SoftmaxStep {
  int64_t first_key = 0, end_key = 0;  // the keys that the row attends to; empty if none
  double largest = 0;                  // maximum score of the step
  double m = 0, l = 0;
  double rescale = 1;   // factor by which the earlier part is multiplied
  bool raised = false;  // m increased, and the earlier sum was not empty
};

struct SoftmaxTrace {
  /// buffer: the run's own numbers. inputs: computed from the run's Q and K in double precision. stored: no sums, only
  /// the row of the matrix that the run stored; a step has only `largest`.
  enum class Source { buffer, inputs, stored };
  Source source = Source::inputs;
  int64_t row = 0;  // in O, counted across all heads
  std::vector<SoftmaxStep> steps;
};

/// The row whose steps the run has recorded; nothing if it records none.
std::optional<int64_t> noted_row(const PlanePicture& picture);
/// From the buffers that the run wrote; nothing if they are not enough for this row.
std::optional<SoftmaxTrace> left_trace(const PlanePicture& picture, int64_t row);

/// Inputs of the computation: shared, because it may outlive the shown result.
struct RowInputs {
  std::shared_ptr<const HostBuffer> q, k;
  PlaneExtents extents;
  int64_t row = 0, visible = 0;
  double scale = 1;
  std::vector<ElementRange> steps;  // keys, in the order in which the block reads them
  double products() const { return static_cast<double>(visible) * static_cast<double>(extents.depth); }
};
/// Nothing if the run's inputs are missing.
std::optional<RowInputs> inputs_of(const PlanePicture& picture, const KeyWalk& walk, int64_t row);
SoftmaxTrace trace_of(const RowInputs& inputs);

/// Rows of the table: rescalings and the newest step, at most `count`, among the steps up to `newest`. Ascending.
std::vector<size_t> rows_worth_seeing(const SoftmaxTrace& trace, size_t newest, size_t count);

/// Keeps the trace of the row requested last. Long rows are computed on a thread; until then there is none.
class RowTraces {
 public:
  const SoftmaxTrace* take(const PlanePicture& picture, const KeyWalk& walk, int64_t row);
  bool busy() const { return pending_.valid(); }

 private:
  struct Key {
    uint64_t generation = 0;  // the picture's
    uint32_t block = 0;
    int64_t row = -1;
    bool operator==(const Key&) const = default;
  };
  Key held_, asked_;
  std::optional<SoftmaxTrace> trace_;
  std::future<SoftmaxTrace> pending_;
};

}  // namespace tilescope
