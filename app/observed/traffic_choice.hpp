// Which accesses the traffic view shows: one to global memory, and the one to shared memory that the same warp makes
// next to it. No drawing.
#pragma once

#include <optional>
#include <vector>

#include "app/observed/trace_index.hpp"
#include "app/observed/traffic_facts.hpp"

namespace tilescope {

struct ShownAccesses {
  std::optional<uint32_t> global, shared;
  bool shared_chosen = false;  // the one to shared memory is what was chosen; the other goes with it
  std::optional<uint32_t> chosen() const { return shared_chosen ? shared : global; }
};
/// Of a block: what is hovered or selected; else one of the hovered or selected line, the most wasteful first; else
/// what the other views show.
ShownAccesses shown_accesses(TraceIndex& index, const std::vector<LedgerRow>& rows, const Selection& hover,
                             const Selection& selection, uint32_t block);

/// Statements of global and shared memory that a block executes. An asynchronous copy is one: that which it reads.
std::vector<size_t> statements_of(TraceIndex& index, uint32_t block);
/// An access of a ledger's row in a block, as near as possible to a warp and a step; nothing if the block makes none.
std::optional<uint32_t> access_of_row(TraceIndex& index, const LedgerRow& row, uint32_t block,
                                      const std::optional<AccessPlace>& near);

}  // namespace tilescope
