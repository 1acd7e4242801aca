// Resource limits of a CTA on the GPUs that have most, and the error for a rung that exceeds them.
#pragma once

#include <cstdint>
#include <string>

#include "engine/result.hpp"

namespace tilescope {

/// Most shared memory of a CTA on the usual GPU.
int64_t most_shared_bytes();

/// An error that names the parameters if a CTA would exceed the shared memory.
Result<void> check_shared(const std::string& what, const std::string& value, int64_t bytes);

}  // namespace tilescope
