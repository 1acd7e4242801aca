// Barriers of a block (PTX ISA 9.0, section 9.7.13.1). machine/barriers.cpp tracks the arrivals.
#include <array>
#include <bit>

#include "engine/sim/machine/barriers.hpp"
#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/isa.hpp"

namespace tilescope {
namespace {

/// Lanes that name the same barrier and the same number of threads arrive together.
template <class Arrive>
const Operation* arrive_in_groups(Warp& warp, const Operation* operation, uint32_t mask, const uint32_t* counts,
                                  const Arrive& arrive) {
  const auto* ids = warp.source<uint32_t>(operation->a);
  for (uint32_t left = mask; left != 0;) {
    const auto first = static_cast<size_t>(std::countr_zero(left));
    uint32_t lanes = 0;
    for (uint32_t other = left; other != 0; other &= other - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(other));
      if (ids[lane] == ids[first] && counts[lane] == counts[first]) lanes |= 1U << lane;
    }
    left &= ~lanes;
    arrive(lanes, ids[first], counts[first]);
  }
  return warp.go_on(operation);
}

/// bar.sync a{, b}: barrier a, for b threads or for all.
const Operation* BarrierSync(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* counts = warp.source<uint32_t>(operation->b);
  return arrive_in_groups(warp, operation, mask, counts, [&](uint32_t lanes, uint32_t id, uint32_t count) {
    warp.machine->barriers().arrive(warp, operation, lanes, {.id = id, .count = count});
  });
}

const Operation* BarrierArrive(Warp& warp, const Operation* operation, uint32_t mask) {
  const auto* counts = warp.source<uint32_t>(operation->b);
  return arrive_in_groups(warp, operation, mask, counts, [&](uint32_t lanes, uint32_t id, uint32_t count) {
    warp.machine->barriers().arrive(warp, operation, lanes, {.id = id, .count = count, .goes_on = true});
  });
}

// The result for the lanes that waited when the barrier opens.
struct CountVotes {
  static void give(Warp& warp, const Operation* operation, uint32_t lanes, const Block::Barrier& barrier) {
    auto* out = warp.destination<uint32_t>(operation->dst);
    for (; lanes != 0; lanes &= lanes - 1) out[std::countr_zero(lanes)] = barrier.votes;
  }
};
struct AllVotes {
  static void give(Warp& warp, const Operation* operation, uint32_t lanes, const Block::Barrier& barrier) {
    warp.set_predicate(operation->dst, barrier.votes == barrier.voters ? 0xffffffff : 0, lanes);
  }
};
struct AnyVotes {
  static void give(Warp& warp, const Operation* operation, uint32_t lanes, const Block::Barrier& barrier) {
    warp.set_predicate(operation->dst, barrier.votes != 0 ? 0xffffffff : 0, lanes);
  }
};

/// bar.red a{, b}, p.
template <class How, bool counted>
const Operation* BarrierReduce(Warp& warp, const Operation* operation, uint32_t mask) {
  static constexpr std::array<uint32_t, 32> kAll{};
  const uint32_t votes = warp.predicate(counted ? operation->c : operation->b);
  const auto* counts = counted ? warp.source<uint32_t>(operation->b) : kAll.data();
  return arrive_in_groups(warp, operation, mask, counts, [&](uint32_t lanes, uint32_t id, uint32_t count) {
    warp.machine->barriers().arrive(warp, operation, lanes,
                                    {.id = id, .count = count, .votes = votes & lanes, .voters = lanes});
  });
}

template <class How>
bool reduces(const Operation& operation) {
  return operation.run == &BarrierReduce<How, false> || operation.run == &BarrierReduce<How, true>;
}

}  // namespace

void give_votes(Warp& warp, const Operation* operation, uint32_t lanes, const Block::Barrier& barrier) {
  if (reduces<CountVotes>(*operation)) CountVotes::give(warp, operation, lanes, barrier);
  if (reduces<AllVotes>(*operation)) AllVotes::give(warp, operation, lanes, barrier);
  if (reduces<AnyVotes>(*operation)) AnyVotes::give(warp, operation, lanes, barrier);
}

bool goes_on_after(const Operation& operation) { return operation.run == &BarrierArrive; }

std::span<const IsaRow> barrier_rows() {
  static constexpr IsaRow kRows[] = {
#define ISA(opcode, shape, handler) {opcode, shape, &handler},
#define ISA_BARRIER
#include "engine/sim/program/isa.def"
#undef ISA_BARRIER
#undef ISA
  };
  return kRows;
}

}  // namespace tilescope
