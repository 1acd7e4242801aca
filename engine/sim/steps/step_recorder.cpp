#include "engine/sim/steps/step_recorder.hpp"

#include <algorithm>
#include <cstring>

#include "engine/sim/program/isa.hpp"

namespace tilescope {
namespace {

/// Maximum number of findings kept; a loop may repeat the same one many times.
constexpr size_t kRecorderMostFindings = 256;
/// How long the block continues after the window, in windows: this far later findings are known.
constexpr uint64_t kFollowed = 64;

StepWarpState recorded_state(const Warp& warp) {
  switch (warp.state) {
    case Warp::State::ready:
      return {};
    case Warp::State::finished:
      return {StepWarpState::State::exited, 0};
    case Warp::State::trapped:
      return {StepWarpState::State::trapped, 0};
    case Warp::State::at_barrier:
      break;
  }
  StepWarpState state{StepWarpState::State::for_lanes, 0};
  for (uint32_t i = 0; i < warp.path_count; ++i) {
    const Warp::Path& path = warp.paths[i];
    if (path.rank != Warp::kWaiting || path.barrier == Warp::kForLanes) continue;
    const auto barrier = static_cast<uint8_t>(path.barrier);
    if (state.state == StepWarpState::State::at_barrier) state.barrier = std::min(state.barrier, barrier);
    if (state.state != StepWarpState::State::at_barrier) state = {StepWarpState::State::at_barrier, barrier};
  }
  return state;
}

/// Lanes that wait after an operation, or at it.
uint32_t waiting_lanes(const Warp& warp, const Operation* operation) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < warp.path_count; ++i) {
    const Warp::Path& path = warp.paths[i];
    if (path.rank != Warp::kWaiting) continue;
    if (path.at == (path.barrier == Warp::kForLanes ? operation : operation + 1)) lanes |= path.lanes;
  }
  return lanes;
}

}  // namespace

StepRecorder::StepRecorder(const LaunchSetup& setup, const StepWindow& window)
    : setup_(setup),
      window_(window),
      uses_(register_uses(*setup.program)),
      jump_(find_isa_row("jump")->run),
      end_(find_isa_row("end")->run),
      record_(std::make_shared<StepRecord>()) {
  record_->kernel = setup.program->function->name;
  record_->grid = setup.grid;
  record_->block_extent = setup.block;
  record_->block = window.block;
  record_->launch = static_cast<uint32_t>(setup.launch_index);
  record_->warps = static_cast<uint32_t>((setup.block.count() + 31) / 32);
  record_->first_step = window.first_step;
  list_instructions(*setup.program, *record_);
  list_shared(*setup.program, setup.shared_bytes, *record_);
  const uint32_t warps = record_->warps;
  share_ = std::max<uint64_t>(1, window.max_steps / warps);
  most_steps_ = window.first_step * warps + kFollowed * window.max_steps;
  last_writes_.assign(warps * record_->registers.size(), 0);
  expected_.resize(warps);
  states_.resize(warps);
  last_paths_.resize(warps);
  record_->executed.assign(warps, 0);
  record_->ended.assign(warps, false);
}

bool StepRecorder::keeps(const Warp& warp) const {
  const uint64_t own = record_->executed[warp.index];
  return !full_ && own >= window_.first_step && own - window_.first_step < share_;
}

void StepRecorder::run(Block& block, Warp& warp, const Operation* next) {
  for (const Warp& other : block.warps) settle(other);  // a barrier may have opened
  note_states(block);
  do {
    do {
      execute(warp, next);
    } while (next != warp.stop);
  } while (warp.look_up(next));
  warp.steps -= warp.hidden;
  warp.hidden = 0;
  note_states(block);
  check_bounds(block);
}

/// One step, like one of run_turn, with its effects recorded.
void StepRecorder::execute(Warp& warp, const Operation*& next) {
  uint32_t mask = warp.active;
  if (next->guard != 0) mask &= warp.predicate(next->guard);
  ++steps_;
  if (is_hidden(next)) {
    next = next->run(warp, next, mask);
    ++warp.steps;
    return;
  }
  const bool kept = keeps(warp);
  Current current{};
  if (kept) begin_step(warp, next, mask, current);
  const Operation* operation = next;
  const uint32_t hidden = warp.hidden;
  next = mask == 0 ? next + 1 : next->run(warp, next, mask);
  ++warp.steps;
  // A read of the clock is begun twice.
  if (next == operation && warp.hidden != hidden && warp.clock_read == operation) return;
  if (kept) end_step(warp, current);
  ++record_->executed[warp.index];
}

void StepRecorder::begin_step(Warp& warp, const Operation* operation, uint32_t mask, Current& current) {
  current.operation = operation;
  current.mask = mask;
  current.sequence = warp.sequence;
  current.step.instruction = instruction_of(warp, operation);
  current.step.active = warp.active;
  current.step.executed = mask;
  current.step.warp = warp.index;
  current.step.first_write = static_cast<uint32_t>(record_->writes.size());
  note_paths(warp, current.step);
  note_reads(warp, operation, mask);
}

void StepRecorder::end_step(Warp& warp, const Current& current) {
  Step step = current.step;
  const StepUse& use = uses_[step.instruction];
  if (warp.path_count != 0) step.waits = waiting_lanes(warp, current.operation) & current.mask;
  if (warp.sequence != current.sequence) step.access = current.sequence;
  add_writes(warp, step.instruction, current.mask & ~step.waits);
  if (step.waits != 0 && !use.writes.empty()) expected_[warp.index].push_back({current.operation, step.waits});
  settle(warp);
  step.writes = static_cast<uint16_t>(record_->writes.size() - step.first_write);
  record_->steps.push_back(step);
  if (bytes_ + record_->steps.size() * sizeof(Step) > window_.max_bytes) full_ = true;
}

/// Values that were not written in the window, or that have changed in a different way.
void StepRecorder::note_reads(const Warp& warp, const Operation* operation, uint32_t mask) {
  const uint32_t guard = setup_.program->function->instructions[instruction_of(warp, operation)].guard;
  for (uint32_t reg : uses_[instruction_of(warp, operation)].reads) {
    const uint32_t lanes = differing(warp, reg, reg == guard ? warp.active : mask);
    if (lanes != 0) add_write(warp, reg, lanes, true);
  }
}

/// The lanes whose value differs from the last recorded one.
uint32_t StepRecorder::differing(const Warp& warp, uint32_t reg, uint32_t lanes) const {
  const uint32_t last = last_writes_[warp.index * record_->registers.size() + reg];
  if (last == 0) return lanes;
  const StepWrite& write = record_->writes[last - 1];
  const uint32_t* noted = record_->values.data() + write.values;
  const uint16_t slot = setup_.program->slot_of_register[reg];
  const uint32_t bytes = record_->registers[reg].bytes;
  uint32_t unlike = lanes & ~write.known;
  if (bytes == 0) return unlike | ((warp.predicates[slot] ^ noted[0]) & lanes);
  const uint32_t width = std::max(2U, bytes);
  const auto* now = warp.source<uint8_t>(slot);
  if (std::memcmp(now, noted, size_t{width} * 32) == 0) return unlike;
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const size_t at = static_cast<size_t>(std::countr_zero(left)) * width;
    if (std::memcmp(now + at, reinterpret_cast<const uint8_t*>(noted) + at, width) != 0) unlike |= left & (0U - left);
  }
  return unlike;
}

void StepRecorder::add_writes(const Warp& warp, uint32_t instruction, uint32_t lanes) {
  if (lanes == 0) return;
  for (uint32_t reg : uses_[instruction].writes) add_write(warp, reg, lanes, false);
}

void StepRecorder::add_write(const Warp& warp, uint32_t reg, uint32_t lanes, bool found) {
  StepRecord& record = *record_;
  uint32_t& last = last_writes_[warp.index * record.registers.size() + reg];
  const uint32_t bytes = record.registers[reg].bytes, width = std::max(2U, bytes);
  const uint16_t slot = setup_.program->slot_of_register[reg];
  const size_t words = bytes == 0 ? 1 : size_t{width} * 32 / sizeof(uint32_t);
  StepWrite write;
  write.step = static_cast<uint32_t>(record.steps.size());
  write.reg = reg;
  write.lanes = lanes;
  write.changed = found ? lanes : differing(warp, reg, lanes);
  write.known = lanes;
  write.values = static_cast<uint32_t>(record.values.size());
  write.warp = warp.index;
  write.found = found;
  record.values.resize(record.values.size() + words, 0);
  uint32_t* values = record.values.data() + write.values;
  // Lanes that are not written keep their recorded value, since the slot may now belong to a different register.
  if (last != 0) {
    const StepWrite& before = record.writes[last - 1];
    std::memcpy(values, record.values.data() + before.values, words * sizeof(uint32_t));
    write.known |= before.known;
  }
  if (bytes == 0) {
    values[0] = (values[0] & ~lanes) | (warp.predicates[slot] & lanes);
  } else {
    const auto* now = warp.source<uint8_t>(slot);
    auto* to = reinterpret_cast<uint8_t*>(values);
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
      const size_t at = static_cast<size_t>(std::countr_zero(left)) * width;
      std::memcpy(to + at, now + at, width);
    }
  }
  record.writes.push_back(write);
  last = static_cast<uint32_t>(record.writes.size());
  bytes_ += sizeof(StepWrite) + words * sizeof(uint32_t);
}

/// Results that lanes received after they had waited for them.
void StepRecorder::settle(const Warp& warp) {
  std::vector<Expected>& expected = expected_[warp.index];
  for (size_t i = 0; i < expected.size();) {
    uint32_t not_yet = 0;
    for (uint32_t k = 0; k < warp.path_count; ++k) {
      const Warp::Path& path = warp.paths[k];
      const bool at_barrier = path.rank == Warp::kWaiting && path.at == expected[i].operation + 1;
      if (path.at == expected[i].operation || at_barrier) not_yet |= path.lanes;
    }
    const uint32_t done = expected[i].lanes & ~not_yet;
    if (!full_) add_writes(warp, instruction_of(warp, expected[i].operation), done);
    expected[i].lanes &= not_yet;
    if (expected[i].lanes == 0)
      expected.erase(expected.begin() + static_cast<ptrdiff_t>(i));
    else
      ++i;
  }
}

/// The next instruction at an operation, past jumps that are not instructions.
uint32_t StepRecorder::instruction_at(const Warp& warp, const Operation* operation) const {
  const size_t count = setup_.program->operations.size();
  size_t at = std::min(static_cast<size_t>(operation - warp.code), count - 1);
  for (size_t hops = 0; hops < count && warp.code[at].run == jump_; ++hops)
    at = static_cast<size_t>(warp.code[at].immediate);
  return setup_.program->details[at].instruction;
}

void StepRecorder::note_paths(const Warp& warp, Step& step) {
  auto& [first, count] = last_paths_[warp.index];
  std::vector<StepPath>& all = record_->paths;
  const size_t begin = all.size();
  for (uint32_t i = 0; i < warp.path_count; ++i) {
    const Warp::Path& path = warp.paths[i];
    StepPath noted{path.lanes, instruction_at(warp, path.at), StepPath::State::pending, 0};
    if (path.rank == Warp::kWaiting) {
      const bool lanes = path.barrier == Warp::kForLanes;
      noted.state = lanes ? StepPath::State::for_lanes : StepPath::State::at_barrier;
      noted.barrier = lanes ? uint8_t{0} : static_cast<uint8_t>(path.barrier);
    }
    all.push_back(noted);
  }
  std::sort(all.begin() + static_cast<ptrdiff_t>(begin), all.end(), [](const StepPath& a, const StepPath& b) {
    return a.instruction != b.instruction ? a.instruction < b.instruction : a.lanes < b.lanes;
  });
  const auto added = static_cast<uint16_t>(all.size() - begin);
  const bool same = added == count && std::equal(all.begin() + static_cast<ptrdiff_t>(begin), all.end(),
                                                 all.begin() + static_cast<ptrdiff_t>(first));
  if (same) {
    all.resize(begin);
  } else {
    first = static_cast<uint32_t>(begin);
    count = added;
    bytes_ += added * sizeof(StepPath);
  }
  step.first_path = first;
  step.paths = count;
}

void StepRecorder::note_states(const Block& block) {
  if (full_) return;
  for (const Warp& warp : block.warps) {
    const StepWarpState now = recorded_state(warp);
    if (now == states_[warp.index]) continue;
    states_[warp.index] = now;
    record_->changes.push_back({static_cast<uint32_t>(record_->steps.size()), warp.index, now});
    bytes_ += sizeof(StepChange);
  }
}

/// Enough has been seen after the window.
void StepRecorder::check_bounds(Block& block) {
  if (steps_ < most_steps_) return;
  done_ = true;
  block.stopped = true;
}

void StepRecorder::note_finding(const Block& block, const Warp& warp, uint32_t operation, uint32_t lane, FindingId id,
                                const Phrase& what) {
  if (!follows(block) || record_->findings.size() >= kRecorderMostFindings) return;
  StepFinding finding;
  const uint64_t own = record_->executed[warp.index];
  // A step that is being executed is not in the list yet; before and after the window there is none.
  if (keeps(warp)) finding.step = static_cast<uint32_t>(record_->steps.size());
  finding.own = own;
  finding.warp = warp.index;
  finding.instruction = setup_.program->details[operation].instruction;
  finding.lane = lane;
  finding.id = id.text();
  finding.what = what;
  record_->findings.push_back(std::move(finding));
}

void StepRecorder::end(Block& block) {
  if (done_) return;
  note_states(block);
  record_->stopped = block.stopped;
  record_->finished = true;
  done_ = ended_ = true;
}

std::shared_ptr<const StepRecord> StepRecorder::take() {
  StepRecord& record = *record_;
  // A finding made while no step was being executed belongs to the last step at its instruction.
  for (StepFinding& finding : record.findings) {
    if (finding.step == Step::kNone) continue;
    uint32_t last_of_warp = Step::kNone, at_instruction = Step::kNone;
    for (size_t i = std::min<size_t>(size_t{finding.step} + 1, record.steps.size()); i-- > 0;) {
      if (record.steps[i].warp != finding.warp) continue;
      if (last_of_warp == Step::kNone) last_of_warp = static_cast<uint32_t>(i);
      if (record.steps[i].instruction != finding.instruction) continue;
      at_instruction = static_cast<uint32_t>(i);
      break;
    }
    finding.step = at_instruction != Step::kNone ? at_instruction : last_of_warp;
  }
  // Results for which no lane waited any more do not belong to a step.
  while (!record.writes.empty() && record.writes.back().step >= record.steps.size()) record.writes.pop_back();
  record.index();
  for (uint32_t warp = 0; warp < record.warps; ++warp)
    record.ended[warp] = ended_ && record.executed[warp] <= record.first_step + record.steps_of(warp).size();
  return std::move(record_);
}

}  // namespace tilescope
