// Questions of labs whose answers are compared with what runs show: the cases of one subject are in each
// predict_*_test.cpp, which notes them, and predicts_test.cpp asks whether every question is among them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/numbers.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

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

/// Runs each case at its settings in the simulator, and compares the answer with what it observes.
void expect_what_runs_show(const std::vector<Case>& cases);

/// Lab and question of all cases that were noted.
inline std::set<std::pair<std::string, size_t>>& compared_questions() {
  static std::set<std::pair<std::string, size_t>> questions;
  return questions;
}
inline bool note_compared(const std::vector<Case>& cases) {
  for (const Case& one : cases) compared_questions().emplace(one.lab, one.question);
  return true;
}

// ---- What a run shows

inline int64_t whole(uint64_t value) { return static_cast<int64_t>(value); }
inline const Launch& shown_launch(const RunResult& run) { return run.plan.launches.at(run.launch); }
inline int64_t blocks(const RunResult& run) { return whole(shown_launch(run).grid.count()); }
inline Observe blocks_of_launch(size_t launch) {
  return [launch](const RunResult& run) { return whole(run.plan.launches.at(launch).grid.count()); };
}
inline int64_t launches(const RunResult& run) { return whole(run.plan.launches.size()); }
inline int64_t sectors_read(const RunResult& run) { return whole(run.traffic.counters.global_load_sectors); }
/// Exact if every request touches as many.
inline int64_t sectors_per_load(const RunResult& run) {
  const Counters& counters = run.traffic.counters;
  EXPECT_EQ(counters.global_load_sectors % counters.global_load_requests, 0U);
  return whole(counters.global_load_sectors / counters.global_load_requests);
}
/// Accesses of each element of the matrices that have the rows' shape.
inline int64_t passes_over_rows(const RunResult& run) {
  uint64_t bytes = 0;
  const int64_t elements = run.config.size("rows") * run.config.size("columns");
  for (size_t i = 0; i < run.traffic.buffers.size(); ++i)
    if (run.plan.buffers[i].count() == elements)
      bytes += run.traffic.buffers[i].read_useful + run.traffic.buffers[i].write_useful;
  return whole(bytes) / (4 * elements);
}
inline int64_t idle_threads(const RunResult& run) { return whole(run.tiles.idle_threads); }
inline int64_t shared_kib(const RunResult& run) { return int64_t{shown_launch(run).shared_bytes} / 1024; }
/// Barriers of a CTA.
inline int64_t barriers(const RunResult& run) { return whole(run.traffic.counters.block_barriers) / blocks(run); }
inline const BufferSpec& buffer(const RunResult& run, std::string_view name) {
  return *std::ranges::find(run.plan.buffers, name, &BufferSpec::name);
}
inline int64_t bytes_of(const BufferSpec& spec) { return spec.count() * whole(size_of(spec.type)); }
/// The line with the most conflicts: wavefronts for each one that is needed without conflicts.
inline int64_t worst_conflict(const RunResult& run) {
  double ways = 0;
  for (const LineTraffic& line : run.traffic.lines)
    if (line.space == Space::shared) ways = std::max(ways, line.conflict_ways());
  return std::lround(ways);
}
inline const BufferTraffic& traffic_of(const RunResult& run, std::string_view name) {
  return *std::ranges::find(run.traffic.buffers, name, &BufferTraffic::name);
}
inline int64_t warps(const RunResult& run) { return blocks(run) * whole(shown_launch(run).block.count()) / 32; }
/// Bytes that lanes load, summed over lanes: each counts what it asks for, whoever else asks for the same.
template <class Which>
int64_t bytes_of_lanes(const RunResult& run, Which which) {
  uint64_t bytes = 0;
  for (const SiteCount& count : run.traffic.sites)
    if (const Site& site = run.trace.sites.at(count.site); site.kind == AccessKind::load && which(site, count))
      bytes += count.lanes * site.bytes_per_lane;
  return whole(bytes);
}
inline int64_t threads(const RunResult& run) { return blocks(run) * whole(shown_launch(run).block.count()); }

/// The elements of a matrix that a block writes: the tile of that matrix, in tiles.
struct TileWritten {
  int64_t row, column, elements;
};
inline TileWritten tile_of(const RunResult& run, const std::string& output, uint32_t block) {
  const BufferMap& map = *std::ranges::find(run.tiles.buffers, output, &BufferMap::name);
  int64_t first = INT64_MAX, elements = 0;
  for (const ElementRange& range : map.writes_of(block)) {
    first = std::min(first, range.begin);
    elements += range.end - range.begin;
  }
  const int64_t n = run.config.size("N");
  return {first / n / run.config.param("BM"), first % n / run.config.param("BN"), elements};
}

}  // namespace tilescope
