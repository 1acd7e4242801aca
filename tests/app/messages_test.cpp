// Every message of the engine exists in Chinese: errors and hints by id, findings by id, every form and literal in the
// sources, and every text of a recording.
#include "app/draw/messages.hpp"

#include <gtest/gtest.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>

#include "app/draw/sentences.hpp"
#include "engine/finding.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using Texts = std::map<std::string, std::string>;
const fs::path kRoot = TILESCOPE_SOURCE;
const fs::path kTable = kRoot / "assets/strings/zh-messages.toml";

std::string read(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

Texts section(const char* name) {
  Texts texts;
  const toml::table table = toml::parse_file(kTable.string());
  for (const auto& [key, node] : *table[name].as_table()) texts.emplace(key.str(), node.value_or(std::string()));
  return texts;
}

Strings chinese() {
  Strings strings = *Strings::load(kRoot / "assets/strings");
  strings.language = Language::zh;
  return strings;
}

bool has_chinese(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) >= 0xe4; });
}

/// The placeholders of a form: {} counts from 0, {2} names one.
std::multiset<int> places(const std::string& form) {
  static const std::regex place(R"(\{(\d*)\})");
  std::multiset<int> found;
  int next = 0;
  for (std::sregex_iterator at(form.begin(), form.end(), place), end; at != end; ++at)
    found.insert((*at)[1].length() == 0 ? next++ : std::stoi((*at)[1]));
  return found;
}

/// A text to translate has two neighbouring English words; names of parameters and forms of symbols alone need no
/// translation.
bool is_said(const std::string& form) {
  static const std::regex words("[A-Za-z]{2,}[^A-Za-z{}]* [A-Za-z]|[a-z]{2,} \\{|\\} [a-z]{2,}");
  return std::regex_search(form, words);
}

TEST(Messages, EveryErrorIsSaidInChinese) {
  const Texts errors = section("errors"), hints = section("hints");
  for (size_t i = 0; i < kErrorCount; ++i) {
    const auto id = static_cast<ErrorId>(i);
    const std::string name(id_of(id));
    ASSERT_TRUE(errors.contains(name)) << name;
    EXPECT_EQ(places(errors.at(name)), places(std::string(message_of(id)))) << name;
    EXPECT_EQ(hints.contains(name), !hint_of(id).empty()) << name;
    EXPECT_TRUE(!hints.contains(name) || has_chinese(hints.at(name))) << name;
    EXPECT_TRUE(!is_said(std::string(message_of(id))) || has_chinese(errors.at(name))) << name;
  }
  EXPECT_EQ(errors.size(), kErrorCount);
}

TEST(Messages, EveryFindingHasAChineseName) {
  const Texts findings = section("findings");
  for (const std::string_view id : kFindingIds) {
    ASSERT_TRUE(findings.contains(std::string(id))) << id;
    EXPECT_TRUE(has_chinese(findings.at(std::string(id)))) << id;
  }
  EXPECT_EQ(findings.size(), kFindingIds.size());
}

TEST(Messages, FormsHaveThePlacesOfTheirEnglish) {
  for (const char* name : {"phrases", "notes"})
    for (const auto& [form, text] : section(name)) {
      EXPECT_EQ(places(text), places(form)) << form;
      const std::vector<std::string> values(places(form).size(), "1");
      EXPECT_EQ(filled(text, values).find('{'), std::string::npos) << text;  // fmt takes {} or {0}, not both
      EXPECT_TRUE(has_chinese(text) || !is_said(form)) << form;
    }
}

// ---- The sources -------------------------------------------------------------------------------------------------

std::string unescaped(const std::string& literal) {
  std::string text;
  for (size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] == '\\' && i + 1 < literal.size()) {
      ++i;
      text += literal[i] == 'n' ? '\n' : literal[i];
    } else {
      text += literal[i];
    }
  }
  return text;
}

/// A file's code without comments, and its literals, with neighbours joined as the compiler joins them.
struct Literal {
  size_t begin, end;
  std::string text;
};
struct Code {
  std::string text;  // literals and comments blanked
  std::vector<Literal> literals;
};

Code parse(const std::string& source) {
  Code code{source, {}};
  for (size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0) {
      while (i < source.size() && source[i] != '\n') code.text[i++] = ' ';
    } else if (source.compare(i, 2, "R\"") == 0) {
      const size_t open = source.find('(', i);
      const std::string close = ")" + source.substr(i + 2, open - i - 2) + "\"";
      const size_t end = source.find(close, open) + close.size() - 1;
      while (i < end) code.text[i++] = ' ';
    } else if (source[i] == '\'' && i > 0 && std::isalnum(static_cast<unsigned char>(source[i - 1])) == 0) {
      i += source[i + 1] == '\\' ? 3 : 2;
    } else if (source[i] == '"') {
      const size_t begin = i++;
      while (source[i] != '"') i += source[i] == '\\' ? 2 : 1;
      std::string text = unescaped(source.substr(begin + 1, i - begin - 1));
      const bool goes_on = !code.literals.empty() && source.find_first_not_of(" \n", code.literals.back().end) == begin;
      if (goes_on) {
        code.literals.back().text += text;
        code.literals.back().end = i + 1;
      } else {
        code.literals.push_back({begin, i + 1, std::move(text)});
      }
      for (size_t k = begin; k <= i; ++k) code.text[k] = ' ';
    }
  }
  return code;
}

/// Position after the closing parenthesis of the call whose arguments begin at `open`.
size_t end_of_call(const Code& code, size_t open) {
  size_t close = open;
  for (int depth = 1; depth > 0 && close < code.text.size(); ++close)
    depth += code.text[close] == '(' ? 1 : code.text[close] == ')' ? -1 : 0;
  return close;
}

/// Literals of calls that make a phrase or an error. A literal elsewhere does not become a phrase.
std::vector<std::string> said_in(const Code& code) {
  static const std::regex call(R"(\b(phrase|Phrase|fail|make_error)\s*\()");
  std::vector<std::string> found;
  for (std::sregex_iterator at(code.text.begin(), code.text.end(), call), end; at != end; ++at) {
    const auto open = static_cast<size_t>(at->position() + at->length());
    const size_t close = end_of_call(code, open);
    // Errors that are only about the command line's arguments are English, like the whole command line.
    if (code.text.substr(open, close - open).find("ErrorId::usage") != std::string::npos) continue;
    for (const Literal& literal : code.literals)
      if (literal.begin >= open && literal.end <= close) found.push_back(literal.text);
  }
  return found;
}

std::vector<fs::path> sources() {
  std::vector<fs::path> files;
  for (const char* folder : {"engine", "labs", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp") files.push_back(entry.path());
  return files;
}

/// The PTX parser's texts are for a report to the simulator's authors.
bool is_ptx_front_end(const fs::path& file) {
  const std::string name = file.filename().string();
  const std::string folder = fs::relative(file.parent_path(), kRoot).string();
  return (folder == "engine/sim/ptx" && name.starts_with("parse")) ||
         (folder == "engine/sim/lower" && name.starts_with("decode_"));
}

TEST(Messages, EveryTextOfTheSourcesIsSaidInChinese) {
  const Texts phrases = section("phrases"), notes = section("notes");
  size_t found = 0;
  for (const fs::path& file : sources()) {
    if (is_ptx_front_end(file)) continue;
    for (const std::string& text : said_in(parse(read(file)))) {
      if (!is_said(text)) continue;
      ++found;
      EXPECT_TRUE(phrases.contains(text) || notes.contains(text)) << text << "\nin " << file;
    }
  }
  EXPECT_GT(found, 150U);
}

TEST(Messages, NoTextIsThereThatNothingSays) {
  std::set<std::string> literals;
  for (const fs::path& file : sources())
    for (Literal& literal : parse(read(file)).literals) literals.insert(std::move(literal.text));
  for (const auto& [form, text] : section("phrases")) EXPECT_TRUE(literals.contains(form)) << form;
}

/// fail(…, fmt::format(…)) makes a text that no table can contain.
TEST(Messages, ReasonsOfErrorsAreNotFormattedAsText) {
  static const std::regex call(R"(\b(fail|make_error|not_possible|unavailable|refuse)\s*\()");
  for (const fs::path& file : sources()) {
    if (is_ptx_front_end(file)) continue;
    const Code code = parse(read(file));
    for (std::sregex_iterator at(code.text.begin(), code.text.end(), call), end; at != end; ++at) {
      const auto open = static_cast<size_t>(at->position() + at->length());
      const size_t close = end_of_call(code, open);
      if (code.text.substr(open, close - open).find("ErrorId::usage") != std::string::npos) continue;
      for (size_t format = code.text.find("fmt::format(", open); format < close;
           format = code.text.find("fmt::format(", format + 1))
        for (const Literal& literal : code.literals)
          EXPECT_FALSE(literal.begin == format + 12 && is_said(literal.text)) << literal.text << "\nin " << file;
    }
  }
}

/// The name of the innermost call that has the literal as an argument.
std::string call_around(const Code& code, const Literal& literal) {
  size_t open = literal.begin;
  for (int depth = 0; open > 0;) {
    --open;
    if (code.text[open] == ')') ++depth;
    if (code.text[open] == '(' && depth-- == 0) break;
  }
  size_t begin = open;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(code.text[begin - 1])) != 0)) --begin;
  return code.text.substr(begin, open - begin);
}

/// fail(…, wrong ? "one text" : "another text") has a pointer as its argument, which is taken for a name.
std::vector<std::string> chosen_without_phrase(const Code& code) {
  static const std::regex call(R"(\b(phrase|fail|make_error)\s*\()");
  std::vector<std::string> found;
  for (std::sregex_iterator at(code.text.begin(), code.text.end(), call), end; at != end; ++at) {
    const auto open = static_cast<size_t>(at->position() + at->length());
    const size_t close = end_of_call(code, open);
    if (code.text.substr(open, close - open).find("ErrorId::usage") != std::string::npos) continue;
    for (const Literal& literal : code.literals) {
      if (literal.begin < open || literal.end > close || !is_said(literal.text)) continue;
      const size_t before = code.text.find_last_not_of(" \n", literal.begin - 1);
      const bool is_choice = code.text[before] == '?' || code.text[before] == ':';
      if (is_choice && call_around(code, literal) != "Phrase") found.push_back(literal.text);
    }
  }
  return found;
}

TEST(Messages, AChoiceOfTwoTextsIsAChoiceOfPhrases) {
  for (const fs::path& file : sources())
    for (const std::string& text : chosen_without_phrase(parse(read(file)))) ADD_FAILURE() << text << "\nin " << file;
  EXPECT_EQ(chosen_without_phrase(parse(R"(fail(id, file, wrong ? "it is wrong" : "it is not there");)")).size(), 2U);
  EXPECT_TRUE(
      chosen_without_phrase(parse(R"(fail(id, wrong ? Phrase("it is wrong") : Phrase("it is late"));)")).empty());
  EXPECT_TRUE(chosen_without_phrase(parse(R"(fail(id, Phrase(wrong ? "it is wrong" : "it is late"));)")).empty());
}

// ---- Recordings --------------------------------------------------------------------------------------------------

void collect(const nlohmann::json& node, const std::string& key, std::multimap<std::string, std::string>& texts) {
  if (node.is_string()) texts.emplace(key, node.get<std::string>());
  if (node.is_array())
    for (const auto& one : node) collect(one, key, texts);
  if (node.is_object())
    for (const auto& [name, value] : node.items()) collect(value, name, texts);
}

TEST(Messages, EveryNoteOfARecordingIsSaidInChinese) {
  const Strings strings = chinese();
  size_t found = 0;
  for (const char* folder : {"assets/recordings", "assets/counters"})
    for (const auto& entry : fs::directory_iterator(kRoot / folder)) {
      if (!entry.is_regular_file()) continue;
      std::multimap<std::string, std::string> texts;
      collect(nlohmann::json::parse(read(entry.path()), nullptr, false), "", texts);
      for (const auto& [key, text] : texts) {
        const bool is_counted = key == "kernel" && text.find(' ') != std::string::npos;
        if (text.empty() || (key != "note" && key != "reason" && key != "unavailable" && !is_counted)) continue;
        ++found;
        const std::string said = strings.note(text);
        EXPECT_TRUE(has_chinese(said)) << text;
        EXPECT_TRUE(key == "reason" || said.find(" the ") == std::string::npos) << said;
      }
    }
  EXPECT_GT(found, 5U);
}

TEST(Messages, LibrariesOwnWordsHaveAMeaningInBothLanguages) {
  const std::string raw = "RuntimeError: cuDNN: CUDNN_STATUS_BAD_PARAM_NULL_POINTER";
  EXPECT_EQ(meaning_of("cuDNN", raw), "cuDNN refuses this shape");
  EXPECT_EQ(chinese().say(meaning_of("cuDNN", raw)), "cuDNN 不支持这个形状");
  EXPECT_EQ(meaning_of("Triton", "OutOfMemoryError: CUDA out of memory"),
            "Triton needs more memory than the GPU has free");
  EXPECT_TRUE(meaning_of("cuBLAS", "its result is not that of the rungs").empty());
}

// ---- How a message is put together -------------------------------------------------------------------------------

TEST(Messages, ErrorsAndTheirReasonsAreSaidTogether) {
  const Strings strings = chinese();
  const Error error = make_error(ErrorId::file_not_found, "a.cu", "it is a folder");
  EXPECT_EQ(error.message, "cannot read a.cu: it is a folder");
  EXPECT_EQ(as_sentence(strings, error), "无法读取 a.cu：它是一个目录。请检查路径。");
  Strings english = *Strings::load(kRoot / "assets/strings");
  EXPECT_EQ(as_sentence(english, error), "Cannot read a.cu: it is a folder. Check the path.");
}

TEST(Messages, NamesAtTheBeginningKeepTheirLetters) {
  const Strings english = *Strings::load(kRoot / "assets/strings");
  EXPECT_EQ(sentence(english, make_error(ErrorId::no_kernel, "kernels/elementwise.cu")),
            "kernels/elementwise.cu has no kernel: it has no __global__ function.");
  EXPECT_EQ(sentence(english, make_error(ErrorId::parameter_range, "n", 0, phrase("{} to {}", 1, 5))),
            "n = 0 is not possible; allowed is 1 to 5.");
  EXPECT_EQ(sentence(english, make_error(ErrorId::cancelled)), "Cancelled.");
  EXPECT_EQ(sentence(english, make_error(ErrorId::kernel_misbehaved, Phrase("every element is zero"))),
            "Every element is zero.");
  EXPECT_EQ(sentence(english, phrase("{} of {} bytes at {}", Phrase("read"), 4, "a+8")), "Read of 4 bytes at a+8.");
  EXPECT_EQ(sentence(english, make_error(ErrorId::file_too_short, std::string("read"), 4, 8)),
            "read holds 4 bytes and the buffer needs 8.");
  EXPECT_EQ(sentence(english, std::string("the driver said no")), "The driver said no.");
}

/// Words of the table used as the names of a kernel, a buffer and a parameter.
TEST(Messages, NamesAreNeverTranslatedThoughTheTableHasTheWord) {
  const Strings strings = chinese();
  const std::string read = "read", none = "none";
  ASSERT_EQ(strings.say(Phrase("read")), "读");
  EXPECT_EQ(strings.say(read), "read");
  EXPECT_EQ(strings.say(phrase("kernel '{}'", read)), "内核“read”");
  EXPECT_EQ(strings.say(phrase("line {}", std::string_view(read))), "第 read 行");
  EXPECT_EQ(strings.say(phrase("line {}", read.c_str())), "第 read 行");
  const Error error = make_error(ErrorId::kernel_not_found, read, "x.cu", none);
  EXPECT_NE(strings.say(error.what).find("“read”"), std::string::npos) << strings.say(error.what);
  EXPECT_NE(strings.say(error.what).find("none"), std::string::npos) << strings.say(error.what);
  const Error without = make_error(ErrorId::kernel_not_found, read, "x.cu", Phrase("none"));
  EXPECT_EQ(strings.say(without.what).find("none"), std::string::npos) << strings.say(without.what);
  EXPECT_EQ(error.message, without.message);
  Finding finding{.id = "out-of-bounds", .block = {0, 0, 0}};
  finding.what = phrase("{} of {} bytes at {}", Phrase("read"), 4, std::string("write"));
  finding.where = std::string("atomic");
  EXPECT_EQ(finding_text(strings, finding), "越界访问：读 4 字节，位于 write，atomic，线程块 (0,0,0) 线程 (0,0,0)");
}

TEST(Messages, AFindingIsSaidWithNamesOfFiles) {
  Finding race{.id = "shared-race", .file = "/home/me/reduce.cu", .line = 12, .block = {3, 0, 0}};
  race.what = phrase("{} of {} bytes at {}", Phrase("write"), 4, phrase("{} (buffer of {} bytes)", "a+8", 64));
  race.where = phrase("{}:{}", race.file, race.line);
  race.other = phrase("{} at {} by {}", Phrase("read"), phrase("{}:{}", race.file, 14),
                      phrase("thread {} with no barrier between", "(1,0,0)"));
  race.other_file = race.file;
  EXPECT_EQ(sentence_of(race),
            "shared race: write of 4 bytes at a+8 (buffer of 64 bytes), /home/me/reduce.cu:12, block (3,0,0) thread "
            "(0,0,0), and read at /home/me/reduce.cu:14 by thread (1,0,0) with no barrier between");
  EXPECT_EQ(finding_text(chinese(), race),
            "共享内存竞争：写 4 字节，位于 a+8（缓冲区共 64 字节），reduce.cu:12，线程块 (3,0,0) 线程 "
            "(0,0,0)；另有线程 (1,0,0)（中间没有屏障）在 reduce.cu:14 读");
  EXPECT_EQ(finding_name(chinese(), race.id), "共享内存竞争");
}

TEST(Messages, PlacesAreReadBackOutOfAText) {
  std::vector<std::string> places;
  ASSERT_TRUE(
      read_places("algorithm {}, tile {}, the fastest of {}", "algorithm 43, tile 128 × 64, the fastest of 8", places));
  EXPECT_EQ(places, (std::vector<std::string>{"43", "128 × 64", "8"}));
  EXPECT_FALSE(read_places("algorithm {}", "algorithm ", places));
  EXPECT_FALSE(read_places("algorithm {}, tile {}", "algorithm 43", places));
  EXPECT_FALSE(read_places("rows", "rows × columns", places));
  EXPECT_TRUE(read_places("rows", "rows", places));
  EXPECT_FALSE(read_places("{} of ours", "8 of theirs", places));
}

TEST(Messages, AnEnglishTextIsFilledOnceItIsAskedFor) {
  const Phrase why = phrase("{} of {} blocks were executed, which is too few for the views", 4, 1024);
  EXPECT_EQ(why.english(), "4 of 1024 blocks were executed, which is too few for the views");
  EXPECT_EQ(why.form(), "{} of {} blocks were executed, which is too few for the views");
  EXPECT_EQ(fmt::format("({})", why), "(4 of 1024 blocks were executed, which is too few for the views)");
  EXPECT_EQ(Phrase("{not a place}").english(), "{not a place}");
  EXPECT_EQ(filled("{} and {}", {"one"}), "{} and {}");
}

}  // namespace
}  // namespace tilescope
