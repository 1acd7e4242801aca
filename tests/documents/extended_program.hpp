// Follows a page that says how to add something: its code blocks become files, which are compiled as the build compiles
// such files and linked into the program.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/testing.hpp"

namespace tilescope::testing {

namespace fs = std::filesystem;

inline const fs::path kSource = TILESCOPE_SOURCE;
inline const fs::path kBinary = TILESCOPE_BINARY;

inline std::string read_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The fenced block after the line that consists of `name` in backquotes.
inline std::string code_block(const std::string& document, const std::string& name) {
  const size_t title = document.find("\n`" + name + "`\n");
  if (title == std::string::npos) return {};
  const size_t fence = document.find("\n```", title);
  const size_t start = document.find('\n', fence + 1) + 1;
  return document.substr(start, document.find("\n```", start) + 1 - start);
}

struct Outcome {
  int status = -1;
  std::string output;  // both streams
};

inline Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (size_t count = 0; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, count);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

/// A tree with the project's files and those that a page adds, and the program with one more object.
class ExtendedProgram : public ::testing::Test {
 protected:
  ExtendedProgram() {
    std::string name = (fs::temp_directory_path() / "tilescope-page-XXXXXX").string();
    tree_ = mkdtemp(name.data());
  }
  ~ExtendedProgram() override { fs::remove_all(tree_); }

  void link_folder(const std::string& folder) { fs::create_directory_symlink(kSource / folder, tree_ / folder); }
  /// The folder itself is new; its contents are links to the project's.
  void link_contents(const std::string& folder) {
    fs::create_directories(tree_ / folder);
    for (const auto& entry : fs::directory_iterator(kSource / folder))
      fs::create_symlink(entry.path(), tree_ / folder / entry.path().filename());
  }
  /// Writes the code block of a page to the file that it names.
  void write_file(const std::string& page, const std::string& file) {
    const std::string code = code_block(read_text(kSource / page), file);
    ASSERT_FALSE(code.empty()) << page << " has no block for " << file;
    fs::create_directories((tree_ / file).parent_path());
    std::ofstream(tree_ / file) << code;
  }

  /// Compiles a new file as the build compiles a known one, and links the program with it.
  void build(const std::string& file, const std::string& known_file) {
    const fs::path object = tree_ / "added.o";
    const std::string compile = compile_command(file, known_file, object), link = link_command(object);
    ASSERT_FALSE(compile.empty()) << known_file << " is compiled by no command";
    ASSERT_FALSE(link.empty());
    const Outcome compiled = shell("cd '" + kBinary.string() + "' && " + compile);
    ASSERT_EQ(compiled.status, 0) << compiled.output;
    const Outcome linked = shell("cd '" + kBinary.string() + "' && " + link);
    ASSERT_EQ(linked.status, 0) << linked.output;
  }

  Outcome run(const std::string& words, const std::string& before = {}) const {
    return shell("TILESCOPE_ROOT='" + tree_.string() + "' " + before + " '" + (tree_ / "tilescope").string() + "' " +
                 words);
  }

  fs::path tree_;

 private:
  std::string compile_command(const std::string& file, const std::string& known_file, const fs::path& object) const {
    const std::string known = (kSource / known_file).string();
    for (const auto& entry : nlohmann::json::parse(read_text(kBinary / "compile_commands.json"))) {
      // Alone, or as one of several in a unity build (cmake/unity.cmake).
      const std::string compiled = entry.at("file");
      const bool is_one_of_several =
          compiled.find("/Unity/") != std::string::npos && read_text(compiled).find(known) != std::string::npos;
      if (compiled != known && !is_one_of_several) continue;
      const std::string command = entry.at("command");
      const size_t output = command.find(" -o ") + 4;
      const std::string usual = command.substr(output, command.find(' ', output) - output);
      // -fpch-deps needs a dependency list, and this command asks for none.
      const std::string alone = replaced(command, " -fpch-deps", "");
      return replaced(replaced(alone, usual, object.string()), compiled, (tree_ / file).string());
    }
    return {};
  }

  /// The build's command for linking the program, with one more object.
  std::string link_command(const fs::path& object) const {
    const Outcome commands = shell("ninja -C '" + kBinary.string() + "' -t commands tilescope | tail -n 1");
    const std::string output = " -o tilescope ";
    if (commands.status != 0 || commands.output.find(output) == std::string::npos) return {};
    return replaced(commands.output, output, " " + object.string() + " -o " + (tree_ / "tilescope").string() + " ");
  }
};

}  // namespace tilescope::testing
