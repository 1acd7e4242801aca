// What a CTA can have, on the GPUs that have most, and the error where a rung would need more.
#pragma once

#include <cstdint>
#include <string>

#include "engine/result.hpp"

namespace tilescope {

/// The shared memory of a CTA, of the usual GPU.
int64_t most_shared_bytes();

/// An error if a CTA would need more shared memory than there is; it names the parameters.
Result<void> check_shared(const std::string& what, const std::string& value, int64_t bytes);

}  // namespace tilescope
