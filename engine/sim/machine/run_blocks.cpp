#include "engine/sim/machine/run_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <new>
#include <thread>

#include "engine/sim/state/block_follower.hpp"
#include "engine/sim/state/device_heap.hpp"

namespace tilescope {
namespace {

/// Warp instructions between two checks of the stop token: a few milliseconds.
constexpr uint64_t kTurn = 100'000;
/// How long a block runs before others may continue, unless it waits for them.
constexpr uint64_t kResidentTurn = 1'000'000;
/// Warp instructions without the end of a block before the first check for a hang.
constexpr uint64_t kFirstWatch = 1 << 20;
/// Maximum number of consecutive warp instructions in which threads only wait in loops.
constexpr uint64_t kMostIdle = uint64_t{1} << 27;
/// Atomic instructions without the end of a block: each takes as long as several others.
constexpr uint64_t kMostChanges = uint64_t{1} << 25;

/// Number of warp instructions, at most `turn`, until one more than `budget` has been executed.
uint64_t rest_of(uint64_t turn, uint64_t budget, uint64_t used) {
  return std::min(turn, budget - std::min(budget, used) + 1);
}

/// The reason for aborting a block, or empty.
Phrase reason_to_give_up(const Machine& machine, uint64_t steps, uint64_t changes) {
  const LaunchSetup& setup = machine.setup();
  const uint64_t budget = std::min(setup.step_budget, setup.hang_budget);
  if (steps > budget) return phrase("still running after {} warp instructions", budget);
  if (machine.idle_steps() > kMostIdle)
    return phrase("still waiting in a loop after {} warp instructions that changed nothing", kMostIdle);
  if (changes > kMostChanges) return phrase("still running after {} atomic instructions", kMostChanges);
  return {};
}

/// Runs one block to its end. False: the launch is over.
bool run_to_end(Machine& machine, Block& block, ChunkRecord& record, Collector& collector,
                const std::stop_token& stop) {
  const uint64_t budget = std::min(machine.setup().step_budget, machine.setup().hang_budget);
  const uint64_t wanted = machine.setup().steps_per_block;
  const uint64_t turn = wanted < kTurn ? 1 : kTurn;  // 1: to the end of one warp's turn
  uint64_t next_watch = kFirstWatch;
  const uint64_t changes = machine.changes();
  while (machine.run(block, record, rest_of(turn, budget, block.steps)) != Machine::Progress::done) {
    if (block.steps >= wanted) {
      machine.leave(block, record);
      break;
    }
    if (stop.stop_requested()) collector.give_up();
    if (collector.over()) return false;
    if (const Phrase reason = reason_to_give_up(machine, block.steps, machine.changes() - changes); !reason.empty()) {
      machine.give_up(block, record, reason);
      break;
    }
    if (block.steps < next_watch) continue;
    next_watch = 2 * block.steps;
    if (machine.repeats(block, record)) {
      machine.report_hang(block, record, {});
      break;
    }
  }
  return true;
}

/// Runs blocks that do not see each other, in chunks of neighbouring blocks.
bool run_chunks(const LaunchSetup& setup, Collector& collector, const std::stop_token& stop,
                std::atomic<uint64_t>& next, uint64_t chunk) {
  const uint64_t blocks = setup.blocks();
  Machine machine(setup);
  const auto block = machine.make_block();
  if (block == nullptr) return false;
  while (true) {
    const uint64_t first = next.fetch_add(chunk);
    if (stop.stop_requested()) collector.give_up();
    if (first >= blocks || !collector.wait_for_turn(first)) return true;
    ChunkRecord record = collector.fresh_record(first);
    machine.begin_record(record);
    for (uint64_t index = first; index < std::min(first + chunk, blocks) && !record.stopped; ++index) {
      machine.begin(*block, setup.block_at(index));
      if (!run_to_end(machine, *block, record, collector, stop)) return true;
    }
    collector.deliver(std::move(record));
  }
}

/// Runs blocks that may wait for each other, on one host thread. They begin in index order; a block that waits or has
/// run for long lets the next one begin, and when no more can be resident, the resident ones take turns.
class ResidentBlocks {
 public:
  ResidentBlocks(const LaunchSetup& setup, Collector& collector, const std::stop_token& stop)
      : setup_(setup), collector_(collector), stop_(stop), machine_(setup), blocks_(setup.blocks()) {}

  /// False: the host is out of memory.
  bool run() {
    bool begin_another = true;
    while (next_ < blocks_ || !resident_.empty()) {
      if (begin_another && can_begin() && !begin()) return false;
      Resident& current = *resident_.front();
      const uint64_t before = current.block->steps;
      const auto progress = machine_.run(*current.block, current.record, rest_of(kTurn, budget(), steps_));
      steps_ += current.block->steps - before;
      if (stop_.stop_requested()) collector_.give_up();
      if (collector_.over() || followed_to_its_end()) return true;
      begin_another = true;
      if (progress == Machine::Progress::done) {
        end_block();
        begin_another = resident_.empty();
      } else if (current.block->steps >= setup_.steps_per_block) {
        machine_.leave(*current.block, current.record);
        end_block();
        begin_another = resident_.empty();
      } else if (const Phrase reason = reason_to_give_up(machine_, steps_, machine_.changes() - changes_before_);
                 !reason.empty()) {
        move_first_block_to_front();
        machine_.give_up(*resident_.front()->block, resident_.front()->record, reason);
        end_block();
      } else if (progress == Machine::Progress::waits || current.block->steps % kResidentTurn < kTurn) {
        note_turn(progress == Machine::Progress::waits);
        limit_records();
        resident_.push_back(std::move(resident_.front()));
        resident_.pop_front();
        if (hangs()) end_block();
      } else {
        begin_another = false;
      }
    }
    return true;
  }

 private:
  struct Resident {
    std::unique_ptr<Block> block;
    ChunkRecord record;
  };

  uint64_t budget() const { return std::min(setup_.step_budget, setup_.hang_budget); }
  bool followed_to_its_end() const { return setup_.follower != nullptr && setup_.follower->done(); }
  bool can_begin() const { return next_ < blocks_ && resident_.size() < setup_.resident_blocks; }

  bool begin() {
    auto fresh = idle_.empty() ? std::make_unique<Resident>() : std::move(idle_.front());
    if (!idle_.empty()) idle_.pop_front();
    if (fresh->block == nullptr) fresh->block = machine_.make_block();
    if (fresh->block == nullptr) return false;
    fresh->record = collector_.fresh_record(next_);
    machine_.begin_record(fresh->record);
    machine_.begin(*fresh->block, setup_.block_at(next_++));
    resident_.push_front(std::move(fresh));
    waiting_turns_ = 0;
    return true;
  }

  void end_block() {
    collector_.deliver(std::move(resident_.front()->record));
    idle_.push_back(std::move(resident_.front()));
    resident_.pop_front();
    steps_ = waiting_turns_ = 0;
    changes_before_ = machine_.changes();
    next_watch_ = kFirstWatch;
  }

  void note_turn(bool waits) {
    const bool changed = machine_.changes() != changes_;
    changes_ = machine_.changes();
    waiting_turns_ = waits && !changed ? waiting_turns_ + 1 : 0;
  }

  /// Polling is recorded too. If blocks hold more than will be kept, the last ones stop recording.
  void limit_records() {
    if (!setup_.record) return;
    uint64_t held = 0;
    Resident *first = nullptr, *last = nullptr;
    for (const auto& resident : resident_) {
      held += resident->record.accesses.size();
      if (first == nullptr || resident->block->index < first->block->index) first = resident.get();
      const bool holds = !resident->record.accesses.empty();
      if (holds && (last == nullptr || resident->block->index > last->block->index)) last = resident.get();
    }
    if (held <= setup_.access_budget || last == first || last == nullptr) return;
    last->record.recording_ended = true;
    last->record.accesses = {};
  }

  void move_first_block_to_front() {
    const auto first = std::min_element(resident_.begin(), resident_.end(),
                                        [](const auto& a, const auto& b) { return a->block->index < b->block->index; });
    std::iter_swap(first, resident_.begin());
  }

  /// Whether no block can ever make progress; the first block then reports it.
  bool hangs() {
    if (can_begin()) return false;
    const bool all_wait = waiting_turns_ >= 2 * resident_.size() && steps_ >= next_watch_ / 16;
    if (!all_wait && steps_ < next_watch_) return false;
    next_watch_ = 2 * std::max(steps_, next_watch_ / 16);
    waiting_turns_ = 0;
    for (const auto& resident : resident_)
      if (!machine_.repeats(*resident->block, resident->record)) return false;
    move_first_block_to_front();
    Phrase reason;
    if (next_ < blocks_)
      reason = phrase(
          "the resident blocks wait for blocks that cannot start: the grid has {} blocks, and the GPU holds {} of them "
          "at a time ({})",
          blocks_, resident_.size(), setup_.residency_reason);
    machine_.report_hang(*resident_.front()->block, resident_.front()->record, reason);
    return true;
  }

  const LaunchSetup& setup_;
  Collector& collector_;
  const std::stop_token& stop_;
  Machine machine_;
  const uint64_t blocks_;
  std::deque<std::unique_ptr<Resident>> resident_, idle_;  // the running one is in front
  uint64_t next_ = 0;                                      // next block to begin
  uint64_t steps_ = 0;                                     // since a block last ended
  uint64_t next_watch_ = kFirstWatch;
  uint64_t changes_ = 0;         // memory changes at the last check
  uint64_t changes_before_ = 0;  // memory changes when a block last ended
  uint64_t waiting_turns_ = 0;   // consecutive turns without a change
};

/// Runs a thread's work on the launch and handles the host running out of memory.
template <class Work>
bool guarded(const Work& work, Collector& collector) {
  bool good = false;
  try {
    good = work();
  } catch (const std::bad_alloc&) {
  }
  if (!good) collector.give_up();
  return good;
}

}  // namespace

bool run_block(const LaunchSetup& setup, uint64_t index, Collector& collector, const std::stop_token& stop) {
  const auto work = [&] {
    Machine machine(setup);
    const auto block = machine.make_block();
    if (block == nullptr) return false;
    ChunkRecord record = collector.fresh_record(index);
    machine.begin_record(record);
    machine.begin(*block, index);
    run_to_end(machine, *block, record, collector, stop);
    return true;
  };
  return guarded(work, collector);
}

bool run_blocks(const LaunchSetup& setup, Collector& collector, const std::stop_token& stop, unsigned threads) {
  const uint64_t blocks = setup.blocks();
  // All blocks see one heap, whose memory is allocated in a fixed order.
  if (setup.program->one_at_a_time || !setup.heap->unused())
    return guarded([&] { return ResidentBlocks(setup, collector, stop).run(); }, collector);
  const uint64_t chunk = std::clamp<uint64_t>(blocks / 256, 1, 64);
  const auto workers = static_cast<size_t>(std::min<uint64_t>(threads, (blocks + chunk - 1) / chunk));
  std::atomic<uint64_t> next = 0;
  std::atomic<bool> good = true;
  const auto work = [&] {
    if (!guarded([&] { return run_chunks(setup, collector, stop, next, chunk); }, collector)) good = false;
  };
  std::vector<std::jthread> others;
  for (size_t i = 1; i < workers; ++i) others.emplace_back(work);
  work();
  others.clear();
  return good;
}

}  // namespace tilescope
