// The rungs in Triton of the labs on matrix products and attention: what they move, counted beside the CUDA rung that
// does the same. The lessons quote these figures.
#include <gtest/gtest.h>

#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/kernel_language.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

using Values = std::map<std::string, int64_t>;

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

class TritonProducts : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto triton = engine().triton().triton_origin({}); !triton) GTEST_SKIP() << triton.error().message;
  }
};

/// A run at the lab's defaults, but for these sizes and parameters.
Request request_for(const std::string& lab, const std::string& rung, const Values& changed = {}) {
  Request request;
  request.lab = lab;
  request.rung = rung;
  request.config = default_config(*find_lab(lab), DeviceKind::sim);
  request.machine_code = false;
  for (const auto& [name, value] : changed)
    (request.config.sizes.contains(name) ? request.config.sizes : request.config.params).at(name) = value;
  return request;
}

RunResult run_soundly(const Request& request) {
  auto result = engine().run(request);
  EXPECT_TRUE(result) << request.lab << " " << request.rung << ": " << result.error().message;
  if (!result) return {};
  EXPECT_TRUE(result->passed()) << request.lab << " " << request.rung;
  EXPECT_TRUE(result->findings.empty()) << request.lab << " " << request.rung;
  return std::move(*result);
}

Counters counters_of(const std::string& lab, const std::string& rung, const Values& changed = {}) {
  return run_soundly(request_for(lab, rung, changed)).traffic.counters;
}

constexpr const char* kTensor = "matmul-tensor-core";

TEST_F(TritonProducts, ReadWhatAPipelineOfTwoStagesReadsWithoutBankConflicts) {
  for (const char* rung : {"triton-row-major", "triton-grouped"})
    for (const int64_t type : {0, 1, 2})
      for (const int64_t layout : {0, 1}) {
        SCOPED_TRACE(fmt::format("{}, type {}, layout {}", rung, type, layout));
        const Values changed{{"DTYPE", type}, {"B_LAYOUT", layout}};
        const Counters cuda = counters_of(kTensor, "multi-stage", changed),
                       triton = counters_of(kTensor, rung, changed);
        EXPECT_EQ(triton.global_load_sectors, cuda.global_load_sectors);
        EXPECT_EQ(triton.global_store_sectors, cuda.global_store_sectors);
        EXPECT_EQ(triton.shared_load_bank_conflicts + triton.shared_store_bank_conflicts, 0U);
        // C passes through shared memory; beyond that the fragments are the same.
        EXPECT_EQ(triton.shared_load_wavefronts - triton.shared_store_wavefronts, cuda.shared_load_wavefronts);
      }
}

TEST_F(TritonProducts, StoreWholeRowsOfATile) {
  EXPECT_EQ(counters_of(kTensor, "multi-stage").global_store_requests, 798U);
  EXPECT_EQ(counters_of(kTensor, "triton-grouped").global_store_requests, 450U);
}

TEST_F(TritonProducts, LoadElementByElementWhere16DoesNotDivideTheRow) {
  EXPECT_EQ(counters_of(kTensor, "multi-stage", {{"N", 328}}).global_load_requests, 2220U);
  EXPECT_EQ(counters_of(kTensor, "triton-grouped", {{"N", 328}}).global_load_requests, 9060U);
  EXPECT_EQ(counters_of(kTensor, "multi-stage", {{"N", 335}}).global_load_sectors, 267480U);
  EXPECT_EQ(counters_of(kTensor, "triton-grouped", {{"N", 335}}).global_load_sectors, 38700U);
}

TEST_F(TritonProducts, TruncateTf32WhereTheCudaRungsRoundIt) {
  const auto error = [](const std::string& rung) {
    return run_soundly(request_for(kTensor, rung, {{"DTYPE", 2}})).correctness.front().largest_error;
  };
  EXPECT_GT(error("triton-grouped"), 2 * error("multi-stage"));
}

TEST_F(TritonProducts, TakeTheTilesOfCInTheSameOrderAsTheCudaRung) {
  const Values sizes{{"N", 1008}, {"K", 144}};  // 16 divides them
  const Counters cuda = counters_of("grouped-order", "grouped", sizes);
  const Counters triton = counters_of("grouped-order", "triton-grouped", sizes);
  EXPECT_EQ(triton.global_load_sectors, cuda.global_load_sectors);
  EXPECT_EQ(triton.global_load_requests, cuda.global_load_requests);
  EXPECT_EQ(triton.global_store_sectors, 63000U);  // every sector of C once
}

TEST_F(TritonProducts, ReadTheBiasOnceForEachLane) {
  for (const int64_t activation : {0, 1}) {
    const Counters product = counters_of("matmul-epilogue", "product");
    for (const char* rung : {"fused", "triton-fused"}) {
      const Counters fused = counters_of("matmul-epilogue", rung, {{"ACTIVATION", activation}});
      EXPECT_EQ(fused.global_load_sectors - product.global_load_sectors, 420U) << rung;
      EXPECT_EQ(fused.global_load_requests - product.global_load_requests, 420U) << rung;
    }
  }
}

TEST_F(TritonProducts, AttentionReadsWhatItsCudaRungWithStagesReads) {
  for (const int64_t causal : {0, 1})
    for (const int64_t depth : {64, 128}) {
      const Values changed{{"CAUSAL", causal}, {"HEAD_DIM", depth}};
      const Counters cuda = counters_of("attention", "flash-stages", changed);
      const Counters triton = counters_of("attention", "triton-flash", changed);
      EXPECT_EQ(triton.global_load_sectors, cuda.global_load_sectors);
      EXPECT_EQ(triton.global_store_sectors, cuda.global_store_sectors);
      EXPECT_EQ(triton.shared_load_bank_conflicts + triton.shared_store_bank_conflicts, 0U);
    }
  EXPECT_EQ(counters_of("attention", "flash-stages").shared_load_wavefronts, 36640U);
  EXPECT_EQ(counters_of("attention", "triton-flash").shared_load_wavefronts, 36896U);
  EXPECT_EQ(counters_of("attention", "triton-flash").shared_store_wavefronts, 2176U);
}

std::string refusal(const std::string& lab, const std::string& rung, const Values& changed) {
  const auto plan = engine().plan(request_for(lab, rung, changed));
  return plan ? std::string() : plan.error().message;
}

TEST(TritonTiles, ThatRegistersOrSharedMemoryCannotHoldAreRefusedWithTheirReason) {
  const auto tensor = [](const Values& changed) { return refusal(kTensor, "triton-grouped", changed); };
  EXPECT_NE(tensor({{"BN", 192}}).find("a power of two"), std::string::npos);
  EXPECT_NE(tensor({{"BM", 256}, {"BN", 128}, {"num_warps", 4}}).find("half of its registers"), std::string::npos);
  EXPECT_NE(tensor({{"BM", 128}, {"BN", 256}, {"BK", 64}, {"num_warps", 8}, {"DTYPE", 2}}).find("shared memory"),
            std::string::npos);
  const auto flash = [](const Values& changed) { return refusal("attention", "triton-flash", changed); };
  EXPECT_NE(flash({{"num_warps", 2}}).find("at least 4"), std::string::npos);
  EXPECT_NE(flash({{"heads", 6}, {"kv_heads", 4}}).find("divides heads = 6"), std::string::npos);
  EXPECT_NE(flash({{"HEAD_DIM", 128}, {"BLOCK_N", 128}, {"num_warps", 8}, {"num_stages", 4}}).find("shared memory"),
            std::string::npos);
}

TEST_F(TritonProducts, NoticeEveryBugThatIsPlantedInThem) {
  size_t bugs = 0;
  for (const char* name : {kTensor, "grouped-order", "matmul-epilogue", "attention"}) {
    const Lab& lab = *find_lab(name);
    for (const Rung& rung : lab.rungs)
      for (const BreakIt& one : lab.break_it) {
        if (language_of(source_file_of(lab, rung)) != KernelLanguage::triton) continue;
        Request request = request_for(lab.name, rung.name);
        request.broken = {one.name};
        const auto result = engine().run(request);
        ASSERT_TRUE(result) << lab.name << " " << one.name << ": " << result.error().message;
        const bool sound = result->findings.empty() && result->passed();
        EXPECT_NE(sound, one.concerns(rung.name)) << lab.name << " " << rung.name << " " << one.name;
        bugs += one.concerns(rung.name) ? 1 : 0;
      }
  }
  EXPECT_EQ(bugs, 8U);  // the mask of each, a bias after the activation, no maximum, no rescaling
}

}  // namespace
}  // namespace tilescope
