// Accesses of rungs that have run in this window, so that the traffic view can show a neighbouring rung's access beside
// the shown one: observed ones of the same sizes, never derived.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/observed/trace_index.hpp"

namespace tilescope {

struct SeenAccess {
  std::string lab, rung, buffer;
  Text title;         // the rung's
  size_t number = 0;  // the rung's, from 0
  std::map<std::string, int64_t> sizes;
  bool writes = false;
  WarpAccess access;
};

/// Keeps, for every buffer and direction, the access in the middle of the grid. Edited and broken sources are not kept,
/// since they are not part of the ladder.
void remember_accesses(ViewState& view, const std::shared_ptr<const RunResult>& result);
/// The same access in a different rung of the lab: among those that move a different number of sectors for the same
/// bytes, the nearest in the ladder. Null if none has run.
const SeenAccess* access_of_neighbour(const ViewState& view, const RunResult& result, const WarpAccess& shown);

}  // namespace tilescope
