// Tracks the arrivals at a block's barriers, opens them, and reports why a barrier never opens.
//
// A barrier instruction waits for all lanes of its warp that have not left the kernel, and then "marks the warp's
// arrival"; a thread count counts 32 for a warp (PTX ISA 9.0, section 9.7.13.1). Without a count the barrier opens when
// all threads that have not left the kernel have arrived (CUDA C++ Programming Guide, compute capability 7.x). Threads
// that have left earlier are still reported: the guide allows __syncthreads in conditional code only if the condition
// is the same for the whole block, and the writes of the missing threads would be missing too.
#include "engine/sim/machine/barriers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace tilescope {
namespace {

uint32_t count_lanes(uint32_t lanes) { return static_cast<uint32_t>(std::popcount(lanes)); }

Phrase threads_text(uint64_t count) { return count == 1 ? Phrase("1 thread") : phrase("{} threads", count); }

Phrase expected_text(uint32_t count) { return count == 0 ? Phrase("all threads") : threads_text(count); }

/// "lanes 0-3, 7".
Phrase lanes_text(uint32_t lanes) {
  const bool one = count_lanes(lanes) == 1;
  std::string text;
  for (bool first = true; lanes != 0; first = false) {
    const auto low = static_cast<uint32_t>(std::countr_zero(lanes));
    const auto run = static_cast<uint32_t>(std::countr_one(lanes >> low));
    text += fmt::format("{}{}", first ? "" : ", ", low);
    if (run > 1) text += fmt::format("-{}", low + run - 1);
    lanes &= low + run >= 32 ? 0 : ~uint32_t{0} << (low + run);
  }
  return one ? phrase("lane {}", text) : phrase("lanes {}", text);
}

}  // namespace

void Barriers::note_exit(uint32_t lanes) { running_.block->live_threads -= count_lanes(lanes); }

void Barriers::arrive(Warp& warp, const Operation* operation, uint32_t lanes, BarrierCall call) {
  if (call.id >= running_.block->barriers.size())
    findings_.report_lanes(warp, operation, lanes, "invalid-barrier",
                           phrase("there is no barrier {}: a block has barriers 0 to 15", call.id));
  if (call.count % 32 != 0 || (call.count == 0 && call.goes_on))
    findings_.report_lanes(warp, operation, lanes, "invalid-barrier",
                           call.count == 0 ? phrase("bar.arrive at barrier {} without a number of threads", call.id)
                                           : phrase("barrier {} is for {}, which is not a multiple of 32", call.id,
                                                    threads_text(call.count)));
  const uint32_t id = call.id % 16;
  Block::Barrier& barrier = running_.block->barriers[id];
  const bool used = barrier.warps != 0 || warp.waiting_at(id) != 0;
  if (used && !same_count(barrier.expected, call.count))
    findings_.report_lanes(warp, operation, lanes, "invalid-barrier",
                           phrase("barrier {} is used for {} and for {} at the same time", id,
                                  expected_text(barrier.expected), expected_text(call.count)));
  if (!used) barrier.expected = call.count;
  barrier.votes += count_lanes(call.votes);
  barrier.voters += count_lanes(call.voters);
  if (call.goes_on) races_.watch_arrival(warp, id);
  const bool whole = (lanes | warp.waiting_at(id)) == warp.live;
  if (!call.goes_on || !whole) warp.park(operation + 1, lanes, id);
  if (whole) mark_arrival(warp, id);
}

/// All threads of the block may also be given as a number.
bool Barriers::same_count(uint32_t a, uint32_t b) const {
  const auto all = static_cast<uint32_t>((setup_.block.count() + 31) / 32 * 32);
  return (a == all ? 0 : a) == (b == all ? 0 : b);
}

/// All lanes of the warp that can arrive have arrived.
void Barriers::mark_arrival(Warp& warp, uint32_t id) {
  Block::Barrier& barrier = running_.block->barriers[id];
  ++barrier.warps;
  barrier.threads += count_lanes(warp.live);
  for (uint32_t i = 0; i < warp.path_count; ++i) {
    Warp::Path& path = warp.paths[i];
    if (path.rank != Warp::kWaiting || path.barrier != id || !goes_on_after(path.at[-1])) continue;
    path.rank = warp.rank_of(path.at);
    path.barrier = 0;
  }
}

void Barriers::complete_arrival(Warp& warp) {
  for (uint32_t id = 0; id < running_.block->barriers.size(); ++id) {
    const uint32_t lanes = warp.waiting_at(id);
    if (lanes != 0 && lanes == warp.live) mark_arrival(warp, id);
  }
}

bool Barriers::release(Block& block) {
  bool released = false;
  for (uint32_t id = 0; id < block.barriers.size(); ++id) {
    Block::Barrier& barrier = block.barriers[id];
    if (barrier.warps == 0) continue;
    if (barrier.expected != 0 ? barrier.warps * 32 < barrier.expected : barrier.threads < block.live_threads) continue;
    const uint64_t threads = setup_.block.count();
    if (barrier.expected == 0 && block.live_threads < threads)
      report_barrier(block, id, "divergent-barrier",
                     phrase("barrier {} is reached by {} of {} threads, the others have left the kernel", id,
                            block.live_threads, threads));
    if (setup_.checks) races_.watch_barrier(block, id);
    for (Warp& warp : block.warps) {
      if (warp.path_count == 0) continue;
      report_divergence(warp, id);
      for (uint32_t i = 0; i < warp.path_count; ++i) {
        const Warp::Path& path = warp.paths[i];
        if (path.rank == Warp::kWaiting && path.barrier == id) give_votes(warp, path.at - 1, path.lanes, barrier);
      }
      warp.release(id);
    }
    barrier = {};
    ++block.barriers_passed;
    released = true;
  }
  return released;
}

/// Lanes of one warp are at different instructions of the barrier, which is undefined if these are .aligned.
void Barriers::report_divergence(Warp& warp, uint32_t id) {
  const Warp::Path* first = nullptr;
  for (uint32_t i = 0; i < warp.path_count; ++i) {
    const Warp::Path& path = warp.paths[i];
    if (path.rank != Warp::kWaiting || path.barrier != id) continue;
    if (first == nullptr) {
      first = &path;
    } else if (path.at != first->at && (is_aligned(path.at - 1) || is_aligned(first->at - 1))) {
      findings_.report_lanes(
          warp, path.at - 1, path.lanes, "divergent-barrier",
          phrase("barrier {} is reached here by {} of {} threads of warp {}, others of them are at {}", id,
                 count_lanes(path.lanes), count_lanes(warp.live), warp.index, findings_.line_text(first->at - 1)));
    }
  }
}

bool Barriers::is_aligned(const Operation* operation) const {
  const std::string_view name = findings_.name_of_operation(operation);
  return name.starts_with("bar.") || name.find(".aligned") != std::string_view::npos;
}

/// Reports at the first thread that waits at the barrier.
void Barriers::report_barrier(Block& block, uint32_t barrier, FindingId id, const Phrase& what) {
  for (Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.path_count; ++i) {
      const Warp::Path& path = warp.paths[i];
      if (path.rank != Warp::kWaiting || path.barrier != barrier) continue;
      findings_.report_lanes(warp, path.at - 1, path.lanes & (0U - path.lanes), id, what);
      return;
    }
  }
}

namespace {

/// Threads of a block that wait at the same instruction.
struct WaitingPlace {
  const Operation* operation;
  uint32_t barrier;
  Warp* warp;        // that of the first waiting thread
  uint32_t lanes;    // of that warp
  uint32_t missing;  // lanes of that warp for which they wait
  uint32_t threads = 0;
};

/// Lanes of the warp that `path` waits for but that do not wait with it.
uint32_t missing_lanes(const Warp& warp, const Warp::Path& path) {
  uint32_t here = 0;
  for (uint32_t i = 0; i < warp.path_count; ++i) {
    const Warp::Path& other = warp.paths[i];
    if (other.rank == Warp::kWaiting && other.barrier == path.barrier && other.members == path.members &&
        other.at->run == path.at->run)
      here |= other.lanes;
  }
  return path.members & warp.live & ~here;
}

std::vector<WaitingPlace> waiting_places(Block& block) {
  std::vector<WaitingPlace> places;
  for (Warp& warp : block.warps) {
    for (uint32_t i = 0; i < warp.path_count; ++i) {
      const Warp::Path& path = warp.paths[i];
      if (path.rank != Warp::kWaiting) continue;
      const Operation* operation = path.barrier == Warp::kForLanes ? path.at : path.at - 1;
      auto place = std::find_if(places.begin(), places.end(), [&](const WaitingPlace& other) {
        return other.operation == operation && other.barrier == path.barrier;
      });
      if (place == places.end())
        place = places.insert(places.end(), {operation, path.barrier, &warp, path.lanes, missing_lanes(warp, path)});
      place->threads += count_lanes(path.lanes);
    }
  }
  return places;
}

}  // namespace

void Barriers::report_deadlock(Block& block) {
  const std::vector<WaitingPlace> places = waiting_places(block);
  for (const WaitingPlace& place : places) {
    Phrase others;
    size_t named = 0;
    const auto add = [&](const Phrase& text) { others = named++ == 0 ? text : phrase("{}, {}", others, text); };
    uint32_t there = 0;
    for (const WaitingPlace& other : places) {
      const Phrase where = findings_.line_text(other.operation);
      if (other.barrier == place.barrier) there += other.threads;
      if (&other == &place || others.english().size() > 300) continue;
      if (other.barrier == Warp::kForLanes)
        add(phrase("{} in {} ({})", threads_text(other.threads), findings_.name_of_operation(other.operation), where));
      else
        add(phrase("{} at barrier {} ({})", threads_text(other.threads), other.barrier, where));
    }
    uint32_t waiting = 0;
    for (const WaitingPlace& other : places) waiting += other.threads;
    if (waiting < block.live_threads) add(phrase("{} in loops", threads_text(block.live_threads - waiting)));
    const uint64_t left = setup_.block.count() - block.live_threads;
    if (left != 0) add(phrase("{} that left the kernel", threads_text(left)));
    Phrase what;
    if (place.barrier == Warp::kForLanes) {
      what = phrase("{} in {} wait for {} of warp {}, which never come", threads_text(place.threads),
                    findings_.name_of_operation(place.operation), lanes_text(place.missing), place.warp->index);
    } else {
      const Block::Barrier& barrier = block.barriers[place.barrier];
      const uint32_t arrived = barrier.expected != 0 ? barrier.warps * 32 : barrier.threads;
      what = phrase("barrier {} is reached by {} of {}", place.barrier, std::max(there, arrived),
                    threads_text(barrier.expected != 0 ? barrier.expected : block.live_threads));
    }
    if (named != 0) what = phrase("{}; elsewhere are {}", what, others);
    findings_.report_lanes(*place.warp, place.operation, place.lanes, "deadlock", what);
  }
}

}  // namespace tilescope
