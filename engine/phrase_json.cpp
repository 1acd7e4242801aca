#include "engine/phrase_json.hpp"

#include <nlohmann/json.hpp>

namespace tilescope {

using nlohmann::json;

json phrase_to_json(const Phrase& phrase) {
  if (phrase.is_name()) return phrase.form();
  json places = json::array();
  for (const Phrase& place : phrase.places()) places.push_back(phrase_to_json(place));
  return {{"form", phrase.form()}, {"places", std::move(places)}};
}

Phrase phrase_from_json(const json& document) {
  if (document.is_string()) return document.get<std::string>();
  std::vector<Phrase> places;
  for (const json& place : document.at("places")) places.push_back(phrase_from_json(place));
  return {document.at("form").get<std::string>(), std::move(places)};
}

}  // namespace tilescope
