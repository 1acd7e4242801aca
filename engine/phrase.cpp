#include "engine/phrase.hpp"

#include <fmt/args.h>

#include <ostream>

namespace tilescope {

std::string filled(std::string_view form, const std::vector<std::string>& places) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const std::string& place : places) store.push_back(place);
  try {
    return fmt::vformat(fmt::string_view(form.data(), form.size()), store);
  } catch (const fmt::format_error&) {
    return std::string(form);  // more placeholders than texts: returned unchanged
  }
}

std::string Phrase::english() const {
  if (places_.empty()) return form_;
  std::vector<std::string> places;
  places.reserve(places_.size());
  for (const Phrase& place : places_) places.push_back(place.english());
  return filled(form_, places);
}

std::ostream& operator<<(std::ostream& stream, const Phrase& phrase) { return stream << phrase.english(); }

}  // namespace tilescope
