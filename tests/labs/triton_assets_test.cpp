// The PTX that ships for the Triton rungs (assets/triton): it is what Triton makes of the kernels as they are now, and
// with it alone every rung runs at its defaults.
#include "engine/run/triton_assets.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/compile/triton/shipped.hpp"
#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/kernel_language.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

struct TritonRung {
  const Lab* lab;
  const Rung* rung;
};

std::vector<TritonRung> triton_rungs() {
  std::vector<TritonRung> rungs;
  for (const Lab& lab : labs())
    for (const Rung& rung : lab.rungs)
      if (language_of(source_file_of(lab, rung)) == KernelLanguage::triton) rungs.push_back({&lab, &rung});
  return rungs;
}

/// Hides Triton from the engines that are opened meanwhile.
class WithoutTriton {
 public:
  WithoutTriton() { setenv("TILESCOPE_HIDE", "triton", 1); }
  ~WithoutTriton() { unsetenv("TILESCOPE_HIDE"); }
};

TEST(TritonAssets, AreWhatTritonMakesOfTheKernels) {
  const auto engine = Engine::open({});
  const auto origin = engine->triton().triton_origin({});
  if (!origin) GTEST_SKIP() << origin.error().message;
  constexpr const char* kVersion = "3.6.0";  // as launcher/triton.txt pins it
  if (origin->triton != kVersion) GTEST_SKIP() << "the files are those of Triton " << kVersion;
  // A file is named after the text of its kernel, so every change of a kernel is noticed; what Triton makes is compared
  // for every third, thoroughly for all.
  constexpr size_t kStride = 3;
  size_t number = 0;
  for (const auto& [lab, rung] : triton_rungs())
    for (const json& question : shipped_questions(*engine, *lab, *rung)) {
      const auto shipped = read_shipped(engine->root(), question);
      ASSERT_TRUE(shipped) << lab->name << " " << rung->name << ": run build/release/make_triton_assets";
      if (number++ % kStride != 0 && !is_thorough()) continue;
      const auto made = make_shipped(engine->triton(), question);
      ASSERT_TRUE(made) << made.error().message;
      EXPECT_EQ(shipped->at("ptx"), made->at("ptx")) << lab->name << " " << rung->name;
      EXPECT_EQ(shipped->at("ttgir"), made->at("ttgir")) << lab->name << " " << rung->name;
    }
}

TEST(TritonAssets, AreAllUsed) {
  const auto engine = Engine::open({});
  std::set<std::filesystem::path> used;
  for (const auto& [lab, rung] : triton_rungs())
    for (const json& question : shipped_questions(*engine, *lab, *rung))
      used.insert(shipped_file(engine->root(), question));
  EXPECT_FALSE(used.empty());
  for (const auto& entry : std::filesystem::directory_iterator(engine->root() / "assets" / "triton"))
    EXPECT_TRUE(used.contains(entry.path())) << entry.path();
}

TEST(TritonAssets, EveryRungRunsAtItsDefaultsWhereThereIsNoTriton) {
  const WithoutTriton hidden;
  const auto engine = Engine::open({.cache_folder = testing::TempDir() + "no_triton"});
  for (const auto& [lab, rung] : triton_rungs()) {
    Request request;
    request.lab = lab->name;
    request.rung = rung->name;
    request.config = default_config(*lab, DeviceKind::sim);
    const auto result = engine->run(request);
    ASSERT_TRUE(result) << lab->name << " " << rung->name << ": " << result.error().message;
    EXPECT_TRUE(result->passed()) << lab->name << " " << rung->name;
    EXPECT_GT(result->compiled.kernels.front().registers, 0U) << "what ptxas says ships too";
  }
}

TEST(TritonAssets, AnythingElseSaysWhatToDoWhereThereIsNoTriton) {
  const WithoutTriton hidden;
  const auto engine = Engine::open({.cache_folder = testing::TempDir() + "no_triton"});
  Request request;
  request.lab = "vector-add";
  request.rung = "triton-tile";
  request.config = default_config(*find_lab("vector-add"), DeviceKind::sim);
  request.config.params.at("BLOCK_SIZE") *= 2;
  const auto result = engine->run(request);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().id, ErrorId::triton_missing);
  EXPECT_NE(result.error().hint.find("the rung runs at its default settings only"), std::string::npos);
  EXPECT_NE(result.error().hint.find("./tilescope triton"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
