// Lanes and warps wait for one another as on compute capability 7.0 and later (PTX ISA 9.0, sections 9.7.9.6 and
// 9.7.13); deadlocks and undefined behaviour are found, and similar correct code is not.
#include <bit>
#include <numeric>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

using Integers = std::vector<int>;

Integers scattered(size_t count) {
  Integers values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 37 % 101);
  return values;
}

/// The messages of all findings.
std::vector<std::string> messages_of(const LaunchReport& report) {
  std::vector<std::string> messages;
  for (const Finding& finding : report.findings) messages.push_back(with_marks(finding.message));
  return messages;
}
using Messages = std::vector<std::string>;

TEST(WarpSync, LanesInBothBranchesShuffleWithOneAnother) {
  Machinery machine;
  const Integers in = scattered(64);
  machine.input("in", in);
  const size_t out = machine.output<int>("out", 64);
  const auto report = machine.run(module_of("synchronisation"), "shuffle_in_branches", {1, 1, 1}, {64, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  Integers expected(64);
  for (size_t i = 0; i < 64; ++i) {
    const size_t warp = i & 32;  // an even lane offers its value + 100, an odd one its value
    expected[i] = i % 2 == 1 ? 2 * in[i] + in[warp + 4] + 100 : 5 - in[warp + 7];
  }
  EXPECT_EQ(machine.download<int>(out), expected);
}
TEST(WarpSync, LanesInBothBranchesVoteTogether) {
  Machinery machine;
  const size_t out = machine.output<uint32_t>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "vote_in_branches", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  const uint32_t ballot = 0x3ffffe00;  // lanes 9 to 29
  const auto result = machine.download<uint32_t>(out);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], i < 20 ? ballot + 1 : ballot ^ 5) << i;
}
TEST(WarpSync, LanesInBothBranchesReduceTogether) {
  Machinery machine;
  const size_t out = machine.output<uint32_t>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "reduce_in_branches", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  const uint32_t sum = 0 + 3 + 6 + 9 + 12 + 15 + 18 + 21 + 24 + 27 + 30 + 21 * 1000;
  const auto result = machine.download<uint32_t>(out);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], i % 3 == 0 ? sum * 3 : sum + 7) << i;
}
TEST(WarpSync, SyncwarpAtTwoPlacesHandsOverSharedMemory) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "hand_over_in_branches", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  const auto result = machine.download<int>(out);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(result[static_cast<size_t>(i)], i < 16 ? -1 : 3 * (31 - i)) << i;
}
TEST(WarpSync, GroupsOfLanesWithMasksOfTheirOwnShareAnInstruction) {
  Machinery machine;
  const Integers in = scattered(32);
  machine.input("in", in);
  const size_t out = machine.output<int>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "tiles_of_eight", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  const auto result = machine.download<int>(out);
  for (size_t i = 0; i < 32; ++i)
    EXPECT_EQ(result[i], std::accumulate(in.begin() + static_cast<ptrdiff_t>(i / 8 * 8),
                                         in.begin() + static_cast<ptrdiff_t>(i / 8 * 8 + 8), 0));
}
TEST(WarpSync, GroupsOfLanesGoRoundALoopAsOftenAsTheyLike) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "tiles_in_loops", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  const auto result = machine.download<int>(out);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], i / 8 * 8 + (i + i / 8 + 1) % 8) << i;
}
TEST(WarpSync, PartOfAWarpReducesUnderABallotMask) {
  Machinery machine;
  const Integers in = scattered(32);
  machine.input("in", in);
  const size_t out = machine.output<int>("out", 1);
  machine.value(23);
  const auto report = machine.run(module_of("synchronisation"), "partial_warp", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});  // it is common to read from lanes outside the mask without using the
                                               // value
  EXPECT_EQ(machine.download<int>(out)[0], std::accumulate(in.begin(), in.begin() + 23, 0));
}
TEST(WarpSync, LanesThatHaveLeftAreNotWaitedFor) {
  Machinery machine;
  const Integers in = scattered(32);
  machine.input("in", in);
  const size_t out = machine.output<int>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "leave_and_shuffle", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  const auto result = machine.download<int>(out);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(result[i], in[i ^ 8] + 1000) << i;
}
TEST(WarpSync, LanesThatLeaveLaterLetThoseGoOnThatWaitForThem) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 16);
  machine.input("flag", Integers{0});
  const auto report = machine.run(module_of("synchronisation"), "leave_while_others_wait", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  EXPECT_EQ(machine.download<int>(out), Integers(16, 1));
}
TEST(WarpSync, AMaskThatDoesNotNameItsOwnLaneIsFound) {
  Machinery machine;
  machine.input("in", scattered(32));
  machine.output<int>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "mask_without_itself", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report),
            Messages{"warp sync mask: shfl.sync is executed by lane 16, which its member mask 0x0000ffff does not "
                     "name, kernels/synchronisation.cu:[shuffle], block (0,0,0) thread (16,0,0)"});
  EXPECT_EQ(report.findings[0].count, 16U);
}
TEST(WarpSync, LanesThatNameOneAnotherInDifferentMasksAreFound) {
  Machinery machine;
  machine.input("in", scattered(32));
  machine.output<int>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "masks_that_differ", {1, 1, 1}, {32, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "warp sync mask: lanes that execute shfl.sync together give the member masks 0xffffffff and 0xffff0000, "
            "kernels/synchronisation.cu:[shuffle], block (0,0,0) thread (16,0,0)");
}
TEST(WarpSync, LanesThatNeverComeAreADeadlockThatSaysWhereTheyAre) {
  Machinery machine;
  machine.output<int>("out", 32);
  const auto report = machine.run(module_of("synchronisation"), "wait_for_absent_lanes", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(messages_of(report),
            (Messages{"deadlock: 16 threads in bar.warp.sync wait for lanes 16-31 of warp 0, which never come; "
                      "elsewhere are 16 threads at barrier 0 (line [block]), kernels/synchronisation.cu:[warp], "
                      "block (0,0,0) thread (0,0,0)",
                      "deadlock: barrier 0 is reached by 16 of 32 threads; elsewhere are 16 threads in bar.warp.sync "
                      "(line [warp]), kernels/synchronisation.cu:[block], block (0,0,0) thread (16,0,0)"}));
  EXPECT_TRUE(report.stopped_by_finding);
}
TEST(WarpSync, AShuffleFromAThreadThatTheBlockDoesNotHaveIsFound) {
  Machinery machine;
  machine.input("in", scattered(20));
  machine.output<int>("out", 20);
  const auto report = machine.run(module_of("synchronisation"), "sum_of_short_warp", {1, 1, 1}, {20, 1, 1});
  EXPECT_EQ(messages_of(report),
            Messages{"inactive lane: shfl.sync reads from lane 20, which the member mask 0xffffffff names and which "
                     "the block does not have, kernels/synchronisation.cu:[shuffle], block (0,0,0) thread (4,0,0)"});
  EXPECT_EQ(report.findings[0].count, 12U);
  Machinery whole;
  whole.input("in", scattered(64));
  whole.output<int>("out", 64);
  EXPECT_EQ(messages_of(whole.run(module_of("synchronisation"), "sum_of_short_warp", {1, 1, 1}, {64, 1, 1})),
            Messages{});
}

TEST(BlockBarrier, CountsAndCombinesTheVotesOfAllThreads) {
  for (const int lowest : {0, 1, 91}) {
    Machinery machine;
    Integers in(80);
    for (size_t i = 0; i < in.size(); ++i) in[i] = lowest + static_cast<int>(i) % 7;
    machine.input("in", in);
    const size_t out = machine.output<int>("out", 80);
    const auto report = machine.run(module_of("synchronisation"), "votes_of_block", {1, 1, 1}, {80, 1, 1});
    EXPECT_EQ(messages_of(report), Messages{});
    int count = 0;
    for (const int value : in) count += value > 3 ? 1 : 0;
    EXPECT_EQ(machine.download<int>(out), Integers(80, count + (lowest > 0 ? 1000 : 0) + (lowest > 85 ? 2000 : 0)));
  }
}
TEST(BlockBarrier, CountsTheVotesOfThoseItIsFor) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 128);
  const auto report = machine.run(module_of("synchronisation"), "votes_of_two_warps", {1, 1, 1}, {128, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  const auto result = machine.download<int>(out);
  for (size_t i = 0; i < 128; ++i) EXPECT_EQ(result[i], i < 64 ? -1 : 28) << i;
}
TEST(BlockBarrier, ProducersAndConsumersTakeTurnsAtNamedBarriers) {
  Machinery machine;
  const Integers in = scattered(size_t{64} * 9);
  machine.input("in", in);
  const size_t out = machine.output<int>("out", in.size());
  machine.value(9);
  const auto report = machine.run(module_of("synchronisation"), "pipeline", {1, 1, 1}, {128, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  const auto result = machine.download<int>(out);
  for (size_t i = 0; i < in.size(); ++i) EXPECT_EQ(result[i], in[i / 64 * 64 + 63 - i % 64]) << i;
}
TEST(BlockBarrier, HalvesOfAWarpAtTwoBarriersAreFoundAndWholeWarpsAreNot) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 64);
  const auto report = machine.run(module_of("synchronisation"), "half_warp_barriers", {1, 1, 1}, {64, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "divergent-barrier");
  EXPECT_EQ(with_marks(report.findings[0].message),
            "divergent barrier: barrier 0 is reached here by 16 of 32 threads of warp 0, others of them are at line "
            "[upper half], kernels/synchronisation.cu:[lower half], block (0,0,0) thread (0,0,0)");
  EXPECT_EQ(machine.download<int>(out)[0], 11);
  Machinery whole;
  const size_t result = whole.output<int>("out", 64);
  EXPECT_EQ(messages_of(whole.run(module_of("synchronisation"), "warps_at_two_barriers", {1, 1, 1}, {64, 1, 1})),
            Messages{});
  EXPECT_EQ(whole.download<int>(result)[63], 22);
}
TEST(BlockBarrier, LanesMayComeOneAfterTheOther) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 64);
  machine.input("counter", Integers{0});
  const auto report = machine.run(module_of("synchronisation"), "late_lanes", {1, 1, 1}, {64, 1, 1});
  for (const auto& message : messages_of(report)) EXPECT_EQ(message.find("barrier"), std::string::npos) << message;
  EXPECT_GE(machine.download<int>(out)[5], 2);
}
TEST(BlockBarrier, ThreadsThatEndWithoutHavingBeenThereAreFound) {
  for (const int n : {16, 32, 64}) {
    Machinery machine;
    machine.output<int>("out", 64);
    machine.value(n);
    const auto report = machine.run(module_of("synchronisation"), "conditional_barrier", {1, 1, 1}, {64, 1, 1});
    ASSERT_EQ(report.findings.size(), n == 64 ? 0U : 1U) << n;
    if (n == 64) continue;
    EXPECT_EQ(with_marks(report.findings[0].message),
              "divergent barrier: barrier 0 is reached by " + std::to_string(n) +
                  " of 64 threads, the others have left the kernel, kernels/synchronisation.cu:[barrier], "
                  "block (0,0,0) thread (0,0,0)");
  }
}
TEST(BlockBarrier, WarpsAtDifferentBarriersAreADeadlock) {
  Machinery machine;
  machine.output<int>("out", 64);
  const auto report = machine.run(module_of("synchronisation"), "two_barriers_crossed", {1, 1, 1}, {64, 1, 1});
  EXPECT_EQ(messages_of(report),
            (Messages{"deadlock: barrier 1 is reached by 32 of 64 threads; elsewhere are 32 threads at barrier 2 (line "
                      "[barrier 2]), kernels/synchronisation.cu:[barrier 1], block (0,0,0) thread (0,0,0)",
                      "deadlock: barrier 2 is reached by 32 of 64 threads; elsewhere are 32 threads at barrier 1 (line "
                      "[barrier 1]), kernels/synchronisation.cu:[barrier 2], block (0,0,0) thread (32,0,0)"}));
}
TEST(BlockBarrier, AWarpCountsWholeHoweverFewThreadsItHas) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 48);
  machine.value(15);
  machine.value(64);
  EXPECT_EQ(messages_of(machine.run(module_of("synchronisation"), "barrier_of", {1, 1, 1}, {48, 1, 1})), Messages{});
  EXPECT_EQ(machine.download<int>(out), Integers(48, 1));
}
TEST(BlockBarrier, ACountThatIsNotAMultipleOfAWarpIsFound) {
  Machinery machine;
  machine.output<int>("out", 64);
  machine.value(1);
  machine.value(40);
  const auto report = machine.run(module_of("synchronisation"), "barrier_of", {1, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(with_marks(report.findings[0].message),
            "invalid barrier: barrier 1 is for 40 threads, which is not a multiple of 32, "
            "kernels/synchronisation.cu:[barrier], block (0,0,0) thread (0,0,0)");
}
TEST(BlockBarrier, ABarrierThatABlockDoesNotHaveIsFound) {
  Machinery machine;
  machine.output<int>("out", 64);
  machine.value(16);
  machine.value(64);
  const auto report = machine.run(module_of("synchronisation"), "barrier_of", {1, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(with_marks(report.findings[0].message),
            "invalid barrier: there is no barrier 16: a block has barriers 0 to 15, "
            "kernels/synchronisation.cu:[barrier], block (0,0,0) thread (0,0,0)");
}
TEST(BlockBarrier, MoreThreadsThanTheBlockHasAreADeadlock) {
  Machinery machine;
  machine.output<int>("out", 64);
  machine.value(1);
  machine.value(128);
  EXPECT_EQ(messages_of(machine.run(module_of("synchronisation"), "barrier_of", {1, 1, 1}, {64, 1, 1})),
            Messages{"deadlock: barrier 1 is reached by 64 of 128 threads, kernels/synchronisation.cu:[barrier], "
                     "block (0,0,0) thread (0,0,0)"});
}
TEST(BlockBarrier, CountsThatDifferAreFound) {
  Machinery machine;
  machine.output<int>("out", 96);
  const auto report = machine.run(module_of("synchronisation"), "counts_that_differ", {1, 1, 1}, {96, 1, 1});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(with_marks(report.findings[0].message),
            "invalid barrier: barrier 5 is used for 64 threads and for 96 threads at the same time, "
            "kernels/synchronisation.cu:[barrier], block (0,0,0) thread (32,0,0)");
}

}  // namespace
}  // namespace tilescope
