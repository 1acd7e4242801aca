// The checksum that a host program prints for each output, and that a run reports of the same buffer. NumPy computes it
// without a loop: the host programs of Triton kernels are in Python.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tilescope {

/// Σ word(i) · k^(i + 1) mod 2^64 over the little-endian words of 32 bits; the last one is filled up with zeros. Any
/// change of one word changes it, and so does any exchange of two that differ.
constexpr uint64_t checksum_of(std::span<const std::byte> bytes) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15U;
  uint64_t sum = 0, power = 1;
  for (size_t first = 0; first < bytes.size(); first += 4) {
    uint64_t word = 0;
    for (size_t i = first; i < std::min(first + 4, bytes.size()); ++i)
      word |= static_cast<uint64_t>(bytes[i]) << 8 * (i - first);
    power *= kFactor;
    sum += word * power;
  }
  return sum;
}

}  // namespace tilescope
