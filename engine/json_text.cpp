#include "engine/json_text.hpp"

#include <nlohmann/json.hpp>

namespace tilescope {

using nlohmann::json;
using nlohmann::ordered_json;

std::string json_text(const json& document, int indent) {
  return document.dump(indent, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace);
}

std::string json_text(const ordered_json& document, int indent) {
  return document.dump(indent, ' ', /*ensure_ascii=*/false, ordered_json::error_handler_t::replace);
}

json json_from(std::string_view text) { return json::parse(text, nullptr, /*allow_exceptions=*/false); }

}  // namespace tilescope
