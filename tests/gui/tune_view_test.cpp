// The tune view: cells as the map says, axes and held values, what a click sets, and both languages.
#include "app/views/tune/tune_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "engine/tune/maps/tune_file.hpp"
#include "engine/tune/maps/tuned.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/text_faults.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {
namespace {

namespace fs = std::filesystem;
const ImVec2 kRoom{1050, 760};

class TuneScreen : public DrawnPanel {
 protected:
  void SetUp() override {
    DrawnPanel::SetUp();
    std::string pattern = (fs::temp_directory_path() / "tune-view-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    set_tuning_folders({.kernels = fs::path(TILESCOPE_SOURCE) / "kernels", .recordings = folder, .cache = {}});
    session->select_lab("autotune");
    session->select_rung("one-size");
    session->auto_run = false;
  }
  void TearDown() override {
    set_tuning_folders({});
    fs::remove_all(folder);
    DrawnPanel::TearDown();
  }
  Draw drawing_tune() {
    return [this](PanelContext& context) { tune.draw(context); };
  }
  void draw_twice(ImVec2 room = kRoom) {
    draw(drawing_tune(), room);
    draw(drawing_tune(), room);
  }
  ImVec2 middle_of(const std::string& name) {
    EXPECT_TRUE(view.marks.contains(name)) << name;
    const Mark& mark = view.marks[name];
    return {(mark.low.x + mark.high.x) / 2, (mark.low.y + mark.high.y) / 2};
  }
  void press(const std::string& name) {
    draw_twice();
    click(drawing_tune(), kRoom, middle_of(name));
    draw_twice();
  }
  int64_t param(const char* name) { return session->request().config.param(name); }

  /// All 512 configurations as if timed at 4,096³: a wide tile is faster, and 64 × 256 is the fastest.
  void record() {
    const SpaceRequest request{.lab = "autotune",
                               .rung = "one-size",
                               .config = default_config(*find_lab("autotune"), DeviceKind::gpu),
                               .gpu = "h200"};
    auto map = make_space(session->engine(), request);
    ASSERT_TRUE(map) << map.error().message;
    map->gpu = "NVIDIA H200";
    map->date = "2026-11-26T18:00:00Z";
    map->command = "tilescope tune autotune --rung one-size";
    for (TuneEntry& entry : map->entries) {
      if (entry.state == TuneState::impossible) continue;
      entry.state = TuneState::timed;
      const double tile = static_cast<double>(entry.values[0] * entry.values[1]);
      const double ms =
          entry.values[0] == 64 && entry.values[1] == 256 && entry.values[2] == 64 ? 0.1 : 0.2 + 4000 / tile;
      for (int i = 0; i < kFullSamples; ++i) entry.samples.push_back(ms * (1 + 0.01 * (i % 3 - 1)));
      entry.median_ms = ms, entry.low_ms = ms * 0.99, entry.high_ms = ms * 1.01;
    }
    ASSERT_TRUE(write_tune_map(*map, folder / "map.json"));
  }

  fs::path folder;
  TuneView tune;
};

TEST_F(TuneScreen, BelongsToEveryRungThatHasParametersToTune) {
  EXPECT_TRUE(tune.concerns(*session));
  session->select_rung("tuned");  // it picks one-size
  EXPECT_TRUE(tune.concerns(*session));
  session->select_lab("softmax");
  EXPECT_TRUE(tune.concerns(*session));
  session->select_lab("hello");
  draw_twice();
}

TEST_F(TuneScreen, WithoutARecordingItShowsWhatIsPossible) {
  draw_twice();
  ASSERT_NE(tune.shown_map(), nullptr);
  EXPECT_EQ(tune.shown_map()->entries.size(), 512U);
  // 256 × 256 on any number of warps: too many accumulators.
  const TuneSlice& slice = tune.slice();
  ASSERT_EQ(slice.rows, 4U);
  ASSERT_EQ(slice.columns, 4U);
  EXPECT_EQ(slice.cell(3, 3).state, TuneState::impossible);
  EXPECT_EQ(slice.cell(3, 3).possible, 0U);
  EXPECT_EQ(slice.cell(1, 0).state, TuneState::untried);
  EXPECT_TRUE(view.marks.contains("tune.compile"));
  EXPECT_FALSE(view.marks.contains("tune.use")) << "there is no best yet";
  EXPECT_FALSE(view.marks.contains("tune.curves"));
}

TEST_F(TuneScreen, ARecordedMapHasItsBestItsCurvesAndSetsTheSliders) {
  record();
  draw_twice();
  ASSERT_NE(tune.shown_map(), nullptr);
  EXPECT_EQ(tune.shown_map()->badge, Badge::recorded);
  EXPECT_TRUE(view.marks.contains("tune.curves"));
  ASSERT_EQ(tune.replays().size(), 3U);
  press("tune.use");
  EXPECT_EQ(param("BM"), 64);
  EXPECT_EQ(param("BN"), 256);
  EXPECT_EQ(param("BK"), 64);
}

TEST_F(TuneScreen, AClickOnACellSetsItsConfigurationAndAnImpossibleOneNothing) {
  record();
  press("tune.cell.2.1");
  EXPECT_EQ(param("BM"), 128);
  EXPECT_EQ(param("BN"), 128);
  press("tune.cell.3.3");
  EXPECT_EQ(param("BM"), 128) << "256 × 256 is impossible";
}

TEST_F(TuneScreen, AxesAndHeldValuesAreChosen) {
  record();
  press("tune.down.STAGES");
  EXPECT_EQ(tune.slice().rows, 4U);
  EXPECT_EQ(tune.shown_map()->axes[tune.slice().down].name, "STAGES");
  press("tune.across.WARPS");
  EXPECT_EQ(tune.shown_map()->axes[tune.slice().across].name, "WARPS");
  press("tune.held.BM.256");
  press("tune.held.BN.256");
  // 65,536 results never fit, whatever the warps and stages.
  for (const TuneCell& cell : tune.slice().cells) EXPECT_EQ(cell.state, TuneState::impossible);
  press("tune.held.BN.best");
  EXPECT_TRUE(std::ranges::any_of(tune.slice().cells, [](const TuneCell& cell) { return cell.possible > 0; }));
  press("tune.down.WARPS");  // lies across: the two change places
  EXPECT_EQ(tune.shown_map()->axes[tune.slice().down].name, "WARPS");
  EXPECT_EQ(tune.shown_map()->axes[tune.slice().across].name, "STAGES");
}

TEST_F(TuneScreen, TheSlidersSizesAndARecordingAreBothThere) {
  record();
  draw_twice();
  EXPECT_NE(tune.shown_map()->sizes.at("M"), 200);
  press("tune.map.0");
  EXPECT_EQ(tune.shown_map()->sizes.at("M"), 200);
  press("tune.map.1");
  EXPECT_EQ(tune.shown_map()->sizes.at("M"), 4096);
}

TEST_F(TuneScreen, ASpaceThatIsTooLargeKeepsItsLastParametersAtTheSliders) {
  session->select_lab("matmul-fp32");
  session->select_rung("double-buffered");
  draw_twice();
  ASSERT_NE(tune.shown_map(), nullptr);
  EXPECT_LE(tune.shown_map()->entries.size(), kMostConfigurations);
  EXPECT_TRUE(tune.shown_map()->params.contains("GROUP_M"));
  const std::string command = tune_command_of(space_request(*session, *tuned_rung(*session)));
  EXPECT_NE(command.find(" --set GROUP_M=8"), std::string::npos) << command;
}

TEST_F(TuneScreen, IsDrawnInBothLanguagesAndSizesWithoutOverlaps) {
  record();
  for (const Language language : {Language::en, Language::zh}) {
    strings.language = language;
    for (const ImVec2 room : {kRoom, ImVec2(760, 400), ImVec2(520, 380)}) {
      draw_twice(room);
      EXPECT_TRUE(view.marks.contains("tune.map"));
      std::vector<DrawnText> texts;
      record_texts(&texts);
      draw(drawing_tune(), room);
      record_texts(nullptr);
      EXPECT_FALSE(texts.empty());
      EXPECT_EQ(faults_of(texts), std::vector<std::string>()) << room.x;
    }
  }
}

/// A map with one entry of each kind in a row.
TEST(TuneModel, ACellShowsATimedEntryBeforeOthersAndTheFastestOfThem) {
  TuneMap map{.axes = {{"X", {1, 2}}, {"Y", {1}}, {"Z", {1, 2, 3}}}};
  const auto add = [&](int64_t x, int64_t z, TuneState state, double ms) {
    map.entries.push_back({.values = {x, 1, z}, .state = state, .median_ms = ms});
  };
  add(1, 1, TuneState::impossible, 0), add(1, 2, TuneState::timed, 2), add(1, 3, TuneState::timed, 1);
  add(2, 1, TuneState::wrong, 0), add(2, 2, TuneState::impossible, 0), add(2, 3, TuneState::untried, 0);
  TuneSlice slice;
  cut(map, slice);
  ASSERT_EQ(slice.cells.size(), 2U);
  EXPECT_EQ(slice.cell(0, 0).entry, 2U);
  EXPECT_EQ(slice.cell(0, 0).possible, 2U);
  EXPECT_EQ(slice.cell(1, 0).state, TuneState::untried);
  slice.held = {{}, {}, 1};
  cut(map, slice);
  EXPECT_EQ(slice.cell(0, 0).state, TuneState::impossible);
  EXPECT_EQ(slice.cell(1, 0).state, TuneState::wrong);
}

}  // namespace
}  // namespace tilescope::testing
