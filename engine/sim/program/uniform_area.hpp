// Builds the uniform area of a program: constants, and space for parameters and special registers.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <utility>

#include "engine/sim/program/program.hpp"

namespace tilescope {

class UniformArea {
 public:
  explicit UniformArea(Program& program) : program_(program) {}

  /// The slot of a value that is the same in all lanes, as a register of 2, 4 or 8 bytes.
  uint16_t constant(uint64_t bits, uint32_t bytes) {
    if (bytes < 8) bits &= (uint64_t{1} << (8 * bytes)) - 1;
    const auto [place, added] = constants_.try_emplace({bits, bytes}, uint16_t{0});
    if (added) place->second = reserve(bytes);
    return place->second;
  }

  /// Reserves a register of this many bytes, or several side by side.
  uint16_t reserve(uint32_t bytes) {
    const uint32_t slot = slots_;
    slots_ += bytes * 32 / static_cast<uint32_t>(kSlotBytes);
    return static_cast<uint16_t>(kUniformSlot | (slot & (kUniformSlot - 1U)));
  }

  bool full() const { return slots_ >= kUniformSlot; }

  /// Writes the constants into Program::uniform.
  void write() const {
    program_.uniform.assign(size_t{slots_} * kSlotBytes, 0);
    for (const auto& [value, slot] : constants_) {
      uint8_t* at = program_.uniform.data() + size_t{static_cast<uint16_t>(slot & (kUniformSlot - 1U))} * kSlotBytes;
      for (size_t lane = 0; lane < 32; ++lane) std::memcpy(at + lane * value.second, &value.first, value.second);
    }
  }

 private:
  Program& program_;
  std::map<std::pair<uint64_t, uint32_t>, uint16_t> constants_;
  uint32_t slots_ = 0;
};

}  // namespace tilescope
