#include "engine/run/inputs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

BufferSpec floats(int64_t count, Fill fill) {
  return {.name = "x", .type = DType::f32, .shape = {count}, .fill = fill};
}

TEST(Inputs, NormalValuesHaveMeanZeroAndDeviationOne) {
  const auto buffer = make_contents(floats(1 << 20, Fill::normal), 0, 1);
  ASSERT_TRUE(buffer);
  double sum = 0, squares = 0;
  for (const float value : buffer->as<float>()) {
    ASSERT_TRUE(std::isfinite(value));
    sum += value;
    squares += double{value} * value;
  }
  const double count = 1 << 20;
  EXPECT_NEAR(sum / count, 0, 0.005);  // five standard errors of the mean
  EXPECT_NEAR(squares / count, 1, 0.007);
}

TEST(Inputs, TheSameSeedGivesTheSameBytesAndAnotherSeedOthers) {
  const auto one = make_contents(floats(1000, Fill::normal), 0, 1),
             again = make_contents(floats(1000, Fill::normal), 0, 1);
  const auto other = make_contents(floats(1000, Fill::normal), 0, 2),
             next = make_contents(floats(1000, Fill::normal), 1, 1);
  EXPECT_EQ(one->bytes, again->bytes);
  EXPECT_NE(one->bytes, other->bytes);
  EXPECT_NE(one->bytes, next->bytes);
}

TEST(Inputs, AValueDoesNotDependOnHowManyFollow) {
  const auto few = make_contents(floats(10, Fill::normal), 0, 1),
             many = make_contents(floats(200000, Fill::normal), 0, 1);
  EXPECT_EQ(few->as<float>()[9], many->as<float>()[9]);
}

TEST(Inputs, APartIsWhatTheWholeHasThere) {
  std::vector<BufferSpec> specs;
  for (const DType type :
       {DType::f32, DType::f16, DType::bf16, DType::i32, DType::u8, DType::boolean, DType::f8e4m3, DType::f8e5m2})
    for (const Fill fill : {Fill::normal, Fill::uniform, Fill::iota, Fill::ones, Fill::zero, Fill::poison})
      specs.push_back({.name = "x", .type = type, .shape = {37, 61}, .fill = fill});
  specs.push_back({.name = "x", .shape = {37, 61}, .fill = Fill::uniform, .fill_values = {-2, 3}});
  specs.push_back({.name = "x", .shape = {37, 61}, .fill = Fill::normal, .large_rows = {.every = 5, .factor = 64}});
  for (const BufferSpec& spec : specs) {
    const auto whole = make_contents(spec, 3, 7);
    ASSERT_TRUE(whole);
    const size_t bytes = size_of(spec.type);
    for (const auto& [begin, end] : {std::pair<size_t, size_t>{0, 37 * 61}, {1, 2}, {243, 245}, {1023, 2048}}) {
      const HostBuffer part = make_part(spec, 3, 7, begin, end);
      ASSERT_EQ(part.bytes.size(), (end - begin) * bytes);
      EXPECT_TRUE(std::equal(part.bytes.begin(), part.bytes.end(),
                             whole->bytes.begin() + static_cast<std::ptrdiff_t>(begin * bytes)))
          << name_of(spec.type) << " " << static_cast<int>(spec.fill) << " from " << begin;
    }
  }
}

TEST(Inputs, PoisonIsNotANumberAndIsCounted) {
  for (DType type : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::f8e4m3, DType::f8e5m2}) {
    auto buffer = make_contents({.name = "x", .type = type, .shape = {7}, .fill = Fill::poison}, 0, 1);
    EXPECT_TRUE(std::isnan(value_at(*buffer, 6))) << name_of(type);
    EXPECT_EQ(count_poison(*buffer, 0, 7), 7U);
    store_value(*buffer, 3, 0.5);
    EXPECT_EQ(count_poison(*buffer, 0, 7), 6U);
  }
}

TEST(Inputs, StoredValuesRoundToNearestEven) {
  HostBuffer half(DType::f16, 1);
  store_value(half, 0, 1.0 + 1.0 / 2048);  // midway between 1 and 1 + 2^-10
  EXPECT_EQ(value_at(half, 0), 1.0);
  store_value(half, 0, 1.0 + 3.0 / 2048);
  EXPECT_EQ(value_at(half, 0), 1.0 + 2.0 / 1024);
  store_value(half, 0, 65519.0);
  EXPECT_EQ(value_at(half, 0), 65504.0);
  store_value(half, 0, 65520.0);
  EXPECT_TRUE(std::isinf(value_at(half, 0)));
  store_value(half, 0, std::ldexp(1.0, -24));
  EXPECT_EQ(value_at(half, 0), std::ldexp(1.0, -24));
}

TEST(Inputs, EveryHalfSurvivesARoundTrip) {
  HostBuffer half(DType::f16, 1), again(DType::f16, 1);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    half.as<uint16_t>()[0] = static_cast<uint16_t>(bits);
    const double value = value_at(half, 0);
    if (std::isnan(value)) continue;
    store_value(again, 0, value);
    ASSERT_EQ(again.as<uint16_t>()[0], bits);
  }
}

TEST(Inputs, EveryNumberOfEightBitsSurvivesARoundTripAndRoundsToNearestEven) {
  for (const DType type : {DType::f8e4m3, DType::f8e5m2}) {
    HostBuffer number(type, 1), again(type, 1);
    const auto value_of_bits = [&](uint32_t bits) {
      number.as<uint8_t>()[0] = static_cast<uint8_t>(bits);
      return value_at(number, 0);
    };
    for (uint32_t bits = 0; bits < 0x100; ++bits) {
      const double value = value_of_bits(bits), next = value_of_bits(bits + 1);
      if (std::isnan(value)) continue;
      store_value(again, 0, value);
      ASSERT_EQ(again.as<uint8_t>()[0], bits) << name_of(type);
      if (!std::isfinite(value) || !std::isfinite(next) || bits == 0x7f) continue;
      store_value(again, 0, (value + next) / 2);
      EXPECT_EQ(again.as<uint8_t>()[0], bits % 2 == 0 ? bits : bits + 1) << name_of(type);
    }
  }
  HostBuffer large(DType::f8e4m3, 1);
  store_value(large, 0, 464);  // midway between 448 and what would be 480
  EXPECT_EQ(value_at(large, 0), 448) << "448 is even";
  store_value(large, 0, 465);
  EXPECT_TRUE(std::isnan(value_at(large, 0)));
  HostBuffer wider(DType::f8e5m2, 1);
  store_value(wider, 0, -61440);
  EXPECT_EQ(value_at(wider, 0), -INFINITY);
}

TEST(Inputs, BoolsAreZeroOrOne) {
  for (const Fill fill : {Fill::normal, Fill::uniform, Fill::iota, Fill::ones, Fill::zero}) {
    const auto contents = make_contents({.name = "x", .type = DType::boolean, .shape = {500}, .fill = fill}, 0, 1);
    size_t ones = 0;
    for (size_t i = 0; i < contents->count(); ++i) {
      ASSERT_TRUE(value_at(*contents, i) == 0 || value_at(*contents, i) == 1);
      ones += value_at(*contents, i) == 1 ? 1 : 0;
    }
    if (fill == Fill::normal || fill == Fill::uniform) {
      EXPECT_NEAR(static_cast<double>(ones), 250, 60);
    }
  }
}

TEST(Inputs, LargeRowsAreTheLastOfEverySoMany) {
  BufferSpec usual{.name = "q", .type = DType::bf16, .shape = {3, 4, 5}, .fill = Fill::normal}, large = usual;
  large.large_rows = {.every = 6, .factor = 64};
  const auto before = make_contents(usual, 0, 1), after = make_contents(large, 0, 1);
  ASSERT_TRUE(before && after);
  for (size_t i = 0; i < before->count(); ++i) {
    const size_t row = i / 5;
    EXPECT_EQ(value_at(*after, i), value_at(*before, i) * (row == 5 || row == 11 ? 64 : 1)) << i;
  }
}

TEST(Inputs, AFileThatIsTooShortIsRefused) {
  const auto file = own_test_folder() / "short.bin";
  std::ofstream(file) << "12345";
  BufferSpec spec = floats(2, Fill::file);
  spec.file = file.string();
  const auto buffer = make_contents(spec, 0, 1);
  ASSERT_FALSE(buffer);
  EXPECT_EQ(buffer.error().id, ErrorId::file_too_short);
  spec.file += ".absent";
  EXPECT_EQ(make_contents(spec, 0, 1).error().id, ErrorId::file_not_found);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace tilescope
