// Values of JSON files that a different version, a different program or a damaged disk may have written.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>

#include "engine/json_text.hpp"

namespace tilescope {

/// Takes the value of a key; leaves `value` as it is if the key is missing or its value is of a different type.
template <class T>
void take(const nlohmann::json& object, const char* key, T& value) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if constexpr (std::is_same_v<T, bool>) {
    if (found->is_boolean()) value = found->get<bool>();
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (found->is_number()) value = found->get<T>();
  } else if (found->is_string()) {
    value = found->get<std::string>();
  }
}

/// Puts `now` over `kept`: values of objects by their key, at every depth; anything else is replaced. Keys that `now`
/// does not have stay.
inline void lay_over(nlohmann::json& kept, const nlohmann::json& now) {
  if (!kept.is_object() || !now.is_object()) {
    kept = now;
    return;
  }
  for (const auto& [key, value] : now.items()) lay_over(kept[key], value);
}

/// The text of a file.
inline std::string file_text(const nlohmann::json& object) { return json_text(object, 2) + "\n"; }

}  // namespace tilescope
