// The accesses that the traffic view shows: one to global memory, and the nearest one to shared memory by the same
// warp. No drawing.
#pragma once

#include <optional>
#include <vector>

#include "app/observed/trace_index.hpp"
#include "app/observed/traffic_facts.hpp"

namespace tilescope {

struct ShownAccesses {
  std::optional<uint32_t> global, shared;
  bool shared_chosen = false;  // the shared access was chosen, and `global` belongs to it
  std::optional<uint32_t> chosen() const { return shared_chosen ? shared : global; }
};
/// For a block: the hovered or selected access; else one of the hovered or selected line, the most wasteful first; else
/// the one that the other views show.
ShownAccesses shown_accesses(TraceIndex& index, const std::vector<LedgerRow>& rows, const Selection& hover,
                             const Selection& selection, uint32_t block);

/// Statements of global and shared memory that a block executes. An asynchronous copy counts as one: its read.
std::vector<size_t> statements_of(TraceIndex& index, uint32_t block);
/// An access of a ledger row in a block, as near as possible to a warp and a step; nothing if the block makes none.
std::optional<uint32_t> access_of_row(TraceIndex& index, const LedgerRow& row, uint32_t block,
                                      const std::optional<AccessPlace>& near);

}  // namespace tilescope
