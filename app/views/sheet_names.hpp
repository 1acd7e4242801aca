// The cheat sheets by the names of their files, in the order of menus and tabs.
#pragma once

#include <array>

namespace tilescope {

constexpr std::array<const char*, 4> kSheets{"cuda", "triton", "errors", "questions"};

}  // namespace tilescope
