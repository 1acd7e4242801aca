// TOML files of the program that hold a list of entries, each with an id of its own and texts in two languages: the
// steps of a lab, review cards, skills.
//
//     TomlEntries reader(file, [](const std::string& id, const Phrase& what) { return phrase("card '{}': {}", id,
//     what); }); auto table = reader.read(); if (!table) return tl::unexpected(table.error()); reader.each(*table,
//     "cards", [&](const std::string& id, const toml::table& one) { … reader.text(one, "question") … }); if (auto end =
//     reader.end(); !end) return tl::unexpected(end.error());
//
// The first problem is kept; what is read after it may be incomplete.
#pragma once

#include <toml++/toml.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// The table of a TOML file. The error: "cannot be read", or the line and what is wrong with it.
tl::expected<toml::table, Phrase> read_toml(const std::filesystem::path& file);

class TomlEntries {
 public:
  /// What is wrong in the entry with an id.
  using InEntry = Phrase (*)(const std::string& id, const Phrase& what);

  TomlEntries(std::filesystem::path file, InEntry in_entry) : file_(std::move(file)), in_entry_(in_entry) {}

  /// The Error asset_malformed names the file.
  Result<toml::table> read() const;
  /// Every entry of the list, which must not be empty; ids must differ.
  void each(const toml::table& table, const char* list,
            const std::function<void(const std::string& id, const toml::table& entry)>& entry);
  /// Notes a problem: of the entry that is being read, or of the file.
  void wrong(Phrase what);
  /// An error if anything was wrong.
  Result<void> end() const;

  /// KEY.en and KEY.zh.
  Text text(const toml::table& table, const char* key, bool needed = true);
  std::string string(const toml::table& table, const char* key);  // needed
  std::vector<std::string> strings(const toml::table& table, const char* key) const;
  /// choices.en and choices.zh, as many in both, none of them empty.
  std::vector<Text> choices(const toml::table& table);
  /// `right`, the index of one of this many choices.
  size_t right_choice(const toml::table& table, size_t count);

 private:
  std::filesystem::path file_;
  InEntry in_entry_;
  std::string id_;  // the id of the entry that is being read
  std::set<std::string> ids_;
  Phrase problem_;
};

}  // namespace tilescope
