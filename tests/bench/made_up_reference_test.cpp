// References that exist only in this program: registering them is enough for labs to name them and for a benchmark to
// time them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/bench/measure.hpp"
#include "engine/gpu/buffer_sets.hpp"
#include "engine/reference/library_reference.hpp"

namespace tilescope {
namespace {

using testing::HasSubstr;

/// A copy between two buffers, under two names; one of them lacks a licence.
class MadeUpCopy final : public Reference {
 public:
  std::string missing(const std::string& implementation, const std::stop_token& /*stop*/) override {
    return implementation == "made_up_licensed" ? "its licence has expired" : "";
  }
  Result<PreparedReference> prepare(const ReferenceTask& task, const std::stop_token& /*stop*/) override {
    if (task.operation != "copy") return fail(ErrorId::reference_unavailable, task.name, "it only copies");
    const auto bytes = static_cast<size_t>(task.useful_bytes / 2);
    auto sets = CopySets::make(task.buffers, bytes, task.method.cold() ? 1 : task.method.sets);
    if (!sets) return forward(sets);
    auto memory = std::make_shared<const CopySets>(std::move(*sets));
    auto prepared = prepare_work(task, GpuTimer::copies(memory->addresses(), bytes), memory);
    if (prepared) prepared->note = "made up";
    return prepared;
  }
  void note_versions(SpeedReport& report) const override { report.torch_version = "made up"; }
};

const bool registered_reference =
    register_reference({.names = {"made_up_copy", "made_up_licensed"},
                        .make = [](const ReferenceFolders&) { return std::make_unique<MadeUpCopy>(); },
                        .only_moves_bytes = true});

constexpr const char* kKernel =
    R"(extern "C" __global__ void count(float* out, int n) { if (threadIdx.x < n) out[threadIdx.x] = threadIdx.x; })";

Lab make_compared_lab() {
  Lab lab;
  lab.name = "compared";
  lab.kernel_file = "compared.cu";
  lab.sizes = {{.name = "n", .value = 512, .gpu_value = 512, .min = 1, .max_sim = 1024, .max_gpu = 1024}};
  lab.rungs = {{.name = "count", .kernels = {"count"}, .launches = [](const Config& config) {
                  return std::vector<Launch>{
                      {.kernel = "count",
                       .grid = {1, 1, 1},
                       .block = {1024, 1, 1},
                       .arguments = {BufferArgument{0}, scalar(static_cast<int32_t>(config.size("n")))}}};
                }}};
  lab.references = {{"copy of mine", "made_up_copy", "copy"},
                    {"sum of mine", "made_up_copy", "sum"},
                    {"licensed", "made_up_licensed", "copy"},
                    {"unknown", "not_registered", "copy"}};
  lab.buffers = [](const Config& config) {
    return std::vector<BufferSpec>{
        {.name = "out", .shape = {config.size("n")}, .role = Role::output, .fill = Fill::poison}};
  };
  lab.reference = [](const Config&, const std::vector<std::shared_ptr<const HostBuffer>>&, size_t, size_t begin,
                     size_t end, double* expected) {
    for (size_t i = begin; i < end; ++i) expected[i - begin] = static_cast<double>(i);
  };
  lab.useful_bytes = [](const Config& config) { return 4.0 * static_cast<double>(config.size("n")); };
  lab.sweep = {512};
  return lab;
}
const bool registered_lab = register_lab(make_compared_lab());

TEST(MadeUpReference, IsFoundByItsNamesAndSaysWhyItCannotBeHad) {
  const Lab& lab = *find_lab("compared");
  EXPECT_TRUE(only_moves_bytes(lab.references[0]));
  OpenReferences references({});
  EXPECT_EQ(references.missing("made_up_copy", {}), "");
  EXPECT_EQ(references.missing("made_up_licensed", {}), "its licence has expired");
  EXPECT_THAT(references.missing("not_registered", {}), HasSubstr("no reference has this name"));
  SpeedReport report;
  references.note_versions(report);
  EXPECT_EQ(report.torch_version, "made up");
}

TEST(MadeUpReference, IsNotMadeBeforeItIsAskedFor) {
  OpenReferences references({});
  (void)references.missing("device_copy", {});
  SpeedReport report;
  references.note_versions(report);
  EXPECT_EQ(report.torch_version, "");
}

TEST(MadeUpReference, IsTimedBesideTheRungs) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("tilescope-made-up-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder / "kernels");
  std::ofstream(folder / "kernels" / "compared.cu") << kKernel;
  std::filesystem::create_directory_symlink(std::filesystem::path(TILESCOPE_SOURCE) / "assets", folder / "assets");
  const auto engine = Engine::open({.root = folder, .cache_folder = folder / "cache", .simulator_threads = 1});
  if (engine->gpu() && engine->compiler()) {
    const auto report = bench(*engine, {.lab = "compared", .seconds_per_size = 0.05}, {}, {});
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->series.size(), 5U);
    ASSERT_EQ(report->series[1].points.size(), 1U) << report->series[1].unavailable;
    EXPECT_GT(report->series[1].points[0].median_ms, 0);
    EXPECT_EQ(report->series[1].points[0].note, "made up");
    EXPECT_EQ(report->series[2].unavailable, "sum of mine is not available: it only copies");
    EXPECT_EQ(report->series[3].unavailable, "its licence has expired");
    EXPECT_THAT(report->series[4].unavailable, HasSubstr("no reference has this name"));
    EXPECT_EQ(report->torch_version, "made up");
  }
  std::filesystem::remove_all(folder);
  if (!engine->gpu()) GTEST_SKIP() << engine->gpu().error().message;
}

}  // namespace
}  // namespace tilescope
