// Names in sources and in messages about them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope {

/// "f" of "a::b::f".
inline std::string last_component(std::string_view name) {
  const size_t at = name.rfind("::");
  return std::string(at == std::string_view::npos ? name : name.substr(at + 2));
}

/// The quoted names in a compiler message: identifier "count" is undefined.
inline std::vector<std::string> quoted_names(const std::string& message) {
  std::vector<std::string> names;
  for (size_t open = message.find('"'); open != std::string::npos;) {
    const size_t close = message.find('"', open + 1);
    if (close == std::string::npos) break;
    names.push_back(message.substr(open + 1, close - open - 1));
    open = message.find('"', close + 1);
  }
  return names;
}

}  // namespace tilescope
