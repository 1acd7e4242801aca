#include "app/recall/skills.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <set>

#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const toml::table& table, const char* key) {
  std::vector<std::string> words;
  if (const auto* list = table[key].as_array(); list != nullptr)
    for (const toml::node& one : *list) words.push_back(one.value_or(std::string()));
  return words;
}

/// Empty: nothing is wrong.
Phrase problem_of(const Skill& skill, const std::set<std::string>& before) {
  if (skill.id.empty()) return phrase("'{}' is missing", "id");
  if (before.contains(skill.id)) return phrase("a second one has this id");
  if (std::ranges::find(skill_groups(), skill.group) == skill_groups().end())
    return phrase("'{}' is not a group", skill.group);
  if (skill.name.en.empty() || skill.name.zh.empty()) return phrase("'{}' is missing", "name");
  if (skill.title.en.empty() || skill.title.zh.empty()) return phrase("'{}' is missing", "title");
  return {};
}

}  // namespace

const std::vector<std::string>& skill_groups() {
  static const std::vector<std::string> groups{"execution", "memory",    "synchronization", "operators", "fusion",
                                               "matmul",    "attention", "triton",          "practice"};
  return groups;
}

Result<std::vector<Skill>> read_skills(const fs::path& file) {
  const auto bad = [&](const Phrase& what) { return fail(ErrorId::asset_malformed, file.string(), what); };
  const auto content = read_text(file);
  if (!content) return bad(phrase("cannot be read"));
  toml::table table;
  try {
    table = toml::parse(*content);
  } catch (const toml::parse_error& error) {
    return bad(phrase("line {}: {}", error.source().begin.line, std::string(error.description())));
  }
  std::vector<Skill> skills;
  std::set<std::string> ids;
  if (const auto* list = table["skills"].as_array(); list != nullptr) {
    for (const toml::node& one : *list) {
      const auto* entry = one.as_table();
      if (entry == nullptr) continue;
      const auto text = [&](const char* key) -> Text {
        return {(*entry)[key]["en"].value_or(std::string()), (*entry)[key]["zh"].value_or(std::string())};
      };
      Skill skill{.id = (*entry)["id"].value_or(std::string()),
                  .group = (*entry)["group"].value_or(std::string()),
                  .name = text("name"),
                  .title = text("title"),
                  .labs = words_of(*entry, "labs"),
                  .exercises = words_of(*entry, "exercises")};
      if (const Phrase problem = problem_of(skill, ids); !problem.empty())
        return bad(phrase("skill '{}': {}", skill.id, problem));
      ids.insert(skill.id);
      skills.push_back(std::move(skill));
    }
  }
  if (skills.empty()) return bad(phrase("'{}' is missing", "skills"));
  return skills;
}

}  // namespace tilescope
