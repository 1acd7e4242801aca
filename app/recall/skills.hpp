// What a learner of GPU operators should be able to do: assets/skills.toml as plain data.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/result.hpp"
#include "engine/types.hpp"

namespace tilescope {

struct Skill {
  std::string id = {};
  std::string group = {};                   // one of skill_groups()
  Text name = {};                           // in a sentence: "bank conflicts"
  Text title = {};                          // what one can do
  std::vector<std::string> labs = {};       // that teach it
  std::vector<std::string> exercises = {};  // that show it
};

/// "execution", "memory", …: in the order of the page.
const std::vector<std::string>& skill_groups();

/// In the order of the file. Error: asset_malformed, with the file, the skill and what is wrong in it.
Result<std::vector<Skill>> read_skills(const std::filesystem::path& file);

}  // namespace tilescope
