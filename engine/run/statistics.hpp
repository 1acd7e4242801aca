// An output in numbers, for runs without a reference.
#pragma once

#include "engine/run_result.hpp"

namespace tilescope {

/// Elements that hold the poison count as untouched where the buffer started with it, and as nothing else.
OutputStatistics count_output(const HostBuffer& buffer, bool started_as_poison);

}  // namespace tilescope
