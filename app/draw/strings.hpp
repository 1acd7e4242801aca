// Every text of the interface, in English and Chinese: assets/strings/{en,zh}.toml. What the engine says is English
// there and in zh-messages.toml Chinese.
//
//   [tiles]
//   sentence = "{blocks} blocks write {elements} elements"      →  strings.format("tiles.sentence", fmt::arg("blocks",
//   97), …)
#pragma once

#include <fmt/args.h>
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "app/draw/messages.hpp"
#include "engine/numbers.hpp"
#include "engine/result.hpp"
#include "engine/types.hpp"
#include "engine/units.hpp"

namespace tilescope {

enum class Language { en, zh };

class Strings {
 public:
  /// Reads both files. A key that is missing in one language shows the other's text; in both, the key itself.
  static Result<Strings> load(const std::filesystem::path& folder);

  Language language = Language::en;

  /// "section.key" in the current language.
  const std::string& operator()(std::string_view key) const;
  /// A lab's own text in the current language.
  const std::string& operator()(const Text& text) const { return language == Language::en ? text.en : text.zh; }
  /// The text with its places filled; a text whose places do not fit the arguments is shown as it is.
  template <class... Args>
  std::string format(std::string_view key, const Args&... args) const {
    return filled((*this)(key), fmt::make_format_args(args...));
  }
  /// The same with places that are only known at run time.
  std::string format(std::string_view key, const std::vector<std::pair<std::string, std::string>>& places) const;
  /// What the engine says, in the current language.
  std::string say(const Phrase& phrase) const;
  std::string message(const Error& error) const;
  std::string hint(const Error& error) const;
  /// "out-of-bounds": in English a finding is called by its id.
  std::string finding_name(std::string_view id) const;
  /// A text of a recording or of a lab that is held in English.
  std::string note(std::string_view text) const;
  /// Keys that are present in only one language; empty when the files agree (a test checks it).
  std::vector<std::string> unpaired() const;

 private:
  static std::string filled(const std::string& text, fmt::format_args arguments);
  std::unordered_map<std::string, std::string> english_, chinese_;
  Messages chinese_messages_;
  mutable std::unordered_map<std::string, std::string> missing_;
};

/// 127000 → "127 k", 2.5e6 → "2.5 M"; under 1000 as it is.
std::string rate_text(double per_second);
/// Four figures, as a person would write them: 0.3142, 2.4e-7, 65,536.
std::string short_number(double value);
/// 6.1234 → "6.1 ms"; 0.0531 → "53.1 µs".
std::string milliseconds_text(double milliseconds);

}  // namespace tilescope
