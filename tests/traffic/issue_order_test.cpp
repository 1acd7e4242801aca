#include "engine/traffic/block_order/issue_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace tilescope {
namespace {

constexpr int64_t kPiece = 16384;  // bytes that a block reads of an operand per step
constexpr uint32_t kSteps = 4;

/// A matmul of rows × columns tiles: block b = row · columns + column reads strip `row` of a and strip `column` of b, a
/// piece of each per step, and writes its tile of c in the last step.
struct Product {
  uint32_t rows, columns;
  GridFootprints grid;
  std::vector<BufferSpec> buffers{{.name = "a"}, {.name = "b"}, {.name = "c"}};

  Product(uint32_t rows_in, uint32_t columns_in, uint32_t steps = kSteps, int64_t piece_bytes = kPiece,
          uint32_t group = 1)
      : rows(rows_in), columns(columns_in) {
    grid.keys = {{0, false}, {1, false}, {2, true}};
    const uint32_t piece = grid.shapes.intern({{0, piece_bytes}});
    BlockFootprint pattern(steps);
    for (uint32_t step = 0; step < steps; ++step)
      for (uint32_t buffer = 0; buffer < 2; ++buffer)
        pattern[step].regions.push_back({buffer, false, piece, step * piece_bytes, static_cast<uint64_t>(piece_bytes)});
    pattern.back().regions.push_back({2, true, piece, 0, static_cast<uint64_t>(piece_bytes)});
    grid.patterns = {pattern};
    for (const uint32_t tile : grouped_tiles(rows, columns, group)) {
      grid.pattern_of_block.push_back(0);
      grid.shifts.push_back(tile / columns * steps * piece_bytes);
      grid.shifts.push_back(tile % columns * steps * piece_bytes);
      grid.shifts.push_back(tile * piece_bytes);
    }
  }

  OrderModel model(const ModelledCache& cache, KnownReplays* known = nullptr) const {
    OrderModel result;
    const auto done = model_orders(grid, buffers, cache, {}, result, known);
    EXPECT_TRUE(done.has_value()) << (done ? "" : done.error().message);
    return result;
  }
};

/// SMs in lockstep, one partition.
ModelledCache cache_of(uint64_t bytes, uint32_t multiprocessors) {
  return {.gpu = "test", .bytes = bytes, .partitions = 1, .multiprocessors = multiprocessors};
}

uint64_t pieces(uint64_t count) { return count * uint64_t{kPiece}; }

TEST(OrderModel, ACacheThatHoldsEverythingReadsEachOperandOnce) {
  const OrderModel order = Product(8, 4).model(cache_of(pieces(1000), 4));
  EXPECT_EQ(order.launched.device_bytes_read, pieces((8 + 4) * kSteps));
  EXPECT_EQ(order.launched.device_bytes_written, pieces(8 * 4));
  EXPECT_EQ(order.launched.l2_bytes_read, pieces(2 * 32 * kSteps));
  EXPECT_EQ(order.launched.l2_bytes_written, pieces(32));
  for (const auto& other : order.others) EXPECT_EQ(other.device_bytes_read, pieces((8 + 4) * kSteps));
}

// Four blocks at a time; the cache holds the pieces of just two steps, so nothing survives a wave. Each wave then reads
// its own rows and columns once.
TEST(OrderModel, WithoutRoomForMoreThanAStepEachWaveReadsItsOwnRowsAndColumns) {
  const OrderModel order = Product(4, 4).model(cache_of(pieces(12), 4));
  // Row-major: a wave is one row of four tiles, 1 + 4 strips; four waves.
  EXPECT_EQ(order.launched.device_bytes_read, pieces(4 * 5 * kSteps));
  EXPECT_EQ(order.find(OrderTraffic::Kind::row_major)->device_bytes_read, order.launched.device_bytes_read);
  // Groups of two rows: a wave is two by two tiles, 2 + 2 strips.
  EXPECT_EQ(order.find(OrderTraffic::Kind::grouped, 2)->device_bytes_read, pieces(4 * 4 * kSteps));
  // Groups of four: a column of four tiles.
  EXPECT_EQ(order.find(OrderTraffic::Kind::grouped, 4)->device_bytes_read, pieces(4 * 5 * kSteps));
  // Hilbert's curve fills one quarter after another.
  EXPECT_EQ(order.find(OrderTraffic::Kind::hilbert)->device_bytes_read, pieces(4 * 4 * kSteps));
}

TEST(OrderModel, EveryWaveSaysWhatItNeedsAndWhatItReads) {
  const OrderModel order = Product(4, 4).model(cache_of(pieces(12), 6));
  ASSERT_EQ(order.launched.waves.size(), 3U);
  EXPECT_EQ(order.resident_blocks, 6U);
  EXPECT_EQ(order.launched.waves[0].strips, (std::vector<uint32_t>{2, 4}));
  EXPECT_EQ(order.launched.waves[2].blocks, 4U);
  EXPECT_EQ(order.launched.waves[2].strips, (std::vector<uint32_t>{1, 4}));
  EXPECT_EQ(order.launched.waves[0].needed_bytes, pieces(6 * kSteps));
  EXPECT_EQ(order.launched.largest_wave_bytes, pieces(6 * kSteps));
  uint64_t read = 0;
  for (const auto& wave : order.launched.waves) read += wave.device_bytes_read;
  EXPECT_EQ(read, order.launched.device_bytes_read);
}

TEST(OrderModel, SaysWhenTheOrderMakesNoDifferenceAndWhy) {
  const OrderModel same = Product(8, 4).model(cache_of(pieces(1000), 4));
  EXPECT_NE(same.conclusion().en.find("makes no difference"), std::string::npos) << same.conclusion().en;
  EXPECT_NE(same.conclusion().en.find("fits the L2 in either order"), std::string::npos);
  const OrderModel saves = Product(8, 8).model(cache_of(pieces(20), 8));
  EXPECT_EQ(saves.conclusion().en.find("makes no difference"), std::string::npos) << saves.conclusion().en;
}

TEST(OrderModel, IfItIsNotSureItDrawsNoConclusionFromAnOrderWithinItsRange) {
  ModelledCache cache = cache_of(pieces(40), 8);
  cache.pace.busy_ns = 100;
  cache.pace.pace_spread = 0.02;
  const OrderModel apart = Product(8, 8, 64).model(cache);
  ASSERT_FALSE(apart.is_sure());
  const OrderTraffic& rival =
      *std::ranges::min_element(apart.others, {}, [](const OrderTraffic& one) { return one.device_bytes_read; });
  ASSERT_LE(apart.least_read(), rival.device_bytes_read);
  ASSERT_LE(rival.device_bytes_read, apart.most_read());
  EXPECT_TRUE(apart.finding.en.starts_with("The model cannot tell whether the order matters: ")) << apart.finding.en;
  EXPECT_NE(apart.finding.en.find(" MB are possible), "), std::string::npos) << apart.finding.en;
}

TEST(OrderModel, TheFindingSaysHowMuchMoreIsReadThanInTheBestOrder) {
  // Row-major, as launched: a wave of 8 is a row of 8 tiles, 9 strips. Groups of two rows: 2 + 4 strips.
  const OrderModel order = Product(8, 8).model(cache_of(pieces(20), 8));
  ASSERT_EQ(order.same_as_launched(), order.find(OrderTraffic::Kind::row_major));
  ASSERT_EQ(order.launched.device_bytes_read, pieces(8 * 9 * kSteps));
  uint64_t best = order.launched.device_bytes_read;
  for (const auto& other : order.others) best = std::min(best, other.device_bytes_read);
  ASSERT_EQ(best, pieces(8 * 6 * kSteps));
  EXPECT_NE(order.finding.en.find("Row-major reads 50% more from device memory than groups of 2 rows"),
            std::string::npos)
      << order.finding.en;
  EXPECT_NE(order.finding.zh.find("50%"), std::string::npos) << order.finding.zh;
  EXPECT_NE(order.why.en.find("wave of 8 blocks"), std::string::npos) << order.why.en;
}

TEST(OrderModel, AWaveHasNoMoreBlocksThanTheGrid) {
  const OrderModel order = Product(2, 3).model(cache_of(pieces(1000), 132));
  EXPECT_NE(order.why.en.find("wave of 6 blocks"), std::string::npos) << order.why.en;
}

TEST(OrderModel, StripsAreTheRowsAndColumnsOfTheTiles) {
  const Product product(3, 5);
  const OrderModel order = product.model(cache_of(pieces(100), 4));
  EXPECT_EQ(order.tile_rows, 3U);
  EXPECT_EQ(order.tile_columns, 5U);
  ASSERT_EQ(order.operands.size(), 2U);
  EXPECT_EQ(order.operands[0].name, "a");
  for (uint32_t block = 0; block < 15; ++block) {
    EXPECT_EQ(order.operands[0].strip_of_block[block], block / 5);
    EXPECT_EQ(order.operands[1].strip_of_block[block], block % 5);
  }
}

TEST(OrderModel, FootprintsThatOverlapAreReplayedByLines) {
  // Blocks read windows of 4 KiB that advance by 1 KiB.
  GridFootprints grid;
  grid.keys = {{0, false}};
  const uint32_t window = grid.shapes.intern({{0, 4096}});
  grid.patterns = {{{{{0, false, window, 0, 4096}}}}};
  for (uint32_t block = 0; block < 16; ++block) {
    grid.pattern_of_block.push_back(0);
    grid.shifts.push_back(1024 * block);
  }
  OrderModel order;
  const std::vector<BufferSpec> buffers{{.name = "x"}};
  ASSERT_TRUE(model_orders(grid, buffers, cache_of(1 << 20, 2), {}, order).has_value());
  EXPECT_EQ(order.launched.device_bytes_read, 15U * 1024 + 4096);
  EXPECT_EQ(order.launched.l2_bytes_read, 16U * 4096);
  EXPECT_EQ(order.tile_rows, 0U) << "one operand makes no matrix of tiles";
}

TEST(OrderModel, BlocksThatDriftApartShareLess) {
  const Product product(16, 16);
  ModelledCache cache = cache_of(pieces(60), 16 * 4);
  const uint64_t in_step = product.model(cache).launched.device_bytes_read;
  cache.pace.pace_spread = 0.3;
  EXPECT_GT(product.model(cache).launched.device_bytes_read, in_step);
}

TEST(OrderModel, ReadsLessAtASteadyClockWhereClustersDriftApart) {
  const Product product(16, 16);
  ModelledCache cache = cache_of(pieces(60), 16 * 4);
  EXPECT_EQ(product.model(cache).read_at_steady_clock, product.model(cache).launched.device_bytes_read);
  cache.pace.gpcs = std::vector<uint32_t>(8, 8);
  cache.pace.cluster_spread = 0.3;
  const OrderModel drifts = product.model(cache);
  EXPECT_LT(drifts.read_at_steady_clock, drifts.launched.device_bytes_read);
  EXPECT_GE(drifts.read_at_steady_clock, drifts.bounds.together);
}

TEST(OrderModel, IsSureWhereDriftChangesNothingAndNotSureWhereItDoes) {
  const Product product(16, 16);
  ModelledCache cache = cache_of(pieces(4000), 64);  // holds everything
  cache.pace.pace_spread = 0.1;
  const OrderModel fits = product.model(cache);
  EXPECT_TRUE(fits.is_sure());
  EXPECT_EQ(fits.bounds.together, fits.launched.device_bytes_read);
  EXPECT_EQ(fits.bounds.apart, fits.launched.device_bytes_read);
  cache.bytes = pieces(60);  // a few steps of a wave
  const OrderModel drifts = product.model(cache);
  EXPECT_FALSE(drifts.is_sure());
  EXPECT_LT(drifts.bounds.together, drifts.bounds.apart);
  EXPECT_LE(drifts.least_read(), drifts.launched.device_bytes_read);
  EXPECT_GE(drifts.most_read(), drifts.launched.device_bytes_read);
}

// 256 steps of 2 · 4 KiB equal 32 steps of 2 · 32 KiB at finer resolution: the model replays both in turns of the same
// length. 64 of 256 blocks at a time, and a cache for half of what they need.
TEST(OrderModel, ManyShortStepsComeOutAsFewLongOnes) {
  ModelledCache cache = cache_of(pieces(16 * 64 / 2), 64);
  cache.pace.pace_spread = 0.01;
  for (const uint32_t partitions : {1U, 2U}) {
    cache.partitions = partitions;
    const OrderModel many = Product(16, 16, 256, 4096).model(cache);
    Product few_steps(16, 16, 32, 32768);
    const uint32_t written = few_steps.grid.shapes.intern({{0, 4096}});  // as much as in the other grid
    few_steps.grid.patterns[0].back().regions.back().shape = written;
    for (uint32_t block = 0; block < 256; ++block) few_steps.grid.shifts[block * 3 + 2] = block * 4096;
    const OrderModel few = few_steps.model(cache);
    EXPECT_EQ(many.steps, 256U);
    EXPECT_EQ(few.steps, 32U);
    EXPECT_EQ(many.launched.device_bytes_read, few.launched.device_bytes_read);
    EXPECT_EQ(many.launched.device_bytes_written, few.launched.device_bytes_written);
    ASSERT_EQ(many.others.size(), few.others.size());
    for (size_t i = 0; i < many.others.size(); ++i)
      EXPECT_EQ(many.others[i].device_bytes_read, few.others[i].device_bytes_read) << i;
    EXPECT_GT(many.launched.device_bytes_read, pieces(2 * 16 * 64)) << "the cache must not hold everything";
  }
}

void expect_same(const OrderTraffic& a, const OrderTraffic& b) {
  EXPECT_EQ(a.device_bytes_read, b.device_bytes_read);
  EXPECT_EQ(a.device_bytes_written, b.device_bytes_written);
  EXPECT_EQ(a.l2_bytes_read, b.l2_bytes_read);
  EXPECT_EQ(a.largest_wave_bytes, b.largest_wave_bytes);
  EXPECT_EQ(a.blocks, b.blocks);
}

TEST(OrderModel, AGridWhoseTilesAreTakenInAnotherOrderIsNotReplayedAgain) {
  const ModelledCache cache = cache_of(pieces(20), 8);
  KnownReplays known;
  const OrderModel row_major = Product(8, 8).model(cache, &known);
  const size_t kept = known.size();
  EXPECT_EQ(kept, row_major.others.size() + 3)
      << "it is launched in one of the orders, which is replayed at three other paces";
  const Product in_groups(8, 8, kSteps, kPiece, 4);
  const OrderModel grouped = in_groups.model(cache, &known);
  EXPECT_EQ(known.size(), kept + 3) << "only the new order is replayed at the other paces";
  in_groups.model(cache, &known);
  EXPECT_EQ(known.size(), kept + 3);
  const OrderModel anew = in_groups.model(cache);
  expect_same(grouped.launched, anew.launched);
  ASSERT_EQ(grouped.others.size(), anew.others.size());
  for (size_t i = 0; i < grouped.others.size(); ++i) expect_same(grouped.others[i], anew.others[i]);
  EXPECT_NE(grouped.launched.device_bytes_read, row_major.launched.device_bytes_read);
  // An order that is not among the compared ones is replayed alone.
  EXPECT_EQ(Product(8, 8, kSteps, kPiece, 3).model(cache, &known).launched.device_bytes_read,
            Product(8, 8, kSteps, kPiece, 3).model(cache).launched.device_bytes_read);
  EXPECT_EQ(known.size(), kept + 7);
}

TEST(OrderModel, OtherTilesOrAnotherCacheAreReplayed) {
  const ModelledCache cache = cache_of(pieces(20), 8);
  ModelledCache larger = cache_of(pieces(40), 8);
  KnownReplays known;
  Product(8, 8).model(cache, &known);
  for (const auto& [product, its_cache] : {std::pair{Product(8, 8, kSteps, kPiece / 2), cache},
                                           {Product(8, 8, kSteps + 1), cache},
                                           {Product(8, 8), larger},
                                           {Product(16, 8), cache}})
    expect_same(product.model(its_cache, &known).launched, product.model(its_cache).launched);
}

TEST(TileOrders, GroupsAreThoseOfTheTritonTutorial) {
  for (const auto& [rows, columns, group] : {std::array{64U, 32U, 8U}, {7U, 5U, 3U}, {3U, 4U, 8U}, {5U, 3U, 1U}}) {
    const std::vector<uint32_t> tiles = grouped_tiles(rows, columns, group);
    ASSERT_EQ(tiles.size(), size_t{rows} * columns);
    for (uint32_t pid = 0; pid < rows * columns; ++pid) {
      const uint32_t first = pid / (group * columns) * group, height = std::min(rows - first, group);
      const uint32_t row = first + pid % (group * columns) % height, column = pid % (group * columns) / height;
      ASSERT_EQ(tiles[pid], row * columns + column) << pid;
    }
  }
}

TEST(TileOrders, HilbertsCurveVisitsEveryTileAndStepsToANeighbour) {
  for (const auto& [rows, columns] : {std::array{16U, 16U}, {64U, 32U}, {16U, 4U}, {128U, 64U}, {1U, 9U}}) {
    const std::vector<uint32_t> tiles = hilbert_tiles(rows, columns);
    EXPECT_EQ(std::set<uint32_t>(tiles.begin(), tiles.end()).size(), size_t{rows} * columns);
    ASSERT_EQ(tiles.size(), size_t{rows} * columns);
    for (size_t i = 1; i < tiles.size(); ++i) {
      const auto distance = [&](uint32_t a, uint32_t b) { return a > b ? a - b : b - a; };
      EXPECT_EQ(
          distance(tiles[i] / columns, tiles[i - 1] / columns) + distance(tiles[i] % columns, tiles[i - 1] % columns),
          1U)
          << rows << " × " << columns << " at " << i;
    }
  }
  // Where no Hilbert curve exists (odd sides) the order still visits every tile once.
  for (const auto& [rows, columns] : {std::array{7U, 5U}, {31U, 17U}, {40U, 27U}}) {
    const std::vector<uint32_t> tiles = hilbert_tiles(rows, columns);
    EXPECT_EQ(std::set<uint32_t>(tiles.begin(), tiles.end()).size(), size_t{rows} * columns);
    EXPECT_EQ(tiles.size(), size_t{rows} * columns);
  }
}

}  // namespace
}  // namespace tilescope
