#include "engine/sim/isa/warp_sync.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/sim/machine/machine.hpp"
#include "engine/sim/program/isa.hpp"

namespace tilescope {
namespace {

std::string mask_text(uint32_t mask) { return fmt::format("{:#010x}", mask); }

/// Lanes of one instruction with the same member mask.
struct MemberGroup {
  uint32_t lanes, members;
  uint32_t given;  // the mask of the first lane
};

struct MemberGroups {
  std::array<MemberGroup, 32> groups{};
  size_t count = 0;
};

/// Lanes whose masks overlap but differ are reported, and treated as one group.
MemberGroups group_lanes(Warp& warp, const Operation* operation, uint32_t lanes, const uint32_t* masks) {
  Findings& findings = warp.machine->findings();
  MemberGroups result;
  uint32_t not_named = 0;
  for (uint32_t left = lanes; left != 0; left &= left - 1) {
    const uint32_t own = left & (0U - left);
    const uint32_t given = masks[std::countr_zero(left)];
    if ((given & own) == 0) not_named |= own;
    const auto same = [&](const MemberGroup& group) { return group.given == given; };
    const auto overlaps = [&](const MemberGroup& group) { return ((group.given & own) | (group.lanes & given)) != 0; };
    const auto end = result.groups.begin() + static_cast<ptrdiff_t>(result.count);
    auto group = std::find_if(result.groups.begin(), end, same);
    if (group == end) {
      group = std::find_if(result.groups.begin(), end, overlaps);
      if (group != end)
        findings.report_lanes(warp, operation, own, "warp-sync-mask",
                              phrase("lanes that execute {} together give the member masks {} and {}",
                                     findings.name_of_operation(operation), mask_text(group->given), mask_text(given)));
    }
    if (group == end) {
      *group = {0, 0, given};
      ++result.count;
    }
    group->lanes |= own;
    group->members |= given | own;
  }
  if (not_named != 0)
    findings.report_lanes(warp, operation, not_named, "warp-sync-mask",
                          phrase("{} is executed by lane {}, which its member mask {} does not name",
                                 findings.name_of_operation(operation), std::countr_zero(not_named),
                                 mask_text(masks[std::countr_zero(not_named)])));
  return result;
}

/// Whether the block has that thread, even if it has left the kernel.
bool was_there(const Warp& warp, uint32_t lane) {
  return uint64_t{warp.index} * 32 + lane < warp.machine->setup().block.count();
}

bool waits_for(const Warp::Path& path, const Operation* operation, uint32_t members) {
  return path.rank == Warp::kWaiting && path.barrier == Warp::kForLanes && path.at->run == operation->run &&
         path.members == members;
}

uint32_t bytes_of_kind(char kind) { return kind == '8' ? 8 : 4; }

/// Registers of one operation that collect the operands of several.
class SharedOperands {
 public:
  SharedOperands(Warp& warp, const Operation* operation) : warp_(warp), operation_(*operation) {
    for (const IsaRow& row : warp_rows())
      if (row.run == operation->run) shape_ = row.shape;
    scratch_.base = {registers_.data(), registers_.data()};
    scratch_.predicates = predicates_.data();
    predicates_[0] = 0xffffffff;
    scratch_.live = warp.live;
    const bool result_is_predicate = shape_[0] == 'p';
    operation_.dst = result_is_predicate ? 1 : kOperandSlots;
    operation_.extra = 2;
  }

  void take(const Operation& from, uint32_t lanes) {
    const std::array<uint16_t, 4> given = {from.a, from.b, from.c, static_cast<uint16_t>(from.immediate & 0xffff)};
    const std::string_view sources = sources_of_shape();
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i] == 'p')
        predicates_[3 + i] = (predicates_[3 + i] & ~lanes) | (warp_.predicate(given[i]) & lanes);
      else
        copy(scratch_.destination<uint8_t>(slot_of(i)), warp_.source<uint8_t>(given[i]), bytes_of_kind(sources[i]),
             lanes);
    }
  }

  void run(WarpBody body, uint32_t lanes, uint32_t members) {
    const std::string_view sources = sources_of_shape();
    const std::array<uint16_t*, 3> fields = {&operation_.a, &operation_.b, &operation_.c};
    for (size_t i = 0; i < sources.size(); ++i) {
      const auto place = static_cast<uint16_t>(sources[i] == 'p' ? 2 * (3 + i) : slot_of(i));
      if (i < fields.size())
        *fields[i] = place;
      else
        operation_.immediate = place;
    }
    body(scratch_, &operation_, lanes, members);
  }

  void give(const Operation& to, uint32_t lanes) {
    if (shape_[0] == 'p') warp_.set_predicate(to.dst, predicates_[1], lanes);
    if (shape_[0] == '4') copy(warp_.destination<uint8_t>(to.dst), scratch_.source<uint8_t>(operation_.dst), 4, lanes);
    if (to.extra != 0) warp_.set_predicate(to.extra, predicates_[2], lanes);
  }

 private:
  static constexpr uint16_t kSlotsOfOperand = 8 * 32 / kSlotBytes, kOperandSlots = 4 * kSlotsOfOperand;

  std::string_view sources_of_shape() const { return shape_.substr(shape_.find('=') + 1); }
  static uint16_t slot_of(size_t source) { return static_cast<uint16_t>(source * kSlotsOfOperand); }
  static void copy(uint8_t* to, const uint8_t* from, uint32_t bytes, uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const size_t at = static_cast<size_t>(std::countr_zero(lanes)) * bytes;
      std::memcpy(to + at, from + at, bytes);
    }
  }

  Warp& warp_;
  Operation operation_;
  std::string_view shape_ = "=";
  alignas(64) std::array<uint8_t, 5 * 8 * 32> registers_{};
  std::array<uint32_t, 8> predicates_{};
  Warp scratch_;
};

/// The lanes have reached different instructions of the same kind.
void run_apart(Warp& warp, const Operation* operation, const MemberGroup& group, WarpBody body) {
  SharedOperands operands(warp, operation);
  operands.take(*operation, group.lanes);
  uint32_t lanes = group.lanes;
  for (uint32_t i = 0; i < warp.path_count; ++i) {
    if (!waits_for(warp.paths[i], operation, group.members)) continue;
    operands.take(*warp.paths[i].at, warp.paths[i].lanes);
    lanes |= warp.paths[i].lanes;
  }
  operands.run(body, lanes, group.members);
  operands.give(*operation, group.lanes);
  for (uint32_t i = 0; i < warp.path_count; ++i)
    if (waits_for(warp.paths[i], operation, group.members)) operands.give(*warp.paths[i].at, warp.paths[i].lanes);
}

}  // namespace

const Operation* meet(Warp& warp, const Operation* operation, uint32_t lanes, const uint32_t* masks, WarpBody body) {
  const MemberGroups found = group_lanes(warp, operation, lanes, masks);
  bool others_go_on = false;
  warp.active &= ~lanes;
  for (size_t i = 0; i < found.count; ++i) {
    const MemberGroup& group = found.groups[i];
    uint32_t mates = 0;
    bool same_place = true;
    for (uint32_t k = 0; k < warp.path_count; ++k) {
      if (!waits_for(warp.paths[k], operation, group.members)) continue;
      mates |= warp.paths[k].lanes;
      same_place = same_place && warp.paths[k].at == operation;
    }
    if ((group.members & warp.live & ~(group.lanes | mates)) != 0) {
      warp.park(operation, group.lanes, Warp::kForLanes, group.members);
      ++warp.hidden;  // it counts once all members have arrived
      continue;
    }
    ++warp.synchronisations;
    if (same_place)
      body(warp, operation, group.lanes | mates, group.members);
    else
      run_apart(warp, operation, group, body);
    for (uint32_t k = 0; k < warp.path_count;) {
      Warp::Path& path = warp.paths[k];
      if (!waits_for(path, operation, group.members)) {
        ++k;
        continue;
      }
      if (path.at == operation) {
        warp.active |= path.lanes;
        path = warp.paths[--warp.path_count];
      } else {
        ++path.at;
        path.rank = warp.rank_of(path.at);
        path.barrier = path.members = 0;
        others_go_on = true;
        ++k;
      }
    }
    warp.active |= group.lanes;
  }
  if (warp.active != 0 && !others_go_on) return operation + 1;
  return warp.go_on(operation);
}

void Warp::lanes_left() {
  for (uint32_t i = 0; i < path_count; ++i) {
    Path& path = paths[i];
    if (path.rank != kWaiting || path.barrier != kForLanes) continue;
    uint32_t here = 0;
    for (uint32_t k = 0; k < path_count; ++k)
      if (waits_for(paths[k], path.at, path.members)) here |= paths[k].lanes;
    if ((path.members & live & ~here) != 0) continue;
    path.rank = rank_of(path.at);  // executes its instruction again, with all members present
    path.barrier = path.members = 0;
  }
  machine->barriers().complete_arrival(*this);
}

void check_shuffle_sources(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t members, uint32_t inside,
                           const uint32_t* source) {
  if (warp.machine == nullptr) return;
  uint32_t undefined = 0;
  for (uint32_t left = lanes & inside; left != 0; left &= left - 1) {
    const auto lane = static_cast<uint32_t>(std::countr_zero(left));
    if ((members & ~lanes) >> (source[lane] & 31) & 1) undefined |= 1U << lane;
  }
  if (undefined == 0) return;
  const auto first = static_cast<size_t>(std::countr_zero(undefined));
  const uint32_t lane = source[first] & 31;
  Findings& findings = warp.machine->findings();
  const std::string_view name = findings.name_of_operation(operation);
  findings.report_lanes(
      warp, operation, undefined, "inactive-lane",
      was_there(warp, lane)
          ? phrase("{} reads from lane {}, which the member mask {} names and which has left the kernel", name, lane,
                   mask_text(members))
          : phrase("{} reads from lane {}, which the member mask {} names and which the block does not have", name,
                   lane, mask_text(members)));
}

}  // namespace tilescope
