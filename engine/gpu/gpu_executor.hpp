// The GPU behind the Executor interface: the CUDA driver API, opened at run time (the program never links libcuda).
#pragma once

#include <memory>

#include "engine/executor.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// The first GPU, or why there is none. TILESCOPE_HIDE=cuda makes it absent (for tests of the messages).
Result<std::shared_ptr<Executor>> open_gpu();

}  // namespace tilescope
