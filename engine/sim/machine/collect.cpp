#include "engine/sim/machine/collect.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "engine/sim/checks/race_findings.hpp"

namespace tilescope {
namespace {

/// How far ahead blocks may finish: their records are held in memory.
constexpr uint64_t kFarthestAhead = 4096;
constexpr size_t kCollectMostFindings = 64;

uint64_t hash_of(const LanePattern& pattern) {
  uint64_t hash = 0;
  for (int64_t delta : pattern) {
    hash = (hash ^ static_cast<uint64_t>(delta)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 31;
  }
  return hash;
}

/// Maps memory that is about to be filled with large pages if the system has them, because each page costs a fault.
void advise_large_pages(const void* begin, size_t bytes) {
  constexpr size_t kLargePage = size_t{2} << 20;
  const uintptr_t first = (reinterpret_cast<uintptr_t>(begin) + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(begin) + bytes) / kLargePage * kLargePage;
  if (first < end) (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace

Collector::Collector(const LaunchSetup& setup, const LaunchOptions& options, uint64_t blocks)
    : setup_(setup), options_(options), blocks_(blocks) {
  report_.trace.complete = setup.record;
}

void Collector::deliver(ChunkRecord record) {
  double fraction = -1;
  {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(record.first_block, std::move(record));
    while (!waiting_.empty() && waiting_.begin()->first == next_block_ && !stopped_) {
      ChunkRecord& first = waiting_.begin()->second;
      join(first);
      first.clear();
      spare_.push_back(std::move(first));
      waiting_.erase(waiting_.begin());
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - last_progress_ > std::chrono::milliseconds(50)) {
      last_progress_ = now;
      fraction = static_cast<double>(next_block_) / static_cast<double>(blocks_);
    }
  }
  moved_on_.notify_all();
  if (fraction >= 0 && options_.progress) options_.progress(fraction);
}

bool Collector::wait_for_turn(uint64_t block) {
  std::unique_lock lock(mutex_);
  moved_on_.wait(lock, [&] { return stopped_ || given_up_ || block < next_block_ + kFarthestAhead; });
  return !stopped_ && !given_up_;
}

void Collector::give_up() {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
  }
  moved_on_.notify_all();
}

bool Collector::over() {
  const std::lock_guard lock(mutex_);
  return stopped_ || given_up_;
}

ChunkRecord Collector::fresh_record(uint64_t first) {
  const std::lock_guard lock(mutex_);
  ChunkRecord record;
  if (!spare_.empty()) {
    record = std::move(spare_.back());
    spare_.pop_back();
  }
  record.first_block = first;
  record.recording_ended = recording_ended_;
  return record;
}

void Collector::join(ChunkRecord& record) {
  check_steps(record);
  join_accesses(record);
  if (counts_.empty()) counts_.resize(record.counts.size());
  for (size_t i = 0; i < record.counts.size(); ++i) {
    counts_[i].requests += record.counts[i].requests;
    counts_[i].lanes += record.counts[i].lanes;
    counts_[i].sectors += record.counts[i].sectors;
    counts_[i].useful_bytes += record.counts[i].useful_bytes;
    counts_[i].wavefronts += record.counts[i].wavefronts;
    counts_[i].passes += record.counts[i].passes;
  }
  join_findings(record);
  join_output(record);
  report_.counters.block_barriers += record.barriers;
  stopped_ = stopped_ || record.stopped;
  next_block_ += record.steps.size();
}

/// The budget applies to the whole launch; a block that uses it up alone has reported that itself.
void Collector::check_steps(const ChunkRecord& record) {
  for (size_t i = 0; i < record.steps.size(); ++i) {
    steps_ += record.steps[i];
    if (steps_ <= setup_.step_budget || stopped_) continue;
    stopped_ = true;
    if (!record.stopped) add_step_limit(record, record.first_block + i);
  }
}

void Collector::add_step_limit(const ChunkRecord& record, uint64_t block) {
  const OperationDetail& detail = setup_.program->details[record.last_operation];
  Finding finding;
  finding.id = "step-limit";
  finding.file = setup_.program->files[detail.file];
  finding.line = detail.line;
  finding.block = unflatten(setup_.block_at(block), setup_.grid);
  finding.message =
      fmt::format("step limit: still running after {} warp instructions, {}:{}, block ({},{},{}) thread (0,0,0)",
                  setup_.step_budget, finding.file, finding.line, finding.block.x, finding.block.y, finding.block.z);
  findings_.push_back({std::move(finding), record.last_operation});
}

void Collector::join_accesses(ChunkRecord& record) {
  AccessTrace& trace = report_.trace;
  if (trace.accesses.empty() && !record.accesses_end.empty()) {
    // Blocks are similar: reserving space for all of them avoids moving the trace as it grows.
    const double all = static_cast<double>(record.accesses.size()) / static_cast<double>(record.accesses_end.size()) *
                       static_cast<double>(blocks_) * 1.02;
    trace.accesses.reserve(static_cast<size_t>(std::min(all, static_cast<double>(setup_.access_budget))));
    advise_large_pages(trace.accesses.data(), trace.accesses.capacity() * sizeof(Access));
  }
  std::vector<uint32_t> number(record.patterns.size(), kNoIndex);
  size_t begin = 0;
  for (uint64_t end : record.accesses_end) {
    if (recording_ended_) return;
    if (trace.accesses.size() + (end - begin) > setup_.access_budget) {
      recording_ended_ = true;
      trace.complete = false;
      return;
    }
    for (size_t i = begin; i < end; ++i) {
      uint32_t& pattern = record.accesses[i].pattern;
      uint32_t& known = number[pattern];
      if (known == kNoIndex) known = intern(record.patterns[pattern]);
      pattern = known;
    }
    const auto first = record.accesses.begin();
    trace.accesses.insert(trace.accesses.end(), first + static_cast<ptrdiff_t>(begin),
                          first + static_cast<ptrdiff_t>(end));
    begin = end;
    ++trace.blocks_recorded;
  }
  if (record.accesses_end.size() < record.steps.size() && setup_.record) {
    recording_ended_ = true;
    trace.complete = false;
  }
}

uint32_t Collector::intern(const LanePattern& pattern) {
  auto& patterns = report_.trace.patterns;
  auto& same_hash = patterns_[hash_of(pattern)];
  for (uint32_t index : same_hash)
    if (patterns[index] == pattern) return index;
  same_hash.push_back(static_cast<uint32_t>(patterns.size()));
  patterns.push_back(pattern);
  return same_hash.back();
}

void Collector::join_findings(ChunkRecord& record) {
  for (NotedFinding& noted : record.findings) add_finding(std::move(noted));
  if (record.global_races != nullptr) join_global_races(*record.global_races);
  expectant_reads_.insert(record.expectant_reads.begin(), record.expectant_reads.end());
  if (changing_sites_.size() < record.changing_sites.size()) changing_sites_.resize(record.changing_sites.size());
  for (size_t i = 0; i < record.changing_sites.size(); ++i)
    if (record.changing_sites[i]) changing_sites_[i] = true;
}

void Collector::add_finding(NotedFinding noted) {
  const auto same = std::find_if(findings_.begin(), findings_.end(), [&](const NotedFinding& other) {
    return is_same_finding(*setup_.program, noted, other);
  });
  if (same != findings_.end())
    merge_finding(*same, std::move(noted));
  else if (findings_.size() < kCollectMostFindings)
    findings_.push_back(std::move(noted));
}

void Collector::join_global_races(GlobalRaces& of_record) {
  if (global_races_ == nullptr) global_races_ = std::make_unique<GlobalRaces>(*setup_.program, nullptr);
  global_races_->add(of_record);
  const auto& expectant = of_record.expectant_reads();
  expectant_reads_.insert(expectant.begin(), expectant.end());
  of_record.clear();
  for (const GlobalRace& race : global_races_->take_found()) add_finding(describe_race(setup_, race));
}

/// Drops races with a store that always finds its own value at the address but changes other addresses; if it never
/// changes anything, the input values hide the race. Also drops reads that prepare an atomic at the same address, since
/// they expect it to change.
void Collector::settle_doubtful() {
  std::vector<NotedFinding> all = std::exchange(findings_, {});
  for (NotedFinding& noted : all) {
    const auto& operations = setup_.program->operations;
    const bool unchanged = noted.doubtful < changing_sites_.size() && changing_sites_[noted.doubtful];
    const bool expected = noted.other != kNoIndex &&
                          expectant_reads_.contains({operations[noted.operation].site, operations[noted.other].site});
    noted.doubtful = kNoIndex;
    if (!unchanged && !expected) add_finding(std::move(noted));
  }
}

/// Keeps what fits, up to the end of a line.
void Collector::join_output(const ChunkRecord& record) {
  std::string& output = report_.output;
  const uint64_t more = record.output.size() + record.output_dropped;
  const uint64_t all = output.size() + more;
  if (output_dropped_ != 0) {
    output_dropped_ += more;
    return;
  }
  output.append(record.output, 0, kMostOutput - output.size());
  if (all <= kMostOutput) return;
  if (const size_t end = output.rfind('\n'); end != std::string::npos) output.resize(end + 1);
  output_dropped_ = all - output.size();
}

LaunchReport Collector::take_report() {
  settle_doubtful();
  if (output_dropped_ != 0)
    report_.output +=
        fmt::format("[{} bytes more were printed; of a launch {} are kept]\n", output_dropped_, kMostOutput);
  for (auto& noted : findings_) report_.findings.push_back(std::move(noted.finding));
  report_.stopped_by_finding = stopped_;
  if (setup_.record && stopped_) report_.trace.complete = false;
  report_.counters.warp_instructions = steps_;
  report_.warps = next_block_ * ((setup_.block.count() + 31) / 32);
  if (setup_.count || setup_.record) fill_sites();
  if (setup_.count) fill_counters();
  return std::move(report_);
}

void Collector::fill_sites() {
  const Program& program = *setup_.program;
  for (uint32_t index : program.observed_sites) {
    const MemorySite& from = program.sites[index];
    const OperationDetail& detail = program.details[from.operation];
    Site site;
    site.instruction = detail.instruction;
    site.line = detail.line;
    site.file = program.files[detail.file];
    site.origin_line = detail.origin_line;
    site.origin_file = program.files[detail.origin_file];
    site.ptx = program.function->instructions[detail.instruction].text;
    site.space = from.space;
    site.kind = from.kind;
    site.bytes_per_lane = from.bytes_per_lane;
    site.launch = options_.launch_index;
    site.is_matrix = from.is_matrix;
    report_.trace.sites.push_back(std::move(site));
  }
}

void Collector::fill_counters() {
  const Program& program = *setup_.program;
  const size_t rows = setup_.buffers + 2;
  Counters& counters = report_.counters;
  for (size_t i = 0; i < counts_.size(); ++i) {
    SiteCount count = counts_[i];
    if (count.requests == 0) continue;
    count.site = static_cast<uint16_t>(i / rows);
    const size_t row = i % rows;
    count.buffer = row < 2 ? -1 : static_cast<int32_t>(row - 2);
    report_.sites.push_back(count);
    const AccessKind kind = program.sites[program.observed_sites[count.site]].kind;
    const bool shared = count.wavefronts != 0;
    if (kind == AccessKind::async_copy) {  // a load of global memory; no counter includes its shared memory part
      if (program.sites[program.observed_sites[count.site]].space == Space::shared) continue;
      counters.global_load_sectors += count.sectors;
      counters.global_load_requests += count.requests;
      counters.global_load_bytes_useful += count.useful_bytes;
    } else if (kind == AccessKind::load) {
      counters.shared_load_wavefronts += count.wavefronts;
      counters.shared_load_bank_conflicts += count.wavefronts - count.passes;
      counters.global_load_sectors += count.sectors;
      counters.global_load_requests += shared ? 0 : count.requests;
      counters.global_load_bytes_useful += shared ? 0 : count.useful_bytes;
    } else if (kind == AccessKind::store) {
      counters.shared_store_wavefronts += count.wavefronts;
      counters.shared_store_bank_conflicts += count.wavefronts - count.passes;
      counters.global_store_sectors += count.sectors;
      counters.global_store_requests += shared ? 0 : count.requests;
      counters.global_store_bytes_useful += shared ? 0 : count.useful_bytes;
    } else {  // atomics, with and without a result
      counters.shared_atomic_wavefronts += count.wavefronts;
      counters.shared_atomic_bank_conflicts += count.wavefronts - count.passes;
      counters.global_atomic_sectors += count.sectors;
      counters.global_atomic_requests += shared ? 0 : count.requests;
      counters.global_atomic_bytes_useful += shared ? 0 : count.useful_bytes;
    }
  }
}

}  // namespace tilescope
