// The variables of a subroutine, in the frame that each of its calls gets in local memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

class FrameVariables {
 public:
  /// A parameter or result, whose offset is fixed by its prototype.
  void add_at(std::string_view name, uint64_t bytes, uint64_t offset) {
    list_.push_back({name, bytes, 1, offset});
    fixed_ = list_.size();
  }
  /// Offset at which the other variables begin.
  void begin_at(uint64_t offset) { begin_ = offset; }
  /// A variable whose name is already known shares its offset, with room for both.
  void add(const PtxVariable& variable);

  /// Size of the whole frame, including the call's own overhead.
  uint64_t bytes();
  /// Makes instructions and calls from `first` on address the variables through the register `frame`. Call after
  /// bytes().
  void resolve(PtxFunction& function, uint32_t first, uint32_t frame) const;

 private:
  struct Variable {
    std::string_view name;
    uint64_t bytes, alignment, offset;
  };
  const Variable* find(std::string_view name) const;
  void resolve(PtxInstruction& instruction, uint32_t frame) const;

  std::vector<Variable> list_;
  size_t fixed_ = 0;  // how many of list_ have an offset
  uint64_t begin_ = 0;
};

}  // namespace tilescope
