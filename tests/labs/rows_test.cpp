// What the rungs of the labs on the rows of a matrix show.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/numbers.hpp"
#include "engine/run/engine.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

using Values = std::map<std::string, int64_t>;

Request request_for(const std::string& lab, const std::string& rung, const Values& sizes, const Values& params = {}) {
  Request request;
  request.lab = lab;
  request.rung = rung;
  request.config = default_config(*find_lab(lab), DeviceKind::sim);
  for (const auto& [name, value] : sizes) request.config.sizes[name] = value;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  return request;
}

std::optional<RunResult> run_soundly(const Request& request) {
  auto result = engine().run(request);
  EXPECT_TRUE(result) << request.lab << " " << request.rung << ": " << result.error().message;
  if (!result) return std::nullopt;
  EXPECT_TRUE(result->passed()) << request.lab << " " << request.rung << " rows=" << request.config.size("rows")
                                << " columns=" << request.config.size("columns")
                                << " DTYPE=" << request.config.param("DTYPE");
  EXPECT_TRUE(result->findings.empty()) << request.rung << ": " << result->findings.front().message;
  return std::move(*result);
}

Counters counters_of(const std::string& lab, const std::string& rung, const Values& sizes, const Values& params = {}) {
  Request request = request_for(lab, rung, sizes, params);
  request.machine_code = false;
  const auto result = run_soundly(request);
  return result ? result->traffic.counters : Counters{};
}

constexpr int64_t kRows = 64, kColumns = 512;
const Values kShape{{"rows", kRows}, {"columns", kColumns}};
constexpr uint64_t kSectors = kRows * kColumns / 8;  // of a matrix of floats, each element read once

TEST(RowOperators, SoftmaxReadsARowFiveTimesThenThreeThenTwoThenOnce) {
  const auto reads = [](const char* rung) {
    return counters_of("softmax", rung, kShape).global_load_sectors / kSectors;
  };
  EXPECT_EQ(reads("five-kernels"), 5U);  // and a float of max and sum per row
  EXPECT_EQ(reads("cta-per-row"), 3U);
  EXPECT_EQ(reads("warp-shuffles"), 3U);
  EXPECT_EQ(reads("online"), 2U);
  EXPECT_EQ(reads("row-in-registers"), 1U);
  EXPECT_EQ(reads("several-rows"), 1U);
}

TEST(RowOperators, FiveKernelsWriteARowThreeTimesAndOneKernelOnce) {
  const auto writes = [](const char* rung) {
    return counters_of("softmax", rung, kShape).global_store_sectors / kSectors;
  };
  EXPECT_EQ(writes("five-kernels"), 3U);
  for (const char* rung : {"cta-per-row", "online", "row-in-registers", "several-rows"})
    EXPECT_EQ(writes(rung), 1U) << rung;
}

TEST(RowOperators, AThreadPerRowTouchesASectorPerLane) {
  const Counters counters = counters_of("softmax", "thread-per-row", kShape);
  EXPECT_EQ(counters.global_load_sectors, 32 * counters.global_load_requests);
  EXPECT_EQ(counters.global_store_sectors, 32 * counters.global_store_requests);
}

TEST(RowOperators, LayerNormFusedReadsAndWritesEachRowOnce) {
  const uint64_t weights = kRows * 2 * kColumns / 8;  // gamma and beta, for every row
  const Counters counters = counters_of("layernorm", "fused", kShape);
  EXPECT_EQ(counters.global_load_sectors, kSectors + weights);
  EXPECT_EQ(counters.global_store_sectors, kSectors + 2 * kRows);  // and a mean and deviation per row
}

/// Where Triton is not installed its rungs run only at the settings that ship.
class RowOperatorsInTriton : public ::testing::Test {
  void SetUp() override {
    if (const auto triton = engine().triton().triton_origin({}); !triton) GTEST_SKIP() << triton.error().message;
  }
};

constexpr uint64_t kWeights = kColumns / 8;  // sectors of gamma

TEST_F(RowOperatorsInTriton, ATileReadsARowOnceALoopTwiceAndTwoKernelsTwice) {
  const auto reads = [](const char* rung, const Values& params = {}) {
    return counters_of("rmsnorm", rung, kShape, params).global_load_sectors;
  };
  EXPECT_EQ(reads("triton-scheme-1"), kSectors + kRows * kWeights);
  EXPECT_EQ(reads("triton-scheme-2", {{"num_stages", 1}}), 2 * kSectors + kRows * kWeights);
  EXPECT_EQ(reads("triton-scheme-4"), kSectors + kRows / 4 * kWeights) << "gamma once for 4 rows";
  const uint64_t sums = kRows * 4 * 4;  // read by each of 4 warps of 4 programs
  for (const char* rung : {"triton-scheme-3", "triton-scheme-3-parts"})
    EXPECT_EQ(reads(rung, {{"num_stages", 1}}), 2 * kSectors + kRows * kWeights + sums) << rung;
}

TEST_F(RowOperatorsInTriton, RowsThatAreNotAMultipleOf16AreLoadedByElement) {
  for (const auto& [columns, times] : std::map<int64_t, uint64_t>{{512, 1}, {504, 4}, {496, 1}}) {
    const Counters counters = counters_of("rmsnorm", "triton-scheme-1", {{"rows", kRows}, {"columns", columns}});
    EXPECT_EQ(counters.global_load_sectors, times * 2 * kRows * static_cast<uint64_t>(columns) / 8) << columns;
    EXPECT_EQ(counters.global_store_sectors, kRows * static_cast<uint64_t>(columns) / 8) << columns;
  }
}

TEST_F(RowOperatorsInTriton, LayerNormReadsAsTheFusedRungAndThreeTimesInALoop) {
  const auto counters = [](const char* rung) { return counters_of("layernorm", rung, kShape, {{"num_stages", 1}}); };
  EXPECT_EQ(counters("triton-row").global_load_sectors, counters("fused").global_load_sectors);
  EXPECT_EQ(counters("triton-row").global_load_requests, counters("fused").global_load_requests);
  EXPECT_EQ(counters("triton-loop").global_load_sectors, 3 * kSectors + kRows * 2 * kWeights);
  EXPECT_EQ(counters("triton-several-rows").global_load_sectors, kSectors + kRows / 4 * 2 * kWeights);
}

TEST(RowOperators, ARowThatNoTileHoldsIsRefusedWithTheLimit) {
  Request request = request_for("rmsnorm", "triton-scheme-1", {{"rows", 1}, {"columns", 16385}});
  const auto refused = engine().plan(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "columns = 16,385 is not possible; allowed is at most 16,384 with num_warps = 4: a thread would hold 256 "
            "elements of the tile, and 128 take half of its registers");
  request.config.params["num_warps"] = 8;
  EXPECT_TRUE(engine().plan(request));
  request.rung = "triton-scheme-4";
  EXPECT_FALSE(engine().plan(request));
  request.config.params["ROWS"] = 1;
  EXPECT_TRUE(engine().plan(request));
}

TEST(RowOperators, BackwardFusedReadsXAndDyOnceForAllGradients) {
  const Values tall{{"rows", 1024}, {"columns", 128}};
  const auto reads = [&](const char* rung) {
    return counters_of("layernorm-backward", rung, tall).global_load_sectors / (1024 * 128 / 8);
  };
  EXPECT_GE(reads("two-kernels"), 6U);   // x and dy three times
  EXPECT_EQ(reads("fused"), 4U);         // x, dy, and gamma twice per row, and little else
  EXPECT_EQ(reads("several-rows"), 2U);  // gamma once for all rows
}

TEST(RowOperators, BackwardWithSeveralRowsWritesWhatMustBeWrittenAndHasNoBankConflicts) {
  size_t checked = 0;
  const auto check = [&checked](int64_t type, int64_t columns, int64_t lanes) {
    const Values shape{{"rows", 1024}, {"columns", columns}}, params{{"DTYPE", type}, {"LANES", lanes}};
    const auto result = run_soundly(request_for("layernorm-backward", "several-rows", shape, params));
    ASSERT_TRUE(result);
    const Launch& launch = result->plan.launches.front();
    if (launch.kernel != "several_rows") return;  // more columns than these few lanes hold
    const Counters& counters = result->traffic.counters;
    EXPECT_EQ(counters.shared_load_bank_conflicts + counters.shared_store_bank_conflicts, 0U)
        << columns << " " << lanes;
    const int64_t matrix = 1024 * columns * (type == 1 ? 2 : 4), sums = 2 * columns * 4;
    EXPECT_EQ(counters.global_store_sectors, (matrix + (launch.grid.x + 1) * sums) / 32) << columns << " " << lanes;
    ++checked;
  };
  for (const int64_t columns : {64, 128, 512})
    for (const int64_t lanes : {4, 8, 16, 32}) check(0, columns, lanes), check(1, columns, lanes);
  EXPECT_GT(checked, 12U);
}

/// A small LayerNorm in double, and its loss Σ dy · y for a given dy.
struct SmallLayerNorm {
  static constexpr size_t kRows = 3, kColumns = 17;
  std::vector<double> x, dy, gamma, beta;
  SmallLayerNorm() : x(kRows * kColumns), dy(x.size()), gamma(kColumns), beta(kColumns) {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (auto* values : {&x, &dy, &gamma, &beta})
      for (double& value : *values) value = double{static_cast<float>(normal(random))};
  }
  std::pair<double, double> statistics(size_t row) const {
    double mean = 0, squares = 0;
    for (size_t c = 0; c < kColumns; ++c) mean += x[row * kColumns + c] / kColumns;
    for (size_t c = 0; c < kColumns; ++c) squares += std::pow(x[row * kColumns + c] - mean, 2);
    return {mean, 1 / std::sqrt(squares / kColumns + 1e-5)};
  }
  double loss() const {
    double sum = 0;
    for (size_t row = 0; row < kRows; ++row) {
      const auto [mean, rstd] = statistics(row);
      for (size_t c = 0; c < kColumns; ++c) {
        const size_t i = row * kColumns + c;
        sum += dy[i] * ((x[i] - mean) * rstd * gamma[c] + beta[c]);
      }
    }
    return sum;
  }
  /// Central differences: each value is moved in both directions.
  std::vector<double> gradient(std::vector<double> SmallLayerNorm::*of) {
    constexpr double kStep = 1e-4;
    std::vector<double> result;
    for (double& value : this->*of) {
      const double kept = value;
      value = kept + kStep;
      const double above = loss();
      value = kept - kStep;
      result.push_back((above - loss()) / (2 * kStep));
      value = kept;
    }
    return result;
  }
};

TEST(RowOperators, TheGradientsOfLayerNormAreThoseOfCentralDifferences) {
  SmallLayerNorm small;
  const Lab& lab = *find_lab("layernorm-backward");
  Config config = default_config(lab, DeviceKind::sim);
  config.sizes = {{"rows", small.kRows}, {"columns", small.kColumns}};
  std::vector<double> means, rstds;
  for (size_t row = 0; row < small.kRows; ++row) {
    means.push_back(small.statistics(row).first);
    rstds.push_back(small.statistics(row).second);
  }
  std::vector<std::shared_ptr<const HostBuffer>> buffers;
  for (const auto* values : {&small.x, &small.dy, &small.gamma, &means, &rstds}) {
    auto buffer = std::make_shared<HostBuffer>(DType::f32, values->size());
    std::copy(values->begin(), values->end(), buffer->as<float>().begin());
    buffers.push_back(buffer);
  }
  const auto expect_near = [&](size_t output, const std::vector<double>& differences) {
    std::vector<double> ours(differences.size());
    lab.reference(config, buffers, output, 0, ours.size(), ours.data());
    for (size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], differences[i], 1e-5) << output << " at " << i;
  };
  expect_near(0, small.gradient(&SmallLayerNorm::x));
  expect_near(1, small.gradient(&SmallLayerNorm::gamma));
  expect_near(2, small.gradient(&SmallLayerNorm::beta));
}

Pick pick_of(const std::string& lab, int64_t rows, int64_t columns, int64_t type = 0) {
  const GpuSpec* gpu = find_gpu(engine().gpus().value(), "h200");
  const Request request = request_for(lab, "auto", {{"rows", rows}, {"columns", columns}}, {{"DTYPE", type}});
  return find_rung(*find_lab(lab), "auto")->pick(request.config, *gpu);
}

TEST(RowOperators, AutoGivesShortRowsToLanesAndFewLongRowsToSeveralCtas) {
  EXPECT_EQ(pick_of("softmax", 262144, 128).rung, "several-rows");
  EXPECT_EQ(pick_of("softmax", 262144, 128).params.at("LANES"), 16);
  EXPECT_EQ(pick_of("layernorm", 262144, 128).params.at("LANES"), 4);
  EXPECT_EQ(pick_of("layernorm", 262144, 128, 1).params.at("VECTORS"), 4);
  EXPECT_EQ(pick_of("rmsnorm", 262144, 128, 1).params.at("LANES"), 8);
  EXPECT_EQ(pick_of("softmax", 1000, 3).params.at("LANES"), 1);
  EXPECT_EQ(pick_of("softmax", 8192, 4096).rung, "row-in-registers");
  EXPECT_EQ(pick_of("layernorm", 8192, 16384).rung, "fused");
  EXPECT_EQ(pick_of("rmsnorm", 16, 131072).rung, "scheme-3-flags");
  EXPECT_EQ(pick_of("rmsnorm", 16, 131072).params.at("CTAS"), 32);
  EXPECT_EQ(pick_of("rmsnorm", 16, 131072, 1).params.at("CTAS"), 16);
  EXPECT_EQ(pick_of("layernorm", 4, 1048576, 1).params.at("CTAS"), 32);
  EXPECT_EQ(pick_of("layernorm-backward", 262144, 128).rung, "several-rows");
  EXPECT_EQ(pick_of("layernorm-backward", 4096, 1024, 1).rung, "several-rows");
  EXPECT_EQ(pick_of("layernorm-backward", 4096, 2048, 1).rung, "rows-ahead");
  EXPECT_EQ(pick_of("layernorm-backward", 4096, 2044, 1).rung, "fused");  // rows are not aligned to 16 bytes
  EXPECT_EQ(pick_of("layernorm-backward", 8192, 8192).rung, "rows-ahead");
  EXPECT_EQ(pick_of("layernorm-backward", 8192, 16384).rung, "fused");
  EXPECT_EQ(pick_of("layernorm-backward", 8192, 16384, 1).rung, "rows-ahead");
}

TEST(RowOperators, TheViewsShowTheWalkOverTheRowsAlsoWhereTheSlabsTakeMoreThreads) {
  for (const auto& [rung, kernel] : std::map<std::string, std::string>{
           {"fused", "fused"}, {"several-rows", "several_rows"}, {"rows-ahead", "rows_ahead"}}) {
    const auto result = run_soundly(request_for("layernorm-backward", rung, {{"rows", 50}, {"columns", 500}}, {}));
    ASSERT_TRUE(result);
    const auto threads = [&](size_t i) {
      return result->plan.launches[i].grid.count() * result->plan.launches[i].block.count();
    };
    ASSERT_EQ(result->plan.launches.size(), 2U);
    EXPECT_GT(threads(1), threads(0)) << rung;
    EXPECT_EQ(result->plan.launches[result->tiles.launch].kernel, kernel);
  }
}

TEST(RowOperators, AutoKeepsRowsAheadInTheSharedMemoryThatTheGpuHas) {
  const Rung& choice = *find_rung(*find_lab("layernorm-backward"), "auto");
  size_t ahead = 0;
  for (const GpuSpec& gpu : engine().gpus().value())
    for (const int64_t columns : {1032, 2048, 4096, 8192, 16384}) {
      const Request request =
          request_for("layernorm-backward", "auto", {{"rows", 8192}, {"columns", columns}}, {{"DTYPE", 1}});
      const Pick pick = choice.pick(request.config, gpu);
      if (pick.rung != "rows-ahead") continue;
      ++ahead;
      const int64_t stages = pick.params.at("STAGES"), ctas = ceil_divide(pick.params.at("SLABS"), gpu.multiprocessors);
      EXPECT_GE(stages, 2) << gpu.id << ", " << columns;
      const int64_t bytes = stages * 2 * pick.params.at("VECTORS") * pick.params.at("BLOCK") * 16;
      EXPECT_LE(bytes, gpu.shared_bytes_per_block) << gpu.id << ", " << columns;
      EXPECT_LE(ctas * bytes, gpu.shared_bytes_per_multiprocessor) << gpu.id << ", " << columns;
    }
  EXPECT_GE(ahead, engine().gpus()->size() * 3);
}

TEST(RowOperators, WhatAutoPicksForTheBackwardPassHoldsTheRowAndDoesNotSpill) {
  const auto check = [](int64_t type, int64_t columns) {
    const Pick pick = pick_of("layernorm-backward", 262144, columns, type);
    Values params = pick.params;
    params["DTYPE"] = type;
    const auto result =
        run_soundly(request_for("layernorm-backward", pick.rung, {{"rows", 8}, {"columns", columns}}, params));
    ASSERT_TRUE(result);
    const Launch& launch = result->plan.launches.front();
    const bool aligned = columns % (type == 1 ? 8 : 4) == 0;
    EXPECT_EQ(launch.kernel, columns > 1024 ? "rows_ahead" : aligned ? "several_rows" : "several_rows_by_element");
    const KernelInfo* kernel = result->compiled.find(launch.kernel);
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->spill_store_bytes + kernel->spill_load_bytes, 0U) << columns << " columns, type " << type;
    EXPECT_GT(kernel->registers, 0U);
    // All CTAs run at the same time: an SM has 65,536 registers, allocated to threads in multiples of 8.
    const int64_t per_multiprocessor = ceil_divide(params.at("SLABS"), 132);
    EXPECT_LE(per_multiprocessor * params.at("BLOCK") * ceil_divide(kernel->registers, 8) * 8, 65536)
        << columns << " columns, type " << type;
  };
  const std::vector<int64_t> all{1,    8,    64,   127,  128,  250,  256,  500, 512,
                                 1000, 1021, 1024, 1032, 1600, 2048, 4096, 8192};
  constexpr size_t kStride = 4;
  for (const int64_t columns : values_in_turn(all, 1, kStride)) check(0, columns);
  for (const int64_t columns : values_in_turn(all, 3, kStride)) check(1, columns);
  check(1, 16384);
}

TEST(RowOperators, WhatAutoPicksHoldsTheRowInRegisters) {
  for (const int64_t type : {0, 1})
    for (const int64_t rows : {1, 4, 16, 100, 132, 500, 8192})
      for (int64_t columns = 16; columns <= 1 << 20; columns *= 2) {
        const Pick pick = pick_of("softmax", rows, columns, type);
        const auto param = [&](const char* name) { return pick.params.count(name) != 0 ? pick.params.at(name) : 1; };
        const int64_t threads = pick.rung == "several-rows" ? param("LANES") : param("BLOCK") * param("CTAS");
        EXPECT_GE(threads * param("VECTORS") * (type == 1 ? 8 : 4), columns) << rows << " rows, " << pick.rung;
      }
}

TEST(RowOperators, ARowThatNoCtaHoldsIsSharedAlsoWhereRowsAreMany) {
  const Pick pick = pick_of("softmax", 8192, 1 << 18);
  EXPECT_EQ(pick.rung, "several-ctas");
  EXPECT_GT(pick.params.at("CTAS"), 1);
}

}  // namespace
}  // namespace tilescope
