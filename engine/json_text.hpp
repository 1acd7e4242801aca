// The text of JSON values and back, compiled once: nlohmann's parser and printer are templates, and take a second or
// two of compile time in each file that calls them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilescope {

/// `indent` spaces for each level, or all on one line. Bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& document, int indent = -1);
std::string json_text(const nlohmann::ordered_json& document, int indent = -1);

/// Discarded (is_discarded) if the text is not JSON.
nlohmann::json json_from(std::string_view text);

}  // namespace tilescope
