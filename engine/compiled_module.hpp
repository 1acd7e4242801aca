// The result of compiling a source: PTX, machine code, and the compiler's facts about both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/trace.hpp"

namespace tilescope {

/// One line of the compile log, parsed.
struct CompileMessage {
  enum class Severity { error, warning, note } severity = Severity::error;
  std::string file = {};
  uint32_t line = 0;  // 1-based; 0 if NVRTC names none
  std::string text = {};
};

/// Resource usage of one kernel for cubin_target.
struct KernelInfo {
  std::string name = {};
  uint32_t registers = 0;            // per thread
  uint32_t static_shared_bytes = 0;  // per block
  uint32_t local_bytes = 0;          // per thread: stack frame
  uint32_t spill_store_bytes = 0, spill_load_bytes = 0;
  uint32_t constant_bytes = 0;
  std::vector<uint32_t> parameter_bytes = {};  // size of each parameter, in order, from the PTX
  uint32_t barriers = 0;                       // that a block uses
};

struct CompiledModule {
  std::string ptx = {};
  std::vector<std::byte> cubin = {};  // empty unless asked for
  std::string cubin_target = {};
  std::vector<KernelInfo> kernels = {};                          // every __global__ function, in source order
  std::map<std::string, std::string> kernel_of_expression = {};  // PTX name of each instantiated kernel
  std::map<std::string, std::string> left_out = {};  // kernels that do not compile: the first error, by name
  std::vector<CompileMessage> messages = {};         // warnings
  std::string log = {};                              // NVRTC's complete text
  double milliseconds = 0;                           // duration of this call
  bool from_cache = false;
  const KernelInfo* find(const std::string& kernel) const {
    for (const auto& info : kernels)
      if (info.name == kernel) return &info;
    return nullptr;
  }
};

/// A memory instruction of the machine code.
struct MachineAccess {
  uint64_t address = 0;  // first byte of the instruction, from the start of the kernel
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  uint32_t bytes_per_lane = 0;  // 0: unknown, as for atomics
  std::string name = {};        // "LDS.128"
  std::string file = {};        // where its source line is
  uint32_t line = 0;            // 0: none
};

}  // namespace tilescope
