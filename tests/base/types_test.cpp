#include "engine/types.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/result.hpp"
#include "engine/sha256.hpp"
#include "engine/trace.hpp"

namespace tilescope {
namespace {

TEST(Types, LinearBlockIndicesCountXFirst) {
  const Dim3 extent{4, 3, 2};
  EXPECT_EQ(unflatten(0, extent), (Dim3{0, 0, 0}));
  EXPECT_EQ(unflatten(5, extent), (Dim3{1, 1, 0}));
  EXPECT_EQ(unflatten(23, extent), (Dim3{3, 2, 1}));
}

TEST(Types, EveryElementTypeIsFoundByItsName) {
  for (DType type : {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i32, DType::u32, DType::i8, DType::u8,
                     DType::u64, DType::i16, DType::u16, DType::i64, DType::boolean, DType::f8e4m3, DType::f8e5m2})
    EXPECT_EQ(dtype_from(name_of(type)), type);
  EXPECT_FALSE(dtype_from("f33"));
  EXPECT_EQ(dtype_from("fp8e4nv"), DType::f8e4m3) << "as Triton calls it";
  EXPECT_EQ(dtype_from("fp8e5"), DType::f8e5m2);
}

HostBuffer half_buffer(DType type, uint16_t bits) {
  HostBuffer buffer(type, 1);
  buffer.as<uint16_t>()[0] = bits;
  return buffer;
}

TEST(Types, HalfValuesAreThoseOfIeee754) {
  EXPECT_EQ(value_at(half_buffer(DType::f16, 0x3c00), 0), 1.0);
  EXPECT_EQ(value_at(half_buffer(DType::f16, 0xc000), 0), -2.0);
  EXPECT_EQ(value_at(half_buffer(DType::f16, 0x7bff), 0), 65504.0);
  EXPECT_EQ(value_at(half_buffer(DType::f16, 0x0001), 0), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isnan(value_at(half_buffer(DType::f16, 0x7e00), 0)));
  EXPECT_TRUE(std::isinf(value_at(half_buffer(DType::f16, 0xfc00), 0)));
  EXPECT_EQ(value_at(half_buffer(DType::bf16, 0x3f80), 0), 1.0);
}

TEST(Types, EveryHalfIsItsFractionTimesItsPowerOfTwo) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const int exponent = static_cast<int>(bits >> 10), fraction = static_cast<int>(bits & 1023U);
    const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_EQ(value_at(half_buffer(DType::f16, static_cast<uint16_t>(bits)), 0), value) << bits;
    ASSERT_EQ(value_at(half_buffer(DType::f16, static_cast<uint16_t>(bits | 0x8000U)), 0), -value) << bits;
  }
  EXPECT_TRUE(std::signbit(value_at(half_buffer(DType::f16, 0x8000), 0)));
}

double eighth_value(DType type, uint8_t bits) {
  HostBuffer buffer(type, 1);
  buffer.as<uint8_t>()[0] = bits;
  return value_at(buffer, 0);
}

// "FP8 Formats for Deep Learning" (Micikevicius et al., 2022), table 1.
TEST(Types, NumbersOfEightBitsAreThoseOfTheirFormats) {
  EXPECT_EQ(eighth_value(DType::f8e4m3, 0x7e), 448.0);
  EXPECT_EQ(eighth_value(DType::f8e4m3, 0x08), std::ldexp(1.0, -6));
  EXPECT_EQ(eighth_value(DType::f8e4m3, 0x07), 0.875 * std::ldexp(1.0, -6));
  EXPECT_EQ(eighth_value(DType::f8e4m3, 0x81), -std::ldexp(1.0, -9));
  EXPECT_TRUE(std::isnan(eighth_value(DType::f8e4m3, 0xff)));
  EXPECT_EQ(eighth_value(DType::f8e5m2, 0x7b), 57344.0);
  EXPECT_EQ(eighth_value(DType::f8e5m2, 0x04), std::ldexp(1.0, -14));
  EXPECT_EQ(eighth_value(DType::f8e5m2, 0x01), std::ldexp(1.0, -16));
  EXPECT_TRUE(std::isinf(eighth_value(DType::f8e5m2, 0xfc)));
  EXPECT_TRUE(std::isnan(eighth_value(DType::f8e5m2, 0x7d)));
}

TEST(Trace, AnAddressNamesItsBufferAlsoJustOutsideIt) {
  EXPECT_EQ(region_of(address_of(3, 4096)).buffer, 3);
  EXPECT_EQ(region_of(address_of(3, 4096)).offset, 4096);
  EXPECT_EQ(region_of(address_of(3, -4)).buffer, 3);
  EXPECT_EQ(region_of(address_of(3, -4)).offset, -4);
  EXPECT_LT(region_of(0).buffer, 0);
}

TEST(Result, AnErrorCarriesItsIdItsMessageAndWhatToDo) {
  const Error error = make_error(ErrorId::lab_not_found, "x", "a, b");
  EXPECT_EQ(id_of(error.id), "lab-not-found");
  EXPECT_EQ(error.message, "there is no lab 'x'; the labs are a, b");
  EXPECT_FALSE(error.hint.empty());
}

TEST(Sha256, AgreesWithTheStandardsExample) {  // FIPS 180-4, "abc"
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace tilescope
