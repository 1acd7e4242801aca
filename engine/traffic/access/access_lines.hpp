// The lines and sectors that one recorded access touches. Patterns repeat, so each is computed once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/trace.hpp"

namespace tilescope {

/// The part of one 128-byte line that an access touches.
struct LinePart {
  int64_t line = 0;                 // relative to the line of the access's base
  uint8_t sectors = 0;              // one bit for each of its four sectors that is touched
  uint8_t whole = 0;                // one bit for each sector of which every byte is touched
  std::array<uint32_t, 4> bytes{};  // by sector: one bit for each byte
};

class AccessLines {
 public:
  explicit AccessLines(const AccessTrace& trace) : trace_(trace), newest_(trace.patterns.size(), kNone) {}

  /// Valid until the next call.
  std::span<const LinePart> of(const Access& access, uint32_t bytes_per_lane);

 private:
  static constexpr uint32_t kNone = 0xffffffff;
  struct Known {
    uint32_t mask = 0, bytes_per_lane = 0, base = 0;  // base modulo 128
    uint32_t first = 0, count = 0;                    // in parts_
    uint32_t older = kNone;                           // previous entry of the same pattern
  };
  void work_out(const Access& access, uint32_t bytes_per_lane);

  const AccessTrace& trace_;
  std::vector<uint32_t> newest_;  // by pattern: index into known_
  std::vector<Known> known_;
  std::vector<LinePart> parts_;
};

}  // namespace tilescope
