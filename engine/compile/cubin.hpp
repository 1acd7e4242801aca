// What a cubin's ELF says about its kernels. Registers and stack are also in the text of ptxas; constant memory is only
// here.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace tilescope {

struct CubinKernel {
  uint32_t registers = 0;
  uint32_t frame_bytes = 0;     // stack per thread
  uint32_t constant_bytes = 0;  // the __constant__ variables of the module
};

/// By kernel name; empty where the bytes are not a cubin. Reads nothing outside the span.
std::map<std::string, CubinKernel> read_cubin(std::span<const std::byte> cubin);

}  // namespace tilescope
