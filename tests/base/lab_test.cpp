#include "engine/lab.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tilescope
