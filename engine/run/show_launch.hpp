// Selects the launch of a run that is shown: the tile map, the waves and the steps are those of one launch; counters
// and outputs are those of all.
#pragma once

#include "engine/run_result.hpp"

namespace tilescope {

/// The launch that the request names, else that of the first finding, else the default one of `rung`; 0 if the plan has
/// no launches. `rung` is null if the plan has no lab.
uint32_t launch_to_show(const RunResult& result, const Rung* rung);

/// Whether two requests differ at most in the shown launch.
bool same_but_launch(Request a, const Request& b);

/// The result that a run of `request` would have, derived from the result of a request that differs only in the shown
/// launch: nothing is run again.
RunResult show_launch(const RunResult& result, const Request& request);

}  // namespace tilescope
