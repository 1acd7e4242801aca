// Dependencies point down: app → labs → engine, kernels depend on nothing. Read from the sources' own #include lines.
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
    if (extension != ".cpp" && extension != ".hpp" && extension != ".def" && extension != ".cu" && extension != ".cuh")
      continue;
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

TEST(Dependencies, TheEngineIncludesNeitherAppNorLabs) {
  expect_none("engine", [](const std::string& header) { return below(header, "app") || below(header, "labs"); });
}

TEST(Dependencies, LabsDoNotIncludeApp) {
  expect_none("labs", [](const std::string& header) { return below(header, "app"); });
}

TEST(Dependencies, CommandsOfTheTerminalKnowNoWindow) { expect_none("app/cli", is_window_header); }

TEST(Dependencies, KernelsIncludeOnlyKernelsAndTheToolkit) {
  for (const Inclusion& one : inclusions_below("kernels"))
    EXPECT_TRUE(fs::exists(kSource / "kernels" / one.header) || one.header.starts_with("cuda") || one.header == "mma.h")
        << one.file << ":" << one.line << " includes " << one.header;
}

/// Types defined in named namespaces: "tilescope::Program" and where. Types in others' bodies are indented.
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

// Two types of one name would share their destructors: the linker keeps one of them, and says nothing.
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
      "#include <imgui.h>\n  #  include \"app/session.hpp\"  // why\n// #include <GL/gl.h>\nint x;\n");
  const auto found = inclusions_in(text, "x.cpp");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].header, "imgui.h");
  EXPECT_EQ(found[1].header, "app/session.hpp");
  EXPECT_EQ(found[1].line, 2U);
  for (const std::string header :
       {"imgui.h", "imgui/imgui.h", "imgui_internal.h", "GL/gl.h", "GLFW/glfw3.h", "epoxy/gl.h", "cudaGL.h"})
    EXPECT_TRUE(is_window_header(header)) << header;
  for (const std::string header : {"glob.h", "cuda.h", "engine/run.hpp", "span"})
    EXPECT_FALSE(is_window_header(header)) << header;
}

}  // namespace
}  // namespace tilescope
