// `tilescope speed`, against figures of the lessons and the data sheets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands/commands.hpp"
#include "app/commands/parse.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

struct Outcome {
  int status;
  std::string out, problems;
};
Outcome speed(const SpeedOptions& options) {
  static const std::shared_ptr<Engine> engine = Engine::open({});
  std::ostringstream out, problems;
  const int status = speed_command(*engine, options, out, problems);
  return {status, out.str(), problems.str()};
}
bool has_compiler() {
  static const std::shared_ptr<Engine> engine = Engine::open({});
  return engine->compiler().has_value();
}

TEST(Speed, FusionAccountsForLaunchesAndBytesAtTheSizeOfAGpu) {
  if (!has_compiler()) GTEST_SKIP();
  const Outcome outcome = speed({.view = "fusion", .lab = "gelu", .size = {"n=2^27"}, .json = true});
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  const json object = json::parse(outcome.out);
  EXPECT_EQ(object["unfused"]["launches"], 8);
  // The lesson's table: 5.37 and 4.29 GB, fused 0.54 and 0.54.
  EXPECT_NEAR(object["unfused"]["bytes_read"].get<double>(), 5.37e9, 5e6);
  EXPECT_NEAR(object["unfused"]["bytes_written"].get<double>(), 4.29e9, 5e6);
  EXPECT_NEAR(object["fused"]["bytes_read"].get<double>(), 0.54e9, 5e6);
  EXPECT_EQ(object["bytes_badge"], "MODELLED");
  EXPECT_EQ(object["unfused"]["by_launch"].size(), 8U);
  EXPECT_NEAR(object["fused"]["predicted_in_graph_ms"].get<double>(), 0.91e-3 + 8.0 * (1 << 27) / 4.8e9, 1e-6);
}

TEST(Speed, TheRooflineHasEveryRungWithItsBadge) {
  const Outcome outcome =
      speed({.view = "roofline", .lab = "grouped-order", .size = {"M=256", "N=256", "K=256"}, .json = true});
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  const json object = json::parse(outcome.out);
  EXPECT_EQ(object["flops"], 2.0 * (1 << 24));
  EXPECT_GE(object["points"].size(), 3U);
  for (const json& point : object["points"]) {
    EXPECT_EQ(point["badge"], "MODELLED");
    EXPECT_EQ(point["peak"], "fp16");
    // 2 · 256³ operations over 3 matrices of 2 · 256² bytes; no run moves fewer bytes.
    EXPECT_LE(point["flops_per_byte"].get<double>(), 256 / 3.0 + 1e-6);
    EXPECT_GT(point["flops_per_byte"].get<double>(), 0);
  }
}

TEST(Speed, TheMapNamesTheChoiceOfEveryShapeAndHowToRecordIt) {
  const Outcome outcome = speed({.view = "map", .lab = "rmsnorm"});
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("idle SMs"));
  const json object = json::parse(speed({.view = "map", .lab = "rmsnorm", .json = true}).out);
  EXPECT_EQ(object["cells"].size(), object["inside"].get<size_t>());
  for (const json& cell : object["cells"]) EXPECT_TRUE(cell["picked"].is_string());
  if (object["timed"] == 0) {
    EXPECT_THAT(outcome.out, HasSubstr("tilescope bench rmsnorm --map --json"));
  }
}

TEST(Speed, TheSmallTableIsOfTheSizesThatTheLabNames) {
  const Outcome outcome = speed({.view = "small", .lab = "grouped-order", .json = true});
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_EQ(json::parse(outcome.out)["sizes"], (json{256, 512, 1024}));
}

TEST(Speed, AViewThatTheLabDoesNotHaveIsOneSentence) {
  for (const char* view : {"fusion", "map", "small"}) {
    const Outcome outcome = speed({.view = view, .lab = "transpose"});
    EXPECT_EQ(outcome.status, 2) << view;
    EXPECT_THAT(outcome.problems, HasSubstr("lab 'transpose'")) << view;
  }
  EXPECT_EQ(speed({.view = "fusion", .lab = "nothing"}).status, 2);
}

TEST(Speed, BadViewsAndMapsOfOtherLabsAreRefused) {
  const char* words[] = {"tilescope", "speed", "nonsense", "gelu"};
  EXPECT_FALSE(parse_command_line(4, words, {}));
  const char* good[] = {"tilescope", "bench", "rmsnorm", "--map"};
  const auto parsed = parse_command_line(4, good, {});
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(std::get<BenchOptions>(*parsed).map);
  const std::shared_ptr<Engine> engine = Engine::open({});
  std::ostringstream out, problems;
  EXPECT_EQ(bench_command(*engine, {.labs = {"gelu"}, .map = true}, out, problems), 2);
  EXPECT_THAT(problems.str(), HasSubstr("no map of schemes"));
  EXPECT_EQ(bench_command(*engine, {.labs = {"rmsnorm"}, .size = {"16x1024"}, .map = true}, out, problems), 2);
  EXPECT_THAT(problems.str(), HasSubstr("leave --size out"));
}

}  // namespace
}  // namespace tilescope
