// Screen positions of everything that can be pressed, by name: "slider.BLOCK", "rung.grid-stride", "language.zh". Tests
// press them without knowing the layout, and the state file gives them to scripts.
#pragma once

#include <imgui.h>

#include <map>
#include <string>

namespace tilescope {

struct Mark {
  ImVec2 low, high;
  ImVec2 centre() const { return {(low.x + high.x) / 2, (low.y + high.y) / 2}; }
};
using Marks = std::map<std::string, Mark>;

}  // namespace tilescope
