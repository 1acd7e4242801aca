// Which of a run's launches is shown: the tile map, the waves and the steps are those of one launch; what is counted,
// and what comes out, are those of all.
#pragma once

#include "engine/run_result.hpp"

namespace tilescope {

/// The launch that the request asks for, else that of the first finding, else the usual one of the rung, which is null
/// where no lab declares the plan; 0 where the plan has none.
uint32_t launch_to_show(const RunResult& result, const Rung* rung);

/// Whether two requests differ at most in the launch that is shown.
bool same_but_launch(Request a, const Request& b);

/// The result that a run of `request` would have, made from one of a request that differs from it in the launch alone:
/// nothing is run again.
RunResult show_launch(const RunResult& result, const Request& request);

}  // namespace tilescope
