// The documents say what is so: their links lead somewhere, their command lines are understood.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "app/cli/parse.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = TILESCOPE_SOURCE;

std::vector<fs::path> documents() {
  std::vector<fs::path> found = {kSource / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

std::string read_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    found.push_back((*match)[1]);
  return found;
}

/// Without its fenced blocks: C++ has ](…) too.
std::string prose_of(const std::string& document) {
  std::string prose;
  bool code = false;
  std::istringstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) code = !code;
    if (!code) prose += line + "\n";
  }
  return prose;
}

TEST(Documents, RelativeLinksLeadToFiles) {
  static const std::regex link(R"(\]\(([^):#]+)(?:#[^)]*)?\))");
  for (const fs::path& document : documents())
    for (const std::string& target : matches(prose_of(read_text(document)), link))
      EXPECT_TRUE(fs::exists(document.parent_path() / target)) << document << " links to " << target;
}

TEST(Documents, FoldersAndFilesThatHackingNamesExist) {
  static const std::regex path(R"(`((?:engine|app|labs|kernels|shaders|assets|tests|bench|docs)/[a-z_/.]*)`)");
  const auto named = matches(read_text(kSource / "docs/HACKING.md"), path);
  EXPECT_GE(named.size(), 15U);
  for (const std::string& name : named) EXPECT_TRUE(fs::exists(kSource / name)) << name;
}

/// "./tilescope run x --json    why" → the words, without a trailing explanation.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line.substr(0, line.find("   ")));
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

TEST(Documents, CommandLinesOfTheReadmeAreUnderstood) {
  static const std::regex command(R"((?:^|\n)(\./tilescope [^\n]+))");
  int checked = 0;
  for (const fs::path& document : {kSource / "README.md", kSource / "docs/adding-a-lab.md"})
    for (const std::string& line : matches(read_text(document), command)) {
      const std::vector<std::string> words = words_of(line);
      if (words.size() < 2 || words[1] == "test") continue;  // the launcher's own word
      std::vector<const char*> pointers;
      for (const std::string& word : words) pointers.push_back(word.c_str());
      const auto invocation = parse_command_line(static_cast<int>(pointers.size()), pointers.data());
      EXPECT_TRUE(invocation) << line << "\n" << (invocation ? "" : invocation.error().message);
      ++checked;
    }
  EXPECT_GE(checked, 8);
}

TEST(Documents, TheReadmesExampleFindsWhatTheReadmeSays) {
  const std::string readme = read_text(kSource / "README.md");
  static const std::regex command(R"(\n\./tilescope (exec docs/smooth\.cu [^\n]+)\n)"),
      finding(R"(\n([a-z ]+: [^\n]+ thread \([^\n]+))");
  const auto commands = matches(readme, command), findings = matches(readme, finding);
  ASSERT_EQ(commands.size(), 1U);
  ASSERT_EQ(findings.size(), 3U);
  const std::string line = "cd '" + kSource.string() + "' && '" TILESCOPE_BINARY "/tilescope' " + commands[0] + " 2>&1";
  FILE* pipe = popen(line.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string said;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
  pclose(pipe);
  for (const std::string& expected : findings)
    EXPECT_NE(said.find(expected), std::string::npos) << expected << "\n" << said;
}

}  // namespace
}  // namespace tilescope
