#include "engine/lab.hpp"

#include <gtest/gtest.h>

#include "engine/specs.hpp"

namespace tilescope {
namespace {

Lab small_lab(const std::string& name, int stage) {
  Lab lab;
  lab.name = name;
  lab.stage = stage;
  lab.sizes = {{.name = "n", .value = 10, .gpu_value = 100, .min = 1, .max_sim = 1000, .max_gpu = 5000, .offered = {}}};
  lab.params = {{.name = "BLOCK", .value = 64, .min = 32, .max = 256, .scale = Scale::power_of_two, .gpu_value = 128},
                {.name = "STEPS", .value = 3, .min = 1, .max = 9, .step = 2}};
  return lab;
}

ErrorId refusal(const Config& config, DeviceKind device) {
  const auto valid = validate(small_lab("x", 0), config, device);
  EXPECT_FALSE(valid);
  return valid ? ErrorId::usage : valid.error().id;
}

TEST(Lab, LabsAreListedInCurriculumOrder) {
  register_lab(small_lab("later", 7));
  register_lab(small_lab("earlier", 2));
  ASSERT_EQ(labs().size(), 2U);
  EXPECT_EQ(labs()[0].name, "earlier");
  EXPECT_EQ(find_lab("later")->stage, 7);
  EXPECT_EQ(find_lab("absent"), nullptr);
}

TEST(Lab, DefaultsDependOnTheDevice) {
  EXPECT_EQ(default_config(small_lab("x", 0), DeviceKind::sim).size("n"), 10);
  EXPECT_EQ(default_config(small_lab("x", 0), DeviceKind::gpu).size("n"), 100);
  EXPECT_EQ(default_config(small_lab("x", 0), DeviceKind::sim).param("BLOCK"), 64);
  EXPECT_EQ(default_config(small_lab("x", 0), DeviceKind::gpu).param("BLOCK"), 128);
  EXPECT_EQ(default_config(small_lab("x", 0), DeviceKind::gpu).param("STEPS"), 3);
}

TEST(Lab, DefaultsAreValid) {
  const Lab lab = small_lab("x", 0);
  EXPECT_TRUE(validate(lab, default_config(lab, DeviceKind::sim), DeviceKind::sim));
  EXPECT_TRUE(validate(lab, default_config(lab, DeviceKind::gpu), DeviceKind::gpu));
}

TEST(Lab, ValuesOutsideTheirRangeAreRefused) {
  EXPECT_EQ(refusal({{{"n", 0}}, {}}, DeviceKind::sim), ErrorId::parameter_range);
  EXPECT_EQ(refusal({{{"n", 6000}}, {}}, DeviceKind::gpu), ErrorId::parameter_range);
  EXPECT_EQ(refusal({{{"n", 1001}}, {}}, DeviceKind::sim), ErrorId::too_large_to_simulate);
  EXPECT_EQ(refusal({{}, {{"BLOCK", 96}}}, DeviceKind::sim), ErrorId::parameter_range);
  EXPECT_EQ(refusal({{}, {{"STEPS", 4}}}, DeviceKind::sim), ErrorId::parameter_range);
  EXPECT_EQ(refusal({{}, {{"TILE", 4}}}, DeviceKind::sim), ErrorId::parameter_not_found);
}

TEST(Lab, AParameterListsItsValues) {
  const Lab lab = small_lab("x", 0);
  EXPECT_EQ(values_of(lab.params[0]), (std::vector<int64_t>{32, 64, 128, 256}));
  EXPECT_EQ(values_of(lab.params[1]), (std::vector<int64_t>{1, 3, 5, 7, 9}));
}

/// A lab of rows and columns with two rungs, the type as a named choice, and "auto": long rows go to the second rung.
Lab picking_lab() {
  Lab lab = small_lab("x", 0);
  lab.sizes = {{.name = "rows", .value = 4, .gpu_value = 8, .min = 1, .max_sim = 1 << 20, .max_gpu = 1 << 20},
               {.name = "columns", .value = 16, .gpu_value = 64, .min = 1, .max_sim = 1 << 20, .max_gpu = 1 << 20}};
  lab.params.push_back(make_choice("DTYPE", {"type", ""}, {}, {{"fp32", {"fp32", ""}}, {"bf16", {"bf16", ""}}}));
  lab.points = {{"16 × 8", {{"rows", 16}, {"columns", 8}}}, {"2 × 4096", {{"rows", 2}, {"columns", 4096}}}};
  lab.rungs = {{.name = "a"}, {.name = "b"}, {.name = "auto"}};
  lab.rungs[2].pick = [](const Config& config, const GpuSpec&) {
    if (config.size("columns") < 1000) return Pick{.rung = "a", .params = {}, .why = {"short", ""}};
    return Pick{.rung = "b", .params = {{"BLOCK", 256}}, .why = {"long", ""}};
  };
  return lab;
}

TEST(Lab, ARungThatPicksComesToTheRungAndParametersItPicked) {
  const Lab lab = picking_lab();
  Config config = default_config(lab, DeviceKind::sim);
  auto resolved = resolve(lab, lab.rungs[2], config, GpuSpec());
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->rung->name, "a");
  EXPECT_EQ(resolved->config, config);
  config.sizes["columns"] = 5000;
  resolved = resolve(lab, lab.rungs[2], config, GpuSpec());
  ASSERT_TRUE(resolved && resolved->pick);
  EXPECT_EQ(resolved->rung->name, "b");
  EXPECT_EQ(resolved->config.param("BLOCK"), 256);
  EXPECT_EQ(resolved->pick->why.en, "long");
}

TEST(Lab, ARungThatDoesNotPickComesToItself) {
  const Lab lab = picking_lab();
  const Config config = default_config(lab, DeviceKind::sim);
  const auto resolved = resolve(lab, lab.rungs[1], config, GpuSpec());
  ASSERT_TRUE(resolved);
  EXPECT_EQ(resolved->rung, &lab.rungs[1]);
  EXPECT_FALSE(resolved->pick);
}

TEST(Lab, APickOfNoRungOrOfAnImpossibleParameterIsRefused) {
  Lab lab = picking_lab();
  const Config config = default_config(lab, DeviceKind::sim);
  lab.rungs[2].pick = [](const Config&, const GpuSpec&) { return Pick{.rung = "c"}; };
  EXPECT_EQ(resolve(lab, lab.rungs[2], config, GpuSpec()).error().id, ErrorId::rung_not_found);
  lab.rungs[2].pick = [](const Config&, const GpuSpec&) { return Pick{.rung = "auto"}; };
  EXPECT_EQ(resolve(lab, lab.rungs[2], config, GpuSpec()).error().id, ErrorId::rung_not_found);
  lab.rungs[2].pick = [](const Config&, const GpuSpec&) { return Pick{.rung = "a", .params = {{"BLOCK", 96}}}; };
  EXPECT_EQ(resolve(lab, lab.rungs[2], config, GpuSpec()).error().id, ErrorId::parameter_range);
}

TEST(Lab, ANamedChoiceIsSetAndShownByItsName) {
  const Lab lab = picking_lab();
  EXPECT_EQ(value_named(lab, "DTYPE", "bf16"), 1);
  EXPECT_EQ(value_named(lab, "DTYPE", "fp64"), std::nullopt);
  EXPECT_EQ(value_named(lab, "BLOCK", "bf16"), std::nullopt);
  EXPECT_EQ(param_text(lab, "DTYPE", 0), "fp32");
  EXPECT_EQ(param_text(lab, "BLOCK", 64), "64");
  EXPECT_EQ(allowed_text(lab.params.back()), "fp32, bf16");
}

TEST(Lab, AToleranceMayDependOnTheRungAndTheConfiguration) {
  Lab lab = small_lab("x", 0);
  lab.tolerance = {.absolute = 1, .relative = 2};
  const Config config = default_config(lab, DeviceKind::sim);
  EXPECT_EQ(tolerance_of(lab, "a", config, DType::f32).absolute, 1);
  lab.tolerance_for = [](const std::string& rung, const Config&, DType) {
    return Tolerance{.absolute = rung == "fast" ? 8.0 : 4.0, .relative = 0};
  };
  EXPECT_EQ(tolerance_of(lab, "fast", config, DType::f32).absolute, 8);
  EXPECT_EQ(tolerance_of(lab, "a", config, DType::f32).absolute, 4);
}

TEST(Lab, ASweepOverShapesHasANumberForEach) {
  const Lab lab = picking_lab();
  EXPECT_EQ(sweep_of(lab), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(sweep_name(lab), "rows × columns");
  const Config config = default_config(lab, DeviceKind::sim);
  EXPECT_EQ(sweep_config(lab, config, 2).size("columns"), 4096);
  EXPECT_EQ(place_in_sweep(lab, sweep_config(lab, config, 1)), 1);
  EXPECT_EQ(place_in_sweep(lab, sweep_config(lab, config, 2)), 2);
  EXPECT_EQ(place_in_sweep(lab, {{{"rows", 2}, {"columns", 3000}}, {}}), 2);
}

}  // namespace
}  // namespace tilescope
