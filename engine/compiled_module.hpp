// The result of compiling a source: PTX, machine code, and the compiler's facts about both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
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

/// What Triton's compiler decided for one specialization of a kernel.
struct TritonCode {
  std::string kernel = {};  // its name in CompiledModule::ptx
  uint32_t threads = 0, shared_bytes = 0;
  std::vector<uint32_t> kept = {};  // indices of the launch's arguments that are parameters; the others are constants
  uint32_t hidden_pointers = 0;     // parameters after these, for scratch memory
  uint64_t scratch_bytes = 0;       // per program; the first of the hidden pointers points to it
  std::vector<std::pair<std::string, std::string>> constexprs = {};  // the values that were used
  uint32_t num_warps = 0, num_stages = 0;
  std::string ttir = {}, ttgir = {};
  /// Those of the machine code: what Triton lowers for a GPU may differ from the PTX that is simulated.
  uint32_t machine_threads = 0, machine_shared_bytes = 0;
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
  std::vector<TritonCode> triton = {};               // one per kernel of the request; empty for other languages
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
