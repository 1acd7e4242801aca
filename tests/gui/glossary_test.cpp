// The glossary: its terms, where they are found in a text, how lessons underline them, and its page in the help.
#include "app/draw/glossary.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "app/views/lesson/lesson_terms.hpp"
#include "app/window/help_glossary.hpp"
#include "engine/lab.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::ScreenTest;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const Glossary& glossary() {
  static const auto loaded = Glossary::load(fs::path(TILESCOPE_SOURCE) / "assets/strings/glossary.toml");
  return *loaded;
}

/// "en: name" → what the text holds of it.
std::vector<std::string> found_in(Language language, std::string_view text) {
  std::vector<std::string> found;
  for (const TermPlace& place : glossary().occurrences(language, text))
    found.push_back(glossary().terms()[place.term].name.en + ": " +
                    std::string(text.substr(place.begin, place.end - place.begin)));
  return found;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TEST(GlossaryFile, EveryTermHasBothLanguagesAndALab) {
  EXPECT_GE(glossary().terms().size(), 80U);
  std::set<std::string> names;
  for (const Term& term : glossary().terms()) {
    EXPECT_TRUE(names.insert(term.name.en).second) << term.name.en << " stands twice";
    for (const std::string& text : {term.name.en, term.name.zh, term.text.en, term.text.zh})
      EXPECT_FALSE(text.empty()) << term.name.en;
    EXPECT_NE(find_lab(term.lab), nullptr) << term.name.en << ": " << term.lab;
    EXPECT_TRUE(term.text.en.ends_with('.') && term.text.zh.ends_with("。")) << term.name.en;
  }
}

TEST(GlossaryFile, NoTermIsExplainedByItself) {
  for (const Term& term : glossary().terms()) {
    for (const TermPlace& place : glossary().occurrences(Language::en, term.text.en))
      EXPECT_NE(glossary().terms()[place.term].name.en, term.name.en) << term.text.en;
    for (const TermPlace& place : glossary().occurrences(Language::zh, term.text.zh))
      EXPECT_NE(glossary().terms()[place.term].name.en, term.name.en) << term.text.zh;
  }
}

TEST(GlossaryFile, ChineseTermsAreTheAgreedOnes) {
  static const std::map<std::string, std::string> kAgreed{{"block", "线程块"},
                                                          {"warp", "线程束"},
                                                          {"lane", "通道"},
                                                          {"grid", "网格"},
                                                          {"SM", "流式多处理器"},
                                                          {"coalesced access", "合并访存"},
                                                          {"sector", "扇区"},
                                                          {"bank", "存储体"},
                                                          {"bank conflict", "存储体冲突"},
                                                          {"barrier", "屏障"},
                                                          {"synchronization", "同步"},
                                                          {"launch", "启动"},
                                                          {"issue", "发射"},
                                                          {"occupancy", "占用率"},
                                                          {"wave", "波次"},
                                                          {"spill", "寄存器溢出"},
                                                          {"reduction", "归约"},
                                                          {"tile", "分块"},
                                                          {"swizzle", "混排"},
                                                          {"pipeline", "流水线"},
                                                          {"stage", "级"},
                                                          {"asynchronous copy", "异步拷贝"},
                                                          {"accumulator", "累加器"},
                                                          {"pass over memory", "读写遍数"},
                                                          {"transpose", "转置"},
                                                          {"persistent CTA", "持久线程块"},
                                                          {"producer and consumer", "生产者／消费者"},
                                                          {"operator", "算子"},
                                                          {"operator fusion", "算子融合"}};
  for (const auto& [english, chinese] : kAgreed) {
    const Term* term = glossary().find(english);
    ASSERT_NE(term, nullptr) << english;
    EXPECT_EQ(term->name.zh, chinese) << english;
  }
  // One Chinese name for each.
  std::set<std::string> names;
  for (const Term& term : glossary().terms()) EXPECT_TRUE(names.insert(term.name.zh).second) << term.name.zh;
}

TEST(GlossaryFile, AFileWithAMistakeIsAnErrorWithItsLine) {
  const fs::path file = own_test_folder() / "glossary.toml";
  std::ofstream(file) << "[[term]]\nen = \n";
  const auto loaded = Glossary::load(file);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("line 2"), std::string::npos) << loaded.error().message;
}

TEST(GlossaryMatches, AreWholeWordsAndTheLongestTerm) {
  EXPECT_THAT(found_in(Language::en, "Two bank conflicts, one bank; Warps."),
              ElementsAre("bank conflict: bank conflicts", "bank: bank", "warp: Warps"));
  EXPECT_THAT(found_in(Language::en, "a warp-wide sum, blockIdx, embankment, sub-warp, my_warp"), IsEmpty());
  EXPECT_THAT(found_in(Language::en, "the warp's lanes (CTA)"), ElementsAre("warp: warp", "lane: lanes", "block: CTA"));
}

TEST(GlossaryMatches, OfChineseNeedNoSpaces) {
  EXPECT_THAT(found_in(Language::zh, "每个线程块有8个线程束，SM 上有存储体冲突"),
              ElementsAre("block: 线程块", "warp: 线程束", "SM: SM", "bank conflict: 存储体冲突"));
  EXPECT_THAT(found_in(Language::zh, "SMEM 与 L2x，第 3 级"), IsEmpty());
}

/// The underlined terms of a document, with a bar where a block ends that has any.
std::vector<std::string> underlined(const LessonDocument& document) {
  std::vector<std::string> found;
  const auto look = [&](const LessonSpans& spans) {
    for (const LessonSpan& span : spans)
      if (span.term >= 0) found.push_back(span.text);
  };
  for (const LessonBlock& block : document.blocks) {
    look(block.spans);
    for (const auto& row : block.rows)
      for (const LessonSpans& cell : row) look(cell);
  }
  return found;
}

LessonDocument marked(std::string_view text, Language language = Language::en) {
  LessonDocument document = parse_lesson(text);
  mark_terms(document, glossary(), language);
  return document;
}

TEST(LessonTerms, AreUnderlinedOncePerSection) {
  EXPECT_THAT(underlined(marked("A warp, a *lane*, a warp.\n\n- warps\n\n### Deeper\n\nlanes\n\n## Next\n\nWarps\n")),
              ElementsAre("warp", "lane", "Warps"));
  EXPECT_THAT(underlined(marked("线程束，线程束。\n\n## 下一节\n\n**线程束**\n", Language::zh)),
              ElementsAre("线程束", "线程束"));
}

TEST(LessonTerms, AreNotUnderlinedInCodeLinksHeadingsTableHeadsAndValues) {
  EXPECT_THAT(underlined(marked("# A warp\n\n`warp` [warp](lab:transpose) {{warps}} {{blocks}} blocks\n\n"
                                "```cuda\n// a warp\n```\n\n| warp | n |\n|---|---|\n| lane | `lane` |\n")),
              ElementsAre("blocks", "lane"));
}

/// Text as a reader sees it.
std::string whole_text(const LessonDocument& document) {
  std::string text;
  for (const LessonBlock& block : document.blocks) {
    text += plain_text(block.spans) + "\n";
    for (const auto& row : block.rows)
      for (const LessonSpans& cell : row) text += plain_text(cell) + "|";
  }
  return text;
}

TEST(LessonTerms, AreInEveryLessonAndChangeNoText) {
  for (const Lab& lab : labs())
    for (const Language language : {Language::en, Language::zh}) {
      const std::string folder = language == Language::en ? "en/" : "zh/";
      const std::string text = read_file(fs::path(TILESCOPE_SOURCE) / "docs/labs" / folder / (lab.name + ".md"));
      const LessonDocument plain = parse_lesson(text), document = marked(text, language);
      EXPECT_EQ(whole_text(plain), whole_text(document)) << folder << lab.name;
      EXPECT_GE(underlined(document).size(), 5U) << folder << lab.name;
      for (const LessonBlock& block : document.blocks)
        for (const LessonSpan& span : block.spans)
          EXPECT_FALSE(span.term >= 0 && (span.code || span.link >= 0 || block.kind == LessonBlockKind::heading))
              << folder << lab.name << ": " << span.text;
    }
}

TEST(LessonTerms, OccurInTheTasksOfExercises) {
  size_t tasks = 0, with_terms = 0;
  for (const auto& folder : fs::directory_iterator(fs::path(TILESCOPE_SOURCE) / "exercises"))
    for (const Language language : {Language::en, Language::zh}) {
      const fs::path file = folder.path() / (language == Language::en ? "task.en.md" : "task.zh.md");
      if (!fs::exists(file)) continue;
      ++tasks;
      with_terms += underlined(marked(read_file(file), language)).empty() ? 0 : 1;
    }
  EXPECT_GT(tasks, 100U);
  EXPECT_GE(with_terms * 10, tasks * 9);
}

TEST(GlossaryOrder, IsAlphabeticalInEnglishAndByStageInChinese) {
  const auto& terms = glossary().terms();
  const auto english = glossary_order(glossary(), Language::en, "");
  EXPECT_TRUE(std::ranges::is_sorted(english, {}, [&](size_t i) { return lower(terms[i].name.en); }));
  const auto chinese = glossary_order(glossary(), Language::zh, "");
  EXPECT_TRUE(std::ranges::is_sorted(chinese, {}, [&](size_t i) { return find_lab(terms[i].lab)->stage; }));
  EXPECT_EQ(english.size(), terms.size());
  EXPECT_EQ(chinese.size(), terms.size());
}

TEST(GlossaryOrder, FindsNamesInBothLanguagesThenExplanations) {
  const auto names = [](std::string_view typed) {
    std::vector<std::string> all;
    for (const size_t i : glossary_order(glossary(), Language::en, typed)) all.push_back(glossary().terms()[i].name.en);
    return all;
  };
  EXPECT_THAT(names("BANK CON"), ElementsAre("bank conflict"));
  EXPECT_THAT(names("扇区"), ElementsAre("sector"));
  EXPECT_THAT(names("bfloat"), ElementsAre("bf16"));
  EXPECT_THAT(names("65,504"), ElementsAre("fp16")) << "only an explanation has it";
  EXPECT_THAT(names("no such term"), IsEmpty());
}

class GlossaryScreen : public ScreenTest {
 protected:
  GlossaryScreen() {
    screen->view.tab = "lesson";
    frames(3);
  }
};

TEST_F(GlossaryScreen, ATermOfALessonExplainsItselfAndOpensTheGlossaryThere) {
  ASSERT_TRUE(screen->marks().contains("term thread"));
  point_at(centre("term thread"));
  frame();
  const std::string& explained = screen->view.explained;
  EXPECT_TRUE(explained.starts_with("thread · 线程\nOne execution of a kernel")) << explained;
  EXPECT_TRUE(explained.ends_with("\nCUDA: threadIdx")) << explained;
  click("term thread");
  frames(3);
  ASSERT_TRUE(screen->marks().contains("help.glossary"));
  EXPECT_TRUE(screen->marks().contains("entry thread"));
  EXPECT_FALSE(screen->marks().contains("entry accumulator")) << "scrolled away";
  press(Key::escape);
  EXPECT_FALSE(screen->marks().contains("help.glossary"));
}

TEST_F(GlossaryScreen, SearchesAndOpensALab) {
  screen->show_help(Screen::Help::glossary);
  frames(3);
  EXPECT_TRUE(screen->marks().contains("entry accumulator"));
  click("glossary search");
  EXPECT_TRUE(screen->marks().contains("help.glossary")) << "a click in the page does not close it";
  type("swizz");
  frames(2);
  ASSERT_TRUE(screen->marks().contains("entry swizzle"));
  EXPECT_FALSE(screen->marks().contains("entry accumulator"));
  click("lab of swizzle");
  frames(2);
  EXPECT_EQ(screen->session.lab().name, "transpose");
  EXPECT_EQ(screen->view.tab, "lesson");
  EXPECT_FALSE(screen->marks().contains("help.glossary"));
}

TEST_F(GlossaryScreen, MenusReachItAndTheCheatSheets) {
  click("help");
  click("menu.glossary");
  frames(2);
  EXPECT_TRUE(screen->marks().contains("help.glossary"));
  press(Key::escape);
  for (const char* sheet : {"cuda", "triton", "errors", "questions"}) {
    click("help");
    click(std::string("menu.") + sheet);
    frames(3);
    EXPECT_EQ(screen->view.tab, "sheets");
    EXPECT_EQ(screen->view.sheet, sheet);
    EXPECT_GT(texts_in_view(), 20U) << sheet;
  }
  click("tab.0");
  frames(2);
  EXPECT_EQ(screen->view.tab, "lesson");
}

TEST_F(GlossaryScreen, ThePaletteFindsTermsAfterLabsAndCommands) {
  press(Key::p, /*control=*/true);
  frames(2);
  type("multiply");  // also the start of the term "multiply-add"
  press(Key::enter);
  EXPECT_EQ(screen->session.lab().name, "vector-multiply");
  press(Key::p, /*control=*/true);
  frames(2);
  type("bank conflict");
  press(Key::enter);
  frames(3);
  EXPECT_TRUE(screen->marks().contains("entry bank conflict"));
}

TEST_F(GlossaryScreen, ALinkLeadsFromOneCheatSheetToAnother) {
  screen->show_sheet("cuda");
  frames(3);
  click("link.errors.md");
  frames(2);
  EXPECT_EQ(screen->view.sheet, "errors");
}

}  // namespace
}  // namespace tilescope
