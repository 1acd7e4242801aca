// Where the step view stands: a step of one warp, and how values are shown.
#pragma once

#include <cstdint>

namespace tilescope {

enum class StepFormat : uint8_t { automatic, whole, hexadecimal, real };

struct StepCursor {
  uint32_t warp = 0;
  uint64_t position = 0;    // among the warp's recorded steps
  uint64_t first_step = 0;  // of each warp, where the window begins
  bool playing = false;
  double since_step = 0;  // seconds, while playing
  StepFormat format = StepFormat::automatic;
};

}  // namespace tilescope
