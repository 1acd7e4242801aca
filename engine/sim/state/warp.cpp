#include "engine/sim/state/warp.hpp"

namespace tilescope {

void run_warp(Warp& warp, const Operation* next) {
  run_turn(warp, next, [](const Operation*) {});
}

void Warp::add_path(uint64_t rank, const Operation* where, uint32_t lanes, uint32_t barrier, uint32_t members) {
  for (uint32_t i = 0; i < path_count; ++i) {
    Path& path = paths[i];
    if (path.rank == rank && path.at == where && path.barrier == barrier && path.members == members) {
      path.lanes |= lanes;
      return;
    }
  }
  paths[path_count++] = {rank, where, lanes, barrier, members};
}

const Operation* Warp::take(uint32_t path) {
  const Path taken = paths[path];
  paths[path] = paths[--path_count];
  active = taken.lanes;
  find_stop(taken.rank % 2 == 0 ? taken.rank : rank_of(taken.at));
  return taken.at;
}

/// The running path has this rank; it must call look_up() where the next path waits.
void Warp::find_stop(uint64_t rank) {
  uint64_t lowest = kWaiting;
  for (uint32_t i = 0; i < path_count; ++i)
    if (paths[i].rank > rank && paths[i].rank < lowest) lowest = paths[i].rank;
  stop = lowest == kWaiting ? nullptr : code + (lowest + 1) / 2;
}

const Operation* Warp::resume(const Operation* from) {
  uint32_t earliest = path_count;
  for (uint32_t i = 0; i < path_count; ++i)
    if (paths[i].rank != kWaiting && (earliest == path_count || paths[i].rank < paths[earliest].rank)) earliest = i;
  if (earliest < path_count) {
    const Operation* next = take(earliest);
    return slice <= 0 ? leave(next) : next;
  }
  active = 0;
  state = path_count == 0 ? State::finished : State::at_barrier;
  return leave(from + 1);
}

void Warp::add_branch(const Operation* target, uint32_t lanes, int64_t loop_end) {
  if (loop_end >= 0) --slice;
  add_path(loop_end < 0 ? rank_of(target) : 2 * static_cast<uint64_t>(loop_end) + 1, target, lanes);
}

const Operation* Warp::branch(const Operation* from, const Operation* target, uint32_t taken, int64_t loop_end) {
  const uint32_t rest = active & ~taken;
  if (rest != 0) add_path(rank_of(from + 1), from + 1, rest);
  add_branch(target, taken, loop_end);
  return resume(from);
}

const Operation* Warp::exit(const Operation* from, uint32_t lanes) {
  live &= ~lanes;
  active &= ~lanes;
  if (lanes_wait) {
    lanes_left();
    return go_on(from);
  }
  return active != 0 ? from + 1 : resume(from);
}

void Warp::park(const Operation* where, uint32_t lanes, uint32_t barrier, uint32_t members) {
  add_path(kWaiting, where, lanes, barrier, members);
  active &= ~lanes;
  lanes_wait = true;
}

const Operation* Warp::go_on(const Operation* from) {
  if (active != 0) add_path(rank_of(from + 1), from + 1, active);
  return resume(from);
}

uint32_t Warp::waiting_at(uint32_t barrier) const {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < path_count; ++i)
    if (paths[i].rank == kWaiting && paths[i].barrier == barrier) lanes |= paths[i].lanes;
  return lanes;
}

bool Warp::look_up(const Operation*& next) {
  at = next;
  if (state != State::ready || slice <= 0) return false;
  add_path(rank_of(next), next, active);
  next = resume(next);
  return true;
}

void Warp::release(uint32_t barrier) {
  for (uint32_t i = 0; i < path_count; ++i) {
    if (paths[i].rank != kWaiting || paths[i].barrier != barrier) continue;
    paths[i].rank = rank_of(paths[i].at);
    paths[i].barrier = 0;
    if (state == State::at_barrier) state = State::ready;
  }
}

const Operation* Warp::begin_turn(int32_t turn_slice, bool others_first) {
  slice = turn_slice;
  if (active == 0) return resume(at);
  if (!others_first || path_count == 0) {
    find_stop(rank_of(at));
    return at;
  }
  // The next path after the running one goes first; after the last one, the earliest again.
  const uint64_t own = rank_of(at);
  add_path(own, at, active);
  uint32_t chosen = path_count;
  for (uint32_t i = 0; i < path_count; ++i)
    if (paths[i].rank != kWaiting && paths[i].rank > own &&
        (chosen == path_count || paths[i].rank < paths[chosen].rank))
      chosen = i;
  return chosen < path_count ? take(chosen) : resume(at);
}

}  // namespace tilescope
