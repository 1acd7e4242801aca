// Registers share a slot exactly if they are never live at the same time.
#include "engine/sim/lower/liveness.hpp"

#include <gtest/gtest.h>

#include "engine/sim/lower/resolve.hpp"
#include "engine/sim/ptx/parser.hpp"
#include "ptx_text.hpp"

namespace tilescope {
namespace {

struct Assigned {
  std::shared_ptr<const PtxModule> module;
  RegisterSlots slots;
  /// %r1 is the register after the nine predicates, the nine 16-bit registers, and %r0.
  uint16_t r(size_t number) const { return slots.slot[18 + number]; }
};

Assigned assign(const std::string& body) {
  Assigned assigned;
  assigned.module = *parse_ptx(kernel_around(body));
  const PtxFunction& function = assigned.module->functions[0];
  std::vector<RegisterUse> uses;
  for (const auto& instruction : function.instructions)
    uses.push_back(register_use(instruction, *resolve(function, instruction).row));
  assigned.slots = *assign_slots(function, *build_control_flow(function), uses);
  return assigned;
}

TEST(Liveness, AFinishedValuesSlotIsUsedAgain) {
  const auto assigned =
      assign("mov.u32 %r1, 1;\nadd.s32 %r2, %r1, 1;\nadd.s32 %r3, %r2, 1;\nadd.s32 %r4, %r3, 1;\nret;");
  EXPECT_EQ(assigned.r(1), assigned.r(3));
  EXPECT_EQ(assigned.r(2), assigned.r(4));
  EXPECT_NE(assigned.r(1), assigned.r(2));
  EXPECT_EQ(assigned.slots.slots, 4U);  // two 32-bit registers
}
TEST(Liveness, AValueThatALoopNeedsKeepsItsSlotThroughoutIt) {
  const auto assigned =
      assign("mov.u32 %r1, 1;\nL: add.s32 %r2, %r1, 1;\nadd.s32 %r3, %r2, 1;\nadd.s32 %r4, %r3, 1;\n@%p1 bra L;\nret;");
  for (size_t other : {2, 3, 4}) EXPECT_NE(assigned.r(1), assigned.r(other));
}
TEST(Liveness, AGuardedWriteNeedsTheOldValue) {
  const auto assigned = assign(
      "mov.u32 %r1, 1;\nmov.u32 %r2, 5;\nadd.s32 %r3, %r2, 1;\n@%p1 mov.u32 %r1, 2;\nadd.s32 %r4, %r1, %r3;\nret;");
  EXPECT_NE(assigned.r(1), assigned.r(2));
  EXPECT_NE(assigned.r(1), assigned.r(3));
}
TEST(Liveness, WhatIsReadBeforeItIsWrittenIsKnown) {
  const auto assigned = assign("add.s32 %r2, %r1, 1;\n@%p1 bra L;\nmov.u32 %r3, 1;\nL: add.s32 %r4, %r3, %r2;\nret;");
  EXPECT_EQ(assigned.slots.at_entry, (std::vector<uint32_t>{1, 19, 21}));  // %p1, %r1, %r3
}

}  // namespace
}  // namespace tilescope
