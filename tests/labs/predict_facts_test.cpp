// The questions of labs without a run: their choices at every setting, and the answers that a calculator, recorded
// counters or the floats themselves confirm.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "engine/bench/counters.hpp"
#include "engine/lab.hpp"
#include "engine/specs.hpp"
#include "engine/traffic/schedule/occupancy.hpp"
#include "tests/labs/predict_settings.hpp"

namespace tilescope {
namespace {

/// What registers allow, by the occupancy calculator.
TEST(Predicts, TheBlocksThatRegistersAllowAreThoseOfTheCalculator) {
  const Lab& lab = *find_lab("execution-model");
  const Occupancy known = occupancy_of(usual_gpu(), {.threads = 256, .registers_per_thread = 80}, 1 << 20);
  EXPECT_EQ(lab.predicts.at(2).answer(default_config(lab, DeviceKind::sim)), int64_t{known.blocks_per_multiprocessor});
}

/// Bytes from device memory that an H200 counted at M = N = K = 4096, tiles of 128 × 256.
TEST(Predicts, WhatGroupingSavesAtASmallSizeIsWhatCountersOfAnH200Recorded) {
  const CounterFiles files = read_counters(std::filesystem::path(TILESCOPE_SOURCE) / "assets/counters");
  const RecordedCounters* counters = files.find_lab("grouped-order");
  ASSERT_NE(counters, nullptr);
  const Lab& lab = *find_lab("grouped-order");
  Config config = default_config(lab, DeviceKind::sim);
  for (const char* size : {"M", "N", "K"}) config.sizes[size] = 4096;
  for (const auto& [name, value] : {std::pair("BM", 128), std::pair("BN", 256), std::pair("BK", 64)})
    config.params[name] = value;
  size_t sets_compared = 0;
  for (const CounterSet& set : counters->sets) {
    const auto bytes = [&](OrderTraffic::Kind order, int64_t group) -> double {
      for (const CounterRow& row : set.rows)
        if (row.order == order && row.group == group && row.sizes == config.sizes && row.params.at("BM") == 128)
          return row.device_bytes_read;
      return 0;
    };
    const double rows = std::max(bytes(OrderTraffic::Kind::row_major, 0), bytes(OrderTraffic::Kind::row_major, 1));
    const double grouped = bytes(OrderTraffic::Kind::grouped, 8);
    if (rows == 0 || grouped == 0) continue;
    ++sets_compared;
    const double saved = 100 * (rows - grouped) / rows;
    EXPECT_EQ(lab.predicts.at(1).answer(config), 50 * std::lround(saved / 50)) << set.name << ": " << saved;
  }
  EXPECT_GE(sets_compared, 2U) << "our kernel, and Triton's";
}

/// Near 100² neighbouring floats are 2^-10 apart, so a difference of 1 has 11 significant bits.
TEST(Predicts, TheBitsThatAVarianceKeepsAreThoseBetweenItAndTheSpacingOfFloatsAtTheSquaredMean) {
  const float square = 100.0F * 100.0F, spacing = std::nextafter(square, INFINITY) - square;
  const Lab& lab = *find_lab("layernorm");
  EXPECT_EQ(lab.predicts.at(1).answer(default_config(lab, DeviceKind::sim)),
            std::ilogb(1.0F) - std::ilogb(spacing) + 1);
}

TEST(Predicts, EveryLabHasFourQuestionsAndTwoOfThemFollowTheSliders) {
  for (const Lab& lab : labs()) {
    EXPECT_GE(lab.predicts.size(), 4U) << lab.name;
    EXPECT_GE(questions_that_follow(lab), 2U) << lab.name;
  }
}

TEST(Predicts, TheAnswerIsAmongTheChoicesWhichDifferAtEverySetting) {
  for (const Lab& lab : labs())
    for (const Config& config : settings_of(lab))
      for (const Predict& predict : lab.predicts) {
        auto choices = predict.choices(config);
        std::ranges::sort(choices);
        choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
        EXPECT_GE(choices.size(), 2U) << lab.name << ": " << predict.question.en;
        EXPECT_TRUE(std::ranges::binary_search(choices, predict.answer(config))) << predict.question.en;
        if (predict.why) {
          const Text why = predict.why(config);
          EXPECT_TRUE(!why.en.empty() && !why.zh.empty()) << predict.question.en;
        }
      }
}

}  // namespace
}  // namespace tilescope
