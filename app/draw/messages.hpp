// Translates the engine's messages: errors, hints, findings, reasons and the notes of recordings.
//
// The engine's texts are English forms with placeholders (engine/phrase.hpp). Each other language has a table of these
// forms, assets/strings/zh-messages.toml:
//
//   [errors]     by the ids of engine/diagnostics.def      kernel-not-found = "{1} 中没有内核“{0}”；其中有 {2}"
//   [hints]      likewise                                  [findings]  by the ids of engine/findings.def
//   [phrases]    by the English form                       "line {}" = "第 {} 行"
//   [notes]      texts that recordings store in English, by their English form
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/phrase.hpp"
#include "engine/result.hpp"

namespace tilescope {

class Messages {
 public:
  static Result<Messages> load(const std::filesystem::path& file);

  /// The phrase in the table's language. Texts missing in the table stay English; names stay unchanged.
  std::string say(const Phrase& phrase) const;
  /// Translates a text that was recorded in English: by the whole text, or by a form whose placeholders it fills.
  std::string note(std::string_view text) const;
  /// "越界访问" for "out-of-bounds"; the id itself if the table has no name for it.
  std::string finding(std::string_view id) const;

 private:
  std::unordered_map<std::string, std::string> forms_;         // by English form
  std::unordered_map<std::string, std::string> findings_;      // by id
  std::vector<std::pair<std::string, std::string>> patterns_;  // notes with placeholders, longest first
};

/// Extracts the values of a form's placeholders from a text, if the text matches the form. Placeholders are {} and
/// never empty.
bool read_places(std::string_view form, std::string_view text, std::vector<std::string>& places);

}  // namespace tilescope
