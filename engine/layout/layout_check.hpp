// Whether lanes access the elements that a tensor's layout says: the addresses of the trace against the layout.
//
// Global memory: the k-th instruction of a load has the k-th run of a thread's registers, so each lane's address
// belongs to an element that the layout names. How a program computes its pointers is not known; tensors of pointers
// are nearly always evenly spaced, so the check finds the distance of each dimension from a few addresses, and then
// every other address must follow from the layout. A layout that puts elements elsewhere gives other addresses. Shared
// memory: what a warp reads or writes must be the elements that its threads hold, at the offsets that the swizzle gives
// them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/layout/program_tensors.hpp"
#include "engine/trace.hpp"

namespace tilescope {

struct LayoutCheck {
  enum class Outcome : uint8_t {
    matches,
    differs,
    no_accesses,   // the operation touches no memory, or the trace has no access of it
    not_assigned,  // the line's instructions cannot be told apart
    uneven,        // the pointers are not evenly spaced: nothing is known about the elements
  };
  Outcome outcome = Outcome::no_accesses;
  uint64_t requests = 0, lanes = 0;        // that were compared
  std::vector<int64_t> stride_bytes = {};  // global memory: from an element to the next, for each dimension
  uint32_t run = 0;                        // elements of a thread in one instruction
  /// The first lane that differs.
  struct Difference {
    uint32_t access = 0, lane = 0;  // access: index into AccessTrace::accesses
    uint64_t expected = 0, address = 0;
  };
  std::optional<Difference> difference = {};
};

/// What is compared at most: enough for whole blocks, and little enough for a frame.
constexpr uint64_t kMostCheckedRequests = 4096;

/// `tensors` are all operations of the program, in their order; `file` is the kernel's own, `launch` the index of its
/// launch.
LayoutCheck check_layout(std::span<const ProgramTensor> tensors, size_t index, const AccessTrace& trace,
                         uint32_t launch, std::string_view file);

/// Which accesses of one block belong to the tensor: by warp and instruction, the first time that the warp executes it.
struct TensorAccess {
  uint32_t warp = 0;
  uint32_t first_register = 0;  // where the run of registers begins
  uint32_t access = 0;          // index into AccessTrace::accesses
};
std::vector<TensorAccess> tensor_accesses(std::span<const ProgramTensor> tensors, size_t index,
                                          const AccessTrace& trace, uint32_t launch, std::string_view file,
                                          uint32_t block);

}  // namespace tilescope
