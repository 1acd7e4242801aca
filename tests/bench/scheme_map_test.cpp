// The map of schemes from a hand-made report, and its recording in a temporary folder.
#include "engine/bench/scheme_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engine/bench/measure.hpp"
#include "engine/bench/recording.hpp"
#include "engine/sha256.hpp"
#include "tests/bench/map_report.hpp"

namespace tilescope {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::make_map_report;

const Lab& rmsnorm() { return *find_lab("rmsnorm"); }
Config usual() { return default_config(rmsnorm(), DeviceKind::gpu); }
GpuSpec h200() {
  GpuSpec gpu;
  gpu.id = "h200";
  gpu.name = "H200";
  gpu.multiprocessors = 132;
  return gpu;
}
size_t scheme(const std::string& rung) {
  const auto& schemes = rmsnorm().scheme_map->schemes;
  for (size_t i = 0; i < schemes.size(); ++i)
    if (schemes[i].rung == rung) return i;
  return SIZE_MAX;
}
const SchemeCell& cell_of(const SchemeGrid& grid, int64_t rows, int64_t columns) {
  for (const SchemeCell& cell : grid.cells)
    if (cell.rows == rows && cell.columns == columns) return cell;
  ADD_FAILURE() << rows << " x " << columns;
  return grid.cells.front();
}

TEST(SchemeMap, TheWinnerIsTheShortestTimeAndTheMarginIsOverTheSecond) {
  const SpeedReport report = make_map_report(rmsnorm());
  const SchemeGrid grid = make_scheme_grid(rmsnorm(), usual(), h200(), &report);
  const SchemeCell& shorter = cell_of(grid, 4096, 1024);
  EXPECT_EQ(shorter.winner, scheme("scheme-4"));
  EXPECT_DOUBLE_EQ(shorter.margin, 1);
  EXPECT_FALSE(shorter.tie);
  const SchemeCell& longer = cell_of(grid, 4, 262144);
  EXPECT_EQ(longer.winner, scheme("scheme-3-flags"));
  EXPECT_NEAR(longer.margin, 0.2, 1e-12);
}

TEST(SchemeMap, IntervalsThatOverlapAreATie) {
  const SpeedReport report = make_map_report(rmsnorm());
  const SchemeGrid grid = make_scheme_grid(rmsnorm(), usual(), h200(), &report);
  EXPECT_TRUE(cell_of(grid, 1024, 16384).tie);
  EXPECT_FALSE(cell_of(grid, 1024, 4096).tie);
}

TEST(SchemeMap, TheLabsOwnChoiceIsComparedWithTheWinner) {
  SpeedReport report = make_map_report(rmsnorm());
  const SchemeGrid grid = make_scheme_grid(rmsnorm(), usual(), h200(), &report);
  // A few lanes hold a row of 128 floats: scheme 4, which wins there.
  EXPECT_EQ(cell_of(grid, 65536, 128).picked, scheme("scheme-4"));
  EXPECT_FALSE(cell_of(grid, 65536, 128).picked_another());
  // Many rows of 4,096: auto keeps a row in one CTA, and the report lets scheme 4 win by half.
  const SchemeCell& other = cell_of(grid, 4096, 4096);
  EXPECT_EQ(other.picked, scheme("scheme-2"));
  EXPECT_TRUE(other.picked_another());
  EXPECT_DOUBLE_EQ(other.picked_loss, 1);
  EXPECT_DOUBLE_EQ(grid.worst_loss, 1);
  EXPECT_EQ(grid.timed, grid.inside);
  EXPECT_LT(grid.picked_winner, grid.timed);
}

TEST(SchemeMap, FewRowsLeaveMultiprocessorsWithoutWork) {
  const SchemeGrid grid = make_scheme_grid(rmsnorm(), usual(), h200(), nullptr);
  const auto idle = [&](int64_t rows) {
    const auto at = std::find(grid.row_values.begin(), grid.row_values.end(), rows);
    return grid.idle[static_cast<size_t>(at - grid.row_values.begin())];
  };
  EXPECT_EQ(idle(1), 131U);
  EXPECT_EQ(idle(16), 116U);
  EXPECT_EQ(idle(256), 0U);
}

TEST(SchemeMap, WithoutTimesThereIsAChoiceAndNoWinner) {
  const SchemeGrid grid = make_scheme_grid(rmsnorm(), usual(), h200(), nullptr);
  EXPECT_EQ(grid.timed, 0U);
  EXPECT_EQ(grid.inside, map_points(rmsnorm()).size());
  for (const SchemeCell& cell : grid.cells) {
    EXPECT_FALSE(cell.winner);
    EXPECT_EQ(cell.picked.has_value(), cell.inside);
  }
}

TEST(SchemeMap, ASchemeThatWasNotTimedCannotWin) {
  SpeedReport report = make_map_report(rmsnorm());
  report.series.pop_back();  // scheme 4
  const SchemeGrid grid = make_scheme_grid(rmsnorm(), usual(), h200(), &report);
  EXPECT_NE(cell_of(grid, 4096, 1024).winner, scheme("scheme-4"));
  EXPECT_EQ(cell_of(grid, 4096, 1024).times[scheme("scheme-4")], nullptr);
}

/// What auto uses at a shape it also uses in the race, so that only the schemes differ.
TEST(SchemeMap, EverySchemeRacesWithTheParametersThatAutoWouldGiveIt) {
  const SchemeMap& map = *rmsnorm().scheme_map;
  const Rung& automatic = *find_rung(rmsnorm(), map.automatic);
  for (const int64_t type : {0, 1})
    for (const SweepPoint& point : map_points(rmsnorm())) {
      Config config = usual();
      config.params["DTYPE"] = type;
      for (const auto& [name, value] : point.sizes) config.sizes[name] = value;
      const Pick pick = automatic.pick(config, h200());
      EXPECT_EQ(map.tune(pick.rung, config, h200()), pick.params) << point.name << " " << pick.rung;
    }
}

TEST(SchemeMap, EverySchemeCanRunAtEveryShape) {
  const SchemeMap& map = *rmsnorm().scheme_map;
  for (const SweepPoint& point : map_points(rmsnorm())) {
    for (const SchemeMap::Scheme& one : map.schemes) {
      Config config = usual();
      for (const auto& [name, value] : point.sizes) config.sizes[name] = value;
      const int64_t room = rmsnorm().buffers(config)[3].shape[1];  // of "published", with which all schemes are timed
      for (const auto& [name, value] : map.tune(one.rung, config, h200())) config.params[name] = value;
      EXPECT_TRUE(validate(rmsnorm(), config, DeviceKind::gpu)) << point.name << " " << one.rung;
      const Rung* rung = find_rung(rmsnorm(), one.rung);
      ASSERT_NE(rung, nullptr);
      const auto launches = rung->launches(config);
      ASSERT_EQ(launches.size(), 1U);
      EXPECT_GT(launches[0].grid.count(), 0U);
      // The number of CTAs per row that wait for one another is at most what its "places" hold.
      EXPECT_LE(config.param("CTAS"), room) << point.name << " " << one.rung;
    }
  }
}

class MapFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tilescope-maps-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string text() const {
    std::ifstream stream(folder_ / "map.json");
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  std::filesystem::path folder_;
};

TEST_F(MapFiles, AreReadBackWithTheParametersOfEveryPoint) {
  const SpeedReport written = make_map_report(rmsnorm());
  ASSERT_TRUE(write_recording(written, folder_ / "map.json"));
  const auto read = read_recording(folder_ / "map.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->is_map);
  EXPECT_EQ(read->badge, Badge::recorded);
  EXPECT_EQ(read->shapes, written.shapes);
  EXPECT_EQ(read->series[4].points[7].params, (std::map<std::string, int64_t>{{"BLOCK", 128}}));
}

TEST_F(MapFiles, AreNotTakenForASweepNorASweepForThem) {
  SpeedReport report = make_map_report(rmsnorm());
  ASSERT_TRUE(write_recording(report, folder_ / "map.json"));
  report.is_map = false;
  report.date = "2027-01-01T00:00:00Z";
  ASSERT_TRUE(write_recording(report, folder_ / "sweep.json"));
  const Recordings recordings = read_recordings(folder_);
  ASSERT_EQ(recordings.reports.size(), 2U);
  ASSERT_NE(recordings.find(rmsnorm(), usual(), true), nullptr);
  EXPECT_TRUE(recordings.find(rmsnorm(), usual(), true)->is_map);
  EXPECT_FALSE(recordings.find("rmsnorm")->is_map);
  Config halves = usual();
  halves.params["DTYPE"] = 1;
  EXPECT_EQ(recordings.find(rmsnorm(), halves, true), nullptr) << "of another type";
}

TEST_F(MapFiles, AreRefusedWhereverTheyAreCutOff) {
  ASSERT_TRUE(write_recording(make_map_report(rmsnorm()), folder_ / "map.json"));
  const std::string whole = text();
  for (size_t length = 0; length < whole.size() - 2; length += 1 + whole.size() / 50) {
    std::ofstream(folder_ / "map.json", std::ios::trunc) << whole.substr(0, length);
    EXPECT_FALSE(read_recording(folder_ / "map.json")) << length;
  }
}

TEST_F(MapFiles, AreRefusedWhenATimeWasAltered) {
  ASSERT_TRUE(write_recording(make_map_report(rmsnorm()), folder_ / "map.json"));
  std::string altered = text();
  const size_t at = altered.find("\"median_ms\": 0.5");
  ASSERT_NE(at, std::string::npos);
  altered[at + 15] = '4';
  std::ofstream(folder_ / "map.json", std::ios::trunc) << altered;
  EXPECT_THAT(read_recording(folder_ / "map.json").error().message, HasSubstr("altered"));
}

TEST_F(MapFiles, WithoutShapesOrParametersAreRefused) {
  const auto refusal = [](json document) {
    document.erase("sha256");
    document["sha256"] = sha256_of(document.dump());
    const auto report = report_from_json(document, "x.json");
    return report ? std::string("accepted") : report.error().message;
  };
  json document = to_json(make_map_report(rmsnorm()));
  EXPECT_EQ(document["format"], SpeedReport::kMapFormat);
  document["series"][0]["points"][0].erase("params");
  EXPECT_THAT(refusal(document), HasSubstr("series[0].points[0].params is missing"));
  document = to_json(make_map_report(rmsnorm()));
  document.erase("shapes");
  EXPECT_THAT(refusal(document), HasSubstr("shapes is missing"));
  document["shapes"] = json::array();
  EXPECT_THAT(refusal(document), HasSubstr("shape 1, and there are 0"));
}

TEST(MapBench, OfALabWithoutAMapIsASentence) {
  const auto engine = Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 1});
  BenchRequest request;
  request.lab = "vector-add";
  request.map = true;
  const auto report = bench(*engine, request, {}, {});
  ASSERT_FALSE(report);
  if (engine->gpu())
    EXPECT_THAT(report.error().message, HasSubstr("has no map of schemes"));
  else
    EXPECT_EQ(report.error().message, engine->gpu().error().message);
}

}  // namespace
}  // namespace tilescope
