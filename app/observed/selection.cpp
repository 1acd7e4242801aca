// The selection shared by all views: what selecting a thing means, and how the selection changes with the result.
#include <algorithm>

#include "app/observed/trace_index.hpp"
#include "engine/run/limits.hpp"

namespace tilescope {
namespace {

/// Adds an access of the selected block, so that every view has something to highlight.
void complete(TraceIndex& index, Selection& selection) {
  if (!selection.block || selection.access) return;
  const auto access = index.shown_access({}, selection, *selection.block);
  if (!access) return;
  const Selection whole = select_access(index.result(), *access);
  selection.access = whole.access;
  selection.line = whole.line;
}

/// The access of a finding's thread at its line, preferably one that leaves its buffer.
std::optional<Selection> access_of(TraceIndex& index, const Finding& finding, uint32_t block) {
  const Dim3& extent = index.result().tiles.block;
  const uint32_t thread = (finding.thread.z * extent.y + finding.thread.y) * extent.x + finding.thread.x;
  const int lane = static_cast<int>(thread % 32);
  std::optional<Selection> first;
  for (size_t i = 0; i < index.statements().size(); ++i) {
    if (index.statements()[i].line != finding.line) continue;
    for (uint32_t access : index.block(block).of(i, thread / 32)) {
      const WarpAccess one = warp_access(index.result(), access);
      if (!one.is_active(lane)) continue;
      if (one.is_outside(lane)) return select_access(index.result(), access, lane);
      if (!first) first = select_access(index.result(), access, lane);
    }
  }
  return first;
}

/// Whether there is anything to show for a block. A block without a record touches no memory if the record is complete.
bool is_recorded(const RunResult& result, uint32_t block) {
  const auto& first = result.tiles.accesses_first;
  return result.trace.complete || first.size() <= block + size_t{1} || first[block + size_t{1}] > first[block];
}

}  // namespace

uint32_t usual_block(const RunResult& result) {
  if (result.observed && result.tiles.grid.count() != 0) return result.tiles.typical_block;
  if (result.plan.launches.empty()) return 0;
  const Dim3& grid = result.plan.launches[std::min<size_t>(result.launch, result.plan.launches.size() - 1)].grid;
  if (result.blocks_sampled == 0) return usual_block(grid.count());
  // An executed block that is not at the far edge of the grid, where it may be cut off.
  const std::vector<uint32_t> sample = sample_of(grid);
  const auto inside = [](uint32_t at, uint32_t extent) { return extent == 1 || at + 1 < extent; };
  for (size_t i = sample.size(); i-- > 0;) {
    const Dim3 at = unflatten(sample[i], grid);
    if (inside(at.x, grid.x) && inside(at.y, grid.y) && inside(at.z, grid.z)) return sample[i];
  }
  return 0;
}

std::optional<uint32_t> block_of(const Finding& finding, const Dim3& grid) {
  const Dim3& at = finding.block;
  if (at.x >= grid.x || at.y >= grid.y || at.z >= grid.z) return {};
  return static_cast<uint32_t>((uint64_t{at.z} * grid.y + at.y) * grid.x + at.x);
}

std::optional<uint32_t> shown_block_of(const Finding& finding, const RunResult& result) {
  if (finding.launch != result.launch) return {};
  return block_of(finding, result.tiles.grid);
}

Selection carry_selection(TraceIndex& index, const Selection& old) {
  const RunResult& result = index.result();
  if (old.buffer && old.element && *old.buffer < result.plan.buffers.size() && *old.element >= 0 &&
      *old.element < result.plan.buffers[*old.buffer].count())
    return select_element(result, *old.buffer, *old.element);
  Selection kept;
  if (old.block && *old.block < result.tiles.grid.count())
    kept.block = is_recorded(result, *old.block) ? *old.block : usual_block(result);
  if (old.line && index.statement_at(*old.line) >= 0) kept.line = old.line;
  complete(index, kept);
  return kept;
}

Selection suggest_selection(TraceIndex& index) {
  const RunResult& result = index.result();
  Selection suggested;
  if (result.tiles.grid.count() == 0) return suggested;
  suggested.block = usual_block(result);
  for (const Finding& finding : result.findings) {
    const auto block = shown_block_of(finding, result);
    if (!block) continue;
    if (const auto access = access_of(index, finding, *block)) return *access;
    suggested.block = block;
    if (finding.line > 0) suggested.line = finding.line;
    break;
  }
  complete(index, suggested);
  return suggested;
}

void follow_result(ViewState& view, const std::shared_ptr<const RunResult>& result) {
  if (!result || view.followed_result.is(result)) return;
  view.followed_result = ResultReference(result);
  if (!result->observed) return;
  TraceIndex& index = trace_index(view, result);
  const bool chosen = view.selection != Selection{} && view.selection != view.suggested;
  if (chosen) {
    view.selection = carry_selection(index, view.selection);
  } else {
    view.selection = view.suggested = suggest_selection(index);
  }
  view.followed = view.selection;
}

void select_finding(ViewState& view, const RunResult& result, const Finding& finding) {
  view.selection = {};
  view.selection.line = finding.line;
  const Dim3& grid = result.tiles.grid;
  const uint64_t block = finding.block.x + uint64_t{grid.x} * (finding.block.y + uint64_t{grid.y} * finding.block.z);
  if (block < grid.count()) view.selection.block = static_cast<uint32_t>(block);
}

Selection select_element(const RunResult& result, size_t buffer, int64_t element) {
  Selection picked;
  picked.buffer = buffer;
  picked.element = element;
  if (buffer >= result.tiles.buffers.size() || element < 0) return picked;
  const BufferMap& map = result.tiles.buffers[buffer];
  const auto at = static_cast<size_t>(element);
  if (at < map.writer.size() && map.writer[at] != BufferMap::kNobody) picked.block = map.writer[at];
  if (at >= map.writer_access.size() || map.writer_access[at] >= result.trace.accesses.size()) return picked;
  const WarpAccess access = warp_access(result, map.writer_access[at]);
  picked.block = access.block;
  picked.access = access.access;
  if (access.line > 0) picked.line = access.line;
  if (const int lane = lane_of_element(access, element); lane >= 0) picked.lane = lane;
  return picked;
}

Selection select_access(const RunResult& result, uint32_t access, std::optional<int> lane) {
  Selection picked;
  if (access >= result.trace.accesses.size()) return picked;
  const WarpAccess shown = warp_access(result, access);
  picked.block = shown.block;
  picked.access = access;
  if (shown.line > 0) picked.line = shown.line;
  if (shown.buffer >= 0) picked.buffer = static_cast<size_t>(shown.buffer);
  if (lane && shown.is_active(*lane)) {
    picked.lane = lane;
    if (shown.buffer >= 0) picked.element = shown.element(*lane);
  }
  return picked;
}

}  // namespace tilescope
