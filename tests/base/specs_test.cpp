#include "engine/specs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <set>

#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

std::filesystem::path write_temporary(const std::string& text) {
  auto file = own_test_folder() / "gpus.toml";
  std::ofstream(file) << text;
  return file;
}

std::vector<GpuSpec> shipped() {
  auto specs = read_gpu_specs(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "gpus.toml");
  EXPECT_TRUE(specs) << (specs ? "" : specs.error().message);
  return specs ? *specs : std::vector<GpuSpec>{};
}

TEST(Specs, TheTableHasNineGpusInTheirOrder) {
  std::vector<std::string> names;
  std::set<std::string> ids, driver_names;
  for (const GpuSpec& gpu : shipped()) {
    names.push_back(gpu.name);
    ids.insert(gpu.id);
    driver_names.insert(gpu.driver_name);
  }
  EXPECT_THAT(names, testing::ElementsAre("V100", "A100 40GB", "A100 80GB", "H100 PCIe", "H100 SXM", "H200",
                                          "RTX 6000 Ada", "RTX 4090", "B200"));
  EXPECT_EQ(ids.size(), 9U);
  EXPECT_EQ(driver_names.size(), 9U);
}

TEST(Specs, AGpuIsFoundByItsIdAndByTheNameThatTheDriverGivesIt) {
  const auto gpus = shipped();
  ASSERT_NE(find_gpu(gpus, kUsualGpu), nullptr);
  EXPECT_EQ(find_gpu(gpus, kUsualGpu)->multiprocessors, 132U);
  ASSERT_NE(find_gpu_of_driver(gpus, "NVIDIA A100-SXM4-80GB"), nullptr);
  EXPECT_EQ(find_gpu_of_driver(gpus, "NVIDIA A100-SXM4-80GB")->id, "a100");
  EXPECT_EQ(find_gpu(gpus, "h2000"), nullptr);
  EXPECT_THAT(gpu_ids(gpus), testing::HasSubstr("h100-pcie, h100, h200"));
}

TEST(Specs, WhatAMultiprocessorHoldsFitsTogether) {
  for (const GpuSpec& gpu : shipped()) {
    SCOPED_TRACE(gpu.id);
    EXPECT_EQ(gpu.max_threads_per_multiprocessor, 32 * gpu.max_warps_per_multiprocessor);
    EXPECT_EQ(gpu.shared_carve_outs.back(), gpu.shared_bytes_per_multiprocessor);
    EXPECT_TRUE(std::ranges::is_sorted(gpu.shared_carve_outs));
    EXPECT_LT(gpu.shared_bytes_per_multiprocessor, gpu.l1_and_shared_bytes);
    EXPECT_EQ(gpu.shared_bytes_per_block + gpu.reserved_shared_bytes_per_block, gpu.shared_bytes_per_multiprocessor);
    EXPECT_EQ(gpu.registers_per_multiprocessor % (gpu.sub_partitions * gpu.register_granularity), 0U);
    EXPECT_GT(gpu.memory_bytes_per_second, 5e11);
    EXPECT_GT(gpu.memory_bytes, gpu.l2_bytes * 100);
    if (!gpu.gpcs.empty()) {
      EXPECT_EQ(std::accumulate(gpu.gpcs.begin(), gpu.gpcs.end(), 0U), gpu.multiprocessors);
    }
  }
  EXPECT_EQ(find_gpu(shipped(), "h100")->gpcs.size(), 8U);
}

/// Fused multiply-adds of one SM per clock, from NVIDIA's white papers: 64 or 128 in fp32 (CUDA C++ Programming Guide,
/// "Arithmetic Instructions"), and those of its four tensor cores.
struct Rate {
  const char* architecture;
  double fp64, fp64_tensor, fp32, tf32, fp16, fp8, int8;
};
constexpr Rate kRates[] = {{"sm_70", 32, 0, 64, 0, 512, 0, 0},
                           {"sm_80", 32, 64, 64, 512, 1024, 0, 2048},
                           {"sm_89", 2, 0, 128, 256, 512, 1024, 1024},
                           {"sm_90", 64, 128, 128, 1024, 2048, 4096, 4096}};

void expect_rate(const std::optional<double>& peak, double of_clock, uint32_t multiprocessors, double clock) {
  if (!peak) return;
  EXPECT_NEAR(*peak, 2 * of_clock * multiprocessors * clock, 0.02 * *peak);
}

TEST(Specs, PeakRatesAreClocksTimesWhatAMultiprocessorDoes) {
  int checked = 0;
  for (const GpuSpec& gpu : shipped()) {
    for (const Rate& rate : kRates) {
      if (gpu.architecture != rate.architecture) continue;
      SCOPED_TRACE(gpu.id);
      ++checked;
      // The GeForce's tensor cores sum in fp32 at half the rate of the professional card's.
      const double share = gpu.id == "rtx-4090" ? 0.5 : 1;
      const double clock = gpu.boost_clock_hz.value(), tensor_clock = gpu.tensor_clock_hz.value_or(clock);
      expect_rate(gpu.peak.fp64, rate.fp64, gpu.multiprocessors, clock);
      expect_rate(gpu.peak.fp64_tensor, rate.fp64_tensor, gpu.multiprocessors, clock);
      expect_rate(gpu.peak.fp32, rate.fp32, gpu.multiprocessors, clock);
      expect_rate(gpu.peak.tf32, rate.tf32 * share, gpu.multiprocessors, tensor_clock);
      expect_rate(gpu.peak.fp16, rate.fp16 * share, gpu.multiprocessors, tensor_clock);
      expect_rate(gpu.peak.bf16, rate.fp16 * share, gpu.multiprocessors, tensor_clock);
      expect_rate(gpu.peak.fp8, rate.fp8 * share, gpu.multiprocessors, tensor_clock);
      expect_rate(gpu.peak.int8, rate.int8, gpu.multiprocessors, tensor_clock);
    }
  }
  EXPECT_EQ(checked, 8);
}

TEST(Specs, AMissingValueIsNamed) {
  const auto specs = read_gpu_specs(write_temporary("[architecture.sm_1]\n[gpu.x]\nname = \"X\"\n"));
  ASSERT_FALSE(specs);
  EXPECT_NE(specs.error().message.find("'l1_and_shared_bytes'"), std::string::npos) << specs.error().message;
}

TEST(Specs, BrokenFilesAreRefusedWithASentence) {
  EXPECT_FALSE(read_gpu_specs(write_temporary("[x\n")));
  EXPECT_FALSE(read_gpu_specs(write_temporary("")));
  EXPECT_FALSE(read_gpu_specs(write_temporary("x = 3\n")));
  EXPECT_FALSE(read_gpu_specs("absent.toml"));
}

}  // namespace
}  // namespace tilescope
