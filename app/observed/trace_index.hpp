// Lookups over the record of one run, for every view that follows blocks, warps and lanes. Built once per result.
//
//   statement   an access as it appears in the source: the sites of one line, kind and buffer
//               (an unrolled loop has several sites for one statement)
//   step        number of earlier executions of a statement by a warp: 0 for its first tile, 1 for the next …
//
//     TraceIndex& index = trace_index(context.view, context.result);
//     const BlockAccesses& block = index.block(53);
//     auto access = block.find(statement, warp, step);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/observed/result_reference.hpp"
#include "app/observed/view_state.hpp"
#include "engine/run_result.hpp"
#include "engine/traffic/access/coalesce.hpp"
#include "engine/traffic/access/shared_banks.hpp"

namespace tilescope {

struct Statement {
  uint32_t line = 0;
  std::string file;
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  int32_t buffer = -1;          // index into Plan::buffers; −1 for shared and other windows
  uint32_t bytes_per_lane = 0;  // the widest of its sites
  std::vector<uint16_t> sites;
  bool writes() const { return kind != AccessKind::load && kind != AccessKind::async_copy; }
};

/// The accesses of one block, by statement and warp.
class BlockAccesses {
 public:
  BlockAccesses() = default;
  BlockAccesses(const RunResult& result, std::span<const int32_t> statement_of_site, size_t statements, uint32_t block);

  uint32_t block() const { return block_; }
  uint32_t warps() const { return warps_; }
  bool empty() const { return entries_.empty(); }
  /// Accesses of a statement by a warp, in order of execution.
  std::span<const uint32_t> of(size_t statement, uint32_t warp) const;
  /// The largest number of steps of any warp of the block.
  uint32_t steps(size_t statement) const;
  std::optional<uint32_t> find(size_t statement, uint32_t warp, uint32_t step) const;
  /// An access of the statement that is as near as possible to the given warp and step.
  std::optional<uint32_t> nearest(size_t statement, uint32_t warp, uint32_t step) const;

 private:
  uint32_t block_ = 0, warps_ = 0;
  std::vector<uint32_t> entries_, first_;  // access indices; bucket starts by statement · warps + warp
};

/// Position of an access in its block.
struct AccessPlace {
  size_t statement = 0;
  uint32_t block = 0, warp = 0, step = 0;
};

class TraceIndex {
 public:
  explicit TraceIndex(const std::shared_ptr<const RunResult>& result);
  bool is_of(const std::shared_ptr<const RunResult>& other) const { return result_.is(other); }

  const RunResult& result() const { return *result_; }
  const std::vector<Statement>& statements() const { return statements_; }  // ascending line, loads first
  int32_t statement_of(uint16_t site) const { return site < by_site_.size() ? by_site_[site] : -1; }
  const BlockAccesses& block(uint32_t block);
  std::optional<AccessPlace> place(uint32_t access);

  /// The statement that a view shows if nothing is chosen: the first global store to the largest result, else the first
  /// access; −1 if none.
  int32_t default_statement() const { return default_statement_; }
  /// The global statement at a source line, else the shared memory one; −1 if none. For a line that loads and stores,
  /// its store.
  int32_t statement_at(uint32_t line) const;

  /// The access to a buffer that views show for a block: the hovered or selected one, or its counterpart in this block;
  /// else that of the selected line; else one in the middle of the block.
  std::optional<uint32_t> shown_access(const Selection& hover, const Selection& selection, uint32_t block);

 private:
  ResultReference result_;
  std::vector<Statement> statements_;
  std::vector<int32_t> by_site_;
  int32_t default_statement_ = -1;
  BlockAccesses recent_[2];  // the shown block, and the block of the selection
  bool held_[2] = {false, false};
  int next_ = 0;
};

/// The index of a result; the window keeps it until the index of a different result is requested.
TraceIndex& trace_index(ViewState& view, const std::shared_ptr<const RunResult>& result);

/// Consecutive active lanes whose first byte lies in the same 32-byte sector.
struct SectorRun {
  int first_lane = 0, last_lane = 0;
  int64_t sector = 0;  // in the buffer: offset / 32
};

/// One access of one warp, with all addresses.
struct WarpAccess {
  uint32_t access = 0, block = 0, warp = 0, mask = 0, line = 0;
  int64_t buffer = -1;
  uint32_t bytes_per_lane = 0, element_bytes = 1;
  bool writes = false;
  Space space = Space::global;
  bool is_matrix = false;            // ldmatrix, stmatrix: a lane's address is that of a row
  std::array<int64_t, 32> offset{};  // bytes into the buffer, or into shared memory; for active lanes only
  std::vector<SectorRun> runs;
  GlobalCost cost;    // for global memory
  SharedCost shared;  // for shared memory
  int active = 0;
  int64_t first_element = 0, last_element = 0;  // touched by any lane, both inclusive
  int64_t buffer_bytes = 0;
  bool is_active(int lane) const { return (mask >> lane & 1) != 0; }
  int64_t element(int lane) const;
  /// An active lane that touches bytes before the buffer or past its end.
  bool is_outside(int lane) const {
    const int64_t at = offset[static_cast<size_t>(lane)];
    return is_active(lane) && buffer >= 0 && (at < 0 || at + bytes_per_lane > buffer_bytes);
  }
  bool any_outside() const {
    for (int lane = 0; lane < 32; ++lane)
      if (is_outside(lane)) return true;
    return false;
  }
  uint32_t elements_per_lane() const { return std::max(1U, bytes_per_lane / element_bytes); }
  uint64_t moved_bytes() const { return cost.sectors * kSectorBytes; }
};
/// The bank of shared memory that holds a byte.
constexpr int bank_of(int64_t offset) { return static_cast<int>((offset / 4 % 32 + 32) % 32); }
/// Lanes of a shared access whose bank must deliver a different word to a different lane: a conflict.
uint32_t conflicting_lanes(const WarpAccess& access);
WarpAccess warp_access(const RunResult& result, uint32_t access);
/// Whether it moves clearly more sectors than its bytes need.
bool is_wasteful(const WarpAccess& access);

/// The lane of an access that touches an element; −1 if none does.
int lane_of_element(const WarpAccess& access, int64_t element);

/// The selection for a picked element, in all views: its writer's block, access, lane and line.
Selection select_element(const RunResult& result, size_t buffer, int64_t element);
/// The selection for a picked access (and one of its lanes), in all views.
Selection select_access(const RunResult& result, uint32_t access, std::optional<int> lane = {});

/// The selection in a new result if `old` was selected in the last one: the same element, else the same block; the line
/// if it still reads or writes. Access indices are not kept.
Selection carry_selection(TraceIndex& index, const Selection& old);
/// The initial selection of a result: the block and line of the first finding, else a block near the middle, and an
/// access in its middle.
Selection suggest_selection(TraceIndex& index);
/// Call before drawing anything that depends on a selection: if the result has changed, the selection follows.
void follow_result(ViewState& view, const std::shared_ptr<const RunResult>& result);
/// Selects the line and the block of a finding of the shown result, for all views.
void select_finding(ViewState& view, const RunResult& result, const Finding& finding);
/// The default block if nothing is known about the blocks; and the default block of a result: one that was executed and
/// recorded, and is not cut off at an edge.
constexpr uint32_t usual_block(uint64_t blocks) { return static_cast<uint32_t>(blocks * 11 / 20); }
uint32_t usual_block(const RunResult& result);
/// The linear index of the block that a finding names; nothing if it is outside the grid.
std::optional<uint32_t> block_of(const Finding& finding, const Dim3& grid);
/// The same for the shown launch; nothing if the finding belongs to a different one.
std::optional<uint32_t> shown_block_of(const Finding& finding, const RunResult& result);

/// Floor division, for offsets before a buffer's start.
constexpr int64_t floor_divide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

}  // namespace tilescope
