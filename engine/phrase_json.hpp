// Phrases in JSON: for a process that runs kernels, and for what is kept in files.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/phrase.hpp"

namespace tilescope {

/// A name is a string; a phrase is an object with its form and its placeholders.
nlohmann::json phrase_to_json(const Phrase& phrase);
/// Throws nlohmann::json::exception on anything else.
Phrase phrase_from_json(const nlohmann::json& document);

}  // namespace tilescope
