// Repeated rounds: what the warps of a block do between two barriers of all threads, in each iteration of a loop and in
// one block after another.
//
// Whether accesses race depends on their instructions, addresses, lanes, and the warp-wide instructions between them. A
// round is kept if no two warps and no two lanes touched a common granule in it, whatever the values. So a round in
// which each warp does the same again, or a prefix of it, has no race either: its accesses only need to be compared
// with those of the kept round. A warp that does anything else leaves the round. The part that it has repeated so far
// is then noted like all other accesses, and so is everything after it.
#include "engine/sim/checks/races_shared.hpp"

namespace tilescope {
namespace {

constexpr size_t kMostRounds = 128;
constexpr size_t kMostSteps = size_t{1} << 16;  // over all kept rounds
/// After this many kept rounds without a repetition no more are kept: the kernel's accesses depend on its data.
constexpr uint32_t kMostInVain = 2 * kMostRounds;

}  // namespace

/// All warps start a new round, and no earlier accesses are known.
void SharedRaces::begin_round() {
  round_ = kNoRound;
  round_known_ = false;
  for (Cursor& cursor : cursors_) cursor.expected = cursor.end = nullptr;
  for (WarpState& state : warps_) {
    state.repeats = keeps_rounds_;
    state.may_repeat = true;
  }
}

/// The round that begins with this access of the warp; preferably the one that followed last time.
void SharedRaces::find_round(uint32_t warp, const Step& first) {
  const auto begins_so = [&](const Round& round) {
    return !round.steps[warp].empty() && round.steps[warp].front() == first;
  };
  round_known_ = true;
  const size_t likely = last_round_ == kNoRound ? kNoRound : rounds_[last_round_].next;
  if (likely != kNoRound && begins_so(rounds_[likely])) {
    round_ = likely;
  } else {
    const auto found = std::find_if(rounds_.begin(), rounds_.end(), begins_so);
    round_ = found == rounds_.end() ? kNoRound : static_cast<size_t>(found - rounds_.begin());
  }
  for (size_t i = 0; i < warps_.size(); ++i) {
    WarpState& state = warps_[i];
    state.repeats = state.repeats && round_ != kNoRound;
    if (!state.repeats) continue;
    const std::vector<Step>& steps = rounds_[round_].steps[i];
    if (state.repeated.size() < steps.size()) state.repeated.resize(steps.size());
    cursors_[i] = {steps.data(), steps.data() + steps.size(), state.repeated.data()};
  }
}

void SharedRaces::access(uint32_t warp, uint32_t synchronisations, uint32_t site, AccessPattern& pattern,
                         uint32_t offset, uint32_t changed) {
  if (warps_[warp].repeats && !round_known_) find_round(warp, Step(pattern, site, offset, 0));
  if (warps_[warp].repeats && cursors_[warp].expected == rounds_[round_].steps[warp].data())
    cursors_[warp].first_synchronisations = synchronisations;
  if (repeat(warp, synchronisations, site, pattern, offset, changed)) return;
  leave_round(warp);
  Logged access;
  access.pattern = &pattern;
  access.site = site;
  access.offset = offset;
  access.changed = changed;
  access.order = order_++;
  access.synchronisations = synchronisations;
  if (pattern.granules_form == AccessPattern::Granules::unknown) find_granules(pattern);
  append(warp, access);
}

/// Notes the accesses that the warp has repeated.
void SharedRaces::leave_round(uint32_t warp) {
  WarpState& state = warps_[warp];
  if (!state.repeats) return;
  state.repeats = false;
  if (round_ == kNoRound) return;
  const Cursor reached = std::exchange(cursors_[warp], Cursor{});
  const Repeated* repeated = state.repeated.data();
  for (const Step* step = rounds_[round_].steps[warp].data(); step != reached.expected; ++step, ++repeated) {
    Logged access;
    access.pattern = step->pattern;
    access.site = step->site();
    access.offset = step->offset();
    access.changed = repeated->changed;
    access.order = repeated->order;
    access.synchronisations = reached.first_synchronisations + step->synchronisations();
    append(warp, access);
  }
}

/// False: some warp has done something different.
bool SharedRaces::end_repeated_round() {
  if (!std::all_of(warps_.begin(), warps_.end(), [](const WarpState& state) { return state.repeats; })) return false;
  if (round_ == kNoRound) return true;  // no access at all
  for (size_t i = 0; i < warps_.size(); ++i) {
    const Cursor& cursor = cursors_[i];
    if (cursor.expected == rounds_[round_].steps[i].data()) continue;
    warps_[i].synchronisations = cursor.first_synchronisations + (cursor.expected - 1)->synchronisations();
  }
  if (last_round_ != kNoRound) rounds_[last_round_].next = round_;
  last_round_ = round_;
  kept_in_vain_ = 0;
  return true;
}

/// No two warps have touched a common granule since the last barrier of all threads.
void SharedRaces::keep_round() {
  if (!keeps_rounds_) return;
  Round round;
  size_t count = 0;
  for (const WarpState& state : warps_) {
    const std::vector<Logged>& log = state.open->log;
    std::vector<Step>& steps = round.steps.emplace_back();
    count += log.size();
    if (!state.may_repeat || count > kMostSteps) return;
    if (log.empty()) continue;
    if (log.back().synchronisations - log.front().synchronisations >= Step::kManySynchronisations) return;
    steps.reserve(log.size());
    for (const Logged& access : log)
      steps.emplace_back(*access.pattern, access.site, access.offset,
                         access.synchronisations - log.front().synchronisations);
  }
  if (rounds_.size() == kMostRounds || kept_steps_ + count > kMostSteps) forget_rounds();
  if (++kept_in_vain_ > kMostInVain) {
    keeps_rounds_ = false;
    forget_rounds();
    return;
  }
  kept_steps_ += count;
  const size_t number = rounds_.size();
  rounds_.push_back(std::move(round));
  if (last_round_ != kNoRound) rounds_[last_round_].next = number;
  last_round_ = number;
}

/// No warp repeats a round.
void SharedRaces::forget_rounds() {
  rounds_.clear();
  round_ = last_round_ = kNoRound;
  kept_steps_ = 0;
}

}  // namespace tilescope
