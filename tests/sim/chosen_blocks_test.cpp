// Launches of which only some blocks are executed, or executed only in part.
#include "run_kernel.hpp"

namespace tilescope {
namespace {

/// add_scalar over 1024 floats in 8 blocks of 128.
struct Addition {
  Machinery machine;
  size_t out;

  Addition() {
    std::vector<float> values(1024);
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    machine.input("a", values);
    machine.input("b", values);
    out = machine.output<float>("out", 1024);
    machine.value(1024);
    machine.options.record_accesses = true;
  }
  LaunchReport run(const std::string& kernel = "add_scalar", uint32_t grid = 8) {
    return machine.run(module_of("vector_add"), kernel, {grid, 1, 1}, {128, 1, 1});
  }
};

TEST(ChosenBlocks, OnlyTheyAreExecuted) {
  Addition addition;
  addition.machine.options.blocks = {1, 4, 7};
  const LaunchReport report = addition.run();
  EXPECT_EQ(report.warps, 3U * 4);
  EXPECT_EQ(report.counters.global_load_requests, 3U * 4 * 2);
  EXPECT_EQ(report.trace.blocks_recorded, 3U);
  EXPECT_TRUE(report.trace.complete);
  const auto values = addition.machine.download<float>(addition.out);
  for (size_t i = 0; i < 1024; ++i) {
    const bool chosen = i / 128 == 1 || i / 128 == 4 || i / 128 == 7;
    ASSERT_EQ(values[i], chosen ? 2 * static_cast<float>(i) : 0) << i;
  }
  for (const Access& access : report.trace.accesses)
    EXPECT_TRUE(access.block == 1 || access.block == 4 || access.block == 7) << access.block;
}

TEST(ChosenBlocks, FindingsNameTheBlockOfTheGrid) {
  Addition addition;
  addition.machine.options.blocks = {2, 8};  // block 8 starts past the end of the buffers, and n = 2000 does not mask
                                             // it
  addition.machine.launch.arguments[3] = scalar(2000);
  const LaunchReport report = addition.run("add_scalar", 9);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.findings[0].block.x, 8U);
}

TEST(ChosenBlocks, ABlockOutsideOfTheGridIsRefused) {
  Addition addition;
  addition.machine.options.blocks = {8};
  const auto report = addition.machine.try_run(module_of("vector_add"), "add_scalar", {8, 1, 1}, {128, 1, 1});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().id, ErrorId::bad_launch);
}

TEST(ChosenBlocks, ABlockIsLeftAfterItsStepsWithoutAFinding) {
  Addition whole;
  whole.run("add_grid_stride", 1);
  Addition addition;
  addition.machine.options.steps_per_block = 1;
  const LaunchReport report = addition.run("add_grid_stride", 1);
  EXPECT_TRUE(report.findings.empty());
  EXPECT_FALSE(report.stopped_by_finding);
  // A warp runs to the end of its turn, and there is no barrier: the first warp has finished its part.
  EXPECT_EQ(report.trace.accesses.size(), 8U * 3);
  for (const Access& access : report.trace.accesses) EXPECT_EQ(access.warp, 0U);
}

TEST(ChosenBlocks, ZerosCountAsWrittenWithoutAnUpload) {
  Addition addition;
  auto buffer = addition.machine.executor->allocate(
      {.name = "a", .type = DType::u8, .count = size_t{1} << 34, .index = 0, .zeros = true});
  ASSERT_TRUE(buffer.has_value()) << "untouched pages take no memory";
  addition.machine.buffers[0] = *buffer;
  const LaunchReport report = addition.run();
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
  EXPECT_EQ(addition.machine.download<float>(addition.out)[1000], 1000);
}

TEST(ChosenBlocks, SharedAccessesAreLeftOutOfTheRecordIfNobodyWantsThem) {
  const auto shared_accesses = [](bool wanted) {
    Machinery machine;
    std::vector<float> in(4 * 128 * 3);
    machine.input("in", in);
    machine.output<float>("out", 128);
    machine.value(3);
    machine.options.record_accesses = true;
    machine.options.record_shared = wanted;
    const auto report = machine.run(module_of("async"), "primitives", {1, 1, 1}, {128, 1, 1});
    size_t shared = 0, global = 0;
    for (const Access& access : report.trace.accesses)
      (report.trace.sites[access.site].space == Space::shared ? shared : global) += 1;
    EXPECT_EQ(global, 4U * 4) << "four warps copy three tiles and write one result";
    return shared;
  };
  EXPECT_EQ(shared_accesses(false), 0U);
  EXPECT_GT(shared_accesses(true), 0U);
}

}  // namespace
}  // namespace tilescope
