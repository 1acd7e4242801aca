// One selection everywhere: what picking a thing means, and what becomes of the selection when the result changes.
#include <algorithm>

#include "app/panels/tiles_index.hpp"

namespace tilescope {
namespace {

/// An access of the selected block to go with it, so that every view has something to light.
void complete(TraceIndex& index, Selection& selection) {
  if (!selection.block || selection.access) return;
  const auto access = index.shown_access({}, selection, *selection.block);
  if (!access) return;
  const Selection whole = select_access(index.result(), *access);
  selection.access = whole.access;
  selection.line = whole.line;
}

/// The access of a finding's thread at its line; one that leaves its buffer before any other.
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

}  // namespace

std::optional<uint32_t> block_of(const Finding& finding, const Dim3& grid) {
  const Dim3& at = finding.block;
  if (at.x >= grid.x || at.y >= grid.y || at.z >= grid.z) return {};
  return static_cast<uint32_t>((uint64_t{at.z} * grid.y + at.y) * grid.x + at.x);
}

Selection carry_selection(TraceIndex& index, const Selection& old) {
  const RunResult& result = index.result();
  if (old.buffer && old.element && *old.buffer < result.plan.buffers.size() && *old.element >= 0 &&
      *old.element < result.plan.buffers[*old.buffer].count())
    return select_element(result, *old.buffer, *old.element);
  Selection kept;
  if (old.block && *old.block < result.tiles.grid.count()) kept.block = old.block;
  if (old.line && index.statement_at(*old.line) >= 0) kept.line = old.line;
  complete(index, kept);
  return kept;
}

Selection suggest_selection(TraceIndex& index) {
  const RunResult& result = index.result();
  Selection suggested;
  if (result.tiles.grid.count() == 0) return suggested;
  suggested.block = usual_block(result.tiles.grid.count());
  for (const Finding& finding : result.findings) {
    const auto block = block_of(finding, result.tiles.grid);
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
  static ResultReference last;
  static Selection suggested;  // the selection is still this one: nobody has chosen anything
  if (!result || last.is(result)) return;
  last = ResultReference(result);
  if (!result->observed) return;
  TraceIndex& index = trace_index(result);
  const bool chosen = view.selection != Selection{} && view.selection != suggested;
  if (chosen) {
    view.selection = carry_selection(index, view.selection);
  } else {
    view.selection = suggested = suggest_selection(index);
  }
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
