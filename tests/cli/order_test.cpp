// The block-order model through the command line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/commands/commands.hpp"
#include "engine/report/report.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

RunOptions matmul(int64_t size, bool as_json) {
  RunOptions options;
  options.lab = "grouped-order";
  for (const char* name : {"M", "N", "K"}) options.size.push_back(fmt::format("{}={}", name, size));
  options.set = {"BM=128", "BN=256", "BK=64", "GROUP_M=8", "CTAS_PER_SM=1"};
  options.traffic = true;
  options.json = as_json;
  return options;
}

TEST(OrderCommand, TheGroupedRungRunsUnlessAnotherIsNamedAndItsCountersAreModelled) {
  std::ostringstream out, problems;
  ASSERT_EQ(run_command(engine(), matmul(8192, true), out, problems), kClean) << problems.str();
  const json run = json::parse(out.str());
  EXPECT_EQ(run["rung"], "grouped");
  const json& counters = run["counters"];
  // 2,048 blocks of 128 steps request 16 and 32 KiB in each; each of a warp's two stores writes 16 bytes of a sector.
  EXPECT_EQ(counters["l2_bytes_read"], uint64_t{2048} * 128 * (16384 + 32768));
  EXPECT_EQ(counters["l2_bytes_written"], uint64_t{2} * 8192 * 8192 * 2);
  EXPECT_EQ(counters["l2_bytes"], counters["l2_bytes_read"].get<uint64_t>() + uint64_t{2} * 8192 * 8192 * 2);
  EXPECT_EQ(counters["device_bytes_written"], uint64_t{8192} * 8192 * 2);
  EXPECT_GT(counters["device_bytes_read"], uint64_t{2} * 8192 * 8192 * 2) << "more than A and B once";
  EXPECT_LT(counters["device_bytes_read"], counters["l2_bytes"]);
  EXPECT_GT(counters["l2_hit_rate"], 0.5);
  for (const char* name : {"device_bytes_read", "device_bytes_written", "l2_bytes", "l2_hit_rate"})
    EXPECT_EQ(run["badges"][name], "MODELLED") << name;
  EXPECT_EQ(run["block_order"]["badge"], "MODELLED");
  EXPECT_EQ(run["block_order"]["tile_rows"], 64);
  EXPECT_EQ(run["block_order"]["tile_columns"], 32);
  EXPECT_EQ(run["block_order"]["launched"]["waves"].size(), 16U);
  const json& bounds = run["block_order"]["device_bytes_read_bounds"];
  EXPECT_GT(bounds["together"], uint64_t{2} * 8192 * 8192 * 2);
  EXPECT_LE(bounds["together"], bounds["apart"]);
  EXPECT_TRUE(bounds["sure"]) << "the strips of a wave stay in the L2: " << bounds;
  const uint64_t steady = run["block_order"]["device_bytes_read_at_steady_clock"];
  EXPECT_GE(steady, bounds["together"].get<uint64_t>());
  EXPECT_LE(steady, counters["device_bytes_read"].get<uint64_t>() * 1.01) << "clusters drift apart less";
  EXPECT_GT(run["block_order"]["errors"]["device_bytes_read"]["sure_cases"], 0);
  EXPECT_GT(run["block_order"]["errors"]["device_bytes_read_at_steady_clock"]["cases"], 0);
  EXPECT_TRUE(run["correctness"].empty()) << "nothing is compared where blocks are only sampled";
}

TEST(OrderCommand, TheTextSaysWhereTheOrderMakesNoDifferenceAndWhy) {
  std::ostringstream out, problems;
  ASSERT_EQ(run_command(engine(), matmul(4096, false), out, problems), kClean) << problems.str();
  const std::string text = out.str();
  EXPECT_NE(text.find("The order makes no difference that matters"), std::string::npos) << text;
  EXPECT_NE(text.find("fits the L2 in either order"), std::string::npos) << text;
  EXPECT_NE(text.find("4 of 512 blocks were executed"), std::string::npos) << text;
  EXPECT_NE(text.find("[MODELLED]"), std::string::npos) << text;
}

TEST(OrderCommand, TheTextWarnsIfTheModelIsNotSure) {
  RunOptions options = matmul(8192, false);
  options.set = {"BM=128", "BN=128", "BK=32", "GROUP_M=64", "CTAS_PER_SM=2"};  // 64 rows at a time: all of A, 134 MB
  std::ostringstream out, problems;
  ASSERT_EQ(run_command(engine(), options, out, problems), kClean) << problems.str();
  EXPECT_NE(out.str().find("NOT sure: "), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("read this much, give or take 15%"), std::string::npos) << out.str();
  std::ostringstream sure;
  ASSERT_EQ(run_command(engine(), matmul(4096, false), sure, problems), kClean) << problems.str();
  EXPECT_EQ(sure.str().find("NOT sure"), std::string::npos) << sure.str();
}

TEST(OrderCommand, AUsersFileIsModelledTheSameWay) {
  const auto file = own_test_folder() / "columns.cu";
  std::ofstream(file) << R"(extern "C" __global__ void columns(const float* x, float* y, int n, int rows) {
    float sum = 0;
#pragma unroll 1
    for (int row = 0; row < rows; ++row) {
      sum += x[row * n + blockIdx.x * 32 + threadIdx.x];
      __syncthreads();
    }
    y[blockIdx.x * 32 + threadIdx.x] = sum;
  })";
  ExecOptions options;
  options.file = file.string();
  options.grid = "64";
  options.block = "32";
  options.arguments = {"buf:f32:204800:ones:x", "buf:f32:2048:poison:y", "i32:2048", "i32:100"};
  options.order = options.json = true;
  std::ostringstream out, problems;
  ASSERT_EQ(exec_command(engine(), options, out, problems), kClean) << out.str() << problems.str();
  const json run = json::parse(out.str());
  const json& order = run["block_order"];
  ASSERT_FALSE(order.contains("reason")) << order["reason"];
  EXPECT_EQ(order["steps"], 100);
  EXPECT_EQ(order["launched"]["device_bytes_read"], 4 * 204800);
  EXPECT_EQ(order["launched"]["l2_bytes_read"], 4 * 204800);
  EXPECT_EQ(order["operands"][0]["strips"], 64);
  options.order = false;
  std::ostringstream plain;
  ASSERT_EQ(exec_command(engine(), options, plain, problems), kClean);
  EXPECT_FALSE(json::parse(plain.str()).contains("block_order"));
}

}  // namespace
}  // namespace tilescope
