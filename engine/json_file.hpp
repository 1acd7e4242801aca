// JSON documents that a damaged disk, a stopped process or an editor may have changed: each holds the SHA-256 of its
// contents, and is written under a temporary name and renamed, so that a reader sees all of it or nothing.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "engine/result.hpp"

namespace tilescope {

/// SHA-256 of the compact text without the member "sha256".
std::string json_fingerprint(nlohmann::json document);

/// Discarded (is_discarded) if the text is not JSON, or nests deeper than `depth`: printing it recurses.
nlohmann::json parse_json(const std::string& text, int depth = 8);

/// The text of a document: a value is on one line if it contains no lists but those of numbers.
std::string json_lines(const nlohmann::json& document);

/// Six significant digits: no time can be reproduced more accurately.
double six_digits(double value);

/// Two processes may write the same file: the last one wins.
Result<void> write_json(const nlohmann::json& document, const std::filesystem::path& file);

}  // namespace tilescope
