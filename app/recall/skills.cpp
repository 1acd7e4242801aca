#include "app/recall/skills.hpp"

#include <algorithm>

#include "engine/toml_entries.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

Phrase in_skill(const std::string& id, const Phrase& what) { return phrase("skill '{}': {}", id, what); }

}  // namespace

const std::vector<std::string>& skill_groups() {
  static const std::vector<std::string> groups{"execution", "memory",    "synchronization", "operators", "fusion",
                                               "matmul",    "attention", "triton",          "practice"};
  return groups;
}

Result<std::vector<Skill>> read_skills(const fs::path& file) {
  TomlEntries entries(file, in_skill);
  const auto table = entries.read();
  if (!table) return tl::unexpected(table.error());
  std::vector<Skill> skills;
  entries.each(*table, "skills", [&](const std::string& id, const toml::table& one) {
    skills.push_back({.id = id,
                      .group = one["group"].value_or(std::string()),
                      .name = entries.text(one, "name"),
                      .title = entries.text(one, "title"),
                      .labs = entries.strings(one, "labs"),
                      .exercises = entries.strings(one, "exercises")});
    if (std::ranges::find(skill_groups(), skills.back().group) == skill_groups().end())
      entries.wrong(phrase("'{}' is not a group", skills.back().group));
  });
  if (auto end = entries.end(); !end) return tl::unexpected(end.error());
  return skills;
}

}  // namespace tilescope
