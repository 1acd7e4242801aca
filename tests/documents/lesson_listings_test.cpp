// The Triton listings of the lessons: each is followed by a command that runs it in the simulator, and the command ends
// without a finding. A listing from a file of kernels/ is tested with that file.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// A listing that stands alone, and the commands between it and the next heading.
struct Listing {
  std::string text;
  std::vector<std::string> commands;
};

std::vector<Listing> triton_listings_of(const fs::path& lesson) {
  std::ifstream stream(lesson);
  std::vector<Listing> listings;
  std::optional<std::string> block;  // the text of a fenced block so far
  bool is_python = false, takes_commands = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("```")) {
      if (!block) {
        is_python = line == "```python";
        block.emplace();
        continue;
      }
      if (is_python && block->find("tl.") != std::string::npos) {
        listings.push_back({*block, {}});
        takes_commands = true;
      }
      block.reset();
    } else if (block) {
      *block += line + '\n';
      constexpr std::string_view kExec = "./tilescope exec ";
      if (takes_commands && !is_python && line.starts_with(kExec))
        listings.back().commands.push_back(line.substr(kExec.size()));
    } else if (line.starts_with("#")) {
      takes_commands = false;
    }
  }
  return listings;
}

/// What a shell prints for a line, including standard error, and its exit status.
std::pair<std::string, int> run_in(const fs::path& folder, const std::string& line) {
  FILE* pipe = popen(("cd '" + folder.string() + "' && " + line + " 2>&1").c_str(), "r");
  std::string said;
  for (int c = pipe != nullptr ? std::fgetc(pipe) : EOF; c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
  const int status = pipe != nullptr ? pclose(pipe) : -1;
  return {said, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

class LessonListings : public testing::TestWithParam<std::string> {
 protected:
  const fs::path folder_ = own_test_folder();
};

TEST_P(LessonListings, RunWithoutAFinding) {
  static std::set<std::pair<std::string, std::string>> passed;  // most are the same in both languages
  size_t found = 0;
  for (const Lab& lab : labs()) {
    const fs::path lesson = fs::path(TILESCOPE_SOURCE) / "docs/labs" / GetParam() / (lab.name + ".md");
    for (const Listing& listing : triton_listings_of(lesson)) {
      ++found;
      EXPECT_FALSE(listing.commands.empty()) << lesson << " has no command for the listing\n" << listing.text;
      for (const std::string& command : listing.commands) {
        if (passed.contains({listing.text, command})) continue;
        std::ofstream(folder_ / command.substr(0, command.find(' '))) << listing.text;
        const auto [said, status] = run_in(folder_, "'" TILESCOPE_BINARY "/tilescope' exec " + command);
        if (said.find("Triton was not found") != std::string::npos) GTEST_SKIP() << "Triton is not installed";
        EXPECT_EQ(status, 0) << lesson << ": " << command << "\n" << said;
        if (status == 0) passed.insert({listing.text, command});
      }
    }
  }
  EXPECT_GE(found, 6U);
}

INSTANTIATE_TEST_SUITE_P(Languages, LessonListings, testing::Values("en", "zh"));

}  // namespace
}  // namespace tilescope
