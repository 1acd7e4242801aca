// Which lines and sectors one recorded access touches. Accesses repeat their patterns, so each is worked out once.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/trace.hpp"

namespace tilescope {

/// What an access touches of one line of 128 bytes.
struct LinePart {
  int64_t line = 0;                 // from the line of the access's base
  uint8_t sectors = 0;              // one bit for each of its four sectors that is touched
  uint8_t whole = 0;                // and those of which every byte is
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
    uint32_t older = kNone;                           // of the same pattern
  };
  void work_out(const Access& access, uint32_t bytes_per_lane);

  const AccessTrace& trace_;
  std::vector<uint32_t> newest_;  // by pattern: into known_
  std::vector<Known> known_;
  std::vector<LinePart> parts_;
};

}  // namespace tilescope
