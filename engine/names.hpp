// Joins names into a list for a sentence: "a, b, c", or "none".
#pragma once

#include <string>

#include "engine/phrase.hpp"

namespace tilescope {

/// `name` returns the name of an item.
template <class Items, class Name>
Phrase join_names(const Items& items, Name name) {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) text += ", ";
    text += name(item);
  }
  return text.empty() ? Phrase("none") : text;
}

/// For items that have a member `name`.
template <class Items>
Phrase join_names(const Items& items) {
  return join_names(items, [](const auto& item) { return item.name; });
}

}  // namespace tilescope
