// The global memory that a kernel may write, as far as its code tells.
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope {

struct WrittenMemory {
  bool anywhere = false;             // the address of some store could not be traced
  bool variables = false;            // some module variable is written
  std::vector<uint32_t> parameters;  // offsets of the parameters that point to written memory
};

}  // namespace tilescope
