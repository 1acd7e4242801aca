// Memory that the rungs of a plane allocate in addition to Q, K and V, as a function of the sequence length. No ImGui.
#pragma once

#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// Outputs and scratch of a rung, bytes.
double allocated_bytes(const Lab& lab, const Rung& rung, const Config& config);

/// Rungs that allocate the same at every length.
struct MemoryCurve {
  std::vector<const Rung*> rungs;
  std::vector<double> bytes;  // by length
  /// Growth of the bytes at the long end: 2 for O(N²), 1 for O(N).
  int power = 0;
};
struct MemorySweep {
  std::vector<int64_t> lengths;
  std::vector<MemoryCurve> lines;  // most bytes first
};
/// Lengths of the lab's sweep and beyond, up to 128 Ki. Rungs that pick a different rung are left out.
MemorySweep memory_sweep(const Lab& lab, const Config& config);
const MemoryCurve* line_of(const MemorySweep& sweep, const std::string& rung);

}  // namespace tilescope
