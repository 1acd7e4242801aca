// Threads that wait in loops: the threads they wait for make progress, whichever they are (lanes of the same warp,
// warps, resident blocks), and infinite loops are found.
#include <numeric>
#include <thread>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

using Integers = std::vector<int>;
using Messages = std::vector<std::string>;

Messages messages_of(const LaunchReport& report) {
  Messages messages;
  for (const Finding& finding : report.findings) messages.push_back(with_marks(finding.message));
  return messages;
}

TEST(Waiting, LanesOfAWarpShareALock) {
  for (const char* kernel : {"naive_lock", "lock_in_loop"}) {
    Machinery machine;
    machine.input("lock", Integers{0});
    const size_t count = machine.input("count", Integers{0});
    const auto report = machine.run(module_of("waiting"), kernel, {3, 1, 1}, {96, 1, 1});
    EXPECT_FALSE(report.stopped_by_finding) << kernel;
    EXPECT_EQ(machine.download<int>(count)[0], 3 * 96) << kernel;
  }
}
TEST(Waiting, ALockInSharedMemoryWhoseLoopCountsIsPassedOn) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 1 + 128);
  const auto report = machine.run(module_of("waiting"), "shared_lock", {1, 1, 1}, {128, 1, 1});
  EXPECT_FALSE(report.stopped_by_finding);
  EXPECT_EQ(machine.download<int>(out)[0], 128);
}
TEST(Waiting, BlocksTakeTheirTicketsInTurn) {
  Machinery machine;
  machine.input("tickets", Integers{0, 0});
  const size_t count = machine.input("count", Integers{0});
  const auto report = machine.run(module_of("waiting"), "ticket_lock", {300, 1, 1}, {64, 1, 1});
  EXPECT_FALSE(report.stopped_by_finding);
  EXPECT_EQ(machine.download<int>(count)[0], 300);
}
TEST(Waiting, LanesHandAValueFromOneToTheNext) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 32);
  const auto report = machine.run(module_of("waiting"), "lanes_hand_over", {1, 1, 1}, {32, 1, 1});
  EXPECT_FALSE(report.stopped_by_finding);
  const auto result = machine.download<int>(out);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(result[static_cast<size_t>(i)], 132 - i) << i;
}
TEST(Waiting, WarpsHandAValueFromOneToTheNext) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 32);
  const auto report = machine.run(module_of("waiting"), "warps_hand_over", {1, 1, 1}, {1024, 1, 1});
  EXPECT_FALSE(report.stopped_by_finding);
  const auto result = machine.download<int>(out);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(result[static_cast<size_t>(i)], 32 - i) << i;
}
TEST(Waiting, TheFirstBlocksSeeWhatTheLastOneWrites) {
  Machinery machine;
  machine.input("flag", Integers{0});
  const size_t out = machine.output<int>("out", 1000);
  const auto report = machine.run(module_of("waiting"), "wait_for_last_block", {1000, 1, 1}, {64, 1, 1});
  EXPECT_FALSE(report.stopped_by_finding);
  EXPECT_EQ(machine.download<int>(out), Integers(1000, 7));
}
TEST(Waiting, AllResidentBlocksMeetAtABarrierOfTheGrid) {
  for (const char* kernel : {"grid_atomic", "grid_volatile", "grid_sleeping", "grid_counting"}) {
    for (const uint32_t blocks : {132U, 1056U}) {
      constexpr int kRounds = 5;
      Machinery machine;
      machine.input("arrived", Integers{0});
      Integers initial(blocks);
      std::iota(initial.begin(), initial.end(), 0);
      const size_t values = machine.input("values", initial);
      machine.value(kRounds);
      const auto report = machine.run(module_of("waiting"), kernel, {blocks, 1, 1}, {128, 1, 1});
      EXPECT_FALSE(report.stopped_by_finding) << kernel;
      const auto result = machine.download<int>(values);
      for (uint32_t i = 0; i < blocks; ++i)
        ASSERT_EQ(result[i], static_cast<int>((i + blocks - kRounds) % blocks) + kRounds) << kernel << " " << i;
    }
  }
}
TEST(Waiting, AScanThatLooksBackAtTheBlockBeforeEnds) {
  constexpr size_t kBlocks = 3000;
  Machinery machine;
  Integers in(kBlocks), expected(kBlocks);
  for (size_t i = 0; i < kBlocks; ++i) in[i] = static_cast<int>(i * 31 % 17);
  std::partial_sum(in.begin(), in.end(), expected.begin());
  machine.input("in", in);
  const size_t out = machine.output<int>("out", kBlocks);
  machine.input("sums", Integers(kBlocks, 0));
  machine.input("next", Integers{0});
  const auto report = machine.run(module_of("waiting"), "look_back", {kBlocks, 1, 1}, {1, 1, 1});
  EXPECT_FALSE(report.stopped_by_finding);
  EXPECT_EQ(machine.download<int>(out), expected);
}
TEST(Waiting, LoopsThatWaitForTheClockEnd) {
  Machinery machine;
  machine.value(int64_t{2'000'000'000});
  const size_t out = machine.output<int64_t>("out", 64);
  const auto report = machine.run(module_of("waiting"), "wait_for_time", {2, 1, 1}, {64, 1, 1});
  EXPECT_EQ(messages_of(report), Messages{});
  EXPECT_GE(machine.download<int64_t>(out)[0], 4'000'000'000);
  EXPECT_LT(report.counters.warp_instructions, 1'000'000U);
}
TEST(Waiting, TheClockCountsTheInstructionsOfItsWarp) {
  for (const int n : {1, 4, 40}) {
    Machinery machine;
    const size_t out = machine.output<uint32_t>("out", 32);
    machine.input("in", std::vector<float>(64, 1.0F));
    machine.value(n);
    const auto report = machine.run(module_of("waiting"), "clocks_of_work", {1, 1, 1}, {32, 1, 1});
    EXPECT_EQ(messages_of(report), Messages{});
    const auto clocks = machine.download<uint32_t>(out)[0];
    EXPECT_GT(clocks, static_cast<uint32_t>(n));
    EXPECT_LT(clocks, report.counters.warp_instructions);
  }
}

TEST(Hangs, AFlagThatNobodySetsIsFoundInAnInstant) {
  Machinery machine;
  machine.input("flag", Integers{0});
  machine.output<int>("out", 64);
  const auto report = machine.run(module_of("waiting"), "wait_on_plain_flag", {2, 1, 1}, {64, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].id, "step-limit");
  EXPECT_EQ(with_marks(report.findings[0].message),
            "step limit: this loop never ends: it repeats itself and changes nothing, kernels/waiting.cu:[wait], "
            "block (0,0,0) thread (0,0,0)");
  EXPECT_TRUE(report.stopped_by_finding);
}
TEST(Hangs, ALockThatIsTakenTwiceIsFoundWithThoseWhoWaitElsewhere) {
  Machinery machine;
  machine.input("lock", Integers{0});
  machine.input("out", Integers(64, 0));
  const auto report = machine.run(module_of("waiting"), "lock_taken_twice", {1, 1, 1}, {64, 1, 1});
  EXPECT_EQ(messages_of(report),
            (Messages{"step limit: this loop waits forever: no thread that still runs does what it waits for, "
                      "kernels/waiting.cu:[lock], block (0,0,0) thread (0,0,0)",
                      "deadlock: barrier 0 is reached by 63 of 64 threads; elsewhere are 1 thread in loops, "
                      "kernels/waiting.cu:[barrier], block (0,0,0) thread (1,0,0)"}));
}
TEST(Hangs, ABarrierOfMoreBlocksThanTheGpuHoldsIsADeadlock) {
  // Blocks of 1024 threads: two on each of 132 SMs.
  for (const uint32_t blocks : {264U, 265U}) {
    Machinery machine;
    machine.input("arrived", Integers{0});
    machine.input("values", Integers(blocks, 0));
    machine.value(1);
    const auto report = machine.run(module_of("waiting"), "grid_volatile", {blocks, 1, 1}, {1024, 1, 1});
    EXPECT_EQ(report.stopped_by_finding, blocks > 264);
    if (blocks <= 264) continue;
    ASSERT_FALSE(report.findings.empty());
    EXPECT_EQ(with_marks(report.findings[0].message),
              "deadlock: the resident blocks wait for blocks that cannot start: the grid has 265 "
              "blocks, and the GPU holds 264 of them at a time (2048 threads for each of 132 multiprocessors), "
              "kernels/waiting.cu:[wait], block (0,0,0) thread (0,0,0)");
  }
}
TEST(Hangs, ASmallerGpuHoldsFewerBlocksOfThatBarrier) {
  Machinery machine;
  machine.input("arrived", Integers{0});
  machine.input("values", Integers(217, 0));
  machine.value(1);
  const auto gpus = read_gpu_specs(std::string(TILESCOPE_SOURCE) + "/assets/gpus.toml");
  ASSERT_TRUE(gpus);
  machine.options.gpu = std::make_shared<const GpuSpec>(*find_gpu(*gpus, "a100"));
  const auto report = machine.run(module_of("waiting"), "grid_volatile", {217, 1, 1}, {1024, 1, 1});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_NE(
      report.findings[0].message.find("holds 216 of them at a time (2048 threads for each of 108 multiprocessors"),
      std::string::npos)
      << report.findings[0].message;
}
TEST(Hangs, ALoopThatGoesOnChangingMemoryEndsWithTheBudget) {
  Machinery machine;
  machine.input("out", Integers(64, 0));
  machine.options.hang_budget = 3'000'000;
  const auto report = machine.run(module_of("waiting"), "store_for_ever", {1, 1, 1}, {64, 1, 1});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(with_marks(report.findings[0].message),
            "step limit: still running after 3000000 warp instructions, kernels/waiting.cu:[store], "
            "block (0,0,0) thread (0,0,0)");
}
TEST(Hangs, AStopRequestEndsALoopThatNeverEnds) {
  Machinery machine;
  machine.input("out", Integers(64, 0));
  std::stop_source source;
  machine.stop = source.get_token();
  std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    source.request_stop();
  });
  const auto report = machine.try_run(module_of("waiting"), "store_for_ever", {4, 1, 1}, {64, 1, 1});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().id, ErrorId::cancelled);
}

}  // namespace
}  // namespace tilescope
