#include "labs/limits.hpp"

#include "engine/numbers.hpp"
#include "engine/specs.hpp"

namespace tilescope {

int64_t most_shared_bytes() { return usual_gpu().shared_bytes_per_block; }

Result<void> check_shared(const std::string& what, const std::string& value, int64_t bytes) {
  if (bytes <= most_shared_bytes()) return {};
  return fail(ErrorId::parameter_range, what, value,
              phrase("what fits into shared memory: this needs {} bytes and a CTA has {}", with_separators(bytes),
                     with_separators(most_shared_bytes())));
}

}  // namespace tilescope
