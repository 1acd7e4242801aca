// Does what docs/adding-a-lab.md tells a reader to do, with the code blocks of that page: writes the two files,
// compiles the new one as the build compiles any lab, links the program again with it, and runs the lab on the
// simulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kSource = TILESCOPE_SOURCE;
const fs::path kBinary = TILESCOPE_BINARY;

std::string read_text(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The fenced block that follows a line holding nothing but `name` in backquotes.
std::string code_block(const std::string& document, const std::string& name) {
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

Outcome shell(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen(("{ " + command + "\n} 2>&1").c_str(), "r");
  if (pipe == nullptr) return outcome;
  char buffer[4096];
  for (size_t count = 0; (count = fread(buffer, 1, sizeof buffer, pipe)) > 0;) outcome.output.append(buffer, count);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
  return text;
}

class AddingALab : public testing::Test {
 protected:
  AddingALab() {
    std::string name = (fs::temp_directory_path() / "tilescope-lab-XXXXXX").string();
    tree_ = mkdtemp(name.data());
  }
  ~AddingALab() override { fs::remove_all(tree_); }

  /// A root with the project's files and the two new ones.
  void write_tree() {
    const std::string document = read_text(kSource / "docs/adding-a-lab.md");
    for (const std::string folder : {"assets", "docs", "shaders"})
      fs::create_directory_symlink(kSource / folder, tree_ / folder);
    for (const std::string folder : {"labs", "kernels"}) fs::create_directory(tree_ / folder);
    for (const auto& kernel : fs::directory_iterator(kSource / "kernels"))
      fs::create_symlink(kernel.path(), tree_ / "kernels" / kernel.path().filename());
    for (const std::string file : {"labs/saxpy.cpp", "kernels/saxpy.cu"}) {
      const std::string code = code_block(document, file);
      ASSERT_FALSE(code.empty()) << "docs/adding-a-lab.md has no block for " << file;
      std::ofstream(tree_ / file) << code;
    }
  }

  /// The command with which the build compiles labs/vector_add.cpp, for the new file.
  std::string compile_command() const {
    const std::string known = (kSource / "labs/vector_add.cpp").string();
    for (const auto& entry : nlohmann::json::parse(read_text(kBinary / "compile_commands.json"))) {
      if (entry.at("file") != known) continue;
      const std::string command = entry.at("command");
      const size_t output = command.find(" -o ") + 4;
      const std::string object = command.substr(output, command.find(' ', output) - output);
      return replaced(replaced(command, object, object_.string()), known, (tree_ / "labs/saxpy.cpp").string());
    }
    return {};
  }

  /// The command with which the build links the program, with one object more.
  std::string link_command() const {
    const Outcome commands = shell("ninja -C '" + kBinary.string() + "' -t commands tilescope | tail -n 1");
    const std::string output = " -o tilescope ";
    if (commands.status != 0 || commands.output.find(output) == std::string::npos) return {};
    return replaced(commands.output, output, " " + object_.string() + " -o " + (tree_ / "tilescope").string() + " ");
  }

  Outcome run(const std::string& words) const {
    return shell("TILESCOPE_ROOT='" + tree_.string() + "' '" + (tree_ / "tilescope").string() + "' " + words);
  }

  fs::path tree_, object_;
};

TEST_F(AddingALab, TheTwoFilesOfTheDocumentMakeALab) {
  object_ = tree_ / "saxpy.o";
  ASSERT_NO_FATAL_FAILURE(write_tree());
  const std::string compile = compile_command(), link = link_command();
  ASSERT_FALSE(compile.empty());
  ASSERT_FALSE(link.empty());
  const Outcome compiled = shell("cd '" + kBinary.string() + "' && " + compile);
  ASSERT_EQ(compiled.status, 0) << compiled.output;
  const Outcome linked = shell("cd '" + kBinary.string() + "' && " + link);
  ASSERT_EQ(linked.status, 0) << linked.output;

  const Outcome list = run("list");
  EXPECT_EQ(list.status, 0);
  EXPECT_THAT(list.output, HasSubstr("saxpy"));
  EXPECT_THAT(list.output, HasSubstr("vector-add")) << "the labs that were there are still there";

  const Outcome every_rung = run("run saxpy --rung all --size n=1001");
  if (every_rung.status == 3) GTEST_SKIP() << every_rung.output;  // no NVRTC here
  EXPECT_EQ(every_rung.status, 0) << every_rung.output;

  const Outcome json = run("run saxpy --rung grid-stride --json");
  ASSERT_EQ(json.status, 0) << json.output;
  EXPECT_EQ(nlohmann::json::parse(json.output).at("status"), "ok");

  const Outcome broken = run("run saxpy --rung thread-per-element --size n=1001 --break DROP_MASK");
  EXPECT_EQ(broken.status, 1) << "the planted bug was not noticed:\n" << broken.output;
}

}  // namespace
}  // namespace tilescope
