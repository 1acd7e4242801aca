// What the rungs in Triton read and write, beside the CUDA rungs that have the same accesses: the figures of the
// lessons. Triton compiles a kernel anew for sizes that are multiples of 16, and only then moves 16 bytes at a time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;
using Values = std::map<std::string, int64_t>;

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

class TritonRungs : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto triton = engine().triton().triton_origin({}); !triton) GTEST_SKIP() << triton.error().message;
  }

  static Request request_for(const std::string& lab, const std::string& rung, const Values& values) {
    Request request;
    request.lab = lab;
    request.rung = rung;
    request.config = default_config(*find_lab(lab), DeviceKind::sim);
    request.machine_code = false;
    for (const auto& [name, value] : values)
      (request.config.sizes.contains(name) ? request.config.sizes : request.config.params).at(name) = value;
    return request;
  }
  static std::optional<RunResult> run(const std::string& lab, const std::string& rung, const Values& values = {}) {
    auto result = engine().run(request_for(lab, rung, values));
    EXPECT_TRUE(result) << lab << " " << rung << ": " << result.error().message;
    if (!result) return std::nullopt;
    EXPECT_TRUE(result->passed() && result->findings.empty()) << lab << " " << rung;
    return std::move(*result);
  }
  /// Requests and sectors of all loads.
  static std::pair<uint64_t, uint64_t> loads(const std::string& lab, const std::string& rung,
                                             const Values& values = {}) {
    const auto result = run(lab, rung, values);
    if (!result) return {};
    return {result->traffic.counters.global_load_requests, result->traffic.counters.global_load_sectors};
  }
};

using Loads = std::pair<uint64_t, uint64_t>;

TEST_F(TritonRungs, AreCompiledOnceWithAndWithoutMachineCode) {
  std::string folder = (std::filesystem::temp_directory_path() / "tilescope-once-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  for (const bool machine_code : {false, true})
    for (const bool known : {false, true}) {
      const auto own = Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = folder});
      Request request = request_for("vector-add", "triton-tile", {});
      request.machine_code = machine_code;
      const auto result = own->run(request);
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_TRUE(result->passed());
      EXPECT_EQ(result->compiled.from_cache, known) << machine_code;
    }
  std::filesystem::remove_all(folder);
}

TEST_F(TritonRungs, AddVectorsWithTheRequestsOfTheVectorRung) {
  const Loads vectors = loads("vector-add", "vector-loads");
  EXPECT_EQ(vectors, Loads(1538, 24608));
  for (const char* rung : {"triton-tile", "triton-two-tiles", "triton-loop"})
    EXPECT_EQ(loads("vector-add", rung), vectors) << rung;
}

TEST_F(TritonRungs, ReadEverySectorFourTimesWhereNIsNoMultipleOf16) {
  EXPECT_EQ(loads("vector-add", "triton-tile", {{"n", 98433}}), Loads(6154, 98434));
  EXPECT_EQ(loads("vector-add", "vector-loads", {{"n", 98433}}), Loads(1540, 24610));
  EXPECT_EQ(loads("reduction-sum", "triton-atomic", {{"n", 100000}}), Loads(782, 12500));
  EXPECT_EQ(loads("reduction-sum", "triton-atomic", {{"n", 100003}}), Loads(3128, 50003));
  EXPECT_EQ(loads("reduction-sum", "triton-two-pass", {{"n", 100000}}), Loads(783, 12504));
  EXPECT_EQ(loads("sin-cos-add", "triton-fused", {{"n", 20000}}), Loads(314, 5000));
  EXPECT_EQ(loads("sin-cos-add", "triton-fused", {{"n", 20003}}), Loads(1256, 20006));
  EXPECT_EQ(loads("gelu", "triton-sigmoid", {{"n", 20003}}), Loads(628, 10003));
}

TEST_F(TritonRungs, GiveAnElementToTwoThreadsWhereTheTileHasFewerElementsThanThreads) {
  EXPECT_EQ(loads("vector-add", "triton-tile", {{"BLOCK_SIZE", 64}}).second, 2 * 24608U);
}

TEST_F(TritonRungs, OfGeluMove16BytesInEitherType) {
  for (const char* rung : {"triton-fused", "triton-sigmoid"}) {
    EXPECT_EQ(loads("gelu", rung, {{"n", 20000}, {"DTYPE", 0}}), Loads(157, 2500)) << rung;
    EXPECT_EQ(loads("gelu", rung, {{"n", 20000}, {"DTYPE", 1}}), Loads(79, 1250)) << rung;
  }
}

TEST_F(TritonRungs, OfSoftmaxReadARowOnceAndOnlineTwice) {
  EXPECT_EQ(loads("softmax", "triton-row", {{"columns", 512}}),
            loads("softmax", "row-in-registers", {{"columns", 512}}));
  EXPECT_EQ(loads("softmax", "triton-row", {{"columns", 504}}), Loads(3200, 12600)) << "coalesced, 4 bytes per lane";
  EXPECT_EQ(loads("softmax", "triton-persistent", {{"columns", 512}}), Loads(800, 12800));
  EXPECT_EQ(loads("softmax", "triton-online", {{"columns", 512}}), Loads(3200, 25600));
}

TEST_F(TritonRungs, KeepTheRowsInFlightInSharedMemory) {
  const auto shared_bytes = [](const Values& values) {
    const auto result = run("softmax", "triton-persistent", values);
    return result ? int64_t{result->plan.launches.front().shared_bytes} : -1;
  };
  constexpr int64_t kReduction = 16;  // one float per warp
  for (const int64_t stages : {1, 2, 4})
    EXPECT_EQ(shared_bytes({{"columns", 512}, {"num_stages", stages}}), (stages - 1) * 2048 + kReduction) << stages;
  EXPECT_EQ(shared_bytes({{"columns", 504}, {"DTYPE", 1}, {"num_stages", 2}}), kReduction)
      << "cp.async copies 4 bytes at least";
}

TEST_F(TritonRungs, OfSoftmaxRefuseARowThatNoTileHoldsAndSayWhatOneHolds) {
  const auto why = [](const std::string& rung, const Values& values) {
    const auto result = engine().run(request_for("softmax", rung, values));
    return result ? std::string() : result.error().message;
  };
  EXPECT_EQ(why("triton-row", {{"rows", 2}, {"columns", 16384}}), "");
  EXPECT_THAT(why("triton-row", {{"rows", 2}, {"columns", 16385}}), HasSubstr("at most 16,384 with num_warps = 4"));
  EXPECT_EQ(why("triton-row", {{"rows", 2}, {"columns", 16385}, {"num_warps", 8}}), "");
  EXPECT_THAT(why("triton-row", {{"rows", 2}, {"columns", 65537}, {"num_warps", 16}}), HasSubstr("at most 65,536"));
  EXPECT_NE(why("triton-persistent", {{"rows", 2}, {"columns", 65536}, {"num_warps", 16}}).find("shared memory"),
            std::string::npos);
  EXPECT_EQ(why("triton-online", {{"rows", 2}, {"columns", 65537}}), "");
}

/// The compiler's sentence alone, at the line of the kernel.
TEST_F(TritonRungs, OfATileThatIsNoPowerOfTwoAreRefusedAtItsLine) {
  Request request = request_for("vector-add", "triton-tile", {});
  request.broken = {"ODD_TILE"};
  const auto result = engine().run(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, ErrorId::compile_failed);
  EXPECT_NE(result.error().message.find("kernels/elementwise.py(16): error: arange's range must be a power of 2"),
            std::string::npos)
      << result.error().message;
}

TEST_F(TritonRungs, AreRefusedInOneSentenceWhereATypeIsNotWidened) {
  const auto why = [](const std::string& rung) {
    Request request = request_for("gelu", rung, {{"DTYPE", 1}});
    request.edited_source =
        plant(engine().plan(request)->source_text,
              std::vector<Plant>{
                  {.in = rung == "triton-fused" ? "fused" : "fused_sigmoid", .replace = ".to(tl.float32)", .by = ""}},
              "widening")
            .value();
    const auto result = engine().run(request);
    return result ? std::string() : result.error().message;
  };
  EXPECT_NE(why("triton-fused").find("there is no such function for the types (tl.bfloat16)"), std::string::npos)
      << why("triton-fused");
  EXPECT_NE(why("triton-sigmoid").find("Expected dtype ['fp32', 'fp64'] but got bf16"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
