// Attention: what every rung does at the edges, what it moves and what it allocates.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

using Values = std::map<std::string, int64_t>;
using Change = std::function<void(std::vector<BufferSpec>&)>;

Request request_for(const std::string& rung, const Values& sizes, const Values& params = {}) {
  Request request;
  request.lab = "attention";
  request.rung = rung;
  request.config = default_config(*find_lab("attention"), DeviceKind::sim);
  request.config.params["HEAD_DIM"] = 64;  // the figures below assume it
  for (const auto& [name, value] : sizes) request.config.sizes[name] = value;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  return request;
}

Values lengths(int64_t queries, int64_t keys) { return {{"queries", queries}, {"keys", keys}}; }

/// The same lab with other inputs.
void with_inputs(Request& request, const Change& change) {
  auto lab = std::make_shared<Lab>(*find_lab("attention"));
  const auto wrap = [&change](const std::function<std::vector<BufferSpec>(const Config&)>& usual) {
    return [usual, change](const Config& config) {
      std::vector<BufferSpec> buffers = usual(config);
      change(buffers);
      return buffers;
    };
  };
  lab->buffers = wrap(lab->buffers);
  for (Rung& rung : lab->rungs)
    if (rung.buffers) rung.buffers = wrap(rung.buffers);
  request.own_lab = lab;
}

std::string describe(const Request& request) {
  std::string text = request.rung;
  for (const auto& [name, value] : request.config.sizes) text += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : request.config.params) text += fmt::format(" {}={}", name, value);
  return text;
}

std::optional<RunResult> run_soundly(const Request& request) {
  auto result = engine().run(request);
  EXPECT_TRUE(result) << describe(request) << ": " << result.error().message;
  if (!result) return std::nullopt;
  for (const Correctness& one : result->correctness)
    EXPECT_TRUE(one.pass) << describe(request) << ", " << one.buffer << ": " << one.reason;
  EXPECT_TRUE(result->findings.empty()) << describe(request) << ": " << result->findings.front().message;
  return std::move(*result);
}

const std::vector<std::string>& rungs() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names{"unfused",      "online-row",        "flash-fp32",         "flash-mma",
                                   "flash-stages", "flash-q-registers", "flash-lazy-rescale", "auto"};
    if (engine().triton().triton_origin({})) names.emplace_back("triton-flash");
    return names;
  }();
  return all;
}

/// Those whose products run on the tensor cores, one tile for all of them.
const std::vector<std::string>& tensor_core_rungs() {
  static const std::vector<std::string> all{"flash-mma", "flash-stages", "flash-q-registers", "flash-lazy-rescale"};
  return all;
}

TEST(Attention, IsSoftmaxOfTheScoresTimesTheValues) {
  // The reference against the definition, written without regard for overflow, for a causal mask and shared heads.
  const Request request =
      request_for("flash-mma", {{"heads", 4}, {"kv_heads", 2}, {"queries", 5}, {"keys", 9}}, {{"CAUSAL", 1}});
  Request plain = request;
  with_inputs(plain, [](auto& buffers) { buffers[1].fill_values = {}; });
  const auto result = run_soundly(plain);
  ASSERT_TRUE(result);
  const auto at = [&](size_t buffer, int64_t head, int64_t rows, int64_t row, int64_t d) {
    return value_at(*result->buffers[buffer], static_cast<size_t>((head * rows + row) * 64 + d));
  };
  std::vector<double> expected(4 * 5 * 64), lse(4 * 5);
  find_lab("attention")->reference(plain.config, result->buffers, 0, 0, expected.size(), expected.data());
  find_lab("attention")->reference(plain.config, result->buffers, 1, 0, lse.size(), lse.data());
  for (int64_t row = 0; row < 4 * 5; ++row) {
    const int64_t head = row / 5, i = row % 5;
    for (int64_t d = 0; d < 64; ++d) {
      double above = 0, below = 0;
      for (int64_t j = 0; j <= i + 4; ++j) {
        double product = 0;
        for (int64_t e = 0; e < 64; ++e) product += at(0, head, 5, i, e) * at(1, head / 2, 9, j, e);
        above += std::exp(product / 8) * at(2, head / 2, 9, j, d);
        below += std::exp(product / 8);
      }
      EXPECT_NEAR(expected[static_cast<size_t>((head * 5 + i) * 64 + d)], above / below, 1e-12);
      EXPECT_NEAR(lse[static_cast<size_t>(head * 5 + i)], std::log(below), 1e-12);
    }
  }
}

TEST(Attention, IsRightWhereScoresAreHundredsApart) {
  for (const std::string& rung : rungs())
    for (const int64_t causal : {0, 1}) {
      Request request = request_for(rung, lengths(70, 150), {{"CAUSAL", causal}, {"DTYPE", causal}});
      with_inputs(request, [](auto& buffers) {
        buffers[0].fill_values = {0, 30};
        buffers[1].fill_values = {0, 4};
      });
      const auto result = run_soundly(request);
      ASSERT_TRUE(result);
      for (const Correctness& one : result->correctness) EXPECT_EQ(one.nan, 0U) << rung;
    }
}

TEST(Attention, GivesQueriesThatSeeNoKeyZerosAndALogarithmOfMinusInfinity) {
  for (const std::string& rung : rungs()) {
    const auto result = run_soundly(request_for(rung, lengths(200, 30), {{"CAUSAL", 1}}));
    ASSERT_TRUE(result);
    for (const size_t query : {size_t{0}, size_t{100}, size_t{169}}) {
      EXPECT_EQ(value_at(*result->buffers[4], query), -HUGE_VAL) << rung << " " << query;
      for (size_t d = 0; d < 64; ++d) EXPECT_EQ(value_at(*result->buffers[3], query * 64 + d), 0) << rung;
    }
    // The first query that sees a key sees exactly one, and gets its value.
    for (size_t d = 0; d < 64; ++d)
      EXPECT_EQ(value_at(*result->buffers[3], 170 * 64 + d), value_at(*result->buffers[2], d)) << rung;
  }
}

TEST(Attention, TheTraceOfOnlineSoftmaxEndsInTheLogarithmOfTheSum) {
  const auto result = run_soundly(request_for("online-row", lengths(33, 77), {{"CAUSAL", 1}}));
  ASSERT_TRUE(result);
  const auto trace = result->buffers[5]->as<float>();
  float m = -HUGE_VALF;
  double sum = 0;
  for (size_t key = 0; key < 77; ++key) {
    const float score = trace[4 * key], rescale = trace[4 * key + 3];
    EXPECT_EQ(rescale == 1, score <= m) << "a new maximum, and nothing else, rescales; at key " << key;
    m = std::max(m, score);
    EXPECT_EQ(trace[4 * key + 1], m);
    sum += std::exp(double{score});
  }
  EXPECT_NEAR(double{trace[4 * 76 + 1]} + std::log(double{trace[4 * 76 + 2]}), value_at(*result->buffers[4], 32), 1e-4);
  EXPECT_NEAR(std::log(sum), value_at(*result->buffers[4], 32), 1e-4);
}

int64_t bytes_allocated(const std::string& rung, int64_t length) {
  int64_t bytes = 0;
  const auto plan = engine().plan(request_for(rung, lengths(length, length)));
  EXPECT_TRUE(plan);
  for (const BufferSpec& buffer : plan->buffers) bytes += buffer.count() * static_cast<int64_t>(size_of(buffer.type));
  return bytes;
}

TEST(Attention, FlashAllocatesInProportionToTheLengthAndUnfusedToItsSquare) {
  for (const std::string& rung : rungs()) {
    if (rung == "unfused") continue;
    EXPECT_EQ(bytes_allocated(rung, 8192), 2 * bytes_allocated(rung, 4096)) << rung;
  }
  const int64_t inputs_and_results = bytes_allocated("flash-mma", 8192);
  EXPECT_EQ(bytes_allocated("unfused", 8192) - inputs_and_results, int64_t{2} * 8192 * 8192 * 4);  // two heads
}

TEST(Attention, FlashReadsKAndVOnceForEachTileOfQueriesAndSkipsBlocksThatNoQuerySees) {
  const auto sectors = [](const std::string& rung, int64_t causal) {
    const auto result = run_soundly(request_for(rung, lengths(512, 512), {{"CAUSAL", causal}}));
    return result ? result->traffic.counters.global_load_sectors : 0;
  };
  constexpr uint64_t kOfQ = 2 * 512 * 128 / 32, kOfBlock = 2 * 64 * 128 / 32;  // two heads; K and V of 64 keys
  for (const std::string& rung : tensor_core_rungs()) {
    EXPECT_EQ(sectors(rung, 0), kOfQ + 2 * 4 * 8 * kOfBlock) << rung;
    EXPECT_EQ(sectors(rung, 1), kOfQ + 2 * (2 + 4 + 6 + 8) * kOfBlock) << rung;
  }
}

TEST(Attention, FlashOnTensorCoresHasNoBankConflicts) {
  for (const std::string& rung : tensor_core_rungs())
    for (const int64_t depth : {64, 128}) {
      const auto result = run_soundly(request_for(rung, lengths(256, 256), {{"HEAD_DIM", depth}}));
      ASSERT_TRUE(result);
      for (const LineTraffic& line : result->traffic.lines)
        EXPECT_EQ(line.bank_conflicts(), 0U) << rung << ", " << line.file << ":" << line.line;
    }
}

TEST(Attention, FlashReadsQFromSharedMemoryOnceOrForEachBlock) {
  const auto wavefronts = [](const std::string& rung, int64_t keys) {
    const auto result = run_soundly(request_for(rung, {{"heads", 1}, {"queries", 128}, {"keys", keys}}));
    return result ? result->traffic.counters.shared_load_wavefronts : 0;
  };
  constexpr uint64_t kOfQ = 128 * 128 / 128;  // 128 rows of 128 bytes, 128 bytes in each wavefront
  for (const int64_t blocks : {1, 2, 5})
    EXPECT_EQ(wavefronts("flash-stages", 64 * blocks) - wavefronts("flash-q-registers", 64 * blocks),
              kOfQ * static_cast<uint64_t>(blocks - 1))
        << blocks;
}

TEST(Attention, EveryTensorCoreRungComputesTheSameBits) {
  const auto output = [](const std::string& rung) {
    const auto result = run_soundly(request_for(rung, lengths(200, 300), {{"CAUSAL", 1}}));
    if (!result) return std::vector<uint16_t>{};
    const auto bits = result->buffers[3]->as<uint16_t>();
    return std::vector<uint16_t>(bits.begin(), bits.end());
  };
  const auto expected = output("flash-mma");
  for (const std::string& rung : tensor_core_rungs()) EXPECT_EQ(output(rung), expected) << rung;
}

TEST(Attention, FlashHoldsEverythingInRegisters) {
  for (const Values& tiles : {Values{{"HEAD_DIM", 128}},
                              {{"HEAD_DIM", 64}, {"BLOCK_N", 128}},
                              {{"HEAD_DIM", 128}, {"BLOCK_N", 128}, {"WARPS", 8}}})
    for (const int64_t causal : {0, 1}) {
      Request request = request_for("flash-lazy-rescale", lengths(128, 128), tiles);
      request.config.params["CAUSAL"] = causal;
      const auto result = run_soundly(request);
      ASSERT_TRUE(result);
      for (const KernelInfo& kernel : result->compiled.kernels)
        EXPECT_EQ(kernel.spill_store_bytes + kernel.spill_load_bytes, 0U) << describe(request);
    }
}

std::string refusal(const Values& sizes, const Values& params) {
  const auto plan = engine().plan(request_for("flash-lazy-rescale", sizes, params));
  return plan ? std::string() : plan.error().message;
}

TEST(Attention, RefusesWhatDoesNotFitAndSaysWhatLimitsIt) {
  EXPECT_NE(refusal({{"heads", 6}, {"kv_heads", 4}}, {}).find("divides heads = 6"), std::string::npos);
  EXPECT_NE(refusal({}, {{"BLOCK_M", 64}, {"WARPS", 8}}).find("tiles of 16 queries"), std::string::npos);
  EXPECT_NE(refusal({}, {{"HEAD_DIM", 128}, {"BLOCK_N", 128}}).find("registers"), std::string::npos);
  EXPECT_NE(refusal({}, {{"HEAD_DIM", 128}, {"BLOCK_N", 128}, {"WARPS", 8}, {"STAGES", 4}}).find("shared memory"),
            std::string::npos);
  EXPECT_EQ(refusal({}, {{"HEAD_DIM", 128}, {"BLOCK_N", 128}, {"WARPS", 8}, {"STAGES", 3}}), "");
}

TEST(Attention, AutoTakesSmallTilesForFewQueriesAndLargeOnesForMany) {
  const GpuSpec* gpu = find_gpu(engine().gpus().value(), "h200");
  const auto pick = [&](int64_t length, int64_t depth) {
    const Request request = request_for("auto", lengths(length, length), {{"HEAD_DIM", depth}});
    return find_rung(*find_lab("attention"), "auto")->pick(request.config, *gpu).params;
  };
  EXPECT_EQ(pick(400, 64).at("BLOCK_M"), 64);
  EXPECT_EQ(pick(16384, 64).at("BLOCK_N"), 128);
  EXPECT_EQ(pick(16384, 128).at("BLOCK_M"), 128);
  EXPECT_EQ(pick(16384, 128).at("BLOCK_N"), 64);
}

TEST(Attention, CountsThePairsThatAreNotMasked) {
  const auto flops = [](int64_t queries, int64_t keys, int64_t causal) {
    const Request request = request_for("flash-mma", lengths(queries, keys), {{"CAUSAL", causal}});
    return find_lab("attention")->flops(request.config) / (2 * 4 * 64);
  };
  EXPECT_EQ(flops(3, 5, 0), 15);
  EXPECT_EQ(flops(3, 5, 1), 3 + 4 + 5);
  EXPECT_EQ(flops(5, 3, 1), 0 + 0 + 1 + 2 + 3);
}

}  // namespace
}  // namespace tilescope
