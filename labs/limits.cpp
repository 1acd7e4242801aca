#include "labs/limits.hpp"

#include "engine/numbers.hpp"

namespace tilescope {

Result<void> check_shared(const std::string& what, const std::string& value, int64_t bytes) {
  if (bytes <= kMostSharedBytes) return {};
  return fail(ErrorId::parameter_range, what, value,
              phrase("what fits into shared memory: this needs {} bytes and a CTA has {}", with_separators(bytes),
                     with_separators(kMostSharedBytes)));
}

}  // namespace tilescope
