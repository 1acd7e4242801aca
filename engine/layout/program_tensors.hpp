// The tensors of a Triton program, as its TTGIR has them after the compiler chose their layouts: what tl.load and
// tl.dot give, what lies in shared memory, what tl.store writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/layout/tensor_layout.hpp"

namespace tilescope {

struct ProgramTensor {
  enum class Kind : uint8_t {
    load,         // tt.load: global memory → registers
    copy,         // ttg.async_copy_global_to_local: cp.async, global → shared memory
    store,        // tt.store: registers → global memory
    to_shared,    // ttg.local_alloc of a tensor, ttg.local_store: registers → shared memory
    from_shared,  // ttg.local_load: shared memory → registers
    dot,          // tt.dot: the accumulator
    reduce        // tt.reduce along one dimension: the result
  };
  Kind kind = Kind::load;
  std::string name = {};  // the Python variable; empty: none, as for a store
  uint32_t line = 0;      // in the kernel's own file, 1-based
  std::vector<int64_t> shape = {};
  std::string element = {};  // "f16"
  uint32_t element_bytes = 0;
  LayoutAttribute attribute = {};
  TensorLayout layout = {};            // which thread and register has an element
  std::optional<SharedLayout> shared;  // where an element is in shared memory, for the kinds that touch it
  std::string shared_text = {};        // its attribute

  bool reads_global() const { return kind == Kind::load || kind == Kind::copy; }
  bool touches_global() const { return reads_global() || kind == Kind::store; }
  /// Read from shared memory as tl.dot takes it. In a pipelined loop other tensors are read from there too.
  bool is_operand() const { return kind == Kind::from_shared && attribute.kind == "dot_op"; }
};

/// Every operation on such a tensor, in the order of the TTGIR; those whose layouts are not supported are left out. A
/// pipelined loop has an operation more than once: before the loop, and in it. `file` is the kernel's own, by its name.
std::vector<ProgramTensor> program_tensors(std::string_view ttgir, std::string_view file);

/// Whether two operations are of one tensor of the source: they differ only in where they stand.
bool is_same_tensor(const ProgramTensor& one, const ProgramTensor& other);

}  // namespace tilescope
