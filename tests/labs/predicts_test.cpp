// The answers of the questions are computed from the configuration; here they are compared with what runs show.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "engine/numbers.hpp"
#include "engine/run/engine.hpp"
#include "engine/specs.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({.root = TILESCOPE_SOURCE});
  return *shared;
}

using Setting = std::map<std::string, int64_t>;  // sizes and parameters that differ from the defaults
using Observe = std::function<int64_t(const RunResult&)>;

struct Case {
  std::string lab, rung;
  size_t question;
  Observe observe;
  std::vector<Setting> settings;
  std::vector<std::string> broken = {};  // switches that make the run what the question assumes
  bool wrong = false;                    // and its result
};

// ---- What a run shows

int64_t whole(uint64_t value) { return static_cast<int64_t>(value); }
const Launch& shown_launch(const RunResult& run) { return run.plan.launches.at(run.launch); }
int64_t blocks(const RunResult& run) { return whole(shown_launch(run).grid.count()); }
Observe blocks_of_launch(size_t launch) {
  return [launch](const RunResult& run) { return whole(run.plan.launches.at(launch).grid.count()); };
}
int64_t launches(const RunResult& run) { return whole(run.plan.launches.size()); }
int64_t sectors_read(const RunResult& run) { return whole(run.traffic.counters.global_load_sectors); }
/// Exact if every request touches as many.
int64_t sectors_per_load(const RunResult& run) {
  const Counters& counters = run.traffic.counters;
  EXPECT_EQ(counters.global_load_sectors % counters.global_load_requests, 0U);
  return whole(counters.global_load_sectors / counters.global_load_requests);
}
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
int64_t idle_threads(const RunResult& run) { return whole(run.tiles.idle_threads); }
int64_t shared_kib(const RunResult& run) { return int64_t{shown_launch(run).shared_bytes} / 1024; }
/// Barriers of a CTA.
int64_t barriers(const RunResult& run) { return whole(run.traffic.counters.block_barriers) / blocks(run); }
/// Global accesses of an element, over all launches.
Observe accesses_of_element(const std::string& size) {
  return [size](const RunResult& run) {
    const Counters& counters = run.traffic.counters;
    const uint64_t bytes = counters.global_load_bytes_useful + counters.global_store_bytes_useful;
    return whole(bytes) / (4 * run.config.size(size));
  };
}
/// Accesses of each element of the matrices that have the rows' shape.
int64_t passes_over_rows(const RunResult& run) {
  uint64_t bytes = 0;
  const int64_t elements = run.config.size("rows") * run.config.size("columns");
  for (size_t i = 0; i < run.traffic.buffers.size(); ++i)
    if (run.plan.buffers[i].count() == elements)
      bytes += run.traffic.buffers[i].read_useful + run.traffic.buffers[i].write_useful;
  return whole(bytes) / (4 * elements);
}
const BufferSpec& buffer(const RunResult& run, const std::string& name) {
  return *std::ranges::find(run.plan.buffers, name, &BufferSpec::name);
}
int64_t bytes_of(const BufferSpec& spec) { return spec.count() * whole(size_of(spec.type)); }

/// The line with the most conflicts: wavefronts for each one that is needed without conflicts.
int64_t worst_conflict(const RunResult& run) {
  double ways = 0;
  for (const LineTraffic& line : run.traffic.lines)
    if (line.space == Space::shared) ways = std::max(ways, line.conflict_ways());
  return std::lround(ways);
}
/// Wavefronts of a request of the line with the most.
int64_t most_wavefronts(const RunResult& run) {
  uint64_t most = 0;
  for (const LineTraffic& line : run.traffic.lines)
    if (line.space == Space::shared && line.kind == AccessKind::load)
      most = std::max(most, line.wavefronts / std::max<uint64_t>(line.requests, 1));
  return whole(most);
}
const BufferTraffic& traffic_of(const RunResult& run, const std::string& name) {
  return *std::ranges::find(run.traffic.buffers, name, &BufferTraffic::name);
}
int64_t warps(const RunResult& run) { return blocks(run) * whole(shown_launch(run).block.count()) / 32; }

// ---- What the lanes of a run access

/// Bytes that lanes load, summed over lanes: each counts what it asks for, whoever else asks for the same.
template <class Which>
int64_t bytes_of_lanes(const RunResult& run, Which which) {
  uint64_t bytes = 0;
  for (const SiteCount& count : run.traffic.sites)
    if (const Site& site = run.trace.sites.at(count.site); site.kind == AccessKind::load && which(site, count))
      bytes += count.lanes * site.bytes_per_lane;
  return whole(bytes);
}
int64_t shared_bytes_of_lanes(const RunResult& run) {
  return bytes_of_lanes(run, [](const Site& site, const SiteCount&) { return site.space == Space::shared; });
}
int64_t threads(const RunResult& run) { return blocks(run) * whole(shown_launch(run).block.count()); }
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

// ---- Tiles of C that blocks write

struct TileWritten {
  int64_t row, column, elements;
};
TileWritten tile_of(const RunResult& run, const std::string& output, uint32_t block) {
  const BufferMap& map = *std::ranges::find(run.tiles.buffers, output, &BufferMap::name);
  int64_t first = INT64_MAX, elements = 0;
  for (const ElementRange& range : map.writes_of(block)) {
    first = std::min(first, range.begin);
    elements += range.end - range.begin;
  }
  const int64_t n = run.config.size("N");
  return {first / n / run.config.param("BM"), first % n / run.config.param("BN"), elements};
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

/// Bytes of scratch buffers that are written.
int64_t bytes_handed_on(const RunResult& run) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < run.traffic.buffers.size(); ++i)
    if (run.plan.buffers[i].role == Role::scratch) bytes += run.traffic.buffers[i].write_useful;
  return whole(bytes);
}

// ---- Attention

/// Blocks of keys that were read, of all; K is read once for each block that is computed.
int64_t skipped_blocks(const RunResult& run) {
  const Config& config = run.config;
  const int64_t heads = config.size("batch") * config.size("heads");
  const int64_t of_block = config.param("BLOCK_N") * config.param("HEAD_DIM") * 2;
  const BufferTraffic& k = *std::ranges::find(run.traffic.buffers, "k", &BufferTraffic::name);
  const int64_t all = ceil_divide(config.size("queries"), config.param("BLOCK_M")) *
                      ceil_divide(config.size("keys"), config.param("BLOCK_N"));
  return all - whole(k.read_useful) / of_block / heads;
}
int64_t kib_of_scores(const RunResult& run) {
  const BufferSpec& scores = buffer(run, "scores");
  return bytes_of(scores) / (scores.shape[0] * scores.shape[1]) / 1024;
}

// ---- The cases

/// A block whose warps share ⌈n / 32⌉ requests out makes one round for each of its warps' requests.
int64_t rounds_of_block(const RunResult& run) {
  return ceil_divide(whole(run.traffic.counters.global_load_requests), warps(run));
}

std::vector<Case> hello_cases() {
  return {
      {"hello", "grid", 0, blocks, {{}, {{"n", 1000}}, {{"n", 1024}, {"BLOCK", 128}}, {{"n", 1}}}},
      {"hello", "grid", 1, idle_threads, {{}, {{"n", 1000}}, {{"n", 1024}, {"BLOCK", 128}}, {{"n", 1}}}},
      {"hello",
       "one-thread",
       2,
       [](const RunResult& run) { return whole(run.traffic.counters.global_load_requests); },
       {{}, {{"n", 1}}, {{"n", 1000}}}},
      {"hello", "one-block", 3, rounds_of_block, {{}, {{"n", 1000}}, {{"n", 1024}, {"BLOCK", 128}}, {{"n", 1}}}},
      {"hello",
       "grid",
       4,
       [](const RunResult& run) { return whole(run.correctness.at(0).mismatches); },
       {{}, {{"n", 1000}}, {{"n", 5000}, {"BLOCK", 1024}}},
       {"TOO_FEW_BLOCKS"},
       true},
  };
}

std::vector<Case> elementwise_cases(const std::string& lab) {
  return {
      {lab, "tiles-per-cta", 0, blocks, {{}, {{"TILES", 8}}, {{"n", 1000}, {"BLOCK", 128}}, {{"n", 4096}}}},
      {lab, "vector-loads", 1, sectors_per_load, {{{"n", 4096}}, {{"n", 4096}, {"VEC", 2}}, {{"n", 4096}, {"VEC", 1}}}},
      {lab, "thread-per-element", 2, sectors_read, {{}, {{"n", 1000}}, {{"n", 31}}, {{"n", 4096}}}},
      {lab, "tile-per-cta", 3, idle_threads, {{{"n", 1000}}, {{"n", 31}, {"BLOCK", 64}}, {{"n", 4096}}}}};
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
  const Setting full{{"n", 4096}, {"BLOCK", 256}};
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
      {"sin-cos-add",
       "three-kernels",
       0,
       [](const RunResult& run) {
         return whole(run.traffic.counters.global_bytes_moved()) * 100 / (12 * run.config.size("n"));
       },
       {{{"n", 4096}}, {{"n", 1024}}, {{"n", 32768}}}},
      {"reduction-sum", "divergent-stride", 0, warps_with_every_16th_thread, {{}, {{"BLOCK", 64}}, {{"BLOCK", 512}}}},
      {"reduction-sum", "warp-shuffle", 1, launches, {{}, {{"n", 1000}}, {{"n", 100003}, {"BLOCK", 64}}, {{"n", 31}}}},
      {"reduction-sum", "vector-loads", 2, blocks, {{}, {{"n", 1000}}, {{"BLOCK", 64}}, {{"TILES", 1}}}},
      {"reduction-sum",
       "atomic-per-element",
       3,
       atomic_requests,
       {{}, {{"n", 1000}}, {{"n", 31}}, {{"n", 4096}, {"BLOCK", 64}}}},
      {"sin-cos-add",
       "three-kernels",
       1,
       [](const RunResult& run) { return bytes_of(buffer(run, "s")) + bytes_of(buffer(run, "c")); },
       {{}, {{"n", 1000}}, {{"n", 4096}}}},
      {"sin-cos-add", "vector-loads", 2, blocks, {{}, {{"n", 1000}}, {{"BLOCK", 64}}}},
      {"sin-cos-add", "three-kernels", 3, sectors_read, {{}, {{"n", 1000}}, {{"n", 31}}}},
      {"gelu", "eight-kernels", 0, accesses_of_element("n"), {{}, {{"n", 1000}}, {{"BLOCK", 64}}}},
      {"gelu", "several-packs", 2, blocks, {{}, {{"n", 1000}, {"PACKS", 1}}, {{"BLOCK", 64}, {"VEC", 2}}}},
      {"gelu", "fused", 3, sectors_read, {{}, {{"n", 1000}}, {{"DTYPE", 1}}}},
      {"fusion", "kernel-per-operator", 0, passes_over_rows, {{}, {{"columns", 33}}, {{"BLOCK", 64}}}},
      {"fusion", "fused-elementwise", 1, bytes_handed_on, {{}, {{"rows", 7}}, {{"columns", 33}}}},
      {"fusion", "fused-elementwise", 2, blocks, {{}, {{"rows", 7}}, {{"columns", 33}, {"BLOCK", 64}}}},
      {"fusion", "fused-into-reduction", 3, barriers, {{}, {{"BLOCK", 32}}, {{"BLOCK", 1024}}}},
  };
}

std::vector<Case> row_cases() {
  const std::vector<Setting> lanes{{}, {{"LANES", 4}}, {{"rows", 50}, {"BLOCK", 64}}};
  const std::vector<Setting> ctas{{}, {{"CTAS", 2}}, {{"rows", 10}}};
  return {
      {"softmax", "five-kernels", 0, passes_over_rows, {{}, {{"rows", 20}}, {{"columns", 1000}, {"rows", 20}}}},
      {"softmax",
       "cta-per-row",
       1,
       [](const RunResult& run) { return barriers(run) / 2; },
       {{}, {{"BLOCK", 64}}, {{"BLOCK", 256}}}},
      {"softmax",
       "thread-per-row",
       2,
       sectors_per_load,
       {{{"rows", 256}}, {{"rows", 256}, {"columns", 4}}, {{"rows", 256}, {"columns", 1}}}},
      {"softmax", "several-rows", 3, blocks, lanes},
      {"layernorm", "two-pass", 0, passes_over_rows, {{}, {{"rows", 20}}, {{"columns", 1000}, {"rows", 20}}}},
      {"layernorm", "several-rows", 2, blocks, lanes},
      {"layernorm", "several-ctas", 3, blocks, ctas},
      {"layernorm-backward",
       "two-kernels",
       0,
       passes_over_rows,
       {{}, {{"rows", 100}}, {{"columns", 1000}, {"rows", 100}}}},
      {"layernorm-backward", "two-kernels", 1, blocks_of_launch(1), {{}, {{"columns", 1000}}, {{"BLOCK", 64}}}},
      {"layernorm-backward", "slabs", 2, blocks_of_launch(1), {{}, {{"columns", 1000}}, {{"columns", 33}}}},
      {"layernorm-backward", "fused", 3, blocks, {{}, {{"rows", 10}}, {{"rows", 40}, {"columns", 100}}}},
      {"rmsnorm",
       "scheme-1",
       0,
       [](const RunResult& run) { return std::max<int64_t>(0, usual_gpu().multiprocessors - blocks(run)); },
       {{}, {{"rows", 16}}, {{"rows", 100}}}},
      {"rmsnorm",
       "scheme-4",
       1,
       [](const RunResult& run) { return run.config.size("rows") / blocks(run); },
       {{{"rows", 256}}, {{"rows", 256}, {"LANES", 4}}, {{"rows", 256}, {"BLOCK", 64}}}},
      {"rmsnorm", "scheme-3", 2, blocks, ctas},
      {"rmsnorm", "scheme-4", 3, blocks, lanes},
  };
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
      {"attention",
       "unfused",
       0,
       kib_of_scores,
       {{}, {{"queries", 64}, {"keys", 128}}, {{"queries", 128}, {"keys", 64}}}},
      {"attention",
       "flash-stages",
       1,
       skipped_blocks,
       {{{"queries", 256}, {"keys", 256}, {"CAUSAL", 1}},
        {{"queries", 128}, {"keys", 256}, {"CAUSAL", 1}},
        {{"queries", 128}, {"keys", 128}, {"CAUSAL", 0}}}},
      {"attention",
       "flash-mma",
       2,
       blocks,
       {{}, {{"queries", 64}, {"keys", 64}}, {{"queries", 100}, {"keys", 130}, {"batch", 2}}}},
      {"attention", "flash-stages", 3, shared_kib, {{}, {{"STAGES", 3}}, {{"BLOCK_N", 128}}}},
      {"attention-backward",
       "mma-one-pass",
       1,
       [](const RunResult& run) { return int64_t{run.plan.launches.at(1).grid.x}; },
       {{}, {{"keys", 200}}, {{"BLOCK_N", 128}}}},
      {"attention-backward", "mma-one-pass", 2, blocks_of_launch(1), {{}, {{"keys", 200}}, {{"BLOCK_N", 128}}}},
      {"attention-backward", "recompute-fp32", 3, blocks_of_launch(1), {{}, {{"queries", 30}}, {{"batch", 2}}}},
  };
}

// ---- Of the layer of a Transformer

/// Launches that multiply matrices.
int64_t products_launched(const RunResult& run) {
  const std::set<std::string> products{"matmul", "query_key", "weights_value"};
  return std::ranges::count_if(run.plan.launches,
                               [&](const Launch& launch) { return products.contains(launch.kernel); });
}
int64_t bytes_of_scores(const RunResult& run) { return bytes_of(buffer(run, "scores")); }
/// What a row of Q, K and V has besides Q.
int64_t keys_and_values(const RunResult& run) {
  return buffer(run, "qkv").shape.at(1) - buffer(run, "normed").shape.at(1);
}
/// A multiplication and an addition for each score that was written and each element of a head.
int64_t flops_of_scores(const RunResult& run) {
  const int64_t head_dim = buffer(run, "context").shape.at(1) / buffer(run, "scores").shape.at(1);
  return 2 * whole(traffic_of(run, "scores").write_useful) / 4 / 3 * head_dim;  // scale and mask write them again
}
std::vector<Case> layer_cases() {
  const std::vector<Setting> settings{
      {}, {{"batch", 2}, {"sequence", 33}}, {{"heads", 8}, {"kv_heads", 8}}, {{"hidden", 128}, {"kv_heads", 1}}};
  const std::string rung = "kernel-per-operator";
  return {{"transformer-graph", rung, 0, launches, settings},
          {"transformer-graph", rung, 1, products_launched, settings},
          {"transformer-graph", rung, 2, bytes_of_scores, settings},
          {"transformer-graph", "fused", 3, keys_and_values, settings},
          {"transformer-graph", rung, 4, flops_of_scores, settings}};
}

std::vector<Case> all_cases() {
  std::vector<Case> all = elementwise_cases("vector-add");
  for (auto&& some : {hello_cases(), elementwise_cases("vector-multiply"), memory_cases(), row_cases(), matmul_cases(),
                      layer_cases()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

Config config_at(const Lab& lab, const Setting& setting) {
  Config config = default_config(lab, DeviceKind::sim);
  for (const auto& [name, value] : setting) {
    if (config.sizes.contains(name))
      config.sizes[name] = value;
    else
      config.params.at(name) = value;
  }
  return config;
}

TEST(Predicts, EveryAnswerIsWhatARunShows) {
  if (!engine().compiler()) GTEST_SKIP() << engine().compiler().error().message;
  for (const Case& one : all_cases()) {
    const Lab& lab = *find_lab(one.lab);
    const Predict& predict = lab.predicts.at(one.question);
    EXPECT_TRUE(predict.rungs.empty() || predict.concerns(one.rung)) << one.lab << " " << one.rung;
    EXPECT_GE(one.settings.size(), 3U) << one.lab;
    for (const Setting& setting : one.settings) {
      std::string where = one.lab + " " + one.rung + " question " + std::to_string(one.question);
      for (const auto& [name, value] : setting) where += fmt::format(" {}={}", name, value);
      SCOPED_TRACE(where);
      Request request;
      request.lab = one.lab;
      request.rung = one.rung;
      request.config = config_at(lab, setting);
      request.broken = one.broken;
      request.machine_code = false;
      const auto run = engine().run(request);
      EXPECT_TRUE(run) << run.error().message;
      if (!run) continue;
      EXPECT_TRUE(run->observed);
      EXPECT_TRUE(run->correctness.empty() || run->passed() != one.wrong);
      EXPECT_EQ(predict.answer(request.config), one.observe(*run));
    }
  }
}

/// Questions that no run answers: a fact of the PTX ISA (the accuracy of tanh.approx), and the number of matrix
/// products of an algorithm.
const std::set<std::pair<std::string, size_t>> kNotCounted{{"gelu", 1}, {"attention-backward", 0}};
/// Compared with a calculator, with recorded counters and with the floats themselves, in predict_facts_test.cpp.
const std::set<std::pair<std::string, size_t>> kComparedElsewhere{
    {"execution-model", 2}, {"grouped-order", 1}, {"layernorm", 1}};

TEST(Predicts, EveryQuestionIsComparedWithRuns) {
  std::set<std::pair<std::string, size_t>> compared = kNotCounted;
  compared.insert(kComparedElsewhere.begin(), kComparedElsewhere.end());
  for (const Case& one : all_cases()) compared.emplace(one.lab, one.question);
  for (const Lab& lab : labs())
    for (size_t question = 0; question < lab.predicts.size(); ++question)
      EXPECT_TRUE(compared.contains({lab.name, question})) << lab.name << ": " << lab.predicts[question].question.en;
}

}  // namespace
}  // namespace tilescope
