// cooperative_groups, and the special registers that tell where a thread runs. cooperative.ptx is NVRTC's output
// without the header's constants that no kernel uses.
#include <algorithm>
#include <set>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

using Integers = std::vector<int>;

TEST(CooperativeGroups, AllThreadsOfTheGridMeet) {
  constexpr uint32_t kBlocks = 200, kThreads = 64, kRounds = 4, kAll = kBlocks * kThreads;
  Machinery machine;
  Integers initial(kAll);
  for (size_t i = 0; i < kAll; ++i) initial[i] = static_cast<int>(i * 7 % 1001);
  const size_t values = machine.input("values", initial);
  machine.value(static_cast<int>(kRounds));
  const auto report = machine.run(module_of("cooperative"), "whole_grid", {kBlocks, 1, 1}, {kThreads, 1, 1});
  EXPECT_FALSE(report.stopped_by_finding);
  const auto result = machine.download<int>(values);
  for (size_t i = 0; i < kAll; ++i) ASSERT_EQ(result[i], initial[(i + kRounds) % kAll] + static_cast<int>(kRounds));
  // The next launch finds the grid barrier in its initial state.
  machine.options.launch_index = 1;
  EXPECT_FALSE(
      machine.run(module_of("cooperative"), "whole_grid", {kBlocks, 1, 1}, {kThreads, 1, 1}).stopped_by_finding);
}
TEST(CooperativeGroups, TilesOfABlockReduce) {
  Machinery machine;
  Integers in(96);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * i % 53);
  machine.input("in", in);
  const size_t out = machine.output<int>("out", in.size());
  const auto report = machine.run(module_of("cooperative"), "tiles", {1, 1, 1}, {96, 1, 1});
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
  const auto result = machine.download<int>(out);
  for (size_t i = 0; i < in.size(); ++i) {
    int sum = 0;
    for (size_t k = 0; k < 16; ++k) sum += in[i / 16 * 16 + k];
    EXPECT_EQ(result[i], sum + 15000) << i;
  }
}
TEST(CooperativeGroups, ThreadsThatHappenToBeTogetherShareAnAtomic) {
  Machinery machine;
  Integers in(1000);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 61 % 103);
  machine.input("in", in);
  const size_t count = machine.input("count", Integers{0});
  const size_t places = machine.input("places", Integers(1000, -1));
  machine.value(1000);
  const auto report = machine.run(module_of("cooperative"), "count_with_few_atomics", {8, 1, 1}, {128, 1, 1});
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
  const auto expected = std::count_if(in.begin(), in.end(), [](int value) { return value > 50; });
  EXPECT_EQ(machine.download<int>(count)[0], expected);
  std::set<int> distinct;
  const auto result = machine.download<int>(places);
  for (size_t i = 0; i < in.size(); ++i)
    if (in[i] > 50) distinct.insert(result[i]);
  EXPECT_EQ(distinct.size(), static_cast<size_t>(expected));
  EXPECT_EQ(*distinct.rbegin(), expected - 1);
}

TEST(SpecialRegisters, SayWhereAThreadRuns) {
  constexpr uint32_t kBlocks = 135, kThreads = 64;
  Machinery machine;
  const size_t out = machine.output<uint32_t>("out", size_t{kBlocks} * kThreads * 8);
  machine.launch.shared_bytes = 1024;
  const auto report = machine.run(module_of("cooperative"), "registers", {kBlocks, 1, 1}, {kThreads, 1, 1});
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
  const auto result = machine.download<uint32_t>(out);
  for (uint32_t block = 0; block < kBlocks; ++block)
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      const uint32_t lane = thread % 32;
      const std::vector<uint32_t> expected = {block % 132, 132, thread / 32, 64, lane, (1U << lane) - 1, 1024, 0};
      const auto* values = result.data() + (size_t{block} * kThreads + thread) * 8;
      ASSERT_EQ(std::vector<uint32_t>(values, values + 8), expected) << block << " " << thread;
    }
}

}  // namespace
}  // namespace tilescope
