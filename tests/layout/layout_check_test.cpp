// The layouts of real programs against what their lanes accessed on the simulator.
#include "engine/layout/layout_check.hpp"

#include <gtest/gtest.h>

#include "engine/kernel_language.hpp"
#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

using Kind = ProgramTensor::Kind;
using Outcome = LayoutCheck::Outcome;

class LayoutCheckTest : public ::testing::Test {
 protected:
  LayoutCheckTest() : engine(Engine::open({.root = TILESCOPE_SOURCE, .cache_folder = {}, .simulator_threads = 1})) {}

  /// False where neither Triton is installed nor the kernel's PTX ships with the program.
  bool run(const std::string& lab, const std::string& rung) {
    const Lab* found = find_lab(lab);
    if (found == nullptr || find_rung(*found, rung) == nullptr) return false;
    Request request{.lab = lab, .rung = rung, .config = default_config(*found, DeviceKind::sim)};
    request.machine_code = false;
    auto outcome = engine->run(request, {});
    if (!outcome) {
      EXPECT_EQ(outcome.error().id, ErrorId::triton_missing) << lab << " " << rung << ": " << outcome.error().message;
      return false;
    }
    result = std::make_shared<const RunResult>(std::move(*outcome));
    tensors.clear();
    for (const TritonCode& code : result->compiled.triton)
      if (code.kernel == result->plan.launches[result->launch].kernel)
        tensors = program_tensors(code.ttgir, result->plan.source_file);
    return true;
  }
  LayoutCheck check(size_t index) {
    return check_layout(tensors, index, result->trace, result->launch, result->plan.source_file);
  }
  std::string name_of(size_t index) const {
    const ProgramTensor& one = tensors[index];
    return result->request.lab + " " + result->request.rung + " " + one.name + " on line " + std::to_string(one.line) +
           " " + one.attribute.text;
  }

  std::shared_ptr<Engine> engine;
  std::shared_ptr<const RunResult> result;
  std::vector<ProgramTensor> tensors;
};

TEST_F(LayoutCheckTest, LanesAccessWhatTheLayoutsSayInEveryTritonRung) {
  size_t compared = 0;
  for (const Lab& lab : labs())
    for (const Rung& rung : lab.rungs) {
      if (language_of(source_file_of(lab, rung)) != KernelLanguage::triton || rung.pick || !run(lab.name, rung.name))
        continue;
      EXPECT_FALSE(tensors.empty()) << lab.name << " " << rung.name;
      for (size_t i = 0; i < tensors.size(); ++i) {
        const LayoutCheck found = check(i);
        EXPECT_NE(found.outcome, Outcome::differs) << name_of(i);
        EXPECT_NE(found.outcome, Outcome::uneven) << name_of(i);
        EXPECT_NE(found.outcome, Outcome::not_assigned) << name_of(i);
        compared += found.outcome == Outcome::matches ? 1 : 0;
      }
    }
  if (compared == 0) GTEST_SKIP() << "no Triton rung runs";
}

TEST_F(LayoutCheckTest, ALoadOfAVectorIsFourFloatsPerLane) {
  if (!run("vector-add", "triton-tile")) GTEST_SKIP() << "no Triton";
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].kind, Kind::load);
  EXPECT_EQ(tensors[0].name, "x");
  EXPECT_EQ(tensors[0].shape, (std::vector<int64_t>{1024}));
  EXPECT_EQ(tensors[0].element, "f32");
  EXPECT_EQ(tensors[2].kind, Kind::store);
  const LayoutCheck found = check(0);
  EXPECT_EQ(found.outcome, Outcome::matches);
  EXPECT_EQ(found.run, 4U);
  EXPECT_EQ(found.stride_bytes, (std::vector<int64_t>{4}));
  EXPECT_GT(found.lanes, 1000U);
}

TEST_F(LayoutCheckTest, AccessesOfABlockHaveTheirWarpAndRegisters) {
  if (!run("vector-add", "triton-tile")) GTEST_SKIP() << "no Triton";
  const auto accesses = tensor_accesses(tensors, 0, result->trace, result->launch, result->plan.source_file, 3);
  ASSERT_EQ(accesses.size(), 8U) << "4 warps, 2 instructions of 4 registers each";
  for (const TensorAccess& one : accesses) {
    const Access& access = result->trace.accesses[one.access];
    EXPECT_EQ(access.warp, one.warp);
    const Coordinates element = tensors[0].layout.element(one.first_register, 7, one.warp);
    EXPECT_EQ(region_of(result->trace.address(access, 7)).offset, (3 * 1024 + element[0]) * 4);
  }
}

TEST_F(LayoutCheckTest, AWrongLayoutDoesNotMatch) {
  if (!run("vector-add", "triton-tile")) GTEST_SKIP() << "no Triton";
  for (const char* wrong :
       {"#ttg.blocked<{sizePerThread = [8], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
        "#ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
        "#ttg.linear<{register = [[1], [2], [512]], lane = [[8], [4], [16], [32], [64]], warp = [[128], [256]], block "
        "= []}>",
        "#ttg.linear<{register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[256], [128]], block "
        "= []}>"}) {
    std::vector<ProgramTensor> changed = tensors;
    changed[0].attribute = *LayoutAliases().read(wrong);
    changed[0].layout = *TensorLayout::make(changed[0].attribute, changed[0].shape);
    const LayoutCheck found = check_layout(changed, 0, result->trace, result->launch, result->plan.source_file);
    EXPECT_TRUE(found.outcome == Outcome::uneven || found.outcome == Outcome::differs) << wrong;
  }
}

TEST_F(LayoutCheckTest, AWrongSwizzleDoesNotMatch) {
  if (!run("matmul-tensor-core", "triton-grouped") && !run("grouped-order", "triton-grouped"))
    GTEST_SKIP() << "no Triton";
  bool seen = false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].kind != Kind::from_shared) continue;
    seen = true;
    EXPECT_EQ(check(i).outcome, Outcome::matches) << name_of(i);
    std::vector<ProgramTensor> changed = tensors;
    for (ProgramTensor& one : changed)
      if (one.shared) one.shared->max_phase = one.shared->max_phase > 1 ? 1 : 4;
    EXPECT_EQ(check_layout(changed, i, result->trace, result->launch, result->plan.source_file).outcome,
              Outcome::differs)
        << name_of(i);
  }
  EXPECT_TRUE(seen) << "a product of tiles takes its operands from shared memory";
}

}  // namespace
}  // namespace tilescope
