// Recordings of exported operators: what is read of them, what is refused, and that the lessons' tables say the same.
#include "engine/torch_operator/operator_recording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "engine/lab.hpp"
#include "engine/run/engine.hpp"
#include "engine/text_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr const char* kRecording = R"({
  "lab": "gelu", "operator": "tilescope::gelu", "command": "tilescope export-op gelu", "date": "2026-01-02T00:00:00",
  "gpu": "a GPU", "torch": "2.11", "cuda": "13.0", "triton": "3.6", "sizes": {"n": 65536},
  "rounds": 25, "calls": 200, "variants": [
    {"variant": "launch", "language": "cuda", "problems": ["kernels: no driver"], "call_us": 12.5,
     "captured": {"graph_breaks": 2, "graphs": ["a", "b", "c"], "reasons": ["ctypes", "again"]}, "lowered": ["d"]},
    {"variant": "eager", "language": "pytorch", "kernels": 1, "problems": []}
  ]})";

TEST(OperatorRecording, IsReadWithWhatItLacks) {
  const auto recording = operator_recording_from(kRecording, "it.json");
  ASSERT_TRUE(recording) << recording.error().message;
  EXPECT_EQ(recording->lab, "gelu");
  EXPECT_EQ(recording->sizes, (SizeValues{{"n", 65536}}));
  EXPECT_EQ(recording->rounds, 25);
  EXPECT_EQ(recording->calls, 200);
  ASSERT_EQ(recording->variants.size(), 2U);
  const OperatorVariant& launch = recording->variants[0];
  EXPECT_EQ(launch.name(), "launch (cuda)");
  EXPECT_EQ(launch.graph_breaks, 2);
  EXPECT_EQ(launch.captured.size(), 3U);
  EXPECT_EQ(launch.reasons.size(), 2U);
  EXPECT_EQ(launch.call_us, 12.5);
  EXPECT_FALSE(launch.kernels);
  EXPECT_EQ(launch.problems.size(), 1U);
  EXPECT_EQ(recording->variants[1].name(), "eager");
  EXPECT_FALSE(recording->variants[1].graph_breaks);
}

TEST(OperatorRecording, IsRefusedInASentence) {
  for (const char* text : {"", "[1, 2]", "{", R"({"lab": "gelu"})", R"({"lab": "gelu", "gpu": "a GPU", "variants": 3})",
                           R"({"lab": "gelu", "gpu": "a GPU", "variants": [], "sizes": 7})"}) {
    const auto recording = operator_recording_from(text, "it.json");
    ASSERT_FALSE(recording) << text;
    EXPECT_THAT(recording.error().message, HasSubstr("it.json")) << text;
  }
}

TEST(OperatorRecording, ValuesOfOtherTypesAreLeftOut) {
  const auto recording = operator_recording_from(
      R"({"lab": "gelu", "gpu": "a GPU", "sizes": [1], "variants":
          [7, {"variant": 3, "captured": 5, "lowered": "x", "call_us": "fast", "problems": [1, "two"]}]})",
      "it.json");
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_EQ(recording->variants.size(), 1U);
  EXPECT_FALSE(recording->variants[0].call_us);
  EXPECT_EQ(recording->variants[0].problems, std::vector<std::string>{"two"});
}

TEST(OperatorMeasurement, SaysInASentenceWhatIsMissing) {
  const std::shared_ptr<Engine> engine = Engine::open({.root = TILESCOPE_SOURCE});
  const Lab& lab = *find_lab("gelu");
  const Request request{.lab = "gelu", .rung = "triton-fused", .config = default_config(lab, DeviceKind::sim)};
  const char* before = std::getenv("TILESCOPE_PYTHON");
  const std::string kept = before != nullptr ? before : "";
  for (const auto& [python, sentence] :
       {std::pair{"/nonexistent/python", "the measurement is not available"}, {"false", "status 1"}}) {
    setenv("TILESCOPE_PYTHON", python, 1);
    const auto measured = measure_operator(*engine, request, {});
    ASSERT_FALSE(measured);
    EXPECT_THAT(measured.error().message, HasSubstr(sentence));
    EXPECT_THAT(measured.error().hint, HasSubstr("TILESCOPE_PYTHON"));
  }
  if (kept.empty())
    unsetenv("TILESCOPE_PYTHON");
  else
    setenv("TILESCOPE_PYTHON", kept.c_str(), 1);
}

TEST(OperatorMeasurement, ALabThatIsNotExportedIsRefused) {
  const std::shared_ptr<Engine> engine = Engine::open({.root = TILESCOPE_SOURCE});
  const Lab& lab = *find_lab("attention");
  const Request request{
      .lab = "attention", .rung = default_rung(lab).name, .config = default_config(lab, DeviceKind::sim)};
  const auto measured = measure_operator(*engine, request, {});
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message, HasSubstr("is not exported"));
}

std::vector<OperatorRecording> shipped() {
  return read_operator_recordings(fs::path(TILESCOPE_SOURCE) / "assets/recordings/operators");
}

TEST(OperatorRecording, ThatShipsIsOfALabAndNamesNoPathOfItsMachine) {
  ASSERT_FALSE(shipped().empty());
  for (const OperatorRecording& recording : shipped()) {
    EXPECT_NE(find_lab(recording.lab), nullptr) << recording.lab;
    EXPECT_THAT(recording.command, ::testing::StartsWith("tilescope export-op " + recording.lab));
    EXPECT_GE(recording.variants.size(), 5U);
    EXPECT_GE(recording.rounds, 10);
    for (const OperatorVariant& one : recording.variants) {
      EXPECT_TRUE(one.graph_breaks && one.kernels && one.call_us && one.compiled_us && one.replay_us) << one.name();
      std::vector<std::string> texts = one.captured;
      texts.insert(texts.end(), one.lowered.begin(), one.lowered.end());
      texts.insert(texts.end(), one.reasons.begin(), one.reasons.end());
      for (const std::string& text : texts) EXPECT_EQ(text.find("/opt/"), std::string::npos) << text;
    }
  }
}

/// Rows of the lesson's table of ways: "| `custom_op (cuda)` | 0 | 3 | 93.5 | …".
std::vector<std::vector<std::string>> rows_of_lesson(const std::string& language) {
  const auto text = read_text(fs::path(TILESCOPE_SOURCE) / "docs/labs" / language / "pytorch-op.md");
  static const std::regex row(
      R"(\| `([a-z_ ()]+)` \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|)");
  std::vector<std::vector<std::string>> rows;
  for (std::sregex_iterator at(text->begin(), text->end(), row), end; at != end; ++at) {
    rows.emplace_back();
    for (size_t i = 1; i < at->size(); ++i) rows.back().push_back((*at)[i]);
  }
  return rows;
}

TEST(OperatorRecording, TimesOfTwoAreAsFarApartAsTheirLargestRatio) {
  OperatorRecording one, other;
  EXPECT_FALSE(largest_ratio(one, other));
  one.variants = {{.variant = "eager", .language = "pytorch", .call_us = 10, .step_us = 30}};
  other.variants = {{.variant = "eager", .language = "pytorch", .call_us = 15, .step_us = 10, .compiled_us = 1}};
  EXPECT_DOUBLE_EQ(largest_ratio(one, other).value_or(0), 3);
  EXPECT_DOUBLE_EQ(largest_ratio(other, one).value_or(0), 3);
  other.variants[0].variant = "launch";
  EXPECT_FALSE(largest_ratio(one, other));
}

/// What the lesson says beside its table, from both recordings that ship.
TEST(OperatorRecording, BothThatShipAgreeOnWhatTheLessonSays) {
  const auto all = shipped();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(fmt::format("{:.1f}", largest_ratio(all[0], all[1]).value_or(0)), "1.7");
  for (const char* language : {"en", "zh"})
    EXPECT_THAT(*read_text(fs::path(TILESCOPE_SOURCE) / "docs/labs" / language / "pytorch-op.md"), HasSubstr("1.7"));
  for (const OperatorRecording& one : all) {
    const auto least_call = std::ranges::min_element(one.variants, {}, [](const auto& of) { return of.call_us; });
    const auto most_compiled =
        std::ranges::max_element(one.variants, {}, [](const auto& of) { return of.compiled_us; });
    EXPECT_EQ(least_call->name(), "eager");
    EXPECT_EQ(most_compiled->name(), "launch (cuda)");
    for (const OperatorVariant& variant : one.variants) {
      EXPECT_EQ(variant.kernels, variant.name() == "eager" ? 1 : 3) << variant.name();
      EXPECT_EQ(*variant.graph_breaks > 0, variant.name() == "launch (cuda)") << variant.name();
    }
  }
}

TEST(OperatorRecording, TheLessonsTableHasItsNumbers) {
  const auto all = shipped();
  const auto recording = std::ranges::find(all, "pytorch-op", &OperatorRecording::lab);
  ASSERT_NE(recording, all.end());
  const auto micro = [](const std::optional<double>& value) { return fmt::format("{:.1f}", value.value_or(0)); };
  for (const char* language : {"en", "zh"}) {
    const auto rows = rows_of_lesson(language);
    ASSERT_EQ(rows.size(), recording->variants.size()) << language;
    for (size_t i = 0; i < rows.size(); ++i) {
      const OperatorVariant& one = recording->variants[i];
      EXPECT_THAT(rows[i], ::testing::ElementsAre(one.name(), std::to_string(*one.graph_breaks),
                                                  std::to_string(*one.kernels), micro(one.call_us), micro(one.step_us),
                                                  micro(one.compiled_us), micro(one.replay_us)))
          << language;
    }
  }
}

}  // namespace
}  // namespace tilescope
