// User kernels, compiled here, of which only some blocks are executed: what follows for the whole grid must equal what
// executing all blocks counts.
#include "engine/run/observe_order.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "engine/run/engine.hpp"
#include "engine/sim/simulator.hpp"

namespace tilescope {
namespace {

Engine& engine() {
  static const std::shared_ptr<Engine> shared = Engine::open({});
  return *shared;
}

constexpr const char* kTiled = R"(
// c = a · b in floats, by tiles of 32 × 32 through shared memory. Blocks in a zigzag over the columns.
extern "C" __global__ void tiled(const float* a, const float* b, float* c, int m, int n, int depth) {
  __shared__ float as[32][32], bs[32][33];
  int columns = (n + 31) / 32, tile_row = blockIdx.x / columns, tile_column = blockIdx.x % columns;
  if (tile_row % 2) tile_column = columns - 1 - tile_column;
  int row = tile_row * 32 + threadIdx.y, column = tile_column * 32 + threadIdx.x;
  float sum[4] = {};
  for (int k = 0; k < depth; k += 32) {
    for (int i = 0; i < 32; i += 8) {
      int r = threadIdx.y + i;
      as[r][threadIdx.x] = row + i < m && k + threadIdx.x < depth ? a[(row + i) * depth + k + threadIdx.x] : 0;
      bs[r][threadIdx.x] = k + r < depth && column < n ? b[(k + r) * n + column] : 0;
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j)
      for (int i = 0; i < 4; ++i) sum[i] += as[threadIdx.y + 8 * i][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    if (row + 8 * i < m && column < n) c[(row + 8 * i) * n + column] = sum[i];
}

// The number of steps is not the same for all blocks.
extern "C" __global__ void triangle(const float* a, float* c, int n) {
  float sum = 0;
  for (int i = 0; i <= blockIdx.x; ++i) {
    sum += a[i * 32 + threadIdx.x];
    __syncthreads();
  }
  c[blockIdx.x * 32 + threadIdx.x] = sum;
}

// Where a block writes does not follow from where it reads.
extern "C" __global__ void squares(const float* a, float* c, int n) {
  __shared__ float tile[32];
  tile[threadIdx.x] = a[blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 40; ++i) { tile[threadIdx.x] += 1; __syncthreads(); }
  c[blockIdx.x * blockIdx.x % 31 * 32 + threadIdx.x] = tile[31 - threadIdx.x];
}
)";

struct Subject {
  CompiledModule module;
  Launch launch;
  std::vector<BufferSpec> specs;
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  std::unique_ptr<Executor> simulator = make_simulator(2);

  explicit Subject(const std::string& kernel) {
    auto compiled = (*engine().compiler())->compile({.text = kTiled, .file = "own.cu"}, {});
    EXPECT_TRUE(compiled.has_value()) << (compiled ? "" : compiled.error().message);
    if (compiled) module = *compiled;
    launch.kernel = kernel;
  }
  void buffer(const std::string& name, size_t floats) {
    auto made = simulator->allocate({.name = name, .count = floats, .index = buffers.size(), .zeros = true});
    ASSERT_TRUE(made.has_value());
    launch.arguments.emplace_back(BufferArgument{buffers.size()});
    specs.push_back({.name = name, .shape = {static_cast<int64_t>(floats)}});
    buffers.push_back(*made);
  }
  OrderModel model(uint64_t l2_bytes = 60 << 20) {
    GpuSpec gpu;
    gpu.name = "test";
    gpu.l2_bytes = l2_bytes;
    gpu.l2_partitions = 2;
    gpu.multiprocessors = 8;
    gpu.memory_bytes_per_second = 3e11;
    gpu.peak.fp32 = 4e12;
    auto order = model_block_order(*simulator, {module, launch, specs, buffers}, gpu, 1, {});
    EXPECT_TRUE(order.has_value()) << (order ? "" : order.error().message);
    return order ? *order : OrderModel{};
  }
  Counters count() {
    auto report = simulator->launch(module, launch, buffers, {}, {});
    EXPECT_TRUE(report.has_value());
    return report ? report->counters : Counters{};
  }
};

Subject tiled(int m, int n, int depth) {
  Subject subject("tiled");
  subject.buffer("a", static_cast<size_t>(m) * static_cast<size_t>(depth));
  subject.buffer("b", static_cast<size_t>(depth) * static_cast<size_t>(n));
  subject.buffer("c", static_cast<size_t>(m) * static_cast<size_t>(n));
  for (int size : {m, n, depth}) subject.launch.arguments.emplace_back(scalar(size));
  subject.launch.grid.x = static_cast<uint32_t>((m + 31) / 32 * ((n + 31) / 32));
  subject.launch.block = {32, 8, 1};
  return subject;
}

TEST(ObserveOrder, AUsersTiledKernelIsUnderstoodWithoutAnyDeclaration) {
  Subject subject = tiled(320, 256, 192);
  const OrderModel order = subject.model();
  ASSERT_TRUE(order.modelled()) << order.reason;
  EXPECT_EQ(order.tile_rows, 10U);
  EXPECT_EQ(order.tile_columns, 8U);
  EXPECT_EQ(order.steps, 6U);
  EXPECT_LT(order.blocks_executed, 10U) << "of 80";
  EXPECT_EQ(order.blocks_begun, 80U);
  EXPECT_GE(order.blocks_checked, 2U);
  for (uint32_t block = 0; block < 80; ++block) {
    const uint32_t row = block / 8, column = row % 2 != 0 ? 7 - block % 8 : block % 8;
    ASSERT_EQ(order.operands[0].strip_of_block[block], row) << block;
    ASSERT_EQ(order.operands[1].strip_of_block[block], column) << block;
  }
  // Every load of this kernel requests its sectors once per step, so the L2 requests equal the counters.
  const Counters counters = subject.count();
  EXPECT_EQ(order.launched.l2_bytes_read, 32 * counters.global_load_sectors);
  EXPECT_EQ(order.launched.l2_bytes_written, 32 * counters.global_store_sectors);
  EXPECT_EQ(order.launched.device_bytes_read, 4U * (320 * 192 + 192 * 256)) << "all of it fits";
  EXPECT_EQ(order.launched.device_bytes_written, 4U * 320 * 256);
}

TEST(ObserveOrder, TilesAtTheEdgesAreClassesOfTheirOwn) {
  // Rows of 216 and 168 floats are whole sectors; 300 = 9 · 32 + 12, 216 = 6 · 32 + 24, 168 = 5 · 32 + 8.
  Subject subject = tiled(300, 216, 168);
  const OrderModel order = subject.model();
  ASSERT_TRUE(order.modelled()) << order.reason;
  EXPECT_EQ(order.tile_rows, 10U);
  EXPECT_EQ(order.tile_columns, 7U);
  const Counters counters = subject.count();
  EXPECT_EQ(order.launched.l2_bytes_read, 32 * counters.global_load_sectors);
  EXPECT_EQ(order.launched.l2_bytes_written, 32 * counters.global_store_sectors);
  EXPECT_EQ(order.launched.device_bytes_read, 4U * (300 * 168 + 168 * 216));
  EXPECT_EQ(order.launched.device_bytes_written, 4U * 300 * 216);
}

TEST(ObserveOrder, BlocksWithDifferentNumbersOfStepsAreNoShiftsOfOneAnother) {
  Subject subject("triangle");
  subject.buffer("a", 40 * 32);
  subject.buffer("c", 40 * 32);
  subject.launch.arguments.emplace_back(scalar(40));
  subject.launch.grid.x = 40;
  subject.launch.block.x = 32;
  const OrderModel order = subject.model();
  EXPECT_FALSE(order.modelled());
  EXPECT_NE(order.reason.english().find("is not what block 0 touches there"), std::string::npos) << order.reason;
}

TEST(ObserveOrder, AnOutputThatDoesNotFollowFromTheInputsIsReported) {
  Subject subject("squares");
  subject.buffer("a", 40 * 32);
  subject.buffer("c", 40 * 32);
  subject.launch.arguments.emplace_back(scalar(40));
  subject.launch.grid.x = 40;
  subject.launch.block.x = 32;
  const OrderModel order = subject.model();
  EXPECT_FALSE(order.modelled());
  EXPECT_NE(order.reason.english().find("cannot be modelled"), std::string::npos) << order.reason;
}

Request matmul(const std::string& rung, int64_t m, int64_t n, int64_t k) {
  Request request;
  request.lab = "grouped-order";
  request.rung = rung;
  request.config = default_config(*find_lab("grouped-order"), DeviceKind::sim);
  request.config.sizes = {{"M", m}, {"N", n}, {"K", k}};
  request.config.params["CTAS_PER_SM"] = 1;
  return request;
}

OrderModel order_of(const Request& request) {
  auto result = engine().run(request);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  if (!result || !result->block_order) return {};
  EXPECT_TRUE(result->block_order->modelled()) << result->block_order->reason;
  return *result->block_order;
}

// The compared orders are permutations of one rung's blocks; here the rungs themselves are executed.
TEST(ObserveOrder, EachRungComesOutAsItsOrderDoesInTheOthersComparison) {
  const OrderModel row_major = order_of(matmul("row-major", 1100, 1400, 512));
  const OrderModel grouped = order_of(matmul("grouped", 1100, 1400, 512));
  const OrderModel hilbert = order_of(matmul("hilbert", 1100, 1400, 512));
  ASSERT_EQ(grouped.tile_rows, 18U);
  ASSERT_EQ(grouped.tile_columns, 22U);
  ASSERT_NE(grouped.launched.device_bytes_read, 0U);
  for (const OrderModel* one : {&row_major, &grouped, &hilbert}) {
    EXPECT_EQ(one->find(OrderTraffic::Kind::row_major)->device_bytes_read, row_major.launched.device_bytes_read);
    EXPECT_EQ(one->find(OrderTraffic::Kind::grouped, 8)->largest_wave_bytes, grouped.launched.largest_wave_bytes);
    EXPECT_EQ(one->find(OrderTraffic::Kind::hilbert)->largest_wave_bytes, hilbert.launched.largest_wave_bytes);
  }
  for (uint32_t block = 0; block < 18 * 22; ++block) {
    const uint32_t tile = hilbert_tiles(18, 22)[block];
    ASSERT_EQ(hilbert.operands[0].strip_of_block[block], tile / 22) << block;
    ASSERT_EQ(hilbert.operands[1].strip_of_block[block], tile % 22) << block;
    const uint32_t in_group = grouped_tiles(18, 22, 8)[block];
    ASSERT_EQ(grouped.operands[0].strip_of_block[block], in_group / 22) << block;
    ASSERT_EQ(grouped.operands[1].strip_of_block[block], in_group % 22) << block;
  }
}

TEST(ObserveOrder, AGridTooLargeToExecuteIsSampledAndSaysSo) {
  auto result = engine().run(matmul("grouped", 8192, 8192, 1024));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_EQ(result->blocks_sampled, 4U);
  EXPECT_TRUE(result->correctness.empty());
  EXPECT_TRUE(result->findings.empty());
  EXPECT_FALSE(result->observed);
  EXPECT_NE(result->not_observed_reason.english().find("4 of 16384 blocks"), std::string::npos)
      << result->not_observed_reason;
  ASSERT_TRUE(result->block_order && result->block_order->modelled());
  EXPECT_EQ(result->block_order->launched.l2_bytes_read, uint64_t{16384} * 2 * 64 * 1024 * 2);
}

TEST(ObserveOrder, ASampleStillFindsWhatIsBroken) {
  Request request = matmul("grouped", 8000, 8000, 1000);
  request.broken = {"DROP_MASK"};
  auto result = engine().run(request);
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_FALSE(result->findings.empty());
}

/// Counters of an H200 (dram__bytes_read.sum by Nsight Compute), 2026-11-23, for the lab's own kernel: half precision,
/// tiles of 128 × 256 × 64, three stages, one block of 256 threads per SM, at M = N = K. The first rows of
/// assets/counters/block-orders.h200.csv.
struct Counted {
  int64_t size, group;
  double device_gigabytes;
};
constexpr Counted kCountedOnH200[] = {{4096, 1, 0.171}, {4096, 8, 0.187}, {4096, 32, 0.174},
                                      {8192, 1, 2.34},  {8192, 2, 2.39},  {8192, 4, 2.36},
                                      {8192, 8, 1.49},  {8192, 16, 1.22}, {8192, 32, 1.47}};

TEST(ObserveOrder, DeviceBytesAreWithin15PercentOfAnH200sCounters) {
  for (const int64_t size : {int64_t{4096}, int64_t{8192}}) {
    Request request = matmul("grouped", size, size, size);
    for (const auto& [name, value] : {std::pair{"BM", 128}, {"BN", 256}, {"BK", 64}, {"STAGES", 3}, {"WARPS", 8}})
      request.config.params[name] = value;
    const OrderModel order = order_of(request);
    for (const Counted& counted : kCountedOnH200) {
      if (counted.size != size) continue;
      const OrderTraffic* modelled = counted.group == 1 ? order.find(OrderTraffic::Kind::row_major)
                                                        : order.find(OrderTraffic::Kind::grouped, counted.group);
      ASSERT_NE(modelled, nullptr);
      const double ratio = static_cast<double>(modelled->device_bytes_read) / 1e9 / counted.device_gigabytes;
      EXPECT_NEAR(ratio, 1, 0.15) << size << " in groups of " << counted.group;
      RecordProperty(fmt::format("ratio_{}_{}", size, counted.group), fmt::format("{:.3f}", ratio));
    }
    EXPECT_EQ(size == 4096, order.conclusion().en.find("makes no difference") != std::string::npos)
        << order.conclusion().en;
  }
}

}  // namespace
}  // namespace tilescope
