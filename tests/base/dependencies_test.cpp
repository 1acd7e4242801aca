// Dependencies point down, as the table of docs/HACKING.md says. Read from the sources' #include lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace tilescope {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = TILESCOPE_SOURCE;

struct Inclusion {
  std::string file, header;
  size_t line = 0;
};

std::vector<Inclusion> inclusions_in(std::istream& text, const std::string& file) {
  static const std::regex directive(R"(^\s*#\s*include\s*[<"]([^>"]+)[>"].*)");
  std::vector<Inclusion> found;
  std::smatch match;
  size_t number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    if (std::regex_match(line, match, directive)) found.push_back({file, match[1], number});
  }
  return found;
}

std::vector<Inclusion> inclusions_below(const std::string& folder) {
  std::vector<Inclusion> all;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
    const std::string extension = entry.path().extension().string();
    static const std::set<std::string> sources = {".cpp", ".hpp", ".h", ".def", ".cu", ".cuh"};
    if (!sources.contains(extension)) continue;
    std::ifstream text(entry.path());
    const auto found = inclusions_in(text, fs::relative(entry.path(), kSource).string());
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

bool is_window_header(const std::string& header) {
  static const std::regex window(
      R"((imgui.*|.*/imgui.*|GL/.*|GLES.*|GLFW/.*|epoxy/.*|EGL/.*|X11/.*|OpenGL/.*|cuda_gl_interop\.h|cudaGL\.h))",
      std::regex::icase);
  return std::regex_match(header, window);
}

void expect_none(const std::string& folder, const std::function<bool(const std::string&)>& forbidden) {
  const auto all = inclusions_below(folder);
  EXPECT_FALSE(all.empty()) << "no source was found in " << folder;
  for (const Inclusion& one : all)
    EXPECT_FALSE(forbidden(one.header)) << one.file << ":" << one.line << " includes " << one.header;
}

bool below(const std::string& header, const std::string& folder) { return header.starts_with(folder + "/"); }

TEST(Dependencies, TheEngineKnowsNoWindow) { expect_none("engine", is_window_header); }

TEST(Dependencies, LabsKnowNoWindow) { expect_none("labs", is_window_header); }

TEST(Dependencies, CommandsOfTheTerminalKnowNoWindow) { expect_none("app/commands", is_window_header); }

TEST(Dependencies, WhatReadsAKernelFileKnowsNoWindow) { expect_none("app/sandbox", is_window_header); }

/// The table of folders: "engine/sim/" → "engine/traffic/". "app/draw/**" includes the folders below it, "app/views/*/"
/// is each folder by itself.
class Layers {
 public:
  explicit Layers(std::istream& document) {
    static const std::regex row(R"(\| (`[^|]*`) \|[^|]*\|(.*)\|)");
    std::smatch match;
    for (std::string line; std::getline(document, line);) {
      if (!std::regex_match(line, match, row)) continue;
      const std::vector<std::string> below = folders_in(match[2]);
      for (const std::string& folder : folders_in(match[1])) builds_on_[folder] = below;
    }
  }

  bool empty() const { return builds_on_.empty(); }
  /// The row that a folder belongs to; empty if there is none.
  std::string row_of(const std::string& folder) const {
    if (builds_on_.contains(folder)) return folder;
    for (std::string above = folder; !above.empty(); above = parent_of(above)) {
      if (builds_on_.contains(above + "**")) return above + "**";
      if (above == folder && builds_on_.contains(parent_of(folder) + "*/")) return parent_of(folder) + "*/";
    }
    return {};
  }
  /// Whether a file of one folder may include one of another.
  bool may_include(const std::string& from, const std::string& other) const {
    const std::string target = row_of(other);
    if (from == other || (row_of(from) == target && target.ends_with("**"))) return true;
    std::set<std::string> seen;
    std::vector<std::string> open = below(from);
    while (!open.empty()) {
      const std::string next = open.back();
      open.pop_back();
      if (next == target && !next.ends_with("*/")) return true;
      if (seen.insert(next).second)
        for (const std::string& further : builds_on_of(next)) open.push_back(further);
    }
    return false;
  }
  /// A row that depends on itself through others; empty if there is none.
  std::string cycle() const {
    for (const auto& [row, direct] : builds_on_) {
      std::set<std::string> seen;
      std::vector<std::string> open = direct;
      while (!open.empty()) {
        const std::string next = open.back();
        open.pop_back();
        if (next == row) return row;
        if (seen.insert(next).second)
          for (const std::string& further : builds_on_of(next)) open.push_back(further);
      }
    }
    return {};
  }
  /// Rows that name a folder without a row.
  std::vector<std::string> unknown() const {
    std::vector<std::string> names;
    for (const auto& [row, direct] : builds_on_)
      for (const std::string& folder : direct)
        if (!builds_on_.contains(folder)) names.push_back(folder);
    return names;
  }

 private:
  static std::vector<std::string> folders_in(const std::string& cell) {
    static const std::regex quoted("`([^`]+)`");
    std::vector<std::string> folders;
    for (std::sregex_iterator at(cell.begin(), cell.end(), quoted), end; at != end; ++at) folders.push_back((*at)[1]);
    return folders;
  }
  static std::string parent_of(const std::string& folder) {
    const size_t slash = folder.rfind('/', folder.size() - 2);
    return slash == std::string::npos ? std::string() : folder.substr(0, slash + 1);
  }
  std::vector<std::string> builds_on_of(const std::string& row) const {
    const auto found = builds_on_.find(row);
    return found == builds_on_.end() ? std::vector<std::string>() : found->second;
  }
  /// A folder with its own row below a "*/" row builds on what both rows say.
  std::vector<std::string> below(const std::string& folder) const {
    std::vector<std::string> rows = builds_on_of(row_of(folder));
    for (const std::string& also : builds_on_of(parent_of(folder) + "*/")) rows.push_back(also);
    return rows;
  }

  std::map<std::string, std::vector<std::string>> builds_on_;
};

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

TEST(Dependencies, EveryFolderIncludesOnlyWhatTheTableSaysItBuildsOn) {
  std::ifstream document(kSource / "docs/HACKING.md");
  const Layers layers(document);
  ASSERT_FALSE(layers.empty());
  EXPECT_EQ(layers.unknown(), std::vector<std::string>{});
  EXPECT_EQ(layers.cycle(), "") << "builds on itself";
  size_t checked = 0;
  for (const char* top : {"engine", "labs", "app"})
    for (const Inclusion& one : inclusions_below(top)) {
      EXPECT_FALSE(layers.row_of(folder_of(one.file)).empty()) << folder_of(one.file) << " has no row in the table";
      if (!below(one.header, "engine") && !below(one.header, "labs") && !below(one.header, "app")) continue;
      ++checked;
      EXPECT_TRUE(layers.may_include(folder_of(one.file), folder_of(one.header)))
          << one.file << ":" << one.line << " includes " << one.header;
    }
  EXPECT_GT(checked, 1000U);
}

// The test above is only as good as the reading of the table.
TEST(Dependencies, TheTableIsReadAsItIsMeant) {
  std::istringstream document(
      "| folder | what | builds on |\n|---|---|---|\n| `a/` | values | |\n| `b/` | | `a/` |\n| `c/**` | | `b/` |\n"
      "| `v/` | | `c/**` |\n| `v/*/` | views | `v/` |\n| `v/own/` | with a row of its own | `v/other/` |\n"
      "| `v/other/` | | `v/` |\n");
  const Layers layers(document);
  EXPECT_TRUE(layers.may_include("b/", "a/"));
  EXPECT_FALSE(layers.may_include("a/", "b/"));
  EXPECT_TRUE(layers.may_include("c/deep/", "a/")) << "what it builds on builds on it";
  EXPECT_TRUE(layers.may_include("c/deep/", "c/")) << "/** is one room";
  EXPECT_TRUE(layers.may_include("v/one/", "c/deep/"));
  EXPECT_FALSE(layers.may_include("v/one/", "v/two/")) << "/*/ are rooms of their own";
  EXPECT_TRUE(layers.may_include("v/own/", "v/other/"));
  EXPECT_FALSE(layers.may_include("v/other/", "v/own/"));
  EXPECT_TRUE(layers.may_include("v/own/", "v/"));
  EXPECT_FALSE(layers.may_include("v/", "v/own/"));
  EXPECT_EQ(layers.row_of("d/"), "");
  EXPECT_EQ(layers.cycle(), "");
  std::istringstream circle("| `a/` | | `b/` |\n| `b/` | | `a/` |\n");
  EXPECT_NE(Layers(circle).cycle(), "");
}

TEST(Dependencies, KernelsIncludeOnlyKernelsAndTheToolkit) {
  for (const Inclusion& one : inclusions_below("kernels"))
    EXPECT_TRUE(fs::exists(kSource / "kernels" / one.header) || one.header.starts_with("cuda") || one.header == "mma.h")
        << one.file << ":" << one.line << " includes " << one.header;
}

/// Types defined in named namespaces: "tilescope::Program" and its location. Nested types are indented.
std::vector<std::pair<std::string, std::string>> types_in(std::istream& text, const std::string& file) {
  static const std::regex opened(R"(namespace( ([A-Za-z_:]+))? \{)"), closed(R"(\}  // namespace.*)"),
      defined(R"((?:template <.*> )?(?:struct|class|enum class|union) (?:alignas\(.*\) )?([A-Za-z_:]+)\b[^;<]*\{.*)");
  std::vector<std::string> scopes;
  std::vector<std::pair<std::string, std::string>> found;
  std::smatch match;
  for (std::string line; std::getline(text, line);) {
    if (std::regex_match(line, match, opened)) {
      scopes.push_back(match[2]);
    } else if (std::regex_match(line, closed) && !scopes.empty()) {
      scopes.pop_back();
    } else if (std::regex_match(line, match, defined) && std::find(scopes.begin(), scopes.end(), "") == scopes.end()) {
      std::string name;
      for (const auto& scope : scopes) name += scope + "::";
      found.emplace_back(name + match[1].str(), file);
    }
  }
  return found;
}

// Two types of the same name would share their destructors: the linker keeps one of them without a message.
TEST(Dependencies, NoTwoTypesHaveTheSameName) {
  std::map<std::string, std::set<std::string>> places;
  for (const char* folder : {"engine", "labs", "app"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cpp" && extension != ".hpp" && extension != ".h") continue;
      std::ifstream text(entry.path());
      for (const auto& [name, file] : types_in(text, fs::relative(entry.path(), kSource).string()))
        places[name].insert(file);
    }
  }
  EXPECT_GT(places.size(), 100U);
  for (const auto& [name, files] : places)
    EXPECT_EQ(files.size(), 1U) << name << " is defined in " << *files.begin() << " and in " << *files.rbegin();
}

TEST(Dependencies, TypesOfTheSameNameAreRecognised) {
  std::istringstream text(
      "namespace tilescope {\nnamespace {\nstruct Own {\n};\n}  // namespace\nclass Program;\nclass Program {\n  "
      "struct "
      "Part {\n  };\n};\nnamespace plots {\nstruct Area {\n};\n}  // namespace plots\ntemplate <class T> struct Pair : "
      "Base {\n};\n}  // namespace tilescope\n");
  const auto found = types_in(text, "x.hpp");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].first, "tilescope::Program");
  EXPECT_EQ(found[1].first, "tilescope::plots::Area");
  EXPECT_EQ(found[2].first, "tilescope::Pair");
}

// The rules above are only as good as the reading of #include lines.
TEST(Dependencies, ForbiddenHeadersAreRecognised) {
  std::istringstream text(
      "#include <imgui.h>\n  #  include \"app/session/session.hpp\"  // why\n// #include <GL/gl.h>\nint x;\n");
  const auto found = inclusions_in(text, "x.cpp");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].header, "imgui.h");
  EXPECT_EQ(found[1].header, "app/session/session.hpp");
  EXPECT_EQ(found[1].line, 2U);
  for (const std::string header :
       {"imgui.h", "imgui/imgui.h", "imgui_internal.h", "GL/gl.h", "GLFW/glfw3.h", "epoxy/gl.h", "cudaGL.h"})
    EXPECT_TRUE(is_window_header(header)) << header;
  for (const std::string header : {"glob.h", "cuda.h", "engine/run/engine.hpp", "span"})
    EXPECT_FALSE(is_window_header(header)) << header;
}

}  // namespace
}  // namespace tilescope
