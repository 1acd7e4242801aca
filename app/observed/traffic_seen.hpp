// Accesses of rungs that have run in this window, so that the traffic view can show a neighbouring rung's beside the
// one that is shown: real ones, of the same sizes, never worked out.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/observed/trace_index.hpp"

namespace tilescope {

struct SeenAccess {
  std::string lab, rung, buffer;
  Text title;         // of the rung
  size_t number = 0;  // of the rung, from 0
  std::map<std::string, int64_t> sizes;
  bool writes = false;
  WarpAccess access;
};

/// Keeps, for every buffer and direction, the access in the middle of the grid. Edited and broken sources are none of
/// the ladder's.
void remember_accesses(ViewState& view, const std::shared_ptr<const RunResult>& result);
/// The same access in another rung of the lab: of those that move another number of sectors for as many bytes, the
/// nearest in the ladder. Null if none has run.
const SeenAccess* access_of_neighbour(const ViewState& view, const RunResult& result, const WarpAccess& shown);

}  // namespace tilescope
