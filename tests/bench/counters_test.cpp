// Recorded hardware counters: the shipped file, and files that are refused.
#include "engine/bench/counters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace tilescope {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Kind = OrderTraffic::Kind;

const std::filesystem::path kRoot(TILESCOPE_SOURCE);

json sample() {
  return {{"format", 1},
          {"lab", "grouped-order"},
          {"sets",
           {{{"gpu", "NVIDIA H200"},
             {"date", "2026-11-20"},
             {"tool", "Nsight Compute"},
             {"command", ""},
             {"name", "Triton"},
             {"kernel", "a kernel"},
             {"own_kernel", false},
             {"rows",
              {{{"sizes", {{"M", 64}}},
                {"params", {{"BM", 128}}},
                {"order", "grouped"},
                {"group", 8},
                {"blocks_per_multiprocessor", 1},
                {"device_bytes_read", 1e9},
                {"l2_bytes", 2e9},
                {"l2_hit_rate", 0.5},
                {"nanoseconds", 1000}}}}}}}};
}

std::string refusal(const json& document) {
  const auto read = counters_from_json(document, "x.json");
  return read ? "accepted" : read.error().message;
}

/// A hand-written figure of the lesson's table: "2.86 GB", "60.5%", "1.62 ms", "192 µs".
double figure(const std::string& cell) {
  const double value = std::strtod(cell.c_str(), nullptr);
  if (cell.find("GB") != std::string::npos) return value * 1e9;
  if (cell.find('%') != std::string::npos) return value / 100;
  if (cell.find("ms") != std::string::npos) return value * 1e6;
  return cell.find("µs") != std::string::npos ? value * 1e3 : value;
}

TEST(Counters, TheFileThatShipsHoldsTheTableOfTheLesson) {
  const CounterFiles files = read_counters(kRoot / "assets/counters");
  EXPECT_TRUE(files.refused.empty()) << (files.refused.empty() ? "" : files.refused.front().message);
  const RecordedCounters* counters = files.find_lab("grouped-order");
  ASSERT_NE(counters, nullptr);
  RecordedCounters triton;
  for (const CounterSet& set : counters->sets)
    if (set.name == "Triton") triton.sets.push_back(set);
  std::ifstream lesson(kRoot / "docs/labs/en/grouped-order.md");
  int rows = 0;
  for (std::string line; std::getline(lesson, line);) {
    // The lesson also has a table of times; this test reads the one with bytes.
    const bool row = line.starts_with("| 4096 |") || line.starts_with("| 8192 |");
    if (!row || line.find(" GB |") == std::string::npos) continue;
    std::array<std::string, 7> cells;
    std::istringstream stream(line);
    for (std::string& cell : cells) std::getline(stream, cell, '|');
    const auto size = static_cast<int64_t>(figure(cells[1])), group = static_cast<int64_t>(figure(cells[2]));
    const Config config{{{"M", size}, {"N", size}, {"K", size}}, {{"BM", 128}, {"BN", 256}, {"BK", 64}}};
    const auto found = triton.find(
        {.gpu = "H200", .config = config, .blocks_per_multiprocessor = 1, .order = Kind::grouped, .group = group});
    ASSERT_TRUE(found) << line;
    EXPECT_DOUBLE_EQ(found.row->device_bytes_read, figure(cells[3])) << line;
    EXPECT_DOUBLE_EQ(found.row->l2_bytes, figure(cells[4])) << line;
    EXPECT_DOUBLE_EQ(found.row->l2_hit_rate, figure(cells[5])) << line;
    EXPECT_DOUBLE_EQ(found.row->nanoseconds, figure(cells[6])) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 9);
}

TEST(Counters, ARunIsFoundOnlyWhereEverythingNamedIsTheSame) {
  const auto counters = counters_from_json(sample(), "x.json");
  ASSERT_TRUE(counters) << counters.error().message;
  Config config{{{"M", 64}, {"N", 3}}, {{"BM", 128}, {"WARPS", 8}}};
  const auto found = [&](const std::string& gpu, uint32_t blocks, Kind kind, int64_t group) {
    return static_cast<bool>(counters->find(
        {.gpu = gpu, .config = config, .blocks_per_multiprocessor = blocks, .order = kind, .group = group}));
  };
  EXPECT_TRUE(found("H200", 1, Kind::grouped, 8));
  EXPECT_TRUE(found("NVIDIA H200", 1, Kind::grouped, 8));
  EXPECT_FALSE(found("H100", 1, Kind::grouped, 8));
  EXPECT_FALSE(found("H200", 2, Kind::grouped, 8));
  EXPECT_FALSE(found("H200", 1, Kind::grouped, 4));
  EXPECT_FALSE(found("H200", 1, Kind::row_major, 0));
  config.params["BM"] = 64;
  EXPECT_FALSE(found("H200", 1, Kind::grouped, 8));
}

TEST(Counters, TheLabsOwnKernelComesBeforeOthers) {
  json document = sample();
  json own = document["sets"][0];
  own["own_kernel"] = true;
  own["date"] = "2020-01-01";
  own["rows"][0]["device_bytes_read"] = 5e9;
  document["sets"].push_back(own);
  const auto counters = counters_from_json(document, "x.json");
  ASSERT_TRUE(counters);
  const Config config{{{"M", 64}}, {{"BM", 128}}};
  const auto found = counters->find(
      {.gpu = "H200", .config = config, .blocks_per_multiprocessor = 1, .order = Kind::grouped, .group = 8});
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found.row->device_bytes_read, 5e9);
}

TEST(Counters, WhatCannotBeIsRefusedWithItsPlace) {
  json document = sample();
  EXPECT_EQ(refusal(document), "accepted");
  document["format"] = 2;
  EXPECT_THAT(refusal(document), HasSubstr("format version 2"));
  document = sample();
  document["sets"][0]["rows"][0].erase("l2_bytes");
  EXPECT_THAT(refusal(document), HasSubstr("sets[0].rows[0].l2_bytes is missing"));
  document = sample();
  document["sets"][0]["rows"][0]["order"] = "zigzag";
  EXPECT_THAT(refusal(document), HasSubstr("zigzag"));
  document = sample();
  document["sets"][0]["rows"][0]["l2_hit_rate"] = 67.6;
  EXPECT_THAT(refusal(document), HasSubstr("hit rate"));
  document = sample();
  document["sets"][0]["rows"][0]["device_bytes_read"] = -1;
  EXPECT_THAT(refusal(document), HasSubstr("not a possible measurement"));
  EXPECT_THAT(refusal(json::array()), HasSubstr("not a JSON object"));
}

/// A folder with a copy of the shipped file; deleted with the object.
struct ScriptFolder {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tilescope-counters-" + std::to_string(::getpid()));
  std::filesystem::path file = folder / "grouped-order.h200.json";
  ScriptFolder() {
    std::filesystem::create_directories(folder);
    std::filesystem::copy_file(kRoot / "assets/counters/grouped-order.h200.json", file,
                               std::filesystem::copy_options::overwrite_existing);
  }
  ~ScriptFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  int run(const std::string& command) const {
    return std::system((command + " >" + (folder / "log").string()).c_str());
  }
};

// The script counts only where there is a GPU; this test reads what it writes.
TEST(Counters, WhatTheScriptShipsIsReadAndOtherSetsStay) {
  if (std::system("python3 -c '' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
  const ScriptFolder folder;
  const json counted = {{"device_bytes_read", 1.5e9}, {"l2_bytes", 8e9}, {"l2_hit_rate_percent", 67.6}};
  json runs = json::array();
  for (const auto& [rung, group] : {std::pair{"grouped", 1}, {"grouped", 8}, {"hilbert", 8}})
    runs.push_back(
        {{"rung", rung},
         {"sizes", {{"M", 8192}, {"N", 8192}, {"K", 8192}}},
         {"params",
          {{"BM", 128}, {"BN", 256}, {"BK", 64}, {"STAGES", 4}, {"WARPS", 8}, {"GROUP_M", group}, {"CTAS_PER_SM", 0}}},
         {"gpu", "NVIDIA H200"},
         {"date", "2030-01-02T03:04:05Z"},
         {"counters", counted},
         {"median_ms", 1.46},
         {"model", {{"blocks_per_multiprocessor", 1}}}});
  const auto written = folder.folder / "runs.txt";
  std::ofstream(written) << runs.dump();
  const std::string ship = "python3 -B " + (kRoot / "tools/record_orders.py").string() + " ship " + written.string() +
                           " --to " + folder.file.string();
  const std::vector<CounterSet> before = read_counters(folder.folder).find_lab("grouped-order")->sets;
  ASSERT_EQ(folder.run(ship), 0);
  ASSERT_EQ(folder.run(ship), 0) << "again";
  const CounterFiles files = read_counters(folder.folder);
  ASSERT_TRUE(files.refused.empty()) << files.refused.front().message;
  const RecordedCounters* counters = files.find_lab("grouped-order");
  ASSERT_NE(counters, nullptr);
  const bool had_own = std::any_of(before.begin(), before.end(), [](const auto& set) { return set.own_kernel; });
  EXPECT_EQ(counters->sets.size(), before.size() + (had_own ? 0 : 1)) << "written twice, there once";
  const Config config{{{"M", 8192}, {"N", 8192}, {"K", 8192}},
                      {{"BM", 128}, {"BN", 256}, {"BK", 64}, {"STAGES", 4}, {"WARPS", 8}}};
  for (const auto& [kind, group] :
       {std::pair<Kind, int64_t>{Kind::row_major, 0}, {Kind::grouped, 8}, {Kind::hilbert, 0}}) {
    const auto found = counters->find(
        {.gpu = "H200", .config = config, .blocks_per_multiprocessor = 1, .order = kind, .group = group});
    ASSERT_TRUE(found);
    EXPECT_TRUE(found.set->own_kernel);
    EXPECT_EQ(found.set->date, "2030-01-02");
    EXPECT_DOUBLE_EQ(found.row->device_bytes_read, 1.5e9);
    EXPECT_DOUBLE_EQ(found.row->l2_hit_rate, 0.676);
    EXPECT_DOUBLE_EQ(found.row->nanoseconds, 1.46e6);
  }
}

}  // namespace
}  // namespace tilescope
