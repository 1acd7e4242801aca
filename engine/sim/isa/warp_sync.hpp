// Instructions that the lanes named in a member mask execute together, even if their paths have diverged (PTX ISA 9.0,
// sections 9.7.9.6, 9.7.13.5 and following: "wait until all non-exited threads corresponding to membermask have
// executed" it "with the same qualifiers and same membermask value"). An instruction is written as a body
//
//     void Body(Warp&, const Operation*, uint32_t lanes, uint32_t members)
//
// for the lanes that execute it and the lanes that the mask names; named lanes that are not in `lanes` have left the
// kernel, or never existed. The table's handler is Together<Body, MaskIn::b>.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/sim/state/warp.hpp"

namespace tilescope {

using WarpBody = void (*)(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t members);

/// The operand that holds the member mask.
enum class MaskIn : uint8_t { a, b, fourth };

template <MaskIn where>
uint16_t mask_slot(const Operation* operation) {
  return where == MaskIn::a   ? operation->a
         : where == MaskIn::b ? operation->b
                              : static_cast<uint16_t>(operation->immediate & 0xffff);
}

/// Not all lanes have arrived, or their masks differ: lanes whose members have all arrived execute the body, the others
/// wait.
const Operation* meet(Warp& warp, const Operation* operation, uint32_t lanes, const uint32_t* masks, WarpBody body);

/// A shuffle's lanes read from `source` where `inside` is set: reports lanes whose source is named but has exited.
void check_shuffle_sources(Warp& warp, const Operation* operation, uint32_t lanes, uint32_t members, uint32_t inside,
                           const uint32_t* source);

template <WarpBody body, MaskIn where>
const Operation* Together(Warp& warp, const Operation* operation, uint32_t lanes) {
  const uint16_t slot = mask_slot<where>(operation);
  const auto* masks = warp.source<uint32_t>(slot);
  const uint32_t members = masks[std::countr_zero(lanes)];
  uint32_t difference = (members & warp.live) ^ lanes;
  if (lanes == 0xffffffff)
    for (uint32_t lane = 0; lane < 32; ++lane) difference |= masks[lane] ^ members;
  else
    for (uint32_t left = lanes; left != 0; left &= left - 1) difference |= masks[std::countr_zero(left)] ^ members;
  if (difference != 0) return meet(warp, operation, lanes, masks, body);
  ++warp.synchronisations;
  body(warp, operation, lanes, members);
  return operation + 1;
}

}  // namespace tilescope
