// What is asked about blocks and multiprocessors, coalescing, transposes and reductions.
#include <gtest/gtest.h>

#include "engine/specs.hpp"
#include "tests/labs/predict_cases.hpp"

namespace tilescope {
namespace {

int64_t sectors_per_store(const RunResult& run) {
  const Counters& counters = run.traffic.counters;
  EXPECT_EQ(counters.global_store_sectors % counters.global_store_requests, 0U);
  return whole(counters.global_store_sectors / counters.global_store_requests);
}

int64_t percent_of_reads_used(const RunResult& run) {
  const Counters& counters = run.traffic.counters;
  return whole(100 * counters.global_load_bytes_useful / (32 * counters.global_load_sectors));
}

int64_t atomic_requests(const RunResult& run) { return whole(run.traffic.counters.global_atomic_requests); }

/// Warps of the first CTA in which every 16th thread, and no other, reads shared memory.
int64_t warps_with_every_16th_thread(const RunResult& run) {
  std::set<uint16_t> seen;
  for (const Access& access : run.trace.accesses) {
    const Site& site = run.trace.sites.at(access.site);
    if (site.launch == 0 && access.block == 0 && site.space == Space::shared && site.kind == AccessKind::load &&
        access.mask == 0x00010001U)
      seen.insert(access.warp);
  }
  return whole(seen.size());
}

int64_t waves_of_eight(const RunResult& run) { return ceil_divide(blocks(run), 8 * usual_gpu().multiprocessors); }

int64_t blocks_by_warps(const RunResult& run) {
  const int64_t warps = ceil_divide(whole(shown_launch(run).block.count()), 32);
  return std::min<int64_t>(usual_gpu().max_blocks_per_multiprocessor, usual_gpu().max_warps_per_multiprocessor / warps);
}

int64_t blocks_by_shared_memory(const RunResult& run) {
  const GpuSpec& gpu = usual_gpu();
  return gpu.shared_bytes_per_multiprocessor / (shown_launch(run).shared_bytes + gpu.reserved_shared_bytes_per_block);
}

/// Adjacent bytes in the first row of out that the CTAs of the first column of a group write.
int64_t bytes_of_a_group(const RunResult& run) {
  const BufferMap& out = *std::ranges::find(run.tiles.buffers, "out", &BufferMap::name);
  const int64_t rows = run.config.size("rows");
  int64_t elements = 0;
  for (uint32_t block = 0; block < std::min<uint64_t>(run.config.param("GROUP"), run.tiles.blocks_observed); ++block)
    for (const ElementRange& range : out.writes_of(block))
      if (range.begin < rows) elements += std::min(range.end, rows) - range.begin;
  return 4 * elements;
}

std::vector<Case> memory_cases() {
  return {
      {"execution-model", "one-by-one", 0, waves_of_eight, {{}, {{"blocks", 1056}}, {{"blocks", 2500}}}},
      {"execution-model", "one-by-one", 1, blocks_by_warps, {{}, {{"BLOCK", 128}}, {{"BLOCK", 1024}}, {{"BLOCK", 32}}}},
      {"coalescing",
       "point-by-point",
       0,
       sectors_per_load,
       {{{"n", 4096}}, {{"n", 4096}, {"STRIDE", 1}}, {{"n", 4096}, {"STRIDE", 32}}}},
      {"coalescing",
       "structure-of-arrays",
       1,
       sectors_per_load,
       {{{"n", 4096}}, {{"n", 4096}, {"OFFSET", 1}}, {{"n", 4096}, {"OFFSET", 8}}}},
      {"coalescing",
       "vector-fields",
       2,
       percent_of_reads_used,
       {{{"n", 4096}, {"STRIDE", 4}}, {{"n", 8192}, {"STRIDE", 4}}, {{"n", 1024}, {"STRIDE", 4}, {"BLOCK", 64}}}},
      {"coalescing", "field-by-field", 3, blocks, {{}, {{"STRIDE", 3}}, {{"n", 1000}, {"BLOCK", 64}}}},
      {"transpose",
       "reads-coalesced",
       0,
       sectors_per_store,
       {{{"rows", 256}, {"columns", 256}}, {{"rows", 1024}, {"columns", 64}}, {{"rows", 64}, {"columns", 512}}}},
      {"execution-model", "table-in-shared", 3, blocks_by_shared_memory, {{}, {{"TABLE_KB", 16}}, {{"TABLE_KB", 64}}}},
      {"transpose",
       "shared-tile",
       1,
       worst_conflict,
       {{{"TILE", 16}, {"rows", 64}, {"columns", 64}},
        {{"TILE", 32}, {"rows", 128}, {"columns", 64}},
        {{"TILE", 64}, {"rows", 64}, {"columns", 128}}}},
      {"transpose",
       "padded-tile",
       2,
       worst_conflict,
       {{{"TILE", 32}, {"PAD", 4}, {"rows", 64}, {"columns", 64}},
        {{"TILE", 32}, {"PAD", 1}, {"rows", 128}, {"columns", 64}},
        {{"TILE", 32}, {"PAD", 0}, {"rows", 64}, {"columns", 64}},
        {{"TILE", 16}, {"PAD", 1}, {"rows", 64}, {"columns", 64}},
        {{"TILE", 64}, {"PAD", 2}, {"rows", 64}, {"columns", 128}}}},
      {"transpose",
       "batched-loads",
       3,
       [](const RunResult& run) { return whole(run.traffic.counters.global_load_requests) / warps(run); },
       {{{"rows", 256}, {"columns", 256}},
        {{"rows", 256}, {"columns", 256}, {"ROWS", 2}},
        {{"rows", 256}, {"columns", 256}, {"ROWS", 8}}}},
      {"transpose",
       "grouped-tiles",
       4,
       bytes_of_a_group,
       {{{"rows", 512}, {"columns", 512}},
        {{"rows", 512}, {"columns", 512}, {"GROUP", 2}},
        {{"rows", 100}, {"columns", 100}}}},
      {"reduction-sum", "divergent-stride", 0, warps_with_every_16th_thread, {{}, {{"BLOCK", 64}}, {{"BLOCK", 512}}}},
      {"reduction-sum", "warp-shuffle", 1, launches, {{}, {{"n", 1000}}, {{"n", 100003}, {"BLOCK", 64}}, {{"n", 31}}}},
      {"reduction-sum", "vector-loads", 2, blocks, {{}, {{"n", 1000}}, {{"BLOCK", 64}}, {{"TILES", 1}}}},
      {"reduction-sum",
       "atomic-per-element",
       3,
       atomic_requests,
       {{}, {{"n", 1000}}, {{"n", 31}}, {{"n", 4096}, {"BLOCK", 64}}}},
  };
}
const bool compared = note_compared(memory_cases());

TEST(Predicts, AnswersAboutMemoryAndBlocksAreWhatRunsShow) { expect_what_runs_show(memory_cases()); }

}  // namespace
}  // namespace tilescope
