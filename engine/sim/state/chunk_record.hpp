// What one host thread notes about the blocks that it runs: counts, the record of accesses, findings, output.
//
// Each host thread notes the blocks of one chunk at a time in a ChunkRecord of its own; machine/collect.cpp joins the
// chunks in block order, so that the result does not depend on the number of threads.
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

/// A finding with the place in the program that it belongs to.
struct NotedFinding {
  Finding finding;
  uint32_t operation = 0;          // index into Program::operations
  uint32_t other = 0xffffffff;     // of a race: the other side's operation
  uint32_t doubtful = 0xffffffff;  // of a race with a store that changed nothing: its site; see changing_sites
  bool gives_way = false;          // to one of the same lines that says more
};

class GlobalRaces;  // checks/races_global.hpp

/// What one host thread noted about a run of consecutive blocks.
struct ChunkRecord {
  uint64_t id = 0;  // of its machine's records, from 1
  uint64_t first_block = 0;
  std::vector<uint64_t> steps;         // by block: warp instructions
  std::vector<uint64_t> accesses_end;  // by block, where accesses are recorded
  std::vector<Access> accesses;        // `pattern` counts in `patterns`
  std::vector<LanePattern> patterns;
  std::vector<SiteCount> counts;  // by site and buffer
  std::vector<NotedFinding> findings;
  std::vector<bool> changing_sites;           // stores that have replaced what was written before by something else
  std::shared_ptr<GlobalRaces> global_races;  // where blocks do not see one another
  std::set<std::pair<uint32_t, uint32_t>> expectant_reads;  // sites: an atomic, and the read that prepares it
  bool stopped = false;                                     // the last block could not be completed
  bool recording_ended = false;                             // the last block did not fit the access budget
  uint32_t last_operation = 0;                              // where the last block ended
  std::string output;                                       // of printf, as far as it is kept
  uint64_t output_dropped = 0;                              // bytes that are not

  void print(std::string_view text) {
    const auto kept = static_cast<size_t>(std::min<uint64_t>(text.size(), kMostOutput - output.size()));
    output.append(text.substr(0, kept));
    output_dropped += text.size() - kept;
  }

  /// Forgets everything but keeps the memory.
  void clear() {
    steps.clear();
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
