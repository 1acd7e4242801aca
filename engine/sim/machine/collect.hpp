// Merges the records of the host threads, in block order, into one LaunchReport.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "engine/sim/machine/machine.hpp"

namespace tilescope {

class Collector {
 public:
  Collector(const LaunchSetup& setup, const LaunchOptions& options, uint64_t blocks);

  /// Takes a record. Records arrive in any order and are merged in the order of their first blocks.
  void deliver(ChunkRecord record);
  /// An empty record for the blocks from `first` on; it reuses the memory of a merged one.
  ChunkRecord fresh_record(uint64_t first);
  /// Waits until the blocks before `block` are not too far behind. False: no further block is needed.
  bool wait_for_turn(uint64_t block);
  /// The launch ends early: it was cancelled, or the host is out of memory.
  void give_up();
  bool over();

  /// Call after all threads have ended. False if not all blocks ran and no finding explains it.
  bool complete() const { return stopped_ || next_block_ == blocks_; }
  LaunchReport take_report();

 private:
  void join(ChunkRecord& record);
  void join_accesses(ChunkRecord& record);
  void join_findings(ChunkRecord& record);
  void add_finding(NotedFinding noted);
  void join_global_races(GlobalRaces& of_record);
  void settle_doubtful();
  void join_output(const ChunkRecord& record);
  void check_steps(const ChunkRecord& record);
  void add_step_limit(const ChunkRecord& record, uint64_t block);
  uint32_t intern(const LanePattern& pattern);
  void fill_counters();
  void fill_sites();

  const LaunchSetup& setup_;
  const LaunchOptions& options_;
  const uint64_t blocks_;
  std::mutex mutex_;
  std::condition_variable moved_on_;
  std::map<uint64_t, ChunkRecord> waiting_;
  std::vector<ChunkRecord> spare_;
  uint64_t next_block_ = 0;
  bool stopped_ = false;  // by a finding
  uint64_t output_dropped_ = 0;
  bool given_up_ = false;
  bool recording_ended_ = false;
  uint64_t steps_ = 0;
  std::vector<SiteCount> counts_;
  std::vector<NotedFinding> findings_;
  std::vector<bool> changing_sites_;
  std::set<std::pair<uint32_t, uint32_t>> expectant_reads_;
  std::unique_ptr<GlobalRaces> global_races_;  // for the launch, if blocks do not see each other
  std::unordered_map<uint64_t, std::vector<uint32_t>> patterns_;
  std::chrono::steady_clock::time_point last_progress_ = std::chrono::steady_clock::now();
  LaunchReport report_;
};

}  // namespace tilescope
