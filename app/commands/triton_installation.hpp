// Which Triton the program would use, as far as files tell: asking the Python process takes a second.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tilescope {

/// "3.6.0 in /home/me/.local/share/tilescope/triton", or how to get it.
std::string triton_text();
nlohmann::json triton_json();

}  // namespace tilescope
