// `tilescope tune` on a machine without a GPU, against counts made by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands/parse.hpp"
#include "app/commands/tune_command.hpp"
#include "engine/tune/maps/tune_file.hpp"
#include "engine/tune/maps/tuned.hpp"
#include "engine/tune/tuning.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

struct Outcome {
  int status;
  std::string out, problems;
};
Engine& engine() {
  static const std::shared_ptr<Engine> opened = Engine::open({});
  return *opened;
}
Outcome tuned(const TuneOptions& options) {
  std::ostringstream out, problems;
  const int status = tune_command(engine(), options, out, problems);
  return {status, out.str(), problems.str()};
}

/// The space that the lesson counts by hand: 16 configurations, of which 8 break the limit of registers and 2 that of
/// shared memory.
TuneOptions sixteen() {
  TuneOptions options{.lab = "autotune", .rung = "one-size", .set = {"GPU=h200"}};
  options.tried = {"BM=128,256", "BN=128,256", "BK=64", "WARPS=4,8", "STAGES=4,5"};
  options.only_static = true;
  return options;
}

TEST(TuneCommand, TheStaticPartCountsWhatIsPossible) {
  if (!engine().compiler()) GTEST_SKIP();
  const Outcome outcome = tuned(sixteen());
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("16 configurations: 6 possible, 10 impossible (registers 8, shared memory 2)"));
  EXPECT_THAT(outcome.out, HasSubstr("[MODELLED]"));
  EXPECT_THAT(outcome.out, HasSubstr("245,760 bytes of shared memory"));
}

TEST(TuneCommand, PrintsOneJsonObject) {
  if (!engine().compiler()) GTEST_SKIP();
  TuneOptions options = sixteen();
  options.json = true;
  const Outcome outcome = tuned(options);
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  const json object = json::parse(outcome.out);
  EXPECT_EQ(object["badge"], "MODELLED");
  EXPECT_EQ(object["possible"], 6);
  EXPECT_EQ(object["impossible"], (json{{"registers", 8}, {"shared memory", 2}}));
  EXPECT_EQ(object["map"]["configurations"].size(), 16U);
  size_t compiled = 0;
  for (const json& one : object["map"]["configurations"])
    if (one.contains("facts")) {
      ++compiled;
      EXPECT_GE(one["facts"]["ctas_per_sm"], 1);
    }
  EXPECT_EQ(compiled, 6U);
}

TEST(TuneCommand, RefusesAnImpossibleSpaceInOneSentence) {
  const auto problem = [](TuneOptions options) {
    options.only_static = true;
    const Outcome outcome = tuned(options);
    EXPECT_EQ(outcome.status, 2) << outcome.problems;
    return outcome.problems;
  };
  EXPECT_THAT(problem({.lab = "autotune", .rung = "one-size", .tried = {"BM=256", "BN=256", "WARPS=2,4"}}),
              HasSubstr("none of the 16 configurations is possible; of the first: BM × BN = 256 × 256"));
  EXPECT_THAT(problem({.lab = "autotune", .rung = "one-size", .tried = {"BM=100"}}),
              HasSubstr("BM = 100 is not possible"));
  EXPECT_THAT(problem({.lab = "autotune", .rung = "one-size", .tried = {"BM=64,"}}), HasSubstr("BM"));
  EXPECT_THAT(problem({.lab = "autotune", .rung = "tuned"}), HasSubstr("picks its parameters itself"));
  EXPECT_THAT(problem({.lab = "vector-add", .rung = "nothing"}), HasSubstr("has no rung 'nothing'"));
}

class TuneReplay : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tune-cli-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    before_ = tuning_folders();
    engine();
    set_tuning_folders({.kernels = engine().root() / "kernels", .recordings = folder_, .cache = folder_ / "cache"});
  }
  void TearDown() override {
    set_tuning_folders(before_);
    fs::remove_all(folder_);
  }
  fs::path folder_;
  TuningFolders before_;
};

/// The 16 configurations, as if they had been timed: 128 × 256 on 8 warps in 4 stages is the fastest.
TuneMap timed_sixteen() {
  TuneMap map{.lab = "autotune",
              .rung = "one-size",
              .gpu = "NVIDIA H200",
              .driver_version = "1",
              .tilescope_version = "1",
              .date = "2026-11-26T18:00:00Z",
              .command = "tilescope tune autotune",
              .nvrtc_version = "13.0",
              .source_hash = "0",
              .sizes = {{"M", 4096}, {"N", 4096}, {"K", 4096}},
              .params = {{"DTYPE", 1}, {"num_stages", 3}, {"num_warps", 4}},
              .axes = {{"BM", {128, 256}}, {"BN", {128, 256}}, {"BK", {64}}, {"WARPS", {4, 8}}, {"STAGES", {4, 5}}}};
  for (const int64_t bm : {128, 256})
    for (const int64_t bn : {128, 256})
      for (const int64_t warps : {4, 8})
        for (const int64_t stages : {4, 5}) {
          TuneEntry entry{.values = {bm, bn, 64, warps, stages}, .state = TuneState::timed};
          const double ms = 0.2 + 0.01 * static_cast<double>(map.entries.size());
          entry.median_ms = entry.low_ms = entry.high_ms = bm == 128 && bn == 256 ? 0.15 : ms;
          entry.samples.assign(12, entry.median_ms);
          if (bm * bn / (32 * warps) > 128 || stages * (bm + bn) * 128 > 232448)
            entry = {.values = entry.values, .state = TuneState::impossible, .limiter = Limiter::registers};
          map.entries.push_back(std::move(entry));
        }
  map.key = tune_key(map);
  return map;
}

TEST_F(TuneReplay, WithoutAMapItSaysHowToGetOne) {
  TuneOptions options{.lab = "autotune", .rung = "one-size", .replay = true};
  const Outcome outcome = tuned(options);
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.problems, HasSubstr("there is no map of autotune one-size at K = 4096, M = 4096, N = 4096"));
  EXPECT_THAT(outcome.problems, HasSubstr("--static"));
  if (engine().gpu()) return;
  options.replay = false;
  const Outcome bare = tuned(options);
  EXPECT_EQ(bare.status, 3);
  EXPECT_THAT(bare.problems, HasSubstr("--static"));
}

TEST_F(TuneReplay, ShowsARecordedMapBestFirstWithTheRegretOfEachSearch) {
  ASSERT_TRUE(write_tune_map(timed_sixteen(), folder_ / "map.json"));
  const Outcome outcome = tuned({.lab = "autotune", .rung = "one-size", .trials = 2, .replay = true});
  ASSERT_EQ(outcome.status, 0) << outcome.problems;
  EXPECT_THAT(outcome.out, HasSubstr("on NVIDIA H200 [RECORDED], 2026-11-26"));
  EXPECT_THAT(outcome.out, HasSubstr("6 possible"));
  const size_t best = outcome.out.find("0.15000"), next = outcome.out.find("0.20000");
  EXPECT_LT(best, next);
  EXPECT_THAT(outcome.out, HasSubstr("searches replayed over this map with 100 seeds"));
  const json object =
      json::parse(tuned({.lab = "autotune", .rung = "one-size", .trials = 2, .replay = true, .json = true}).out);
  EXPECT_EQ(object["best"], (json{{"BM", 128}, {"BN", 256}, {"BK", 64}, {"WARPS", 8}, {"STAGES", 4}}));
  ASSERT_EQ(object["replays"].size(), 3U);
  EXPECT_EQ(object["replays"][0]["search"], "exhaustive");
  EXPECT_EQ(object["replays"][0]["worst_regret"], 0.0);
  EXPECT_GT(object["replays"][1]["worst_regret"], 0.3);  // two trials of six may miss the best by a third
}

TEST_F(TuneReplay, AHalfWrittenFileIsPassedOverAndNamedIfItMayBeWhatIsMissing) {
  ASSERT_TRUE(write_tune_map(timed_sixteen(), folder_ / "map.json"));
  fs::resize_file(folder_ / "map.json", 500);
  const Outcome outcome = tuned({.lab = "autotune", .rung = "one-size", .replay = true});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.problems, HasSubstr("map.json was refused: it is not JSON, or its end is missing"));
  EXPECT_THAT(outcome.problems, HasSubstr("'tilescope tune' writes it again"));
  ASSERT_TRUE(write_tune_map(timed_sixteen(), folder_ / "whole.json"));
  EXPECT_EQ(tuned({.lab = "autotune", .rung = "one-size", .replay = true}).status, 0);
}

TEST(TuneCommand, ItsOptionsAreParsed) {
  const char* words[] = {"tilescope", "tune",      "autotune", "--rung",   "one-size",
                         "--try",     "BM=64,128", "--search", "halving",  "--budget",
                         "30",        "--trials",  "16",       "--static", "--json"};
  const auto parsed = parse_command_line(static_cast<int>(std::size(words)), words, {});
  ASSERT_TRUE(parsed) << parsed.error().message;
  const auto* options = std::get_if<TuneOptions>(&*parsed);
  ASSERT_NE(options, nullptr);
  EXPECT_EQ(options->search, "halving");
  EXPECT_EQ(options->budget, 30);
  EXPECT_EQ(options->trials, 16U);
  EXPECT_TRUE(options->only_static && options->json);
  const char* wrong[] = {"tilescope", "tune", "autotune", "--search", "guess"};
  EXPECT_FALSE(parse_command_line(static_cast<int>(std::size(wrong)), wrong, {}));
}

}  // namespace
}  // namespace tilescope
