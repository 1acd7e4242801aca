#include "app/sandbox/form/arguments.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace tilescope {
namespace {

Error refused(const std::vector<std::string>& specs) {
  std::vector<BufferSpec> buffers;
  const auto arguments = parse_arguments(specs, buffers);
  EXPECT_FALSE(arguments) << specs.front();
  return arguments ? Error{} : arguments.error();
}

TEST(Arguments, ScalarsKeepTheBytesOfTheirType) {
  std::vector<BufferSpec> buffers;
  const auto arguments = parse_arguments({"f32:2.5", "i32:-7", "u32:4000000000", "u64:18446744073709551615"}, buffers);
  ASSERT_TRUE(arguments) << arguments.error().message;
  float value = 0;
  std::memcpy(&value, std::get<ScalarArgument>((*arguments)[0]).bytes.data(), 4);
  EXPECT_EQ(value, 2.5F);
  EXPECT_EQ(std::get<ScalarArgument>((*arguments)[3]).bytes.size(), 8U);
  EXPECT_TRUE(buffers.empty());
}

TEST(Arguments, BuffersAreNamedOrNumbered) {
  std::vector<BufferSpec> buffers;
  const auto arguments = parse_arguments({"buf:f32:16:normal:a", "i32:3", "buf:f16:8:poison"}, buffers);
  ASSERT_TRUE(arguments) << arguments.error().message;
  ASSERT_EQ(buffers.size(), 2U);
  EXPECT_EQ(buffers[0].name, "a");
  EXPECT_EQ(buffers[1].name, "arg2");
  EXPECT_EQ(buffers[1].role, Role::output);
  EXPECT_EQ(std::get<BufferArgument>((*arguments)[2]).buffer, 1U);
}

TEST(Arguments, WhatIsNotUnderstoodIsNamed) {
  EXPECT_NE(refused({"f32:two"}).message.find("f32:two"), std::string::npos);
  EXPECT_EQ(refused({"f31:2"}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({"7"}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({""}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({"i32:3000000000"}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({"buf:f32:0:zero"}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({"buf:f32:-4:zero"}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({"buf:f32:99999999999999999999:zero"}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({"buf:f32:4:randomly"}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({"buf:f33:4:zero"}).id, ErrorId::bad_argument);
  EXPECT_EQ(refused({"buf:f32:4"}).id, ErrorId::bad_argument);
}

TEST(Arguments, ExtentsHaveOneToThreePositiveNumbers) {
  EXPECT_EQ(*parse_extent("grid", "7"), (Dim3{7, 1, 1}));
  EXPECT_EQ(*parse_extent("grid", "7,8,9"), (Dim3{7, 8, 9}));
  EXPECT_EQ(parse_extent("grid", "0").error().id, ErrorId::bad_launch);
  EXPECT_FALSE(parse_extent("grid", "1,2,3,4"));
  EXPECT_FALSE(parse_extent("grid", "-1"));
  EXPECT_FALSE(parse_extent("grid", "4294967296"));
  EXPECT_FALSE(parse_extent("grid", ""));
}

TEST(Arguments, WholeNumbersMayBePowersOfTwo) {
  EXPECT_EQ(*parse_integer("n", "2^20"), 1 << 20);
  EXPECT_EQ(*parse_integer("n", "98432"), 98432);
  EXPECT_FALSE(parse_integer("n", "2^64"));
  EXPECT_FALSE(parse_integer("n", "1e6"));
  EXPECT_FALSE(parse_integer("n", ""));
}

}  // namespace
}  // namespace tilescope
