// What a CTA can have, on the GPUs that have most, and the error where a rung would need more.
#pragma once

#include <cstdint>
#include <string>

#include "engine/result.hpp"

namespace tilescope {

constexpr int64_t kMostSharedBytes = 227 * 1024;  // of a CTA of an H200

/// An error if a CTA would need more shared memory than there is; it names the parameters.
Result<void> check_shared(const std::string& what, const std::string& value, int64_t bytes);

}  // namespace tilescope
