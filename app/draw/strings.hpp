// Every text of the interface, in English and Chinese: assets/strings/{en,zh}.toml. The engine's messages are English
// in the source and translated by zh-messages.toml.
//
//   [tiles]
//   sentence = "{blocks} blocks write {elements} elements"
//
//   strings.format("tiles.sentence", fmt::arg("blocks", 97), …)
#pragma once

#include <fmt/args.h>
#include <fmt/core.h>

#include <filesystem>
#include <memory>
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

class Glossary;  // app/draw/glossary.hpp

class Strings {
 public:
  /// Reads both files, and the glossary beside them. A key that is missing in one language shows the other language's
  /// text; missing in both, the key itself.
  static Result<Strings> load(const std::filesystem::path& folder);

  Language language = Language::en;

  /// "section.key" in the current language.
  const std::string& operator()(std::string_view key) const;
  /// A lab's own text in the current language.
  const std::string& operator()(const Text& text) const { return language == Language::en ? text.en : text.zh; }
  /// The text with its placeholders filled; shown unfilled if the arguments do not match.
  template <class... Args>
  std::string format(std::string_view key, const Args&... args) const {
    return filled((*this)(key), fmt::make_format_args(args...));
  }
  /// The same with placeholders that are only known at run time.
  std::string format(std::string_view key, const std::vector<std::pair<std::string, std::string>>& places) const;
  /// A message of the engine, in the current language.
  std::string say(const Phrase& phrase) const;
  std::string message(const Error& error) const;
  std::string hint(const Error& error) const;
  /// "out-of-bounds": in English a finding is named by its id.
  std::string finding_name(std::string_view id) const;
  /// A text of a recording or of a lab that is stored in English.
  std::string note(std::string_view text) const;
  /// The terms of the lessons and of the window; null only before load().
  const Glossary* glossary() const { return glossary_.get(); }
  /// Keys that are present in only one language; empty when the files agree (a test checks it).
  std::vector<std::string> unpaired() const;

 private:
  static std::string filled(const std::string& text, fmt::format_args arguments);
  std::unordered_map<std::string, std::string> english_, chinese_;
  Messages chinese_messages_;
  std::shared_ptr<const Glossary> glossary_;
  mutable std::unordered_map<std::string, std::string> missing_;
};

/// 127000 → "127 k", 2.5e6 → "2.5 M"; numbers below 1000 are unchanged.
std::string rate_text(double per_second);
/// Four significant digits in a readable form: 0.3142, 2.4e-7, 65,536.
std::string short_number(double value);
/// 6.1234 → "6.1 ms"; 0.0531 → "53.1 µs".
std::string milliseconds_text(double milliseconds);

}  // namespace tilescope
