// Predicted beside measured times of fusion. Both sides are computed again here, from the numbers of the H200's data
// sheet, the passes over memory that the lessons count, and the recordings' files as JSON.
#include "engine/bench/fusion_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/specs.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
const fs::path kAssets = fs::path(TILESCOPE_SOURCE) / "assets";
constexpr double kLaunch = 0.91e-6, kBandwidth = 4.8e12, kFp32 = 67e12, kBf16 = 989.5e12;

const std::vector<GpuSpec>& pair_gpus() {
  static const std::vector<GpuSpec> gpus = read_gpu_specs(kAssets / "gpus.toml").value();
  return gpus;
}

std::vector<PairTable> all_tables() { return compare_pairs(read_recordings(kAssets / "recordings"), pair_gpus()); }

PairTable table_of(const std::string& lab, DType type) {
  for (PairTable& table : all_tables())
    if (table.pair->lab == lab && table.type == type && table.gpu == "H200") return table;
  ADD_FAILURE() << "there is no table of " << lab << " on an H200";
  return {};
}

/// Seconds of a rung at the index-th size of a recording.
double recorded(const std::string& file, const std::string& rung, size_t index) {
  std::ifstream text(kAssets / "recordings" / file);
  const nlohmann::json document = nlohmann::json::parse(text);
  for (const auto& series : document["series"])
    if (series["name"] == rung) return series["points"][index]["median_ms"].get<double>() / 1000;
  ADD_FAILURE() << rung << " is not in " << file;
  return 0;
}

TEST(FusionPairs, EveryLabThatFusesHasATableOfAtMostFourSizes) {
  for (const char* lab : {"sin-cos-add", "gelu", "softmax", "layernorm", "rmsnorm", "matmul-epilogue"}) {
    size_t tables = 0;
    for (const PairTable& table : all_tables()) {
      if (table.pair->lab != lab) continue;
      ++tables;
      EXPECT_EQ(table.badge, Badge::recorded);
      EXPECT_TRUE(table.gpu == "H200" || table.gpu == "H100 SXM") << table.gpu;
      EXPECT_EQ(table.rows.size(), 4U) << lab;
      for (const PairRow& row : table.rows) {
        EXPECT_TRUE(row.fused.measured_seconds) << lab << " " << row.size;
        EXPECT_TRUE(!row.unfused || row.unfused->measured_seconds) << lab << " " << row.size;
      }
    }
    EXPECT_GT(tables, 0U) << lab;
  }
}

TEST(FusionPairs, GeluReadsTenVectorsAndWritesEight) {
  const PairTable gelu = table_of("gelu", DType::f32);
  const double sizes[] = {65536, 1048576, 16777216, 134217728};
  for (size_t i = 0; i < 4; ++i) {
    const PairRow& row = gelu.rows[i];
    const double n = sizes[i], unfused = 8 * kLaunch + 18 * 4 * n / kBandwidth + 8 * n / kFp32,
                 fused = kLaunch + 2 * 4 * n / kBandwidth + 8 * n / kFp32;
    const double slow = recorded("gelu.h200.json", "eight-kernels", i), fast = recorded("gelu.h200.json", "fused", i);
    EXPECT_EQ(row.unfused->launches, 8U);
    EXPECT_NEAR(row.unfused->seconds(), unfused, unfused * 1e-9);
    EXPECT_NEAR(row.fused.seconds(), fused, fused * 1e-9);
    EXPECT_NEAR(*row.unfused->error(), unfused / slow - 1, 1e-9);
    EXPECT_NEAR(*row.fused.error(), fused / fast - 1, 1e-9);
    EXPECT_NEAR(*row.measured_speedup(), slow / fast, 1e-9);
  }
}

TEST(FusionPairs, SoftmaxReadsFiveMatricesAndWritesThree) {
  const PairTable softmax = table_of("softmax", DType::bf16);
  const std::pair<double, double> shapes[] = {{262144, 128}, {4096, 1024}, {8192, 16384}, {4, 1048576}};
  const size_t indices[] = {0, 1, 3, 5};
  for (size_t i = 0; i < 4; ++i) {
    const auto [rows, columns] = shapes[i];
    const double n = rows * columns;
    // Each row's maximum and sum are written once and read once.
    const double unfused = 5 * kLaunch + 2 * (8 * n + 4 * rows) / kBandwidth + 5 * n / kFp32;
    EXPECT_NEAR(softmax.rows[i].unfused->seconds(), unfused, unfused * 1e-9) << softmax.rows[i].size;
    const double slow = recorded("softmax-bf16.h200.json", "five-kernels", indices[i]);
    EXPECT_NEAR(*softmax.rows[i].unfused->error(), unfused / slow - 1, 1e-9) << softmax.rows[i].size;
  }
}

TEST(FusionPairs, AnEpilogueSavesTwoLaunchesAndFourPassesOverTheProduct) {
  const PairTable epilogue = table_of("matmul-epilogue", DType::bf16);
  const PairRow& last = epilogue.rows.back();
  EXPECT_EQ(last.size, "M = 16,384");
  const double m = 16384, matmul = 2 * m * m * m / kBf16;
  const double fused = kLaunch + 2 * (3 * m * m + m) / kBandwidth + matmul + 2 * m * m / kFp32;
  const double unfused = 3 * kLaunch + 2 * (7 * m * m + m) / kBandwidth + matmul + 2 * m * m / kFp32;
  EXPECT_NEAR(last.fused.seconds(), fused, fused * 1e-9);
  EXPECT_NEAR(last.unfused->seconds(), unfused, unfused * 1e-9);
  EXPECT_EQ(last.fused.reason, PairReason::throughput);
}

TEST(FusionPairs, LayernormIsTwoKernelsAndRmsnormHasNoUnfusedRung) {
  const PairRow layernorm = table_of("layernorm", DType::f32).rows.front();
  EXPECT_EQ(layernorm.unfused->launches, 2U);
  EXPECT_NEAR(layernorm.unfused->bytes, 4.0 * (4 * 262144 * 128 + 2 * 128), 1);
  EXPECT_NEAR(layernorm.fused.bytes, 4.0 * (2 * 262144 * 128 + 2 * 128), 1);
  for (const PairRow& row : table_of("rmsnorm", DType::f32).rows) {
    EXPECT_FALSE(row.unfused);
    EXPECT_FALSE(row.predicted_speedup());
  }
}

TEST(FusionPairs, ALargeErrorHasAReasonAndASmallOneHasNone) {
  for (const PairTable& table : all_tables())
    for (const PairRow& row : table.rows) {
      const bool large = std::abs(*row.fused.error()) >= kLargeError;
      EXPECT_EQ(row.fused.reason != PairReason::none, large) << table.pair->lab << " " << row.size;
      EXPECT_EQ(sentence_of(row.fused.reason).empty(), !large);
    }
}

TEST(FusionPairs, FewRowsLeaveMultiprocessorsIdle) {
  // 4 rows of 1,048,576 columns: four blocks for 132 SMs.
  EXPECT_EQ(table_of("softmax", DType::f32).rows.back().fused.reason, PairReason::few_blocks);
}

TEST(FusionPairs, OfADifferentLabOrAnUnknownGpuIsAnError) {
  const Recordings recordings = read_recordings(kAssets / "recordings");
  const SpeedReport* gelu = recordings.find("gelu");
  ASSERT_NE(gelu, nullptr);
  EXPECT_FALSE(compare_pair(*find_fusion_pair("softmax"), *gelu, pair_gpus()));
  SpeedReport elsewhere = *gelu;
  elsewhere.gpu = "NVIDIA Nobody";
  const auto table = compare_pair(*find_fusion_pair("gelu"), elsewhere, pair_gpus());
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message.find("NVIDIA Nobody"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
