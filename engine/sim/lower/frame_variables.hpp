// The variables of a subroutine, in the frame that each call of it gets in local memory.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/sim/ptx/ast.hpp"

namespace tilescope {

class FrameVariables {
 public:
  /// A parameter or result, whose place is that of its prototype.
  void add_at(std::string_view name, uint64_t bytes, uint64_t offset) {
    list_.push_back({name, bytes, 1, offset});
    fixed_ = list_.size();
  }
  /// Where the other variables begin.
  void begin_at(uint64_t offset) { begin_ = offset; }
  /// One of a name that is known already has its place, with room for both.
  void add(const PtxVariable& variable);

  /// Of the whole frame, with what a call itself takes.
  uint64_t bytes();
  /// Instructions and calls from `first` on find the variables through the register `frame`. After bytes().
  void resolve(PtxFunction& function, uint32_t first, uint32_t frame) const;

 private:
  struct Variable {
    std::string_view name;
    uint64_t bytes, alignment, offset;
  };
  const Variable* find(std::string_view name) const;
  void resolve(PtxInstruction& instruction, uint32_t frame) const;

  std::vector<Variable> list_;
  size_t fixed_ = 0;  // of list_, how many have a place
  uint64_t begin_ = 0;
};

}  // namespace tilescope
