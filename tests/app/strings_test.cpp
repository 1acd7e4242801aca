// Both languages hold the same texts with the same placeholders, and every text that the code asks for exists.
#include "app/draw/strings.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "app/views/view.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = TILESCOPE_SOURCE;

Strings load() {
  auto strings = Strings::load(kRoot / "assets" / "strings");
  EXPECT_TRUE(strings) << strings.error().message;
  return *strings;
}

void add_texts(const toml::table& section, const std::string& name, std::map<std::string, std::string>& out) {
  for (const auto& [key, node] : section) {
    const std::string full = name.empty() ? std::string(key.str()) : name + "." + std::string(key.str());
    if (const toml::table* inner = node.as_table())
      add_texts(*inner, full, out);
    else
      out[full] = node.value_or(std::string());
  }
}

std::map<std::string, std::string> texts(const std::string& language) {
  std::map<std::string, std::string> out;
  add_texts(toml::parse_file((kRoot / "assets" / "strings" / (language + ".toml")).string()), "", out);
  return out;
}

std::set<std::string> places(const std::string& text) {
  static const std::regex place("\\{([a-z_]*)[:}]");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), place), end; at != end; ++at) names.insert((*at)[1]);
  return names;
}

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Strings, BothLanguagesHoldTheSameKeys) { EXPECT_EQ(load().unpaired(), std::vector<std::string>{}); }

TEST(Strings, BothLanguagesFillTheSamePlaces) {
  const auto english = texts("en"), chinese = texts("zh");
  for (const auto& [key, text] : english) {
    const auto other = chinese.find(key);
    EXPECT_TRUE(other == chinese.end() || places(text) == places(other->second)) << key;
  }
}

TEST(Strings, NoTextIsEmpty) {
  for (const char* language : {"en", "zh"})
    for (const auto& [key, text] : texts(language)) EXPECT_FALSE(text.empty()) << language << " " << key;
}

TEST(Strings, EveryKeyThatTheCodeAsksForIsThere) {
  const auto english = texts("en");
  std::set<std::string> sections;
  for (const auto& [key, text] : english) sections.insert(key.substr(0, key.find('.')));
  static const std::regex literal("\"([a-z]+)\\.([a-z0-9_.]+)\"");
  size_t asked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "app")) {
    if (entry.path().extension() != ".cpp") continue;
    const std::string code = read(entry.path());
    for (std::sregex_iterator at(code.begin(), code.end(), literal), end; at != end; ++at) {
      const std::string key = (*at)[1].str() + "." + (*at)[2].str();
      // Names of marks, and prefixes that are completed by a number, are not keys.
      const auto start = static_cast<size_t>(at->position());
      const std::string before = code.substr(start - std::min<size_t>(start, 48), std::min<size_t>(start, 48));
      static const std::regex area("(hit_area|find_sign|find_field)\\((context, )?$|name == $|const char\\* name =.*$");
      const bool names_a_mark = before.find("mark(") != std::string::npos || std::regex_search(before, area);
      if (!sections.contains((*at)[1]) || key.ends_with("_") || names_a_mark || key.starts_with("language.")) continue;
      ++asked;
      EXPECT_TRUE(english.contains(key)) << key << " in " << entry.path();
    }
  }
  EXPECT_GT(asked, 100U);
}

TEST(Strings, EveryViewHasATitleAndSaysWhatItIs) {
  const auto english = texts("en");
  EXPECT_GE(views().size(), 8U);
  for (const ViewSpec& view : views())
    for (const char* key : {"title", "meaning"}) EXPECT_TRUE(english.contains(view.text(key))) << view.text(key);
}

TEST(Strings, AMissingKeyShowsItself) { EXPECT_EQ(load()("tiles.no_such_text"), "tiles.no_such_text"); }

TEST(Strings, ATextThatDoesNotFitItsArgumentsIsShownAsItIs) {
  EXPECT_EQ(load().format("header.stage", fmt::arg("stage", 3)), "Stage 3");
  EXPECT_EQ(load().format("header.stage", fmt::arg("other", 3)), "Stage {stage}");
}

TEST(Strings, LanguageSwitchesLive) {
  Strings strings = load();
  EXPECT_EQ(strings("controls.run"), "Run");
  strings.language = Language::zh;
  EXPECT_EQ(strings("controls.run"), "运行");
  EXPECT_EQ(strings(Text{"a", "甲"}), "甲");
}

TEST(Strings, AFolderWithoutTextsIsAnErrorWithTheFile) {
  const auto strings = Strings::load("/nonexistent");
  ASSERT_FALSE(strings);
  EXPECT_NE(strings.error().message.find("en.toml"), std::string::npos);
}

TEST(Numbers, ThousandsAreSeparated) {
  EXPECT_EQ(with_separators(0), "0");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(98432), "98,432");
  EXPECT_EQ(with_separators(1000000), "1,000,000");
  EXPECT_EQ(with_separators(-1234), "-1,234");
  EXPECT_EQ(with_separators(-123), "-123");
}

TEST(Numbers, BytesAreDecimalAndKeepFourFigures) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(4096), "4,096 B");
  EXPECT_EQ(bytes_text(393728), "394 KB");
  EXPECT_EQ(bytes_text(1181184), "1,181 KB");
  EXPECT_EQ(bytes_text(16777216), "16.8 MB");
  EXPECT_EQ(bytes_text(3221225472.0), "3,221 MB");
  EXPECT_EQ(bytes_text(12884901888.0), "12.9 GB");
}

TEST(Numbers, TimesChooseTheirUnit) {
  EXPECT_EQ(milliseconds_text(0.0531), "53.1 µs");
  EXPECT_EQ(milliseconds_text(0.002846), "2.85 µs");
  EXPECT_EQ(milliseconds_text(0.0099999), "10.0 µs");
  EXPECT_EQ(milliseconds_text(6.1234), "6.1 ms");
  EXPECT_EQ(milliseconds_text(44.2), "44 ms");
  EXPECT_EQ(milliseconds_text(319), "319 ms");
  EXPECT_EQ(milliseconds_text(1234), "1,234 ms");
  EXPECT_EQ(milliseconds_text(12345), "12.3 s");
  EXPECT_EQ(milliseconds_text(0), "0 ms");
}

TEST(Numbers, RatesHaveAPrefix) {
  EXPECT_EQ(rate_text(12), "12");
  EXPECT_EQ(rate_text(127000), "127 k");
  EXPECT_EQ(rate_text(2.53e6), "2.5 M");
}

}  // namespace
}  // namespace tilescope
