// The findings that races become.
#pragma once

#include "engine/sim/machine.hpp"

namespace tilescope {

NotedFinding describe_race(const LaunchSetup& setup, Dim3 block, const SharedRace& race);
NotedFinding describe_race(const LaunchSetup& setup, const GlobalRace& race);

}  // namespace tilescope
