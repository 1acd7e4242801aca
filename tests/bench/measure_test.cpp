#include "engine/bench/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tilescope {
namespace {

using testing::HasSubstr;

/// A lab whose second rung forgets the last element.
Lab make_flawed_lab() {
  Lab lab;
  lab.name = "flawed";
  lab.kernel_file = "flawed.cu";
  lab.sizes = {{.name = "n", .value = 64, .gpu_value = 64, .min = 1, .max_sim = 1024, .max_gpu = 1024}};
  for (const char* name : {"good", "bad"}) {
    lab.rungs.push_back({.name = name, .kernels = {name}, .launches = [name](const Config& config) {
                           Launch launch{.kernel = name, .grid = {1, 1, 1}, .block = {1024, 1, 1}, .arguments = {}};
                           launch.arguments = {BufferArgument{0}, scalar(static_cast<int32_t>(config.size("n")))};
                           return std::vector<Launch>{launch};
                         }});
  }
  lab.buffers = [](const Config& config) {
    return std::vector<BufferSpec>{
        {.name = "out", .shape = {config.size("n")}, .role = Role::output, .fill = Fill::poison}};
  };
  lab.reference = [](const Config&, const std::vector<std::shared_ptr<const HostBuffer>>&, size_t, size_t begin,
                     size_t end, double* expected) {
    for (size_t i = begin; i < end; ++i) expected[i - begin] = static_cast<double>(i) + 1;
  };
  lab.useful_bytes = [](const Config& config) { return 4.0 * static_cast<double>(config.size("n")); };
  lab.sweep = {64, 128};
  return lab;
}
const bool registered = register_lab(make_flawed_lab());

/// The correct rung twice, over a map of three shapes, with a different block for each.
Lab make_mapped_lab() {
  Lab lab = make_flawed_lab();
  lab.name = "mapped";
  lab.sizes = {{.name = "rows", .value = 2, .gpu_value = 2, .min = 1, .max_sim = 32, .max_gpu = 32},
               {.name = "columns", .value = 2, .gpu_value = 2, .min = 1, .max_sim = 32, .max_gpu = 32}};
  lab.params = {{.name = "BLOCK", .value = 1024, .min = 32, .max = 1024, .scale = Scale::power_of_two}};
  const auto count = [](const Config& config) { return config.size("rows") * config.size("columns"); };
  for (Rung& rung : lab.rungs)
    rung.launches = [count](const Config& config) {
      Launch launch{.kernel = "good", .grid = {1, 1, 1}, .arguments = {}};
      launch.block.x = static_cast<uint32_t>(config.param("BLOCK"));
      launch.arguments = {BufferArgument{0}, scalar(static_cast<int32_t>(count(config)))};
      return std::vector<Launch>{launch};
    };
  lab.buffers = [count](const Config& config) {
    return std::vector<BufferSpec>{
        {.name = "out", .shape = {count(config)}, .role = Role::output, .fill = Fill::poison}};
  };
  lab.useful_bytes = [count](const Config& config) { return 4.0 * static_cast<double>(count(config)); };
  lab.sweep_size = "rows";
  lab.sweep = {1, 2};
  SchemeMap map{.schemes = {{"good", "g"}, {"bad", "b"}}, .rows = "rows", .columns = "columns"};
  map.row_values = map.column_values = {4, 8};
  map.most_elements = 32;
  map.tune = [](const std::string& rung, const Config&, const GpuSpec&) {
    return std::map<std::string, int64_t>{{"BLOCK", rung == "good" ? 64 : 128}};
  };
  lab.scheme_map = map;
  return lab;
}
const bool registered_too = register_lab(make_mapped_lab());

constexpr const char* kFlawedKernels = R"(
extern "C" __global__ void good(float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = threadIdx.x + 1; }
extern "C" __global__ void bad(float* out, int n) { if (threadIdx.x < n - 1) out[threadIdx.x] = threadIdx.x + 1; }
)";

class BenchTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("tilescope-bench-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "kernels");
    std::ofstream(folder_ / "kernels" / "flawed.cu") << kFlawedKernels;
    std::filesystem::create_directories(folder_ / "assets");
    std::filesystem::copy_file(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "gpus.toml",
                               folder_ / "assets" / "gpus.toml");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::shared_ptr<Engine> open(const std::filesystem::path& root) const {
    return Engine::open({.root = root, .cache_folder = folder_ / "cache", .simulator_threads = 1});
  }
  std::filesystem::path folder_;
};

/// Needs a GPU and a compiler for it.
class BenchOnGpu : public BenchTest {
 protected:
  void SetUp() override {
    BenchTest::SetUp();
    flawed_ = open(folder_);
    if (!flawed_->gpu()) GTEST_SKIP() << flawed_->gpu().error().message;
    if (!flawed_->compiler()) GTEST_SKIP() << flawed_->compiler().error().message;
  }
  std::shared_ptr<Engine> flawed_;
};

TEST_F(BenchTest, WithoutAGpuSaysSo) {
  setenv("TILESCOPE_HIDE", "cuda", 1);
  const auto engine = open(TILESCOPE_SOURCE);
  unsetenv("TILESCOPE_HIDE");
  const auto report = bench(*engine, {.lab = "vector-add"}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().id, ErrorId::driver_missing);
}

TEST_F(BenchTest, OfAnUnknownLabNamesTheLabs) {
  const auto report = bench(*open(TILESCOPE_SOURCE), {.lab = "vector-subtract"}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().id, ErrorId::lab_not_found);
  EXPECT_THAT(report.error().message, HasSubstr("vector-multiply"));
}

TEST_F(BenchOnGpu, TimesEveryRungAndTheCopyAtEverySize) {
  const auto engine = open(TILESCOPE_SOURCE);
  int calls = 0;
  double last = 0;
  const BenchRequest request{.lab = "vector-add", .sizes = {1000, 1 << 24}, .seconds_per_size = 0.2, .command = "here"};
  const auto report = bench(*engine, request, {}, [&](const SpeedReport&, double fraction) {
    ++calls;
    EXPECT_GE(fraction, last);
    last = fraction;
  });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(calls, 4);
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(report->badge, Badge::measured);
  EXPECT_EQ(report->command, "here");
  ASSERT_EQ(report->series.size(), 8u);  // 5 rungs, copy, PyTorch, Triton
  for (const TimingSeries& series : report->series) {
    if (series.name == "PyTorch" || series.name == "Triton") {
      EXPECT_EQ(series.points.empty(), !series.unavailable.empty()) << series.name;
      if (series.points.empty()) continue;
    }
    ASSERT_EQ(series.points.size(), 2u) << series.name << ": " << series.unavailable;
    EXPECT_EQ(series.points[0].size, 1000);
    EXPECT_FALSE(series.points[0].cold_l2);
    EXPECT_TRUE(series.points[1].cold_l2);
    for (const TimingPoint& point : series.points) {
      EXPECT_GT(point.samples, 10u);
      EXPECT_LE(point.low_ms, point.median_ms);
      EXPECT_LE(point.median_ms, point.high_ms);
      EXPECT_DOUBLE_EQ(point.gigabytes_per_second(), 12e-6 * static_cast<double>(point.size) / point.median_ms);
    }
  }
}

TEST_F(BenchOnGpu, NeverTimesARungThatComputesWrongResults) {
  const auto report = bench(*flawed_, {.lab = "flawed", .references = false, .seconds_per_size = 0.05}, {}, {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().id, ErrorId::kernel_misbehaved);
  EXPECT_THAT(report.error().message, HasSubstr("rung 'bad' computes wrong results at n = 64 and is not timed"));
}

TEST_F(BenchOnGpu, TimesOnlyTheRungsAskedFor) {
  const auto report =
      bench(*flawed_, {.lab = "flawed", .rungs = {"good"}, .references = false, .seconds_per_size = 0.05}, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->series.size(), 1u);
  EXPECT_EQ(report->series[0].points.size(), 2u);
  EXPECT_EQ(bench(*flawed_, {.lab = "flawed", .rungs = {"best"}}, {}, {}).error().id, ErrorId::rung_not_found);
}

TEST_F(BenchOnGpu, TimesEverySchemeAtEveryShapeOfAMapWithItsOwnParameters) {
  BenchRequest request;
  request.lab = "mapped";
  request.map = true;
  request.sizes = {1};       // of the sweep: a map has its own
  request.rungs = {"good"};  // so are its rungs
  request.seconds_per_size = 0.05;
  const auto report = bench(*flawed_, request, {}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->is_map);
  EXPECT_EQ(report->shapes.size(), 3u) << "8 × 8 is more than the map goes to";
  ASSERT_EQ(report->series.size(), 2u);
  for (const TimingSeries& series : report->series) {
    ASSERT_EQ(series.points.size(), 3u) << series.name;
    for (const TimingPoint& point : series.points) {
      EXPECT_GT(point.median_ms, 0);
      EXPECT_EQ(point.params.at("BLOCK"), series.name == "good" ? 64 : 128);
    }
  }
}

TEST_F(BenchOnGpu, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  const auto report = bench(*flawed_, {.lab = "flawed", .rungs = {"good"}}, stop.get_token(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().id, ErrorId::cancelled);
}

TEST_F(BenchOnGpu, TimesASingleRunWithoutChangingWhatItShows) {
  const auto engine = open(TILESCOPE_SOURCE);
  for (const int64_t n : {int64_t{98432}, int64_t{1} << 24}) {
    Request request{.lab = "vector-add", .rung = "vector-loads", .config = {}, .broken = {}, .device = DeviceKind::gpu};
    request.config = default_config(*find_lab("vector-add"), DeviceKind::gpu);
    request.config.sizes["n"] = n;
    request.observe = false;
    const auto run = engine->run(request);
    ASSERT_TRUE(run) << run.error().message;
    ASSERT_TRUE(run->passed());
    const auto point = time_once(*engine, *run, {});
    ASSERT_TRUE(point) << point.error().message;
    EXPECT_EQ(point->size, n);
    EXPECT_EQ(point->cold_l2, n > 1'000'000);
    EXPECT_GT(point->gigabytes_per_second(), 0);
    std::vector<std::byte> after(run->buffers[2]->bytes.size());
    ASSERT_TRUE((*engine->gpu())->download(*run->device_buffers[2], after));
    EXPECT_EQ(after, run->buffers[2]->bytes);
  }
}

}  // namespace
}  // namespace tilescope
