// Reads kernel attributes from a cubin's ELF. ptxas prints registers and stack too, but constant memory is only here.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace tilescope {

struct CubinKernel {
  uint32_t registers = 0;
  uint32_t frame_bytes = 0;     // stack per thread
  uint32_t constant_bytes = 0;  // size of the module's __constant__ variables
};

/// By kernel name; empty if the bytes are not a cubin. Never reads outside the span.
std::map<std::string, CubinKernel> read_cubin(std::span<const std::byte> cubin);

/// "_ZN45_GLOBAL__N__00000000_4_k_cu_827623ed_281811kEPi" → "_ZN_1kEPi". NVRTC writes its process number into the names
/// of file-local symbols (unnamed namespaces, static variables), so the names in PTX and cubin differ.
std::string without_process(const std::string& symbol);
/// The cubin's name for a kernel or variable of the PTX; the same name if the cubin has no match.
std::string name_in_cubin(std::span<const std::byte> cubin, const std::string& symbol);

}  // namespace tilescope
