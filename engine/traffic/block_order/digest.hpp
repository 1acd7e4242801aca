// A digest of a sequence of numbers: sequences with equal digests are treated as equal.
#pragma once

#include <cstdint>

namespace tilescope {

class Digest {
 public:
  void add(uint64_t value) {
    first_ = mixed((first_ ^ value) * 0x9e3779b97f4a7c15U);
    second_ = mixed((second_ + value) * 0xbf58476d1ce4e5b9U + 0x94d049bb133111ebU);
  }
  void add(const Digest& other) {
    add(other.first_);
    add(other.second_);
  }
  auto operator<=>(const Digest&) const = default;
  uint64_t short_form() const { return first_ ^ mixed(second_); }

 private:
  static uint64_t mixed(uint64_t value) { return value ^ (value >> 29) ^ (value >> 47); }
  uint64_t first_ = 0x243f6a8885a308d3, second_ = 0x13198a2e03707344;
};

}  // namespace tilescope
