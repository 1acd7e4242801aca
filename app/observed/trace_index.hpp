// Lookups over the record of one run, for every view that follows blocks, warps and lanes. Built once per result.
//
//   statement   what a reader of the source calls one access: the sites of one line, kind and buffer
//               (an unrolled loop has several sites for one statement)
//   step        how often a warp has executed a statement before: 0 for its first tile, 1 for the next …
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
  /// Accesses of a statement by a warp, in the order in which it executed them.
  std::span<const uint32_t> of(size_t statement, uint32_t warp) const;
  /// The largest number of steps that any warp of the block took.
  uint32_t steps(size_t statement) const;
  std::optional<uint32_t> find(size_t statement, uint32_t warp, uint32_t step) const;
  /// Any access of the statement, as near as possible to the warp and step that are wanted.
  std::optional<uint32_t> nearest(size_t statement, uint32_t warp, uint32_t step) const;

 private:
  uint32_t block_ = 0, warps_ = 0;
  std::vector<uint32_t> entries_, first_;  // access indices; bucket starts by statement · warps + warp
};

/// Where an access stands in its block.
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

  /// The statement a view shows when nothing is chosen: the first global store to the largest result, else the first
  /// access; −1 if none.
  int32_t default_statement() const { return default_statement_; }
  /// The global statement at a source line, else one of shared memory; −1 if none. A line that loads and stores gives
  /// its store.
  int32_t statement_at(uint32_t line) const;

  /// The access to a buffer that views show for a block: the hovered or selected one, or the one that corresponds to it
  /// in this block; else that of the selected line; else one in the middle of the block.
  std::optional<uint32_t> shown_access(const Selection& hover, const Selection& selection, uint32_t block);

 private:
  ResultReference result_;
  std::vector<Statement> statements_;
  std::vector<int32_t> by_site_;
  int32_t default_statement_ = -1;
  BlockAccesses recent_[2];  // the block shown, and the one that the selection lies in
  bool held_[2] = {false, false};
  int next_ = 0;
};

/// The index of a result, which the window keeps until another result is asked for.
TraceIndex& trace_index(ViewState& view, const std::shared_ptr<const RunResult>& result);

/// Consecutive active lanes whose first byte lies in the same 32-byte sector.
struct SectorRun {
  int first_lane = 0, last_lane = 0;
  int64_t sector = 0;  // of the buffer: offset / 32
};

/// One access of one warp, with its addresses worked out.
struct WarpAccess {
  uint32_t access = 0, block = 0, warp = 0, mask = 0, line = 0;
  int64_t buffer = -1;
  uint32_t bytes_per_lane = 0, element_bytes = 1;
  bool writes = false;
  Space space = Space::global;
  bool is_matrix = false;            // ldmatrix, stmatrix: a lane's address is that of a row
  std::array<int64_t, 32> offset{};  // bytes into the buffer, or into shared memory; of active lanes only
  std::vector<SectorRun> runs;
  GlobalCost cost;    // of global memory
  SharedCost shared;  // of shared memory
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
/// Lanes of a shared access whose bank has to give another lane another word: a conflict.
uint32_t conflicting_lanes(const WarpAccess& access);
WarpAccess warp_access(const RunResult& result, uint32_t access);
/// Whether it moves clearly more sectors than its bytes need.
bool is_wasteful(const WarpAccess& access);

/// The lane of an access that touches an element; −1 if none does.
int lane_of_element(const WarpAccess& access, int64_t element);

/// What picking an element means everywhere: its writer's block, access, lane and line.
Selection select_element(const RunResult& result, size_t buffer, int64_t element);
/// What picking an access (and one of its lanes) means everywhere.
Selection select_access(const RunResult& result, uint32_t access, std::optional<int> lane = {});

/// What is selected in a new result when the last one had `old` selected: the same element, else the same block; the
/// line if it still reads or writes. Indices of accesses do not survive.
Selection carry_selection(TraceIndex& index, const Selection& old);
/// What a result has selected before anybody chooses: the block and line of the first finding, else a block near the
/// middle, and its access in the middle.
Selection suggest_selection(TraceIndex& index);
/// Call before drawing what depends on a selection: when the result is another one, the selection follows.
void follow_result(ViewState& view, const std::shared_ptr<const RunResult>& result);
/// Picks the line and the block of a finding of the shown result, for every view.
void select_finding(ViewState& view, const RunResult& result, const Finding& finding);
/// The block shown when none is chosen, where nothing is known of the blocks; and that of a result: one that was
/// executed and recorded, and that no edge cuts.
constexpr uint32_t usual_block(uint64_t blocks) { return static_cast<uint32_t>(blocks * 11 / 20); }
uint32_t usual_block(const RunResult& result);
/// The linear index of the block that a finding names; nothing if it lies outside the grid.
std::optional<uint32_t> block_of(const Finding& finding, const Dim3& grid);
/// The same of the launch that is shown; nothing if the finding is of a different one.
std::optional<uint32_t> shown_block_of(const Finding& finding, const RunResult& result);

/// Floor division, for offsets before a buffer's start.
constexpr int64_t floor_divide(int64_t value, int64_t by) { return value / by - (value % by < 0 ? 1 : 0); }

}  // namespace tilescope
