#include "engine/sim/machine/machine.hpp"

#include <cstring>
#include <utility>

#include "engine/sim/state/async_copies.hpp"
#include "engine/sim/state/block_follower.hpp"
#include "engine/sim/state/special_slots.hpp"

namespace tilescope {

Machine::Machine(const LaunchSetup& setup)
    : setup_(setup),
      program_(*setup.program),
      running_(setup),
      findings_(running_),
      races_(running_),
      accesses_(running_, findings_, races_),
      barriers_(running_, findings_, races_),
      hang_watch_(program_, changes_),
      parameters_(setup.parameters) {
  const auto window = [&](uint64_t low, uint64_t bytes, Space space, const char* name, uint32_t lane_stride,
                          bool is_whole = false) {
    Extent extent;
    extent.is_whole = is_whole;
    extent.low = low;
    extent.high = low + bytes;
    extent.space = space;
    extent.name = name;
    extent.lane_stride = lane_stride;
    extent.read_only = space == Space::param;
    if (bytes != 0) running_.memory.add(std::move(extent));
  };
  window(kSharedWindow, setup.shared_bytes, Space::shared, "shared memory", 0);
  for (const LocalVariable& variable : program_.local_variables)
    window(kLocalWindow + variable.offset, variable.bytes, Space::local, "local memory", program_.local_bytes,
           variable.is_argument);
  window(kLocalWindow + program_.stack_offset, program_.local_bytes - program_.stack_offset, Space::local, "the stack",
         program_.local_bytes);
  window(kParameterWindow, parameters_.size(), Space::param, "the parameters", 0);
  running_.memory.move(kParameterWindow, parameters_.data(), nullptr);
}

std::unique_ptr<Block> Machine::make_block() {
  auto block = std::make_unique<Block>();
  const auto threads = static_cast<size_t>(setup_.block.count());
  const size_t warps = (threads + 31) / 32;
  const size_t register_bytes = size_t{program_.register_slots} * kSlotBytes;
  block->registers = HostPages(warps * register_bytes);
  block->predicates = HostPages(warps * program_.predicates * sizeof(uint32_t));
  block->uniform = HostPages(program_.uniform.size());
  block->shared = HostPages(setup_.shared_bytes);
  block->shared_written = HostPages(setup_.shared_bytes);
  block->local = HostPages(warps * 32 * program_.local_bytes);
  block->local_written = HostPages(warps * 32 * program_.local_bytes);
  for (const HostPages* pages : {&block->registers, &block->predicates, &block->uniform, &block->shared,
                                 &block->shared_written, &block->local, &block->local_written})
    if (!pages->ok()) return nullptr;
  if (!program_.uniform.empty()) std::memcpy(block->uniform.data(), program_.uniform.data(), program_.uniform.size());
  fill_launch_slots(program_, setup_, block->uniform.data());
  block->warps.resize(warps);
  for (size_t w = 0; w < warps; ++w) {
    Warp& warp = block->warps[w];
    warp.index = static_cast<uint16_t>(w);
    warp.base = {block->registers.data() + w * register_bytes, block->uniform.data()};
    warp.predicates = reinterpret_cast<uint32_t*>(block->predicates.data()) + w * program_.predicates;
    warp.predicates[0] = 0xffffffff;
    warp.code = program_.operations.data();
    if (program_.local_bytes != 0) warp.local = block->local.data() + w * 32 * program_.local_bytes;
    fill_warp_slots(program_, setup_.block, warp);
  }
  races_.add_block(*block);
  if (!program_.subroutines.empty()) {
    block->call_stacks.resize(warps);
    for (size_t w = 0; w < warps; ++w) block->warps[w].call_stacks = &block->call_stacks[w];
  }
  return block;
}

void Machine::begin(Block& block, uint64_t index) {
  block.index = index;
  block.id = unflatten(index, setup_.grid);
  block.steps = 0;
  block.barriers_passed = 0;
  block.next_warp = 0;
  block.round_waits = block.round_moves = false;
  block.stopped = false;
  block.barriers = {};
  if (block.shared_races != nullptr) block.shared_races->begin();
  if (block.copies != nullptr) block.copies->clear();
  block.time = 0;
  block.live_threads = static_cast<uint32_t>(setup_.block.count());
  fill_block_slots(program_, block.id, index, setup_.multiprocessors, block.uniform.data());
  if (setup_.shared_bytes != 0) std::memset(block.shared_written.data(), 0, setup_.shared_bytes);
  forget_local(block);
  if (running_.block == &block) move_windows(block);
  for (Warp& warp : block.warps) {
    warp.machine = this;
    begin_warp(warp);
  }
}

/// When a block begins, none of the kernel's local variables is written. (The stack's frames handle this themselves.)
void Machine::forget_local(Block& block) const {
  for (CallStacks& stacks : block.call_stacks) stacks.clear();
  const size_t threads = block.warps.size() * 32, checked = program_.local_checked_bytes;
  if (checked == 0) return;
  if (checked == program_.local_bytes)
    std::memset(block.local_written.data(), 0, threads * checked);
  else
    for (size_t thread = 0; thread < threads; ++thread)
      std::memset(block.local_written.data() + thread * program_.local_bytes, 0, checked);
}

void Machine::begin_warp(Warp& warp) const {
  const auto threads = static_cast<uint32_t>(setup_.block.count()) - 32U * warp.index;
  warp.live = threads >= 32 ? 0xffffffff : (1U << threads) - 1;
  warp.active = warp.live;
  warp.at = warp.code + program_.entry;
  warp.state = Warp::State::ready;
  warp.path_count = 0;
  warp.lanes_wait = false;
  warp.sequence = 0;
  warp.steps = 0;
  warp.carry = 0;
  warp.synchronisations = 0;
  warp.skipped = 0;
  warp.turn = Warp::kLongestTurn;
  warp.idle_turns = 0;
  warp.let_others_go = false;
  warp.clock_read = nullptr;
  for (uint16_t slot : program_.entry_slots) std::memset(warp.destination<uint8_t>(slot), 0, kSlotBytes);
  for (uint16_t predicate : program_.entry_predicates) warp.predicates[predicate] = 0;
}

bool Machine::repeats(Block& block, ChunkRecord& record) {
  switch_to(block, record);
  return hang_watch_.repeats(block);
}

void Machine::begin_record(ChunkRecord& record) {
  accesses_.begin_record(record);
  races_.begin_record(record);
  running_.record = nullptr;  // so that the sites look up their new counts
}

void Machine::switch_to(Block& block, ChunkRecord& record) {
  if (running_.block == &block && running_.record == &record) return;
  running_.block = &block;
  running_.record = &record;
  races_.switch_record();
  move_windows(block);
  accesses_.switch_record();
}

/// Shared and local memory belong to the block; nothing in them is written when it begins.
void Machine::move_windows(const Block& block) {
  running_.memory.move(kSharedWindow, block.shared.data(), setup_.checks ? block.shared_written.data() : nullptr);
  running_.memory.move(kLocalWindow, block.local.data(), setup_.checks ? block.local_written.data() : nullptr);
}

void Machine::finish(Block& block, ChunkRecord& record) {
  races_.watch_end(block);
  if (setup_.follower != nullptr && setup_.follower->follows(block)) setup_.follower->end(block);
  record.steps.push_back(block.steps);
  record.barriers += block.barriers_passed;
  if (accesses_.recording()) record.accesses_end.push_back(record.accesses.size());
  if (record.accesses.size() > setup_.access_budget) record.recording_ended = true;
  record.stopped = block.stopped;
}

}  // namespace tilescope
