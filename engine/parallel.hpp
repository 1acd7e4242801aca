// A parallel loop over [0, count) on the host's cores.
#pragma once

#include <cstddef>
#include <functional>

namespace tilescope {

/// Calls body(begin, end) for consecutive pieces of at most `piece`; pieces run concurrently and in any order. Returns
/// when all are done. A body must not throw.
void parallel_for(size_t count, size_t piece, const std::function<void(size_t begin, size_t end)>& body);

}  // namespace tilescope
