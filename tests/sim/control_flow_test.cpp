// The layout keeps loops contiguous and puts every join after the branches that lead to it.
#include "engine/sim/lower/control_flow.hpp"

#include <gtest/gtest.h>

#include <map>

#include "engine/sim/ptx/parser.hpp"
#include "ptx_text.hpp"

namespace tilescope {
namespace {

/// The layout, with blocks named by their labels.
struct Laid {
  std::string order;              // labels in layout order; '-' for a block without one
  std::map<char, char> loop_end;  // head → last block of its loop
};

Laid lay_out(const std::string& body) {
  const auto module = parse_ptx(kernel_around(body));
  EXPECT_TRUE(module.has_value());
  const PtxFunction& function = (*module)->functions[0];
  const auto flow = build_control_flow(function);
  EXPECT_TRUE(flow.has_value());
  const auto name = [&](uint32_t block) {
    for (const auto& [label, at] : function.labels)
      if (at == flow->blocks[block].first) return label[0];
    return '-';
  };
  Laid laid;
  for (uint32_t block : flow->layout) {
    laid.order += name(block);
    const uint32_t end = flow->loop_end[block];
    if (end != kNoIndex) laid.loop_end[name(block)] = name(flow->layout[end]);
  }
  return laid;
}

TEST(ControlFlow, AJoinComesBehindBothBranches) {
  EXPECT_EQ(lay_out("A: @%p1 bra C;\nB: bra D;\nC: bra D;\nD: ret;").order, "ABCD");
  EXPECT_EQ(lay_out("A: @%p1 bra C;\nB: bra D;\nD: ret;\nC: bra D;").order, "ABCD");  // C follows D in the text
}
TEST(ControlFlow, ALoopStaysTogetherWhereverItsBlocksStand) {
  const auto laid = lay_out("A: mov.u32 %r1, 0;\nB: @%p1 bra E;\nC: @%p2 bra F;\nD: bra B;\nE: ret;\nF: bra D;");
  EXPECT_EQ(laid.order, "ABCFDE");
  EXPECT_EQ(laid.loop_end.at('B'), 'D');
}
TEST(ControlFlow, LoopsNest) {
  const auto laid =
      lay_out("A: mov.u32 %r1, 0;\nB: mov.u32 %r2, 0;\nC: add.s32 %r2, %r2, 1;\n@%p1 bra C;\nD: @%p2 bra B;\nE: ret;");
  EXPECT_EQ(laid.order, "ABCDE");
  EXPECT_EQ(laid.loop_end.at('B'), 'D');
  EXPECT_EQ(laid.loop_end.at('C'), 'C');
}
TEST(ControlFlow, ALoopWithTwoEntriesIsLaidOutTogetherToo) {
  const auto laid = lay_out("A: @%p1 bra C;\nB: mov.u32 %r1, 0;\nC: @%p2 bra B;\nD: ret;");
  EXPECT_EQ(laid.order.front(), 'A');
  EXPECT_EQ(laid.order.back(), 'D');
  EXPECT_EQ(laid.loop_end.size(), 1U);
}
TEST(ControlFlow, CodeThatCannotBeReachedIsLeftOut) { EXPECT_EQ(lay_out("A: bra C;\nB: bra B;\nC: ret;").order, "AC"); }
TEST(ControlFlow, ALabelThatIsNotThereIsAnError) {
  const auto module = parse_ptx(kernel_around("bra NOWHERE;"));
  const auto flow = build_control_flow((*module)->functions[0]);
  ASSERT_FALSE(flow.has_value());
  EXPECT_EQ(flow.error().message, "PTX line 12: there is no label 'NOWHERE'");
}

}  // namespace
}  // namespace tilescope
