// The backward pass of attention: its reference against central differences, and what it moves and allocates.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "engine/run/engine.hpp"
#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

using Values = std::map<std::string, int64_t>;

Request request_for(const std::string& lab, const std::string& rung, const Values& sizes, const Values& params) {
  Request request;
  request.lab = lab;
  request.rung = rung;
  request.config = default_config(*find_lab(lab), DeviceKind::sim);
  request.config.params["HEAD_DIM"] = 64;  // the figures below assume it
  for (const auto& [name, value] : sizes) request.config.sizes[name] = value;
  for (const auto& [name, value] : params) request.config.params[name] = value;
  return request;
}

std::optional<RunResult> run_soundly(const Request& request) {
  std::string text = request.rung;
  for (const auto& [name, value] : request.config.sizes) text += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : request.config.params) text += fmt::format(" {}={}", name, value);
  auto result = engine().run(request);
  EXPECT_TRUE(result) << text << ": " << result.error().message;
  if (!result) return std::nullopt;
  for (const Correctness& one : result->correctness)
    EXPECT_TRUE(one.pass) << text << ", " << one.buffer << ": " << one.reason;
  EXPECT_TRUE(result->findings.empty()) << text << ": " << result->findings.front().message;
  return std::move(*result);
}

/// A small attention in double, and its loss Σ dO · O for a given dO. Two heads share K and V.
struct SmallAttention {
  static constexpr size_t kHeads = 2, kQueries = 3, kKeys = 4, kDepth = 64;
  bool causal;
  std::vector<double> q, k, v, d_o;
  explicit SmallAttention(bool masked)
      : causal(masked),
        q(kHeads * kQueries * kDepth),
        k(kKeys * kDepth),
        v(kKeys * kDepth),
        d_o(kHeads * kQueries * kDepth) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    HostBuffer half(DType::f16, 1);
    for (auto* values : {&q, &k, &v, &d_o})
      for (double& value : *values) {  // values that 16 bits hold exactly
        store_value(half, 0, normal(random));
        value = value_at(half, 0);
      }
  }
  /// O of one row, and its lse.
  std::pair<std::vector<double>, double> row(size_t at) const {
    std::vector<double> o(kDepth);
    double below = 0;
    for (size_t key = 0; key < kKeys; ++key) {
      if (causal && key > at % kQueries + kKeys - kQueries) continue;
      double score = 0;
      for (size_t d = 0; d < kDepth; ++d) score += q[at * kDepth + d] * k[key * kDepth + d];
      const double weight = std::exp(score / 8);
      below += weight;
      for (size_t d = 0; d < kDepth; ++d) o[d] += weight * v[key * kDepth + d];
    }
    for (double& value : o) value /= below;
    return {o, std::log(below)};
  }
  double loss() const {
    double sum = 0;
    for (size_t at = 0; at < kHeads * kQueries; ++at) {
      const auto o = row(at).first;
      for (size_t d = 0; d < kDepth; ++d) sum += d_o[at * kDepth + d] * o[d];
    }
    return sum;
  }
  /// Central differences: each value is moved in both directions.
  std::vector<double> gradient(std::vector<double> SmallAttention::*of) {
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

std::shared_ptr<const HostBuffer> buffer_of(DType type, const std::vector<double>& values) {
  auto buffer = std::make_shared<HostBuffer>(type, values.size());
  for (size_t i = 0; i < values.size(); ++i) store_value(*buffer, i, values[i]);
  return buffer;
}

TEST(AttentionBackward, GradientsAreThoseOfCentralDifferences) {
  const Lab& lab = *find_lab("attention-backward");
  for (const bool causal : {false, true}) {
    SmallAttention small(causal);
    const Config config = request_for(lab.name, "auto",
                                      {{"heads", SmallAttention::kHeads},
                                       {"kv_heads", 1},
                                       {"queries", SmallAttention::kQueries},
                                       {"keys", SmallAttention::kKeys}},
                                      {{"CAUSAL", causal ? 1 : 0}})
                              .config;
    std::vector<double> o, lse;
    for (size_t at = 0; at < SmallAttention::kHeads * SmallAttention::kQueries; ++at) {
      const auto [values, log_of_sum] = small.row(at);
      o.insert(o.end(), values.begin(), values.end());
      lse.push_back(log_of_sum);
    }
    const std::vector<std::shared_ptr<const HostBuffer>> buffers{
        buffer_of(DType::f16, small.q), buffer_of(DType::f16, small.k),   buffer_of(DType::f16, small.v),
        buffer_of(DType::f16, o),       buffer_of(DType::f16, small.d_o), buffer_of(DType::f32, lse)};
    const auto expect_near = [&](size_t output, const std::vector<double>& differences) {
      std::vector<double> ours(differences.size());
      lab.reference(config, buffers, output, 0, ours.size(), ours.data());
      // O is rounded to 16 bits, so each of its row sums has 64 errors of 2^-11, times a factor.
      for (size_t i = 0; i < ours.size(); ++i) EXPECT_NEAR(ours[i], differences[i], 2e-3) << output << " at " << i;
    };
    expect_near(0, small.gradient(&SmallAttention::q));
    expect_near(1, small.gradient(&SmallAttention::k));
    expect_near(2, small.gradient(&SmallAttention::v));
  }
}

TEST(AttentionBackward, IsRightOnWhatTheForwardPassLeaves) {
  // Q, K, V, O and lse come from a run of the forward lab; some queries see no key, and their lse is −∞.
  const Values sizes{{"heads", 2}, {"kv_heads", 1}, {"queries", 150}, {"keys", 90}};
  const auto forward =
      run_soundly(request_for("attention", "flash-lazy-rescale", sizes, {{"CAUSAL", 1}, {"DTYPE", 0}}));
  ASSERT_TRUE(forward);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("attention-backward-{}", getpid());
  std::filesystem::create_directories(folder);
  const std::vector<size_t> from{0, 1, 2, 3, SIZE_MAX, 4};  // of the forward pass; SIZE_MAX: dO is the lab's own
  for (const std::string rung : {"recompute-fp32", "mma-one-pass"}) {
    Request request = request_for("attention-backward", rung, sizes, {{"CAUSAL", 1}, {"DTYPE", 0}});
    auto lab = std::make_shared<Lab>(*find_lab("attention-backward"));
    for (Rung& one : lab->rungs) {
      if (!one.buffers) continue;
      one.buffers = [usual = one.buffers, &from, &folder, &forward](const Config& config) {
        std::vector<BufferSpec> buffers = usual(config);
        for (size_t i = 0; i < from.size(); ++i) {
          if (from[i] == SIZE_MAX) continue;
          buffers[i].fill = Fill::file;
          buffers[i].file = (folder / buffers[i].name).string();
          const auto& bytes = forward->buffers[from[i]]->bytes;
          std::ofstream(buffers[i].file, std::ios::binary)
              .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        }
        return buffers;
      };
    }
    // Here the first rows have few keys, so weights are near 1; and every 32nd query is 64 times as large as the
    // others, in products that involve dS with its 11 bits.
    lab->tolerance_for = [](const std::string&, const Config&, DType) {
      return Tolerance{.absolute = 0.06, .relative = 4e-3};
    };
    request.own_lab = lab;
    const auto result = run_soundly(request);
    ASSERT_TRUE(result);
    for (size_t i = 0; i < 60 * 64; ++i)
      EXPECT_EQ(value_at(*result->buffers[6], i), 0) << "of a query that sees no key";
  }
  std::filesystem::remove_all(folder);
}

TEST(AttentionBackward, OnTensorCoresHasNoBankConflictsAndHoldsEverythingInRegisters) {
  for (const int64_t depth : {64, 128})
    for (const int64_t keys : {64, 128}) {
      const auto result =
          run_soundly(request_for("attention-backward", "mma-one-pass", {{"queries", 128}, {"keys", 128}},
                                  {{"HEAD_DIM", depth}, {"BLOCK_N", keys}, {"CAUSAL", 1}}));
      ASSERT_TRUE(result);
      for (const LineTraffic& line : result->traffic.lines)
        EXPECT_EQ(line.bank_conflicts(), 0U) << line.file << ":" << line.line;
      for (const KernelInfo& kernel : result->compiled.kernels)
        EXPECT_EQ(kernel.spill_store_bytes + kernel.spill_load_bytes, 0U) << kernel.name << " " << depth << " " << keys;
    }
}

TEST(AttentionBackward, StoresNothingThatGrowsWithQueriesTimesKeys) {
  const auto bytes = [](const char* rung, int64_t length) {
    int64_t sum = 0;
    const auto plan =
        engine().plan(request_for("attention-backward", rung, {{"queries", length}, {"keys", length}}, {}));
    EXPECT_TRUE(plan);
    for (const BufferSpec& one : plan->buffers) sum += one.count() * static_cast<int64_t>(size_of(one.type));
    return sum;
  };
  for (const char* rung : {"recompute-fp32", "mma-one-pass"})
    EXPECT_EQ(bytes(rung, 8192), 2 * bytes(rung, 4096)) << rung;
}

}  // namespace
}  // namespace tilescope
