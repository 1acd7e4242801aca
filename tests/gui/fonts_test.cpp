// Every character that the program can show is in every font that may show it; a missing one would be drawn as "?". The
// characters are read from the files themselves: kernels, texts, lessons, and strings in the code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "app/draw/theme.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot(TILESCOPE_SOURCE);

std::string contents_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The text between quotation marks; comments are left out.
std::string strings_in(const std::string& code) {
  std::string strings;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code.compare(i, 2, "//") == 0) {
      i = std::min(code.find('\n', i), code.size());
    } else if (code[i] == '\'' && i + 2 < code.size() && (code[i + 2] == '\'' || code[i + 1] == '\\')) {
      i += code[i + 1] == '\\' ? 3 : 2;
    } else if (code[i] == '"') {
      for (++i; i < code.size() && code[i] != '"'; ++i) {
        if (code[i] == '\\') ++i;
        strings += code[i];
      }
    }
  }
  return strings;
}

/// The file's non-ASCII characters, as UTF-8.
std::set<std::string> characters_of(const std::string& text) {
  std::set<std::string> characters;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0xc0) continue;
    characters.insert(text.substr(i, first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2));
  }
  return characters;
}

unsigned int code_of(const std::string& character) {
  unsigned int code = static_cast<unsigned char>(character[0]) & (0x7fU >> character.size());
  for (size_t i = 1; i < character.size(); ++i) code = code << 6 | (static_cast<unsigned char>(character[i]) & 0x3fU);
  return code;
}

class FontsTest : public testing::Test {
 protected:
  FontsTest() {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    fonts_ = load_fonts(1, interface_texts(kRoot), &missing_files_);
  }
  ~FontsTest() override { ImGui::DestroyContext(); }

  /// "file: character" for every character of these files that a font lacks.
  template <class Reader>
  std::vector<std::string> lacking(const std::vector<fs::path>& folders, const Reader& read) const {
    std::vector<std::string> missing;
    for (const fs::path& folder : folders)
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
        if (!entry.is_regular_file()) continue;
        for (const std::string& character : characters_of(read(contents_of(entry.path()))))
          if (!is_in_all(code_of(character)))
            missing.push_back(fs::relative(entry.path(), kRoot).string() + ": " + character);
      }
    return missing;
  }
  bool is_in_all(unsigned int code) const {
    for (const ImFont* font : {fonts_.small, fonts_.small_semibold, fonts_.body, fonts_.body_semibold, fonts_.title,
                               fonts_.title_semibold, fonts_.code})
      if (code > IM_UNICODE_CODEPOINT_MAX || font->FindGlyphNoFallback(static_cast<ImWchar>(code)) == nullptr)
        return false;
    return true;
  }

  Fonts fonts_;
  std::vector<fs::path> missing_files_;
};

TEST_F(FontsTest, AreInstalled) { EXPECT_THAT(missing_files_, testing::IsEmpty()); }

TEST_F(FontsTest, HoldEveryCharacterOfKernelsTextsAndLessons) {
  const auto whole = [](const std::string& text) { return text; };
  EXPECT_THAT(lacking({"kernels", "assets/strings", "docs/labs/en", "docs/labs/zh", "docs/cheatsheets/en",
                       "docs/cheatsheets/zh"},
                      whole),
              testing::IsEmpty());
}

TEST_F(FontsTest, HoldEveryCharacterOfStringsInTheCode) {
  EXPECT_THAT(lacking({"app", "engine", "labs"}, strings_in), testing::IsEmpty());
}

TEST_F(FontsTest, LackACharacterThatNothingShows) { EXPECT_FALSE(is_in_all(code_of("ᚠ"))); }

TEST(StringsInCode, AreWhatStandsBetweenQuotationMarks) {
  EXPECT_EQ(strings_in("f(\"a×b\", '\"', '\\'', \"→\\\"\");  // \"ᚠ\"\ng(\"z\")"), "a×b→\"z");
  EXPECT_EQ(characters_of("a×b→×"), (std::set<std::string>{"×", "→"}));
  EXPECT_EQ(code_of("→"), 0x2192U);
}

}  // namespace
}  // namespace tilescope
