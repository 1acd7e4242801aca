// What one host thread records about the blocks that it runs: counts, accesses, findings, output.
//
// Each host thread records one chunk of blocks at a time in its own ChunkRecord; machine/collect.cpp merges the chunks
// in block order, so that the result does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/finding.hpp"
#include "engine/sim/state/device_printf.hpp"
#include "engine/trace.hpp"

namespace tilescope {

/// A finding with its location in the program.
struct NotedFinding {
  Finding finding;
  uint32_t operation = 0;          // index into Program::operations
  uint32_t other = 0xffffffff;     // for a race: the other side's operation
  uint32_t doubtful = 0xffffffff;  // for a race with a store that changed nothing: its site; see changing_sites
  bool gives_way = false;          // is replaced by a more specific finding at the same lines
};

class GlobalRaces;  // checks/races_global.hpp

/// The record of one host thread for a run of consecutive blocks.
struct ChunkRecord {
  uint64_t id = 0;  // number among its machine's records, from 1
  uint64_t first_block = 0;
  std::vector<uint64_t> steps;         // by block: warp instructions
  uint64_t barriers = 0;               // passed by all its blocks
  std::vector<uint64_t> accesses_end;  // by block, if accesses are recorded
  std::vector<Access> accesses;        // `pattern` is an index into `patterns`
  std::vector<LanePattern> patterns;
  std::vector<SiteCount> counts;  // by site and buffer
  std::vector<NotedFinding> findings;
  std::vector<bool> changing_sites;           // sites of stores that have replaced an earlier written value by a
                                              // different one
  std::shared_ptr<GlobalRaces> global_races;  // if blocks do not see each other
  std::set<std::pair<uint32_t, uint32_t>> expectant_reads;  // sites: an atomic, and the read that prepares it
  bool stopped = false;                                     // the last block could not be completed
  bool recording_ended = false;                             // the last block did not fit into the access budget
  uint32_t last_operation = 0;                              // where the last block ended
  std::string output;                                       // what printf wrote, up to the limit
  uint64_t output_dropped = 0;                              // bytes beyond the limit

  void print(std::string_view text) {
    const auto kept = static_cast<size_t>(std::min<uint64_t>(text.size(), kMostOutput - output.size()));
    output.append(text.substr(0, kept));
    output_dropped += text.size() - kept;
  }

  /// Clears everything but keeps the memory.
  void clear() {
    steps.clear();
    barriers = 0;
    accesses_end.clear();
    accesses.clear();
    patterns.clear();
    counts.clear();
    findings.clear();
    changing_sites.clear();
    output.clear();
    output_dropped = 0;
    expectant_reads.clear();
    stopped = recording_ended = false;
    last_operation = 0;
  }
};

}  // namespace tilescope
