// The waves view, its model and playback by wave. Figures are calculated by hand: an H200 has 132 SMs of 64 warps each.
#include <gtest/gtest.h>

#include "app/views/playback.hpp"
#include "app/views/tiles/tiles_waves.hpp"
#include "app/views/waves/waves_view.hpp"
#include "engine/traffic/schedule/occupancy.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/gui/vector_add_result.hpp"

namespace tilescope {
namespace {

const std::vector<GpuSpec>& all_gpus() {
  static const std::vector<GpuSpec> gpus =
      read_gpu_specs(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "gpus.toml").value();
  return gpus;
}

struct Case {
  uint64_t blocks = 2500;
  BlockUsage usage{.threads = 256, .registers_per_thread = 24};
  std::string gpu = "h200";
};

std::shared_ptr<RunResult> make_result(const Case& of) {
  auto result = std::make_shared<RunResult>();
  result->modelled_gpu = *find_gpu(all_gpus(), of.gpu);
  result->plan.launches.push_back(
      {.kernel = "k", .grid = {static_cast<uint32_t>(of.blocks), 1, 1}, .block = {of.usage.threads, 1, 1}});
  result->usage = {of.usage};
  result->occupancy = {occupancy_of(result->modelled_gpu, of.usage, of.blocks)};
  result->waves = {schedule_waves(result->modelled_gpu, of.usage, result->occupancy[0], of.blocks)};
  result->compiled.cubin_target = "sm_90";
  return result;
}

/// Two resident blocks on each of SM 3 and SM 5; the last block alone.
std::shared_ptr<RunResult> make_measured() {
  auto result = make_result({.blocks = 5});
  const std::array<uint64_t, 15> noted{3, 1000, 3000, 5, 1000, 3000, 3, 1000, 2000, 5, 1500, 3000, 3, 3000, 5000};
  HostBuffer buffer(DType::u64, noted.size());
  std::copy(noted.begin(), noted.end(), buffer.as<uint64_t>().begin());
  result->block_times = read_block_times(buffer, 5);
  return result;
}

Strings english() { return *Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets/strings"); }

WavesSentence sentence_of(const std::shared_ptr<RunResult>& result) {
  WavesPicture picture;
  EXPECT_TRUE(take_waves(picture, result, all_gpus()));
  return waves_sentence(english(), picture);
}

TEST(WavesSentence, SaysHowManyWavesAndWhatTheLastOneLeavesEmpty) {
  const WavesSentence said = sentence_of(make_result({}));
  EXPECT_EQ(said.finding, "2,500 blocks run in 3 waves of 1,056.");
  EXPECT_EQ(said.reason, "The last wave fills 388 of 1,056 slots: 21% of the time is idle.");
  EXPECT_EQ(said.quiet, "Warps: at most 8 blocks per SM.");
}

TEST(WavesSentence, AFullLastWaveLeavesNothing) {
  EXPECT_EQ(sentence_of(make_result({.blocks = 2112})).reason, "The last wave fills every slot.");
}

TEST(WavesSentence, OneBlockTooManyIsNotCalledNothing) {
  EXPECT_EQ(sentence_of(make_result({.blocks = 264 * 1056 + 1055})).reason,
            "The last wave fills 1,055 of 1,056 slots: <1% of the time is idle.");
}

TEST(WavesSentence, ASmallGridLeavesMultiprocessorsWithoutABlock) {
  const WavesSentence said = sentence_of(make_result({.blocks = 97}));
  EXPECT_EQ(said.finding, "97 blocks run in one wave.");
  EXPECT_EQ(said.reason, "35 of 132 SMs get no block.");
}

TEST(WavesSentence, ABlockThatFitsNowhereIsNamedWithWhatItTakes) {
  const WavesSentence said =
      sentence_of(make_result({.usage = {.threads = 256, .dynamic_shared_bytes = 128 * 1024}, .gpu = "v100"}));
  EXPECT_TRUE(said.trouble);
  EXPECT_EQ(said.finding, "Not a single block fits on an SM.");
  EXPECT_EQ(said.reason, "Shared memory: a block needs 128 of 96 KiB on the V100.");
}

TEST(WavesSentence, AMeasuredScheduleIsSaidToBeOne) {
  const WavesSentence said = sentence_of(make_measured());
  EXPECT_EQ(said.finding, "5 blocks ran on 2 SMs in 4.00 µs, at most 2 at a time on each.");
  EXPECT_TRUE(said.reason.starts_with("Over that time 53% of the slots held a block;")) << said.reason;
}

TEST(WavesModel, AResultWithoutLaunchesHasNoWaves) {
  WavesPicture picture;
  EXPECT_FALSE(take_waves(picture, std::make_shared<RunResult>(), all_gpus()));
  EXPECT_EQ(shown_waves(RunResult()), nullptr);
}

TEST(WavesModel, WavesAreThoseOfTheLaunchThatIsMapped) {
  auto result = make_result({});
  result->waves.push_back({.blocks = 7, .multiprocessors = 1, .blocks_per_multiprocessor = 1});
  result->launch = 1;
  EXPECT_EQ(shown_waves(*result)->blocks, 7U);
  result->launch = 0;
  EXPECT_EQ(shown_waves(*result)->blocks, 2500U);
}

TEST(MeasuredPlaces, HoldOneBlockAtATime) {
  const auto result = make_measured();
  const BlockTimes& times = *result->block_times;
  const MeasuredPlaces places(times);
  ASSERT_EQ(places.multiprocessors(), 2U);
  EXPECT_EQ(places.name_of(0), 3U);
  EXPECT_EQ(places.name_of(1), 5U);
  ASSERT_EQ(places.slots(), 2U);
  EXPECT_EQ(places.block_at(times, 0, 0, 0.5), 0U);
  EXPECT_EQ(places.block_at(times, 0, 1, 0.5), 2U);
  EXPECT_EQ(places.block_at(times, 0, 1, 1.5), std::nullopt) << "ended at 1 µs";
  EXPECT_EQ(places.block_at(times, 0, 0, 3), 4U);
  EXPECT_EQ(places.block_at(times, 1, 1, 0.25), std::nullopt) << "begins at 0.5 µs";
  const auto held = places.residency(times, 4);  // columns of 1 µs
  EXPECT_EQ(held, (std::vector<float>{2, 1, 1, 1, 1.5F, 2, 0, 0}));
}

TEST(MeasuredPlaces, ArePlayedFromTheFirstBeginToTheLastEnd) {
  const auto result = make_measured();
  EXPECT_DOUBLE_EQ(moment_of(*result->block_times, -1), 2) << "the last of the five began then";
  EXPECT_DOUBLE_EQ(moment_of(*result->block_times, 0), 0);
  EXPECT_DOUBLE_EQ(moment_of(*result->block_times, 2.5), 2);
  EXPECT_DOUBLE_EQ(moment_of(*result->block_times, 5), 4);
}

TEST(WavesView, EveryMultiprocessorHasItsOwnCellInsideTheArea) {
  for (const uint32_t count : {1U, 2U, 80U, 132U, 148U}) {
    for (const uint32_t slots : {1U, 6U, 8U, 32U}) {
      for (const ImVec2 high : {ImVec2(600, 300), ImVec2(360, 150)}) {
        const ProcessorGrid grid = lay_out_processors(count, slots, {0, 0}, high, 1);
        EXPECT_GE(grid.columns * grid.rows(), count);
        for (uint32_t processor = 0; processor < count; ++processor) {
          EXPECT_LE(grid.high(processor).x, high.x);
          EXPECT_LE(grid.high(processor).y, high.y + 1);
          for (uint32_t slot = 0; slot < slots; ++slot) {
            EXPECT_GT(grid.slot_high(processor, slot).x, grid.slot_low(processor, slot).x) << count << " " << slots;
            EXPECT_GT(grid.slot_high(processor, slot).y, grid.slot_low(processor, slot).y) << count << " " << slots;
          }
        }
      }
    }
  }
}

TEST(PlaybackByWave, StopsWhereWavesBegin) {
  const auto result = make_result({});
  const WaveSchedule& waves = result->waves[0];
  ViewState view;
  step_playback_by_wave(view, waves, 1);
  EXPECT_EQ(issued_blocks(view, 2500), 1056U);
  step_playback_by_wave(view, waves, 1);
  step_playback_by_wave(view, waves, 1);
  EXPECT_EQ(issued_blocks(view, 2500), 2500U);
  step_playback_by_wave(view, waves, -1);
  EXPECT_EQ(issued_blocks(view, 2500), 2112U);
  view.playback.position = -1;  // everything
  step_playback_by_wave(view, waves, -1);
  EXPECT_EQ(issued_blocks(view, 2500), 2112U);
}

class DrawnWaves : public testing::DrawnPanel {
 protected:
  const ImVec2 kRoom{1104, 520};
  ImVec2 centre(const std::string& name) {
    EXPECT_TRUE(view.marks.contains(name)) << name;
    return view.marks[name].centre();
  }
};

TEST_F(DrawnWaves, EveryScheduleDrawsInEveryRoomAndMoment) {
  for (const auto& shown : {make_result({}), make_result({.blocks = 1}), make_result({.blocks = 1 << 20}),
                            make_measured(), make_result({.usage = {.threads = 32}, .gpu = "b200"}),
                            make_result({.usage = {.threads = 256, .dynamic_shared_bytes = 1 << 18}})}) {
    result = shown;
    for (const ImVec2 room : {ImVec2(1104, 520), ImVec2(784, 300), ImVec2(300, 100), ImVec2(40, 20)})
      for (const double position : {-1.0, 0.0, 1.0, 3.5})
        for (const ImVec2 pointer : {ImVec2(-1, -1), ImVec2(200, 200), ImVec2(300, 470), ImVec2(900, 120)}) {
          view.playback.position = position;
          EXPECT_GT(draw(drawing("waves"), room, pointer), 0);
        }
  }
}

TEST_F(DrawnWaves, WithoutAResultOrWavesItSaysWhy) {
  EXPECT_GT(draw(drawing("waves"), kRoom), 0);
  result = std::make_shared<RunResult>();
  EXPECT_GT(draw(drawing("waves"), kRoom), 0);
}

TEST_F(DrawnWaves, AClickOnAWaveGoesToItsEnd) {
  result = make_result({});
  draw(drawing("waves"), kRoom);
  const Mark timeline = view.marks["waves.timeline"];
  const float width = timeline.high.x - timeline.low.x, y = timeline.centre().y;
  click(drawing("waves"), kRoom, {timeline.low.x + width * 0.5F, y});
  EXPECT_EQ(issued_blocks(view, 2500), 2112U);
  click(drawing("waves"), kRoom, {timeline.low.x + width * 0.1F, y});
  EXPECT_EQ(issued_blocks(view, 2500), 1056U);
}

TEST_F(DrawnWaves, AClickOnAGpuChoosesItForTheSimulator) {
  result = make_result({});
  draw(drawing("waves"), kRoom);
  session->set_device(DeviceKind::sim);
  click(drawing("waves"), kRoom, centre("waves.gpu.a100"));
  EXPECT_EQ(session->request().gpu, "a100");
}

TEST_F(DrawnWaves, APlaceThatIsPointedAtIsTheHoveredBlock) {
  result = make_result({.usage = {.threads = 1024, .registers_per_thread = 32}});  // two on each
  view.playback.position = 264;
  draw(drawing("waves"), kRoom);
  const ImVec2 low = view.marks["waves.processors"].low;
  draw(drawing("waves"), kRoom, {low.x + 4, low.y + 4});
  EXPECT_EQ(view.hover.block, 0U);
}

TEST_F(DrawnWaves, TheProcessorsOfTheTileViewAreDrawnWhereTheWavesAreKnown) {
  auto add = testing::make_vector_add({.n = 98432});
  result = add;
  const int without = draw(drawing("tiles"), kRoom);
  EXPECT_FALSE(view.marks.contains("tiles.processors"));
  const auto known = make_result({.blocks = add->tiles.grid.count()});
  auto with = testing::make_vector_add({.n = 98432});
  with->modelled_gpu = known->modelled_gpu;
  with->usage = known->usage;
  with->occupancy = known->occupancy;
  with->waves = known->waves;
  result = with;
  EXPECT_GT(draw(drawing("tiles"), kRoom), without);
  EXPECT_TRUE(view.marks.contains("tiles.processors"));
  EXPECT_GT(processor_row_height(*result), 0);
  for (const double position : {0.0, 1.0, 200.0, 385.0}) {
    view.playback.position = position;
    EXPECT_GT(draw(drawing("tiles"), kRoom), 0);
  }
}

class WavesScreenTest : public testing::ScreenTest {};

TEST_F(WavesScreenTest, ShiftAndAnArrowStepByTheWavesOfTheChosenGpu) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.select_lab("execution-model");
  screen->session.set_gpu("h200");
  screen->session.set_size("blocks", 1300);
  screen->session.submit();
  ASSERT_TRUE(settle());
  ASSERT_NE(screen->session.result(), nullptr);
  screen->view.tab = "waves";
  press(Key::home);
  press(Key::right, /*control=*/false, /*shift=*/true);
  EXPECT_EQ(issued_blocks(screen->view, 1300), 1056U);
  press(Key::right, /*control=*/false, /*shift=*/true);
  EXPECT_EQ(issued_blocks(screen->view, 1300), 1300U);
  press(Key::left, /*control=*/false, /*shift=*/true);
  EXPECT_EQ(issued_blocks(screen->view, 1300), 1056U);
  press(Key::space);
  EXPECT_TRUE(screen->moving());
}

TEST_F(WavesScreenTest, TheTileViewShowsNothingOfTheScheduleThatBlocksNote) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  screen->session.select_lab("execution-model");
  screen->session.submit();
  ASSERT_TRUE(settle());
  screen->view.tab = "tiles";
  frames(2);
  EXPECT_TRUE(screen->marks().contains("tiles.out"));
  EXPECT_FALSE(screen->marks().contains("tiles.schedule"));
}

}  // namespace
}  // namespace tilescope
