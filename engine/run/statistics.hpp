// Statistics of an output, for runs without a reference.
#pragma once

#include "engine/run_result.hpp"

namespace tilescope {

/// If the buffer started as poison, elements that still hold it count as untouched and as nothing else.
OutputStatistics count_output(const HostBuffer& buffer, bool started_as_poison);

}  // namespace tilescope
