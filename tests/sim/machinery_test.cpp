// Memory spaces, lane exchange, control flow, and blocks that wait for one another.
#include <numeric>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

std::vector<float> counting(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST(SharedMemory, ExchangesValuesAcrossABarrier) {
  Machinery machine;
  machine.input("in", counting(512));
  const size_t out = machine.output<float>("out", 512);
  const auto report = machine.run(module_of("machinery"), "reverse", {2, 1, 1}, {256, 1, 1});
  const auto result = machine.download<float>(out);
  for (size_t i = 0; i < 512; ++i) EXPECT_EQ(result[i], static_cast<float>(i / 256 * 256 + 255 - i % 256));
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(report.counters.shared_store_wavefronts, 16U);
  EXPECT_EQ(report.counters.shared_load_wavefronts, 16U);
  EXPECT_EQ(report.counters.shared_load_bank_conflicts, 0U);
  EXPECT_EQ(report.counters.global_load_requests, 16U);
}
TEST(SharedMemory, DynamicPartLiesBehindTheStaticOne) {
  Machinery machine;
  const size_t out = machine.output<int>("out", 100);
  machine.launch.shared_bytes = 400;
  const auto report = machine.run(module_of("machinery"), "dynamic_shared", {1, 1, 1}, {100, 1, 1});
  const auto result = machine.download<int>(out);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(result[static_cast<size_t>(i)], (99 - i) * 3);
  EXPECT_TRUE(report.findings.empty());
}
TEST(SharedMemory, TooSmallADynamicPartIsOutOfBounds) {
  Machinery machine;
  machine.output<int>("out", 100);
  machine.launch.shared_bytes = 200;
  const auto report = machine.run(module_of("machinery"), "dynamic_shared", {1, 1, 1}, {100, 1, 1});
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].id, "out-of-bounds");
  EXPECT_EQ(report.findings[0].count, 50U);
}
TEST(WarpExchange, ShuffleSumsAWarp) {
  Machinery machine;
  machine.input("in", counting(64));
  const size_t out = machine.output<float>("out", 2);
  machine.run(module_of("machinery"), "warp_sum", {1, 1, 1}, {64, 1, 1});
  EXPECT_EQ(machine.download<float>(out), (std::vector<float>{496, 1520}));
}
TEST(WarpExchange, BallotAndShuffleSeeEveryLane) {
  Machinery machine;
  const size_t out = machine.output<uint32_t>("out", 32);
  machine.run(module_of("machinery"), "lanes", {1, 1, 1}, {32, 1, 1});
  const auto result = machine.download<uint32_t>(out);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], 0xaaaaaaaaU ^ (i ^ 3U) ^ 0x80000000U);
}
TEST(Variables, DeviceAndConstantArraysHoldTheirInitialValues) {
  Machinery machine;
  const size_t out = machine.output<float>("out", 32);
  const auto report = machine.run(module_of("machinery"), "variables", {1, 1, 1}, {32, 1, 1});
  const auto result = machine.download<float>(out);
  for (size_t i = 0; i < 32; ++i)
    EXPECT_EQ(result[i], static_cast<float>(10 * (i % 4 + 1)) * (0.5F + static_cast<float>(i % 4)) + 30.0F);
  EXPECT_TRUE(report.findings.empty());
}
TEST(LocalMemory, EachThreadHasItsOwn) {
  Machinery machine;
  std::vector<int> in(64);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * 5 % 16);
  machine.input("in", in);
  const size_t out = machine.output<int>("out", 64);
  machine.value(64);
  const auto report = machine.run(module_of("machinery"), "local_array", {1, 1, 1}, {64, 1, 1});
  const auto result = machine.download<int>(out);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(result[static_cast<size_t>(i)], in[static_cast<size_t>(i)] + 4 * i);
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
}
TEST(Parameters, StructuresAndNarrowTypesArriveWhole) {
  struct Pair {
    int first;
    float second[3];
  };
  Machinery machine;
  Pair pair{5, {0.5F, 1.5F, 2.5F}};
  ScalarArgument argument{std::vector<std::byte>(sizeof(pair)), "pair"};
  std::memcpy(argument.bytes.data(), &pair, sizeof(pair));
  machine.launch.arguments.emplace_back(argument);
  machine.value(static_cast<short>(-3));
  machine.value(static_cast<unsigned char>(200));
  machine.value(0.25);
  const size_t out = machine.output<float>("out", 32);
  machine.run(module_of("machinery"), "by_value", {1, 1, 1}, {32, 1, 1});
  const auto result = machine.download<float>(out);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(result[i], 5.0F + pair.second[i % 3] - 3 + 200 + 0.25F);
}
TEST(Atomics, CountEveryLane) {
  Machinery machine(2);
  std::vector<int> in(1000);
  std::iota(in.begin(), in.end(), 0);
  machine.input("in", in);
  const size_t count = machine.input("count", std::vector<int>{0});
  const size_t sum = machine.input("sum", std::vector<float>{0});
  machine.value(1000);
  machine.run(module_of("machinery"), "count_odd", {8, 1, 1}, {128, 1, 1});
  EXPECT_EQ(machine.download<int>(count)[0], 500);
  EXPECT_EQ(machine.download<float>(sum)[0], 250.0F);
}
TEST(ControlFlow, SwitchTakesEachLaneItsOwnWay) {
  Machinery machine;
  std::vector<int> in(64), expected(64);
  for (int i = 0; i < 64; ++i) {
    const int choice = i * 7 % 9;
    in[static_cast<size_t>(i)] = choice;
    const int results[] = {100, 7, 22, i, -i, 55, 66 + i, -1, -1};
    expected[static_cast<size_t>(i)] = results[choice];
  }
  machine.input("in", in);
  const size_t out = machine.output<int>("out", 64);
  machine.run(module_of("machinery"), "choose", {1, 1, 1}, {64, 1, 1});
  EXPECT_EQ(machine.download<int>(out), expected);
}
TEST(Halves, ArithmeticOfPairsIsThatOfEachHalf) {
  Machinery machine;
  std::vector<uint16_t> in(32, 0x3c00);  // 1.0
  in[3] = 0x4200;                        // 3.0
  machine.input("in", in);
  const size_t out = machine.output<uint32_t>("out", 32);
  const size_t wide = machine.output<float>("wide", 32);
  machine.run(module_of("machinery"), "halves", {1, 1, 1}, {32, 1, 1});
  EXPECT_EQ(machine.download<uint32_t>(out)[0], 0x40804080U);  // 2.25
  EXPECT_EQ(machine.download<uint32_t>(out)[3], 0x46404640U);  // 6.25
  EXPECT_EQ(machine.download<float>(wide)[3], 9.0F);
}
TEST(Scheduling, BlocksThatWaitForOneAnotherBothEnd) {
  Machinery machine;
  machine.input("flags", std::vector<int>{0, 0});
  const size_t out = machine.output<int>("out", 2);
  machine.options.step_budget = 100'000'000;
  const auto report = machine.run(module_of("machinery"), "meet", {2, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(machine.download<int>(out), (std::vector<int>{7, 7}));
}
TEST(Scheduling, LanesThatWaitForALockOfTheirOwnWarpGetIt) {
  Machinery machine;
  machine.input("lock", std::vector<int>{0});
  const size_t count = machine.input("count", std::vector<int>{0});
  machine.options.step_budget = 100'000'000;
  const auto report = machine.run(module_of("machinery"), "locked", {3, 1, 1}, {64, 1, 1});
  EXPECT_TRUE(report.findings.empty());
  EXPECT_EQ(machine.download<int>(count)[0], 192);
}

}  // namespace
}  // namespace tilescope
