// What a kernel may write in global memory, as far as its code tells.
#pragma once

#include <cstdint>
#include <vector>

namespace tilescope {

struct WrittenMemory {
  bool anywhere = false;             // some store's address is not understood
  bool variables = false;            // some variable of the module is written
  std::vector<uint32_t> parameters;  // offsets of the parameters that point to what is written
};

}  // namespace tilescope
