// Position of the step view: a step of one warp, and the format of values.
#pragma once

#include <cstdint>

namespace tilescope {

enum class StepFormat : uint8_t { automatic, whole, hexadecimal, real };

struct StepCursor {
  uint32_t warp = 0;
  uint64_t position = 0;    // index into the warp's recorded steps
  uint64_t first_step = 0;  // start of the window, per warp
  bool playing = false;
  double since_step = 0;  // seconds, while playing
  StepFormat format = StepFormat::automatic;
};

}  // namespace tilescope
