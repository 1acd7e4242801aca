// The findings of the running block: each names what happened, the source line, and the thread. Findings of the same
// kind at the same line are merged, with a count of lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/finding.hpp"
#include "engine/sim/state/running.hpp"

namespace tilescope {

/// "read", "write" or "atomic".
Phrase verb_of(const MemorySite& site);

/// A line that a finding reports instead of its instruction's line.
struct FindingPlace {
  std::string file;
  uint32_t line = 0;
};

class Findings {
 public:
  explicit Findings(Running& running) : running_(running), setup_(running.setup), program_(running.program) {}

  /// Counts lanes of a known finding without building its text: there may be millions of them. False if the finding is
  /// new, or if a step recorder notes each one.
  bool count_again(uint32_t operation, uint32_t lanes, FindingId id);
  /// Adds to the finding of the same kind and line, or starts a new one.
  void report(Warp& warp, uint32_t operation, uint32_t lane, uint32_t lanes, FindingId id, const Phrase& what,
              const Extent* extent, int64_t offset, const FindingPlace* place = nullptr);
  /// Reports a finding of some lanes at an operation; each lane counts.
  void report_lanes(Warp& warp, const Operation* operation, uint32_t lanes, FindingId id, const Phrase& what);
  /// Reports what these lanes did, and ends the block.
  void stop(Warp& warp, const Operation* operation, uint32_t lanes, FindingId id, const Phrase& what,
            const FindingPlace* place = nullptr);
  /// The lanes execute trap, which ends the block.
  void trap(Warp& warp, const Operation* operation, uint32_t lanes);
  /// A string argument of printf that does not end inside its variable.
  void report_string(Warp& warp, const Operation* operation, size_t lane, uint64_t address);
  /// free() of an address that malloc has not returned, or that is already freed.
  void report_free(Warp& warp, const Operation* operation, size_t lane, FindingId id, uint64_t address);
  /// A texture fetch reads texels that were never written, the first of them at `address`.
  void report_texel(Warp& warp, const Operation* operation, size_t lane, uint64_t address, size_t bytes);

  // How findings refer to code and memory.
  std::string_view name_of_operation(const Operation* operation) const;
  /// "line 12".
  Phrase line_text(const Operation* operation) const;
  /// "a+4096 (buffer of 4096 bytes)".
  Phrase place_text(const Extent* extent, uint64_t address) const;

 private:
  Running& running_;
  const LaunchSetup& setup_;
  const Program& program_;
};

}  // namespace tilescope
