// What is asked about matrix products: tiles, their order, shared memory, epilogues.
#include <gtest/gtest.h>

#include "tests/labs/predict_cases.hpp"

namespace tilescope {
namespace {

int64_t shared_bytes_of_lanes(const RunResult& run) {
  return bytes_of_lanes(run, [](const Site& site, const SiteCount&) { return site.space == Space::shared; });
}

/// Bytes that a thread reads for each step along K.
int64_t shared_bytes_per_k(const RunResult& run) {
  return shared_bytes_of_lanes(run) / threads(run) / run.config.size("K");
}

/// Operations of the product for each byte that lanes read from shared memory.
int64_t operations_per_shared_byte(const RunResult& run) {
  const Config& config = run.config;
  return 2 * config.size("M") * config.size("N") * config.size("K") / shared_bytes_of_lanes(run);
}

int64_t bias_bytes_of_lane(const RunResult& run) {
  const auto bias = std::ranges::find(run.plan.buffers, "bias", &BufferSpec::name) - run.plan.buffers.begin();
  return bytes_of_lanes(run, [bias](const Site&, const SiteCount& count) { return count.buffer == bias; }) /
         threads(run);
}

/// Wavefronts of a request of the line with the most.
int64_t most_wavefronts(const RunResult& run) {
  uint64_t most = 0;
  for (const LineTraffic& line : run.traffic.lines)
    if (line.space == Space::shared && line.kind == AccessKind::load)
      most = std::max(most, line.wavefronts / std::max<uint64_t>(line.requests, 1));
  return whole(most);
}

int64_t operands_of_wave(const RunResult& run) {
  std::set<int64_t> rows, columns;
  for (uint32_t block = 0; block < std::min<uint64_t>(132, run.tiles.blocks_observed); ++block) {
    const TileWritten tile = tile_of(run, "c", block);
    rows.insert(tile.row);
    columns.insert(tile.column);
  }
  return whole(rows.size() + columns.size());
}

/// Tile rows that the CTAs write after the last one of the group before.
int64_t rows_of_last_group(const RunResult& run) {
  std::set<int64_t> rows;
  int64_t groups_before = 0;
  const int64_t group = run.config.param("GROUP_M");
  const int64_t all = ceil_divide(run.config.size("M"), run.config.param("BM"));
  groups_before = (all - 1) / group;
  for (uint32_t block = 0; block < run.tiles.blocks_observed; ++block)
    if (const int64_t row = tile_of(run, "c", block).row; row / group == groups_before) rows.insert(row);
  return whole(rows.size());
}

int64_t accumulators(const RunResult& run) {
  return tile_of(run, "c", run.tiles.typical_block).elements / whole(shown_launch(run).block.count());
}

int64_t ctas_of_first_group(const RunResult& run) {
  int64_t count = 0;
  for (uint32_t block = 0; block < run.tiles.blocks_observed; ++block)
    count += tile_of(run, "c", block).row < run.config.param("GROUP_M") ? 1 : 0;
  return count;
}

/// The product and C, read or written.
int64_t passes_over_result(const RunResult& run) {
  const BufferTraffic &product = traffic_of(run, "product"), &c = traffic_of(run, "c");
  return whole(product.read_useful + product.write_useful + c.write_useful) / bytes_of(buffer(run, "c"));
}

std::vector<Case> matmul_cases() {
  return {
      {"grouped-order",
       "grouped",
       0,
       operands_of_wave,
       {{},
        {{"GROUP_M", 2}},
        {{"M", 1024}, {"N", 1024}, {"K", 32}},
        {{"M", 1024}, {"N", 1024}, {"K", 32}, {"GROUP_M", 1}}}},
      {"grouped-order", "row-major", 2, blocks, {{}, {{"M", 1000}, {"N", 200}, {"K", 32}}, {{"BM", 128}}}},
      {"grouped-order", "grouped", 3, rows_of_last_group, {{}, {{"M", 720}, {"N", 64}, {"K", 32}}, {{"GROUP_M", 2}}}},
      {"matmul-tensor-core",
       "mma-shared",
       0,
       accumulators,
       {{{"M", 256}, {"N", 256}, {"K", 32}},
        {{"M", 256}, {"N", 256}, {"K", 32}, {"BM", 64}, {"BN", 64}},
        {{"M", 256}, {"N", 256}, {"K", 32}, {"BM", 128}}}},
      {"matmul-tensor-core", "mma-shared", 3, blocks, {{}, {{"M", 256}, {"N", 328}, {"K", 32}}, {{"BM", 128}}}},
      {"matmul-tensor-core", "multi-stage", 4, shared_kib, {{}, {{"STAGES", 2}}, {{"BM", 128}}}},
      {"autotune",
       "one-size",
       0,
       accumulators,
       {{{"M", 256}, {"N", 256}, {"K", 32}},
        {{"M", 256}, {"N", 256}, {"K", 32}, {"WARPS", 8}},
        {{"M", 256}, {"N", 256}, {"K", 32}, {"BM", 128}}}},
      {"autotune", "one-size", 1, shared_kib, {{}, {{"STAGES", 2}}, {{"BM", 128}}}},
      {"autotune", "one-size", 2, blocks, {{}, {{"M", 256}, {"N", 328}, {"K", 32}}, {{"BM", 128}}}},
      {"autotune",
       "one-size",
       3,
       [](const RunResult& run) { return whole(traffic_of(run, "a").read_useful) / bytes_of(buffer(run, "a")); },
       {{{"M", 128}, {"N", 256}, {"K", 64}},
        {{"M", 128}, {"N", 256}, {"K", 64}, {"BN", 128}},
        {{"M", 64}, {"N", 512}, {"K", 32}}}},
      {"matmul-epilogue", "fused", 2, blocks, {{}, {{"M", 256}, {"N", 328}, {"K", 32}}, {{"BM", 128}}}},
      {"matmul-epilogue",
       "three-kernels",
       3,
       [](const RunResult& run) { return bytes_of(buffer(run, "product")); },
       {{}, {{"M", 256}}, {{"N", 72}}}},
      {"matmul-tensor-core",
       "ldmatrix",
       1,
       most_wavefronts,
       {{{"BK", 64}, {"M", 128}, {"N", 128}, {"K", 64}},
        {{"BK", 64}, {"M", 256}, {"N", 128}, {"K", 64}},
        {{"BK", 64}, {"M", 128}, {"N", 128}, {"K", 128}}},
       {"UNSWIZZLED"}},
      // Four warps, two by two: each has a tile of 64 × 64.
      {"matmul-tensor-core",
       "ldmatrix",
       2,
       operations_per_shared_byte,
       {{{"BM", 128}, {"BN", 128}, {"M", 128}, {"N", 128}, {"K", 64}},
        {{"BM", 128}, {"BN", 128}, {"M", 256}, {"N", 128}, {"K", 64}},
        {{"BM", 128}, {"BN", 128}, {"M", 128}, {"N", 256}, {"K", 128}}}},
      {"matmul-epilogue",
       "fused",
       1,
       bias_bytes_of_lane,
       {{{"BM", 128}, {"BN", 128}, {"M", 128}, {"N", 128}, {"K", 64}},
        {{"BM", 128}, {"BN", 128}, {"M", 128}, {"N", 256}, {"K", 64}},
        {{"BM", 128}, {"BN", 128}, {"M", 256}, {"N", 128}, {"K", 96}}}},
      {"matmul-epilogue", "three-kernels", 0, passes_over_result, {{}, {{"M", 256}}, {{"N", 72}}}},
      {"matmul-fp32",
       "naive",
       0,
       [](const RunResult& run) {
         return whole(traffic_of(run, "a").read_sectors / traffic_of(run, "a").read_requests);
       },
       {{{"M", 64}, {"N", 64}, {"K", 64}},
        {{"M", 64}, {"N", 64}, {"K", 64}, {"TILE", 16}},
        {{"M", 128}, {"N", 64}, {"K", 128}}}},
      {"matmul-fp32",
       "shared-tile",
       1,
       [](const RunResult& run) { return whole(traffic_of(run, "a").read_useful) / bytes_of(buffer(run, "a")); },
       {{{"M", 64}, {"N", 64}, {"K", 64}},
        {{"M", 64}, {"N", 64}, {"K", 64}, {"TILE", 16}},
        {{"M", 64}, {"N", 100}, {"K", 64}}}},
      {"matmul-fp32",
       "register-2d",
       2,
       shared_bytes_per_k,
       {{{"M", 128}, {"N", 128}, {"K", 64}},
        {{"M", 128}, {"N", 128}, {"K", 64}, {"TM", 8}},
        {{"M", 128}, {"N", 128}, {"K", 64}, {"TM", 8}, {"TN", 8}}}},
      {"matmul-fp32",
       "grouped-tiles",
       3,
       ctas_of_first_group,
       {{}, {{"GROUP_M", 1}}, {{"M", 130}, {"N", 300}, {"K", 32}}}},
      {"matmul-fp32", "multi-stage", 4, worst_conflict, {{}, {{"M", 64}}, {{"K", 64}}}, {"NO_PADDING"}},
  };
}
const bool compared = note_compared(matmul_cases());

TEST(Predicts, AnswersAboutMatrixProductsAreWhatRunsShow) { expect_what_runs_show(matmul_cases()); }

}  // namespace
}  // namespace tilescope
