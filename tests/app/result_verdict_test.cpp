// What a result says in a few words: pass only where every value matches and the checks found nothing.
#include "app/observed/result_verdict.hpp"

#include <gtest/gtest.h>

#include "app/draw/sentences.hpp"
#include "engine/finding.hpp"

namespace tilescope {
namespace {

using Kind = ResultVerdict::Kind;

class VerdictTest : public ::testing::Test {
 protected:
  VerdictTest() : strings(*Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "strings")) {
    result.observed = true;
    result.correctness = {{.buffer = "out", .pass = true, .checked = 98432}};
  }
  void find(const char* id, uint32_t line) { result.findings.push_back({.id = id, .count = 128, .line = line}); }
  ResultVerdict verdict() { return verdict_of_result(&result, std::nullopt, strings); }

  Strings strings;
  RunResult result;
};

TEST_F(VerdictTest, PassesOnlyWithoutFindings) {
  EXPECT_EQ(verdict().kind, Kind::matches);
  EXPECT_EQ(verdict().text, "Values match");
  EXPECT_EQ(failure_sentence(result, strings), "");
  for (const uint32_t line : {18U, 19U, 20U}) find("out-of-bounds", line);
  EXPECT_EQ(verdict().kind, Kind::findings);
  EXPECT_EQ(verdict().text, "Values match; 3 findings");
  EXPECT_EQ(verdict().brief, "3");
  EXPECT_EQ(failure_sentence(result, strings), "The checks found out-of-bounds on line 18 and 2 more.");
  EXPECT_EQ(failure_sentence(result, strings, WithFindings::no), "");
}

TEST_F(VerdictTest, NamesWrongValuesBeforeFindings) {
  result.correctness = {{.buffer = "out", .pass = false, .checked = 100800, .mismatches = 100800, .nan = 100800},
                        {.buffer = "sums", .pass = true, .checked = 200}};
  EXPECT_EQ(verdict().kind, Kind::wrong);
  EXPECT_EQ(verdict().text, "100,800 of 101,000 wrong");
  EXPECT_EQ(failure_sentence(result, strings), "100,800 of 100,800 elements of out are NaN.");
  find("shared-race", 7);
  EXPECT_EQ(verdict().kind, Kind::wrong);
  EXPECT_EQ(verdict().text, "100,800 of 101,000 wrong; 1 finding");
}

TEST_F(VerdictTest, AnOutputThatIsWrongAsAWholeHasNoCount) {
  result.correctness = {{.buffer = "out", .pass = false, .reason = phrase("{} elements and not {}", 3, 4)}};
  EXPECT_EQ(verdict().kind, Kind::wrong);
  EXPECT_EQ(verdict().text, strings("verdict.wrong"));
  EXPECT_EQ(verdict().brief, "");
}

TEST_F(VerdictTest, KeepsApartWhatWasNotComparedAndWhatDidNotRun) {
  EXPECT_EQ(verdict_of_result(nullptr, std::nullopt, strings).kind, Kind::none);
  EXPECT_EQ(verdict_of_result(&result, Error{ErrorId::compile_failed, "no", ""}, strings).kind, Kind::failed);
  EXPECT_EQ(verdict_of_result(&result, Error{ErrorId::cancelled, "no", ""}, strings).kind, Kind::matches);
  result.correctness.clear();
  EXPECT_EQ(verdict().kind, Kind::not_compared);
  EXPECT_EQ(verdict().text, "No findings");
  result.blocks_sampled = 4;
  EXPECT_EQ(verdict().text, "Not compared");
  find("out-of-bounds", 3);
  EXPECT_EQ(verdict().kind, Kind::findings);
  EXPECT_EQ(verdict().text, "1 finding");
}

TEST_F(VerdictTest, EveryFindingHasItsMeaning) {
  for (const Language language : {Language::en, Language::zh}) {
    strings.language = language;
    for (const std::string_view id : kFindingIds)
      EXPECT_EQ(finding_meaning(strings, id).find("finding."), std::string::npos) << id;
  }
}

}  // namespace
}  // namespace tilescope
