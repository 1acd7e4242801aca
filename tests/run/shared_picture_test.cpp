// What shared memory holds at which offset, for kernels whose sources say where they put it.
#include "engine/traffic/access/shared_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/run/engine.hpp"
#include "engine/run/record_steps.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

struct Seen {
  RunResult result;
  std::shared_ptr<const StepRecord> record;
  std::shared_ptr<const SharedPicture> picture;
};

Seen look_at(const std::string& lab, const std::string& rung, const std::map<std::string, int64_t>& sizes,
             const std::map<std::string, int64_t>& params, uint64_t block) {
  static const std::shared_ptr<Engine> engine = Engine::open({});
  Request request;
  request.lab = lab;
  request.rung = rung;
  request.config = default_config(*find_lab(lab), DeviceKind::sim);
  for (const auto& [name, value] : sizes) request.config.sizes[name] = value;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  auto result = engine->run(request);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  Seen seen{.result = std::move(*result), .record = {}, .picture = {}};
  auto record = record_steps(seen.result, seen.result.tiles.launch, {.block = block}, *make_simulator(1), {});
  EXPECT_TRUE(record) << (record ? "" : record.error().message);
  seen.record = *record;
  seen.picture = SharedPicture::make(seen.record, seen.result);
  return seen;
}

uint32_t first_event(const Seen& seen, uint32_t warp, SharedEvent::Kind kind, size_t number = 0) {
  for (const SharedEvent& event : seen.picture->events(warp))
    if (event.kind == kind && number-- == 0) return event.step;
  ADD_FAILURE() << "no such event";
  return 0;
}

// kernels/grouped_matmul.cu: tiles of 64 × 64, k-tiles 32 deep, three stages.
Seen matmul() {
  return look_at("grouped-order", "row-major", {{"M", 128}, {"N", 128}, {"K", 136}},
                 {{"BM", 64}, {"BN", 64}, {"BK", 32}, {"STAGES", 3}, {"WARPS", 8}}, 3);
}

TEST(SharedPicture, HasTheStagesOfAPipelineAsRegions) {
  const Seen seen = matmul();
  ASSERT_NE(seen.picture, nullptr);
  const std::vector<SharedRegion> expected{{0, 0, 4096, 0},      {1, 4096, 8192, 0},   {0, 8192, 12288, 1},
                                           {1, 12288, 16384, 1}, {0, 16384, 20480, 2}, {1, 20480, 24576, 2}};
  EXPECT_EQ(seen.picture->regions(), expected);
  EXPECT_EQ(seen.picture->words(), 24576U / 4);
}

// kernels/layernorm_backward.cu: 128 threads with 4 vectors of 4 elements have 2,048 slots for the 504 columns of a
// row, and fill the rest with zeros.
TEST(SharedPicture, CountsZerosBeyondTheEndOfARowToTheRow) {
  const Seen seen = look_at("layernorm-backward", "rows-ahead", {{"rows", 200}, {"columns", 504}},
                            {{"BLOCK", 128}, {"VECTORS", 4}, {"STAGES", 3}, {"DTYPE", 0}}, 5);
  ASSERT_NE(seen.picture, nullptr);
  std::vector<SharedRegion> copied;
  for (const SharedRegion& region : seen.picture->regions())
    if (region.end > 512) copied.push_back(region);  // the kernel's own declarations come first
  std::vector<SharedRegion> expected;
  for (uint32_t slot = 0; slot < 3; ++slot)
    for (int32_t buffer = 0; buffer < 2; ++buffer) {
      const uint32_t first = 512 + slot * 16384 + static_cast<uint32_t>(buffer) * 8192;
      expected.push_back({buffer, first, first + 8192, slot});
    }
  EXPECT_EQ(copied, expected);
}

TEST(SharedPicture, FindsEveryChunkWhereTheSwizzlePutsIt) {
  const Seen seen = matmul();
  ASSERT_NE(seen.picture, nullptr);
  // After the second barrier, that of the first round, stages 0 and 1 have arrived; block 3 uses rows 64 … 127 of A and
  // columns 64 … 127 of B.
  const auto contents = seen.picture->contents_at(first_event(seen, 0, SharedEvent::Kind::barrier, 1));
  for (uint32_t row = 0; row < 64; ++row)
    for (uint32_t chunk = 0; chunk < 4; ++chunk) {
      const uint32_t byte = (row * 4 + (chunk ^ (row * 4 / 8) % 4)) * 16;
      for (uint32_t word = 0; word < 4; ++word) {
        const SharedWord& there = contents[byte / 4 + word];
        ASSERT_EQ(there.state, SharedWord::State::there);
        ASSERT_EQ(there.buffer, 0);
        ASSERT_EQ(there.element, (64 + row) * 136 + chunk * 8 + word * 2) << row << " " << chunk;
      }
    }
  for (uint32_t row = 0; row < 32; ++row)
    for (uint32_t chunk = 0; chunk < 8; ++chunk) {
      const uint32_t byte = 4096 + (row * 8 + (chunk ^ row % 8)) * 16;
      ASSERT_EQ(contents[byte / 4].buffer, 1);
      ASSERT_EQ(contents[byte / 4].element, row * 128 + 64 + chunk * 8);
    }
}

TEST(SharedPicture, ACopyArrivesWithTheWaitForItsGroup) {
  const Seen seen = matmul();
  ASSERT_NE(seen.picture, nullptr);
  // The prologue commits two groups and waits until one is left: the first stage has arrived, the second is in flight.
  const auto arriving = [&](uint32_t step) {
    size_t count[3] = {};
    const auto contents = seen.picture->contents_at(step);
    for (size_t word = 0; word < contents.size(); ++word)
      if (contents[word].state == SharedWord::State::arriving) ++count[word / 2048];
    return std::vector<size_t>(count, count + 3);
  };
  const uint32_t wait = first_event(seen, 7, SharedEvent::Kind::wait);  // of the last warp
  EXPECT_EQ(arriving(wait), (std::vector<size_t>{0, 2048, 0}));
  const uint32_t commit = first_event(seen, 0, SharedEvent::Kind::commit);
  const auto before = arriving(commit);
  EXPECT_EQ(before[0], 256U);  // one warp's share of a stage: 2 copies of 32 lanes and 4 words each
  EXPECT_EQ(before[1] + before[2], 0U);
}

TEST(SharedPicture, EventsOfAWarpAreThoseOfTheSource) {
  const Seen seen = matmul();
  ASSERT_NE(seen.picture, nullptr);
  std::map<SharedEvent::Kind, int> counts;
  for (const SharedEvent& event : seen.picture->events(5)) ++counts[event.kind];
  // 136 = 5 k-tiles of 32: two commits ahead, one in each round; as many waits and barriers.
  EXPECT_EQ(counts[SharedEvent::Kind::commit], 2 + 5);
  EXPECT_EQ(counts[SharedEvent::Kind::barrier], 1 + 5);
  EXPECT_EQ(counts[SharedEvent::Kind::wait], 1 + 5);
  // A warp's 16 × 32 of C: 1 × 4 mma.sync, twice a k-tile.
  EXPECT_EQ(counts[SharedEvent::Kind::multiply], 5 * 2 * 4);
  EXPECT_EQ(counts[SharedEvent::Kind::copy], 5 * 2);
}

// kernels/transpose.cu, padded tile: copied through registers, each row of the tile one word longer than its elements.
TEST(SharedPicture, FollowsAValueThroughARegister) {
  const Seen seen = look_at("transpose", "padded-tile", {{"rows", 64}, {"columns", 96}}, {{"TILE", 32}}, 1);
  ASSERT_NE(seen.picture, nullptr);
  const auto contents = seen.picture->contents_at(static_cast<uint32_t>(seen.record->steps.size() - 1));
  size_t known = 0;
  for (uint32_t row = 0; row < 32; ++row)
    for (uint32_t column = 0; column < 32; ++column) {
      const SharedWord& word = contents[row * 33 + column];
      ASSERT_EQ(word.buffer, 0) << row << " " << column;
      ASSERT_EQ(word.element / 96 % 32, row);
      ASSERT_EQ(word.element % 32, column);
      ++known;
    }
  EXPECT_EQ(known, 1024U);
  EXPECT_EQ(contents[32].state, SharedWord::State::untouched);  // the padding
}

TEST(SharedPicture, IsAbsentWhereNoSharedMemoryIsTouched) {
  const Seen seen = look_at("transpose", "reads-coalesced", {{"rows", 64}, {"columns", 96}}, {}, 0);
  EXPECT_EQ(seen.picture, nullptr);
}

}  // namespace
}  // namespace tilescope
