// What the window shows, as JSON: values, the newest result, and where everything that can be pressed is. A script that
// drives the window with real clicks reads it (tests/gui/drive_window.sh).
#pragma once

#include <nlohmann/json.hpp>

#include "app/window/screen.hpp"

namespace tilescope {

nlohmann::json state_of(const Screen& screen);

}  // namespace tilescope
