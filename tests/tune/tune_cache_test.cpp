#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/text_file.hpp"
#include "engine/tune/maps/tune_file.hpp"
#include "engine/tune/maps/tuned.hpp"
#include "engine/tune/tuning.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class TuneCache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tune-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    set_tuning_folders({});
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

/// Two values of BM and BN, at 4,096³ on an H200. 128 × 128 takes 0.2 ms, and 256 × 256 is impossible.
TuneMap made_up_map(std::string gpu = "NVIDIA H200", int64_t m = 4096) {
  TuneMap map{.lab = "autotune",
              .rung = "one-size",
              .gpu = std::move(gpu),
              .driver_version = "1",
              .tilescope_version = "1",
              .date = "2026-11-26T18:00:00Z",
              .command = "tilescope tune autotune --rung one-size",
              .nvrtc_version = "13.0",
              .sizes = {{"M", m}, {"N", 4096}, {"K", 4096}},
              .params = {{"DTYPE", 1}, {"BK", 64}, {"STAGES", 3}, {"WARPS", 8}, {"num_stages", 3}, {"num_warps", 4}},
              .axes = {{"BM", {128, 256}}, {"BN", {128, 256}}}};
  for (const int64_t bm : {128, 256})
    for (const int64_t bn : {128, 256}) {
      TuneEntry entry{.values = {bm, bn}, .state = TuneState::timed};
      const double ms = bm + bn == 256 ? 0.2 : 0.25;
      entry.samples = {ms, ms * 1.01, ms * 0.99};
      entry.median_ms = ms, entry.low_ms = ms * 0.99, entry.high_ms = ms * 1.01;
      entry.facts = TuneFacts{.threads = 128, .registers = 200, .shared_bytes = 98304, .ctas_per_multiprocessor = 2};
      if (bm + bn == 512)
        entry = {.values = {bm, bn},
                 .state = TuneState::impossible,
                 .limiter = Limiter::registers,
                 .why = Phrase(std::string("too many registers"))};
      map.entries.push_back(std::move(entry));
    }
  map.source_hash = kernel_hash(fs::path(TILESCOPE_SOURCE) / "kernels", "autotune.cu");
  map.key = tune_key(map);
  return map;
}

TEST_F(TuneCache, AMapIsReadAsItWasWritten) {
  TuneMap map = made_up_map();
  map.entries[1].final_ms = 0.26, map.entries[1].final_low_ms = 0.25, map.entries[1].final_high_ms = 0.27;
  ASSERT_TRUE(write_tune_map(map, folder_ / "map.json"));
  const auto read = read_tune_map(folder_ / "map.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(map));
  EXPECT_EQ(read->entries[3].limiter, Limiter::registers);
  EXPECT_EQ(read->entries[3].why.english(), "too many registers");
  EXPECT_EQ(read->best(), 1U);  // the only one with a final time
}

TEST_F(TuneCache, TimesOfDifferentPassesAreNotCompared) {
  TuneMap map = made_up_map();
  EXPECT_DOUBLE_EQ(map.times_best(1), 0.25 / 0.2);
  map.entries[0].final_ms = 0.24;  // under longer load
  EXPECT_EQ(map.best(), 0U);
  EXPECT_DOUBLE_EQ(map.times_best(1), 0.25 / 0.2) << "both by the first pass";
  map.entries[1].final_ms = 0.26;
  EXPECT_DOUBLE_EQ(map.times_best(1), 0.26 / 0.24);
  EXPECT_EQ(map.times_best(3), 0) << "it is impossible";
}

TEST_F(TuneCache, KnowsWhatWasMeasuredAndASecondReaderToo) {
  const TuneMap map = made_up_map();
  ASSERT_TRUE(store_cached(map, folder_));
  TuneMap empty = map;
  for (TuneEntry& entry : empty.entries) entry = {.values = entry.values};
  std::string why_not;
  EXPECT_TRUE(load_cached(empty, folder_, why_not)) << why_not;
  EXPECT_EQ(empty.count(TuneState::timed), 3U);
}

TEST_F(TuneCache, ATruncatedFileIsIgnoredWithOneSentenceAndWrittenAnew) {
  const TuneMap map = made_up_map();
  ASSERT_TRUE(store_cached(map, folder_));
  const fs::path file = cache_file(folder_, map);
  const auto size = fs::file_size(file);
  for (const auto length : {size / 2, size - 3, uintmax_t{0}}) {
    fs::resize_file(file, length);
    TuneMap empty = map;
    for (TuneEntry& entry : empty.entries) entry = {.values = entry.values};
    std::string why_not;
    EXPECT_FALSE(load_cached(empty, folder_, why_not));
    EXPECT_NE(why_not.find("its end is missing; it is written anew"), std::string::npos) << why_not;
    EXPECT_EQ(std::ranges::count(why_not, '\n'), 0);
    ASSERT_TRUE(store_cached(map, folder_));
    EXPECT_TRUE(load_cached(empty, folder_, why_not));
  }
}

TEST_F(TuneCache, AFileThatWasAlteredIsRefused) {
  const TuneMap map = made_up_map();
  nlohmann::json document = to_json(map);
  const auto message = [&] {
    const auto read = tune_map_from_json(document, "x.json");
    return read ? std::string("accepted") : read.error().message;
  };
  EXPECT_EQ(message(), "accepted");
  document["gpu"] = "a faster GPU";
  EXPECT_NE(message().find("it was altered"), std::string::npos);
  document = to_json(map);
  document["format"] = 99;
  EXPECT_NE(message().find("its format is not version 1"), std::string::npos);
  document = {{"kind", "other"}};
  EXPECT_NE(message().find("it is not a map"), std::string::npos);
}

/// The sha256 is right, and the contents are not.
TEST_F(TuneCache, ContentsThatContradictEachOtherAreRefused) {
  const auto refused = [](TuneMap map) { return !tune_map_from_json(to_json(map), "x.json"); };
  TuneMap map = made_up_map();
  EXPECT_FALSE(refused(map));
  map.entries[0].low_ms = 9;
  EXPECT_TRUE(refused(map));
  map = made_up_map();
  map.entries.pop_back();
  EXPECT_TRUE(refused(map));
  map = made_up_map();
  std::swap(map.entries[0].values, map.entries[1].values);
  EXPECT_TRUE(refused(map));
  map = made_up_map();
  map.entries[0].samples.clear();
  EXPECT_TRUE(refused(map));
}

TEST_F(TuneCache, ItsKeyDependsOnEverythingThatATimeDependsOn) {
  const TuneMap map = made_up_map();
  const auto differs = [&](auto change) {
    TuneMap other = map;
    change(other);
    return tune_key(other) != tune_key(map);
  };
  EXPECT_TRUE(differs([](TuneMap& other) { other.source_hash[0] ^= 1; }));
  EXPECT_TRUE(differs([](TuneMap& other) { other.sizes["M"] = 16; }));
  EXPECT_TRUE(differs([](TuneMap& other) { other.params["DTYPE"] = 0; }));
  EXPECT_TRUE(differs([](TuneMap& other) { other.gpu = "NVIDIA A100"; }));
  EXPECT_TRUE(differs([](TuneMap& other) { other.driver_version = "2"; }));
  EXPECT_TRUE(differs([](TuneMap& other) { other.nvrtc_version = "13.1"; }));
  EXPECT_TRUE(differs([](TuneMap& other) { other.triton_version = "3.5"; }));
  EXPECT_TRUE(differs([](TuneMap& other) { other.axes[0].values.push_back(512); }));
  EXPECT_FALSE(differs([](TuneMap& other) { other.date = "2027-01-01T00:00:00Z"; }));
}

/// Each process measures half of the configurations again and again; at the end both halves are there.
TEST_F(TuneCache, TwoProcessesMayWriteIt) {
  const TuneMap map = made_up_map();
  const auto half = [&](size_t first) {
    TuneMap mine = map;
    for (size_t i = 0; i < mine.entries.size(); ++i)
      if (i % 2 != first) mine.entries[i] = {.values = mine.entries[i].values};
    return mine;
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  const TuneMap mine = half(child == 0 ? 0 : 1);
  bool whole = true;
  for (int i = 0; i < 50; ++i) {
    whole = store_cached(mine, folder_).has_value() && whole;
    if (const auto read = read_tune_map(cache_file(folder_, map)); !read) whole = false;
  }
  if (child == 0) _exit(whole ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "a reader saw half a file";
  EXPECT_TRUE(whole);
  ASSERT_TRUE(store_cached(half(0), folder_));
  ASSERT_TRUE(store_cached(half(1), folder_));
  const auto both = read_tune_map(cache_file(folder_, map));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->count(TuneState::untried), 0U);
  for (const auto& file : fs::directory_iterator(folder_)) EXPECT_EQ(file.path().extension(), ".json");
}

TEST_F(TuneCache, ARungPicksTheBestOfItsSizesElseOfTheNearest) {
  const Lab& lab = *find_lab("autotune");
  set_tuning_folders(
      {.kernels = fs::path(TILESCOPE_SOURCE) / "kernels", .recordings = folder_, .cache = folder_ / "c"});
  Config config = default_config(lab, DeviceKind::gpu);
  const Rung& tuned = *find_rung(lab, "tuned");
  EXPECT_NE(tuned.pick(config, usual_gpu()).why.en.find("Nothing was tuned yet"), std::string::npos);
  EXPECT_TRUE(tuned.pick(config, usual_gpu()).params.empty());
  ASSERT_TRUE(write_tune_map(made_up_map(), folder_ / "large.json"));
  TuneMap small = made_up_map("NVIDIA H200", 16);
  std::swap(small.entries[0].median_ms, small.entries[2].median_ms);  // 256 × 128 is faster there
  for (const size_t i : {0, 2}) {
    TuneEntry& entry = small.entries[i];
    entry.low_ms = entry.high_ms = entry.median_ms;
  }
  ASSERT_TRUE(write_tune_map(small, folder_ / "small.json"));
  const Pick large = tuned.pick(config, usual_gpu());
  EXPECT_EQ(large.params.at("BM"), 128);
  EXPECT_EQ(large.params.at("WARPS"), 8) << "what the tuning held fixed belongs to the configuration";
  EXPECT_FALSE(large.params.contains("num_warps")) << "the rung does not use it";
  EXPECT_NE(large.why.en.find("the fastest of 3 configurations at K = 4,096, M = 4,096, N = 4,096"), std::string::npos)
      << large.why.en;
  EXPECT_NE(large.why.en.find("recorded 2026-11-26"), std::string::npos);
  config.sizes["M"] = 40;
  const Pick near = tuned.pick(config, usual_gpu());
  EXPECT_NE(near.why.en.find("These sizes were not tuned"), std::string::npos) << near.why.en;
  EXPECT_NE(near.why.en.find("M = 16"), std::string::npos);
  config.params["DTYPE"] = 0;  // other elements: no map
  EXPECT_NE(tuned.pick(config, usual_gpu()).why.en.find("Nothing was tuned yet"), std::string::npos);
}

TEST_F(TuneCache, ACachedMapOfAnOlderKernelDoesNotCount) {
  const Lab& lab = *find_lab("autotune");
  const Config config = default_config(lab, DeviceKind::gpu);
  set_tuning_folders({.kernels = fs::path(TILESCOPE_SOURCE) / "kernels", .recordings = {}, .cache = folder_});
  TuneMap map = made_up_map();
  ASSERT_TRUE(store_cached(map, folder_));
  EXPECT_EQ(maps_of(lab, "one-size", config, usual_gpu()).size(), 1U);
  fs::remove(cache_file(folder_, map));
  map.source_hash[0] = map.source_hash[0] == '0' ? '1' : '0';
  map.key = tune_key(map);
  ASSERT_TRUE(store_cached(map, folder_));
  EXPECT_TRUE(maps_of(lab, "one-size", config, usual_gpu()).empty());
}

TEST_F(TuneCache, TheHashOfAKernelFollowsItsHeaders) {
  const fs::path kernels = folder_;
  const auto write = [&](const char* name, const char* text) { std::ofstream(kernels / name) << text; };
  write("x.cu", "#include \"y.cuh\"\nint x;");
  write("y.cuh", "#include \"z.cuh\"\n");
  write("z.cuh", "int z;");
  const std::string before = kernel_hash(kernels, "x.cu");
  EXPECT_EQ(before, kernel_hash(kernels, "x.cu"));
  write("z.cuh", "int zz;");
  EXPECT_NE(before, kernel_hash(kernels, "x.cu"));
  EXPECT_TRUE(kernel_hash(kernels, "absent.cu").empty());
}

}  // namespace
}  // namespace tilescope
