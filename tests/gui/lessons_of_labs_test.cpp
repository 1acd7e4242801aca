// Every lesson in docs/: both languages have the same structure, links and quotations resolve, live values exist.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "app/views/lesson/lesson_document.hpp"
#include "app/views/lesson/lesson_live.hpp"
#include "app/views/view.hpp"
#include "engine/lab.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct LabLesson {
  const Lab* lab;
  std::string language, text;
  LessonDocument document;
};
std::vector<LabLesson> all_lessons() {
  std::vector<LabLesson> lessons;
  for (const Lab& lab : labs())
    for (const char* language : {"en", "zh"}) {
      std::string text = read_file(fs::path(TILESCOPE_SOURCE) / "docs/labs" / language / (lab.name + ".md"));
      lessons.push_back({&lab, language, text, parse_lesson(text)});
    }
  return lessons;
}

size_t count_kind(const LessonDocument& document, LessonBlockKind kind) {
  return static_cast<size_t>(std::ranges::count(document.blocks, kind, &LessonBlock::kind));
}

TEST(Lessons, EveryLabHasOneInEachLanguage) {
  ASSERT_FALSE(labs().empty());
  for (const auto& lesson : all_lessons()) {
    EXPECT_FALSE(lesson.document.blocks.empty()) << lesson.language << "/" << lesson.lab->name << ".md";
    EXPECT_FALSE(lesson.document.title.empty()) << lesson.language << "/" << lesson.lab->name << ".md";
  }
}

TEST(Lessons, EveryFileBelongsToALab) {
  for (const char* language : {"en", "zh"})
    for (const auto& file : fs::directory_iterator(fs::path(TILESCOPE_SOURCE) / "docs/labs" / language))
      EXPECT_NE(find_lab(file.path().stem()), nullptr) << file.path();
}

TEST(Lessons, BothLanguagesHaveTheSameStructure) {
  const auto lessons = all_lessons();
  for (size_t index = 0; index + 1 < lessons.size(); index += 2) {
    const auto &english = lessons[index].document, &chinese = lessons[index + 1].document;
    const std::string name = lessons[index].lab->name;
    ASSERT_EQ(english.blocks.size(), chinese.blocks.size()) << name;
    for (size_t block = 0; block < english.blocks.size(); ++block) {
      EXPECT_EQ(english.blocks[block].kind, chinese.blocks[block].kind) << name << " block " << block;
      EXPECT_EQ(english.blocks[block].level, chinese.blocks[block].level) << name << " block " << block;
      EXPECT_EQ(english.blocks[block].rows.size(), chinese.blocks[block].rows.size()) << name << " block " << block;
      if (english.blocks[block].kind == LessonBlockKind::figure) {
        EXPECT_EQ(english.blocks[block].info, chinese.blocks[block].info) << name;
      }
      if (english.blocks[block].language == "cuda" || english.blocks[block].info.starts_with("kernels/")) {
        EXPECT_EQ(english.blocks[block].text, chinese.blocks[block].text) << name;
      }
    }
    const auto targets = [](const LessonDocument& document) {
      std::multiset<std::string> all;
      for (const auto& link : document.links) all.insert(link.target);
      return all;
    };
    EXPECT_EQ(targets(english), targets(chinese)) << name;
    EXPECT_GE(count_kind(english, LessonBlockKind::code), 1U) << name;
  }
}

TEST(Lessons, LinksLeadToThingsThatExist) {
  for (const auto& lesson : all_lessons()) {
    const Lab& lab = *lesson.lab;
    const auto is_named = [](const std::string& name) { return [&name](const auto& one) { return one.name == name; }; };
    for (const auto& link : lesson.document.links) {
      const std::string where = lesson.language + "/" + lab.name + ": " + link.target;
      switch (link.kind) {
        case LinkKind::lab:
          EXPECT_NE(find_lab(link.target), nullptr) << where;
          break;
        case LinkKind::rung:
          EXPECT_NE(find_rung(lab, link.target), nullptr) << where;
          break;
        case LinkKind::tab:
          EXPECT_NE(find_view(link.target), nullptr) << where;
          break;
        case LinkKind::break_it:
          EXPECT_TRUE(std::ranges::any_of(lab.break_it, is_named(link.target))) << where;
          break;
        case LinkKind::exercise:
          EXPECT_TRUE(fs::exists(fs::path(TILESCOPE_SOURCE) / "exercises" / link.target)) << where;
          break;
        case LinkKind::sheet:
          EXPECT_TRUE(fs::exists(fs::path(TILESCOPE_SOURCE) / "docs/cheatsheets/en" / link.address)) << where;
          break;
        case LinkKind::source:
          EXPECT_TRUE(source_page_named(link.target)) << where;
          break;
        case LinkKind::heading:
          EXPECT_TRUE(std::ranges::any_of(lesson.document.blocks, [&](const auto& block) {
            return block.anchor == link.target;
          })) << where;
          break;
        case LinkKind::set: {
          const auto assignment = assignment_from(link.target);
          ASSERT_TRUE(assignment) << where;
          Config config = default_config(lab, DeviceKind::sim);
          const bool size = std::ranges::any_of(lab.sizes, is_named(assignment->first));
          ASSERT_TRUE(size || std::ranges::any_of(lab.params, is_named(assignment->first))) << where;
          (size ? config.sizes : config.params)[assignment->first] = assignment->second;
          EXPECT_TRUE(validate(lab, config, DeviceKind::sim)) << where;
          break;
        }
        case LinkKind::answer:
        case LinkKind::steps:
          ADD_FAILURE() << "written in a lesson: " << where;
          break;
        case LinkKind::external:
          EXPECT_TRUE(link.target.starts_with("https://")) << where;
          break;
      }
    }
  }
}

TEST(Lessons, TheLastParagraphLeadsOn) {
  for (const auto& lesson : all_lessons()) {
    const LessonBlock& last = lesson.document.blocks.back();
    const std::string text = plain_text(last.spans);
    EXPECT_TRUE(text.starts_with("Next: ") || text.starts_with("下一")) << lesson.lab->name << ": " << text;
    EXPECT_TRUE(std::ranges::any_of(last.spans, [](const LessonSpan& span) { return span.link >= 0; }));
  }
}

TEST(Lessons, QuotedKernelLinesAreThoseOfTheKernel) {
  size_t quoted = 0;
  for (const auto& lesson : all_lessons())
    for (const auto& block : lesson.document.blocks) {
      if (!block.info.starts_with("kernels/")) continue;
      const std::string kernel = read_file(fs::path(TILESCOPE_SOURCE) / block.info);
      EXPECT_NE(kernel.find(block.text + "\n"), std::string::npos)
          << lesson.language << "/" << lesson.lab->name << ":\n"
          << block.text;
      ++quoted;
    }
  EXPECT_GE(quoted, 4U);
}

/// Markdown closes no bold text between punctuation and a letter: the asterisks would be shown.
std::vector<std::string> texts_with_asterisks(const LessonDocument& document) {
  std::vector<std::string> found;
  const auto look = [&](const LessonSpans& spans) {
    for (const LessonSpan& span : spans)
      if (!span.code && span.text.find("**") != std::string::npos) found.push_back(span.text);
  };
  for (const LessonBlock& block : document.blocks) {
    look(block.spans);
    for (const auto& row : block.rows)
      for (const LessonSpans& cell : row) look(cell);
  }
  return found;
}

TEST(Lessons, ShowNoAsterisksOfBoldText) {
  EXPECT_THAT(texts_with_asterisks(parse_lesson("- **粗。**细\n\n| a |\n|---|\n| **粗。**细 |\n")), testing::SizeIs(2));
  for (const auto& lesson : all_lessons())
    EXPECT_THAT(texts_with_asterisks(lesson.document), testing::IsEmpty())
        << lesson.language << "/" << lesson.lab->name << ".md";
}

TEST(Lessons, LiveValuesHaveNamesThatAreKnown) {
  for (const auto& lesson : all_lessons()) {
    RunResult result;
    result.observed = true;
    result.request.config = default_config(*lesson.lab, DeviceKind::sim);
    result.waves.push_back({.blocks = 9, .multiprocessors = 2, .blocks_per_multiprocessor = 2});
    for (size_t open = lesson.text.find("{{"); open != std::string::npos; open = lesson.text.find("{{", open + 2)) {
      const std::string name = lesson.text.substr(open + 2, lesson.text.find("}}", open) - open - 2);
      EXPECT_TRUE(live_value(name, result)) << lesson.lab->name << ": " << name;
    }
  }
}

/// Parsed, in both languages.
LessonDocument sheet(const std::string& language, const std::string& name) {
  return parse_lesson(read_file(fs::path(TILESCOPE_SOURCE) / "docs/cheatsheets" / language / (name + ".md")));
}

TEST(CheatSheetLinks, LeadToLabsExercisesAndSheetsThatExist) {
  for (const char* name : {"cuda", "triton", "errors", "questions"})
    for (const auto& link : sheet("en", name).links) {
      const std::string where = std::string(name) + ": " + link.target;
      if (link.kind == LinkKind::lab) {
        EXPECT_NE(find_lab(link.target), nullptr) << where;
      } else if (link.kind == LinkKind::exercise) {
        EXPECT_TRUE(fs::exists(fs::path(TILESCOPE_SOURCE) / "exercises" / link.target)) << where;
      } else if (link.kind == LinkKind::sheet) {
        EXPECT_TRUE(fs::exists(fs::path(TILESCOPE_SOURCE) / "docs/cheatsheets/en" / link.address)) << where;
      } else {
        EXPECT_EQ(link.kind, LinkKind::external) << where;
      }
    }
}

/// Each answer of the page of questions says where to see it.
TEST(CheatSheetLinks, TheQuestionsLeadToALabEach) {
  const LessonDocument english = sheet("en", "questions"), chinese = sheet("zh", "questions");
  EXPECT_GE(std::ranges::count(english.links, LinkKind::lab, &LessonLink::kind), 15);
  EXPECT_GE(std::ranges::count(english.links, LinkKind::exercise, &LessonLink::kind), 6);
  const auto targets = [](const LessonDocument& document) {
    std::multiset<std::string> all;
    for (const auto& link : document.links) all.insert(link.target);
    return all;
  };
  EXPECT_EQ(targets(english), targets(chinese));
  ASSERT_EQ(english.blocks.size(), chinese.blocks.size());
  for (size_t block = 0; block < english.blocks.size(); ++block)
    EXPECT_EQ(english.blocks[block].rows.size(), chinese.blocks[block].rows.size()) << "block " << block;
}

}  // namespace
}  // namespace tilescope
