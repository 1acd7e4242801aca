// The documents are true: their links lead somewhere, and their command lines are accepted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "app/commands/parse.hpp"
#include "app/views/view.hpp"

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

/// The document without its fenced blocks: C++ has ](…) too.
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
  static const std::regex path(R"(`((?:engine|app|labs|kernels|shaders|assets|tests|bench|tools|docs)/[a-z_/.]*)`)");
  const auto named = matches(read_text(kSource / "docs/HACKING.md"), path);
  EXPECT_GE(named.size(), 15U);
  for (const std::string& name : named) EXPECT_TRUE(fs::exists(kSource / name)) << name;
}

/// "./tilescope run x --json    why" → its words, without the trailing explanation.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream text(line.substr(0, line.find("   ")));
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

TEST(Documents, CommandLinesOfTheReadmeAreUnderstood) {
  static const std::regex command(R"((?:^|\n)(\./tilescope [^\n]+))");
  int checked = 0;
  for (const fs::path& document : {kSource / "README.md", kSource / "docs/adding-a-lab.md",
                                   kSource / "docs/adding-a-view.md", kSource / "docs/adding-an-exercise.md"})
    for (const std::string& line : matches(read_text(document), command)) {
      const std::vector<std::string> words = words_of(line);
      if (words.size() < 2 || words[1] == "test" || words[1] == "triton") continue;  // handled by the launcher
      std::vector<const char*> pointers;
      for (const std::string& word : words) pointers.push_back(word.c_str());
      const auto invocation = parse_command_line(static_cast<int>(pointers.size()), pointers.data(), view_names());
      EXPECT_TRUE(invocation) << line << "\n" << (invocation ? "" : invocation.error().message);
      ++checked;
    }
  EXPECT_GE(checked, 8);
}

/// What a shell prints for a line, including standard error, and its exit status.
std::pair<std::string, int> run_in(const fs::path& folder, const std::string& line) {
  FILE* pipe = popen(("cd '" + folder.string() + "' && " + line + " 2>&1").c_str(), "r");
  std::string said;
  for (int c = pipe != nullptr ? std::fgetc(pipe) : EOF; c != EOF; c = std::fgetc(pipe)) said += static_cast<char>(c);
  const int status = pipe != nullptr ? pclose(pipe) : -1;
  return {said, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

/// Whether the pieces of `line` between … occur in the text, in this order.
bool says(const std::string& text, const std::string& line) {
  constexpr std::string_view kGap = "…";
  size_t at = 0;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(kGap, begin), line.size());
    const std::string piece = line.substr(begin, end - begin);
    at = text.find(piece, at);
    if (at == std::string::npos) return false;
    at += piece.size();
    begin = end + kGap.size();
  }
  return true;
}

/// Fenced blocks are terminal sessions: a line that begins with ./tilescope is run, `echo $?` is followed by its exit
/// status (else 0), and every other line has to be part of its output.
TEST(Documents, CommandsOfTheExecPageDoWhatItSays) {
  const fs::path folder = fs::temp_directory_path() / ("tilescope-exec-page-" + std::to_string(getpid()));
  fs::create_directories(folder / "docs");
  fs::copy(kSource / "docs/exec", folder / "docs/exec");
  std::istringstream lines(read_text(kSource / "docs/exec.md"));
  std::string command, said;
  int status = 0, expected = 0, commands = 0;
  bool code = false;
  const auto finish = [&] {
    if (!command.empty()) {
      EXPECT_EQ(status, expected) << command << "\n" << said;
    }
    command.clear();
    expected = 0;
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      finish();
      code = !code;
    } else if (code && line.starts_with("./tilescope ")) {
      finish();
      command = line;
      std::tie(said, status) = run_in(folder, "'" TILESCOPE_BINARY "/tilescope' " + line.substr(12));
      ++commands;
      // Triton is installed on demand.
      if (line.find(".py") != std::string::npos && said.find("Triton was not found") != std::string::npos) {
        while (std::getline(lines, line) && !line.starts_with("```")) {
        }
        code = false;
        command.clear();
        expected = 0;
      }
    } else if (code && line == "echo $?") {
      std::getline(lines, line);
      expected = std::stoi(line);
    } else if (code) {
      EXPECT_TRUE(says(said, line)) << command << "\ndoes not print\n" << line << "\nbut\n" << said;
    }
  }
  EXPECT_GE(commands, 10);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
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
