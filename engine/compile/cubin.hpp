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

/// "_ZN45_GLOBAL__N__00000000_4_k_cu_827623ed_281811kEPi" → "_ZN_1kEPi". NVRTC writes the number of its process into
/// the names of what is a file's own (unnamed namespaces, static variables), so those of PTX and cubin differ.
std::string without_process(const std::string& symbol);
/// What the cubin calls a kernel or variable of the PTX; the same name where it has none like it.
std::string name_in_cubin(std::span<const std::byte> cubin, const std::string& symbol);

}  // namespace tilescope
