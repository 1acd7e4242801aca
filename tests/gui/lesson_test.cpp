// Lessons without a window: Markdown to blocks, line breaking of Latin and Chinese, links, live values and search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "app/draw/editor/line_wrap.hpp"
#include "app/views/lesson/lesson_answers.hpp"
#include "app/views/lesson/lesson_document.hpp"
#include "app/views/lesson/lesson_find.hpp"
#include "app/views/lesson/lesson_layout.hpp"
#include "app/views/lesson/lesson_live.hpp"
#include "app/views/open_address.hpp"
#include "engine/lab.hpp"

namespace tilescope {
namespace {

using testing::ElementsAre;

/// A font in which a Latin character is one unit wide and a Chinese one two units, as in a terminal.
LessonMetrics cells() {
  return {[](LessonFont, std::string_view text) { return static_cast<float>(cells_of(text)); }, 1};
}

std::vector<std::string> wrapped(std::string_view markdown, float width) {
  std::vector<std::string> lines;
  const LessonDocument document = parse_lesson(markdown);
  for (const LessonLine& line : wrap_spans(document.blocks.at(0).spans, LessonFont::body, width, cells())) {
    std::string text;
    float end = 0;
    for (const LessonRun& run : line.runs) {
      const float padding = run.inline_code ? 4 : 0;
      if (run.x - padding > end + 0.5F) text += ' ';
      text += run.text;
      end = run.x + run.width + padding;
    }
    lines.push_back(text);
  }
  return lines;
}

TEST(LessonDocument, HeadingsParagraphsAndEmphasis) {
  const auto document = parse_lesson("# One **two**\n\nplain **strong** *slanted* `code` end\n");
  ASSERT_EQ(document.blocks.size(), 2U);
  EXPECT_EQ(document.title, "One two");
  EXPECT_EQ(document.blocks[0].kind, LessonBlockKind::heading);
  EXPECT_EQ(document.blocks[0].level, 1);
  EXPECT_EQ(document.blocks[0].anchor, "one-two");
  const LessonSpans& spans = document.blocks[1].spans;
  ASSERT_EQ(spans.size(), 7U);
  EXPECT_TRUE(spans[1].strong);
  EXPECT_TRUE(spans[3].emphasis);
  EXPECT_TRUE(spans[5].code);
  EXPECT_EQ(spans[5].text, "code");
}

TEST(LessonDocument, CodeBlocksKeepTheirTextAndLanguage) {
  const auto document = parse_lesson("```cuda kernels/x.cu\nint i;\n\n  i < 2 && *p;\n```\n");
  ASSERT_EQ(document.blocks.size(), 1U);
  EXPECT_EQ(document.blocks[0].language, "cuda");
  EXPECT_EQ(document.blocks[0].info, "kernels/x.cu");
  EXPECT_EQ(document.blocks[0].text, "int i;\n\n  i < 2 && *p;");
}

TEST(LessonDocument, ListsKeepTheirMarkersDepthAndInnerBlocks) {
  const auto document =
      parse_lesson("1. one\n2. two\n   - deep **x**\n3. three\n\n* loose\n\n* list\n\n  second paragraph\n");
  std::vector<std::string> markers;
  std::vector<int> depths;
  for (const auto& block : document.blocks) {
    markers.push_back(block.marker);
    depths.push_back(block.indent);
  }
  EXPECT_THAT(markers, ElementsAre("1.", "2.", "•", "3.", "•", "•", ""));
  EXPECT_THAT(depths, ElementsAre(1, 1, 2, 1, 1, 1, 1));
  EXPECT_EQ(plain_text(document.blocks[2].spans), "deep x");
  EXPECT_TRUE(document.blocks[0].tight);
  EXPECT_FALSE(document.blocks[4].tight);
}

TEST(LessonDocument, TablesKeepRowsAndAlignment) {
  const auto document = parse_lesson("| a | b |\n|---|---:|\n| `x` | 12 |\n| **y** | 3 |\n");
  ASSERT_EQ(document.blocks.size(), 1U);
  const LessonBlock& table = document.blocks[0];
  EXPECT_THAT(table.align, ElementsAre(LessonAlign::left, LessonAlign::right));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(plain_text(table.rows[2][1]), "3");
  EXPECT_TRUE(table.rows[1][0][0].code);
}

TEST(LessonDocument, QuotesRulesAndEntities) {
  const auto document = parse_lesson("> quoted &lt;b&gt;\n\n---\n\nafter\n");
  ASSERT_EQ(document.blocks.size(), 3U);
  EXPECT_EQ(document.blocks[0].quote, 1);
  EXPECT_EQ(plain_text(document.blocks[0].spans), "quoted <b>");
  EXPECT_EQ(document.blocks[1].kind, LessonBlockKind::rule);
  EXPECT_EQ(document.blocks[2].quote, 0);
}

TEST(LessonDocument, AnyBytesAreReadWithoutHarm) {
  std::mt19937 random(5);
  const std::string_view alphabet = "#*`|-> 1.[]()!\n\n:中“，。a{}&;\\\t";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (size_t length = random() % 60; length > 0; --length) text += alphabet[random() % alphabet.size()];
    const auto document = parse_lesson(text);
    lay_out_lesson(document, 40, 0, cells());
    for (const auto& block : document.blocks)
      for (const auto& span : block.spans) ASSERT_LT(span.link, static_cast<int>(document.links.size()));
  }
}

TEST(LessonLink, EachFormIsKnown) {
  EXPECT_EQ(link_from("lab:vector-add").kind, LinkKind::lab);
  EXPECT_EQ(link_from("rung:grid-stride").target, "grid-stride");
  EXPECT_EQ(link_from("exercise:add-ten").kind, LinkKind::exercise);
  EXPECT_EQ(link_from("tab:tiles").kind, LinkKind::tab);
  EXPECT_EQ(link_from("set:BLOCK=32").kind, LinkKind::set);
  EXPECT_EQ(link_from("break:DROP_MASK").kind, LinkKind::break_it);
  EXPECT_EQ(link_from("source:host").kind, LinkKind::source);
  EXPECT_EQ(source_page_named(link_from("source:host").target), SourcePage::host);
  EXPECT_FALSE(source_page_named("source:hosts"));
  EXPECT_EQ(link_from("#ladder").target, "ladder");
  EXPECT_EQ(link_from("https://example.org/a").kind, LinkKind::external);
  EXPECT_EQ(assignment_from("BLOCK=32"), std::pair(std::string("BLOCK"), int64_t{32}));
  for (const char* wrong : {"BLOCK", "=3", "BLOCK=", "BLOCK=3x", ""}) EXPECT_FALSE(assignment_from(wrong)) << wrong;
}

TEST(LessonLink, OnlyWebAddressesAreOpened) {
  EXPECT_FALSE(open_address("file:///etc/passwd"));
  EXPECT_FALSE(open_address("--help"));
  EXPECT_FALSE(open_address(""));
}

TEST(LessonWrap, LatinBreaksAtSpaces) {
  EXPECT_THAT(wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrapped("one two three", 100), ElementsAre("one two three"));
}

TEST(LessonWrap, ChineseBreaksBetweenAnyTwoCharacters) {
  EXPECT_THAT(wrapped("向量加法很简单", 6), ElementsAre("向量加", "法很简", "单"));
}

TEST(LessonWrap, ClosingPunctuationNeverStartsALine) {
  // The third character would fit, but its comma would not: both move to the next line.
  EXPECT_THAT(wrapped("向量加，法", 6), ElementsAre("向量", "加，法"));
  EXPECT_THAT(wrapped("看（一）二", 6), ElementsAre("看", "（一）", "二"));
}

TEST(LessonWrap, MixedTextBreaksBetweenTheScripts) {
  EXPECT_THAT(wrapped("每个warp有32个lane", 8), ElementsAre("每个warp", "有32个", "lane"));
  EXPECT_THAT(wrapped("每个 warp 有 32 个", 9), ElementsAre("每个 warp", "有 32 个"));
}

TEST(LessonWrap, PunctuationStaysWithTheStyledWordBeforeIt) {
  EXPECT_THAT(wrapped("so **bold**, end", 7), ElementsAre("so", "bold,", "end"));
  // Inline code has four pixels of padding on each side.
  EXPECT_THAT(wrapped("see `code`. Then", 16), ElementsAre("see", "code.", "Then"));
}

TEST(LessonWrap, AWordWiderThanALineIsCut) { EXPECT_THAT(wrapped("abcdefghij", 4), ElementsAre("abcd", "efgh", "ij")); }

TEST(LessonWrap, AHardBreakStartsALine) { EXPECT_THAT(wrapped("one  \ntwo", 50), ElementsAre("one", "two")); }

TEST(LessonWrap, NoTextIsLostAndNoLineIsTooWideWhateverTheWidth) {
  const std::string text =
      "一个 warp 的 32 个 lane，`BLOCK` 与 **分块**（tile）：每次请求 4 个扇区。Then plain words follow, too!";
  const auto spans = parse_lesson(text).blocks.at(0).spans;
  std::string whole = plain_text(spans);
  std::erase(whole, ' ');
  for (int width = 12; width < 120; ++width) {
    std::string all;
    for (const LessonLine& line : wrap_spans(spans, LessonFont::body, static_cast<float>(width), cells())) {
      EXPECT_LE(line.width, static_cast<float>(width) + 0.01F);
      for (const LessonRun& run : line.runs) all += run.text;
    }
    std::erase(all, ' ');
    ASSERT_EQ(all, whole) << width;
  }
}

TEST(LessonLayout, BlocksFollowEachOtherWithoutOverlap) {
  const auto document =
      parse_lesson("# a\n\ntext\n\n- x\n- y\n\n```\ncode\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n>\n> r\n");
  const LessonLayout layout = lay_out_lesson(document, 60, 0, cells());
  ASSERT_EQ(layout.blocks.size(), document.blocks.size());
  float bottom = 0;
  for (const PlacedBlock& placed : layout.blocks) {
    EXPECT_GE(placed.y, bottom);
    EXPECT_GT(placed.height, 0);
    bottom = placed.y + placed.height;
  }
  EXPECT_EQ(layout.height, bottom);
}

TEST(LessonLayout, NarrowTableColumnsKeepTheirWidthAndWideOnesShareTheRest) {
  EXPECT_THAT(share_width({10, 20}, 100), ElementsAre(10, 20));
  EXPECT_THAT(share_width({10, 200, 100}, 110), ElementsAre(10, 50, 50));
}

TEST(LessonLayout, ATableColumnIsAsWideAsItsWidestWordWhereAllWordsFit) {
  EXPECT_THAT(share_width({10, 200, 100}, 110, {10, 60, 20}), ElementsAre(10, 70, 30));
  EXPECT_THAT(share_width({10, 20}, 100, {5, 5}), ElementsAre(10, 20));
  EXPECT_THAT(share_width({10, 200, 100}, 110, {10, 90, 20}), ElementsAre(10, 50, 50));  // they do not
  const auto spans = parse_lesson("`row-in-registers` of a row\n").blocks.at(0).spans;
  EXPECT_GT(widest_piece(spans, LessonFont::body, cells()), 15);
  EXPECT_LT(widest_piece(spans, LessonFont::body, cells()), 27);
}

std::vector<std::string> rows_of(std::string_view line, RowWidths cells) {
  std::vector<CodeRow> rows;
  wrap_line(line, 0, cells, &rows);
  std::vector<std::string> texts;
  for (const CodeRow& row : rows)
    texts.push_back(std::string(row.indent, ' ') + std::string(line.substr(row.begin, row.end - row.begin)));
  return texts;
}

TEST(LineWrap, LongCodeContinuesFurtherInBehindAnArgument) {
  EXPECT_THAT(rows_of("  call(alpha + one, beta);", {22, 22}), ElementsAre("  call(alpha + one, ", "      beta);"));
  EXPECT_THAT(rows_of("  x = *cast<Pack*>(a + i);", {23, 23}), ElementsAre("  x = *cast<Pack*>(a + ", "      i);"));
  EXPECT_THAT(rows_of("", {20, 20}), ElementsAre(""));
}

TEST(LineWrap, ACommentContinuesUnderItsText) {
  EXPECT_THAT(rows_of("// one, two three four", {16, 16}), ElementsAre("// one, two ", "   three four"));
}

TEST(LineWrap, OnlyTheFirstRowIsShortBesideItsTraffic) {
  EXPECT_THAT(rows_of("aaaa bbbb cccc dddd eeee", {10, 24}), ElementsAre("aaaa bbbb ", "    cccc dddd eeee"));
}

TEST(LineWrap, NoByteIsLostWhateverTheWidth) {
  const std::string line = "    result.value[k] = OP()(x.value[k], 向量 y.value[k]);  // sum, of all";
  for (uint32_t width = 1; width < 90; ++width) {
    std::vector<CodeRow> rows;
    wrap_line(line, 7, {width, width}, &rows);
    uint32_t at = 0;
    for (const CodeRow& row : rows) {
      ASSERT_EQ(row.begin, at) << width;
      ASSERT_EQ(row.line, 7U);
      ASSERT_GT(row.end, row.begin);
      at = row.end;
    }
    ASSERT_EQ(at, line.size());
  }
}

RunResult small_result() {
  RunResult result;
  result.request.config.sizes["n"] = 98432;
  result.request.config.params["BLOCK"] = 256;
  result.observed = true;
  result.tiles.grid = {385, 1, 1};
  result.tiles.block = {256, 1, 1};
  result.tiles.idle_threads = 128;
  return result;
}

TEST(LessonLive, ValuesComeFromTheResultAndAreADashWithoutOne) {
  const RunResult result = small_result();
  const auto spans =
      parse_lesson("{{blocks}} of {{BLOCK}}, {{threads}}, {{idle_threads}}, {{nonsense}}").blocks[0].spans;
  EXPECT_EQ(plain_text(with_live_values(spans, &result)), "385 of 256, 98,560, 128, –");
  EXPECT_EQ(plain_text(with_live_values(spans, nullptr)), "– of –, –, –, –");
}

TEST(LessonLive, CountsAreADashWhenNothingWasObserved) {
  RunResult result = small_result();
  result.observed = false;
  EXPECT_EQ(live_value("blocks", result), std::nullopt);
  EXPECT_EQ(live_value("BLOCK", result), "256");
}

TEST(LiveValues, TellTheWavesOfTheGrid) {
  RunResult result;
  EXPECT_FALSE(live_value("waves", result));
  result.waves.push_back({.blocks = 9, .multiprocessors = 2, .blocks_per_multiprocessor = 2});
  EXPECT_EQ(live_value("waves", result), "3");
  EXPECT_EQ(live_value("resident", result), "4");
  EXPECT_EQ(live_value("held", result), "2");
  EXPECT_EQ(live_value("last_wave", result), "1");
}

constexpr const char* kExercises =
    "1. One?\n2. Two?\n\n**Answers.** (1) Four blocks (2 × 2). (2) A *b*, `(3)` stays. (3) Last.\n\n"
    "1. *Why so?* Because of this.\n2. Not a question.\n\n**Answers** are good.\n";

TEST(LessonAnswers, AreFoldedEachForItself) {
  const LessonDocument document = parse_lesson(kExercises);
  const LessonDocument folded = fold_answers(document, {}, "show");
  const auto texts = [](const LessonDocument& one) {
    std::vector<std::string> all;
    for (const LessonBlock& block : one.blocks) all.push_back(block.marker + plain_text(block.spans));
    return all;
  };
  EXPECT_THAT(texts(folded), ElementsAre("1.One?", "2.Two?", "Answers.", "1.show", "2.show", "3.show",
                                         "1.Why so?  show", "2.Not a question.", "Answers are good."));
  std::set<std::string> open;
  for (const LessonLink& link : folded.links)
    if (link.kind == LinkKind::answer) open.insert(link.target);
  ASSERT_EQ(open.size(), 4U);
  const LessonDocument opened = fold_answers(document, open, "show");
  EXPECT_THAT(texts(opened),
              ElementsAre("1.One?", "2.Two?", "Answers.", "1.Four blocks (2 × 2). ", "2.A b, (3) stays. ", "3.Last.",
                          "1.Why so? Because of this.", "2.Not a question.", "Answers are good."));
  // A single answer opens on its own.
  const LessonDocument one = fold_answers(document, {*open.begin()}, "show");
  EXPECT_EQ(std::ranges::count(one.links, LinkKind::answer, &LessonLink::kind), 3);
  EXPECT_EQ(one.blocks.size(), folded.blocks.size()) << "the place of the reader is a block";
}

TEST(LessonFind, FindsWhatIsBrokenOverLinesAndStyles) {
  std::string text = "one **two** three `four`, five\n\n";
  for (int i = 0; i < 10; ++i) text += "每个线程束有三十二个通道";
  const LessonLayout layout = lay_out_lesson(parse_lesson(text + "\n"), 120, 0, cells());
  EXPECT_EQ(find_in_lesson(layout, "two three", cells()).size(), 1U);
  EXPECT_EQ(find_in_lesson(layout, "three four, five", cells()).size(), 1U);
  EXPECT_EQ(find_in_lesson(layout, "TWO", cells()).size(), 0U) << "a capital makes the case matter";
  const auto found = find_in_lesson(layout, "通道每个", cells());
  ASSERT_EQ(found.size(), 9U);
  EXPECT_EQ(std::ranges::count_if(found, [](const LessonMatch& one) { return one.parts.size() == 2; }), 1)
      << "one is on two lines";
  for (const LessonMatch& one : found)
    for (const LessonMatchPart& part : one.parts) EXPECT_GT(part.x1, part.x0);
  EXPECT_TRUE(find_in_lesson(layout, "", cells()).empty());
}

TEST(LessonOutline, ReachesTheLastHeadingAtTheEndAndNoneIsPassedOver) {
  const std::vector<float> headings{0, 900, 1000, 1700, 1780, 1960};
  const float visible = 400, end = 2100 - visible;
  size_t before = 0;
  for (float scroll = 0; scroll <= end; scroll += 1) {
    const size_t current = current_heading(headings, scroll, end, visible);
    EXPECT_LE(current, before + 1) << scroll;
    EXPECT_GE(current, before) << scroll;
    before = current;
  }
  EXPECT_EQ(before, headings.size() - 1);
  EXPECT_EQ(current_heading(headings, 870, end, visible), 1U) << "before the last screenful: the one at the top";
  EXPECT_EQ(current_heading(headings, 0, 0, visible), 0U) << "a lesson that needs no scrolling";
}

}  // namespace
}  // namespace tilescope
