// The window's content as JSON: values, the newest result, and the positions of everything that can be pressed. Scripts
// that drive the window with real clicks read it (tests/gui/drive_window.sh).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "app/window/screen.hpp"

namespace tilescope {

nlohmann::json state_of(const Screen& screen);

}  // namespace tilescope
