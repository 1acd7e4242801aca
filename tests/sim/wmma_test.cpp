// nvcuda::wmma as compiled by NVRTC: a fragment's layout is unspecified, so a user relies on load, product,
// element-wise operation and store being consistent for every type, shape and layout.
#include <bit>
#include <cmath>
#include <random>

#include "run_kernel.hpp"

namespace tilescope {
namespace {

/// The bits of a small integer; all types hold it and its sums exactly.
uint64_t encode(const std::string& name, int value) {
  if (name == "f64") return std::bit_cast<uint64_t>(static_cast<double>(value));
  const auto single = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (name == "tf32" || name == "f32") return single;
  if (name == "bf16") return single >> 16;
  if (name == "f16") {
    if (value == 0) return 0;
    return (single >> 16 & 0x8000U) | (((single & 0x7fffffffU) >> 13) - (112U << 10));
  }
  return static_cast<uint64_t>(value);
}
double decode(const std::string& name, uint64_t bits) {
  if (name == "f64") return std::bit_cast<double>(bits);
  if (name == "f32") return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (name == "s32") return static_cast<int32_t>(bits);
  const double magnitude = (bits & 0x7fff) == 0 ? 0
                                                : std::ldexp(1 + static_cast<double>(bits & 0x3ff) / 1024,
                                                             static_cast<int>(bits >> 10 & 31) - 15);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::vector<int> random_numbers(size_t count, int low, int high, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int> values(count);
  for (int& value : values) value = low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
  return values;
}
/// The elements one after another, `bits` bits each.
std::vector<uint8_t> bytes_of(const std::string& name, size_t bits, const std::vector<int>& values) {
  std::vector<uint8_t> bytes(values.size() * bits / 8);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t element = encode(name, values[i]);
    std::memcpy(bytes.data() + i * bits / 8, &element, bits / 8);
  }
  return bytes;
}

struct Type {
  const char* kernel;
  const char* element;
  size_t bits;
  int low, high;
  const char* accumulator;
  size_t accumulator_bits;
};
struct Extent3 {
  size_t m, n, k;
};

void check(const Type& type, const Extent3& shape, bool row_col) {
  const std::string kernel = std::string(type.kernel) + "_m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) +
                             "k" + std::to_string(shape.k) + (row_col ? "_row_col" : "_col_row");
  SCOPED_TRACE(kernel);
  const auto a = random_numbers(shape.m * shape.k, type.low, type.high, 1);
  const auto b = random_numbers(shape.k * shape.n, type.low, type.high, 2);
  const auto c = random_numbers(shape.m * shape.n, -50, 50, 3);
  Machinery machine;
  machine.input("a", bytes_of(type.element, type.bits, a));
  machine.input("b", bytes_of(type.element, type.bits, b));
  machine.input("c", bytes_of(type.accumulator, type.accumulator_bits, c));
  const size_t out = machine.output<uint8_t>("d", shape.m * shape.n * type.accumulator_bits / 8);
  const auto report = machine.run(module_of("wmma"), kernel, {1, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
  const auto result = machine.download<uint8_t>(out);
  for (size_t row = 0; row < shape.m; ++row) {
    for (size_t column = 0; column < shape.n; ++column) {
      const size_t place = row_col ? row * shape.n + column : column * shape.m + row;
      double expected = c[place];
      for (size_t k = 0; k < shape.k; ++k)
        expected +=
            row_col ? a[row * shape.k + k] * b[column * shape.k + k] : a[k * shape.m + row] * b[k * shape.n + column];
      uint64_t stored = 0;
      std::memcpy(&stored, result.data() + place * type.accumulator_bits / 8, type.accumulator_bits / 8);
      EXPECT_EQ(decode(type.accumulator, stored), 2 * expected) << row << ", " << column;
    }
  }
}

TEST(Wmma, LoadsMultipliesAndStoresEveryTypeInEveryShapeAndLayout) {
  for (const Type& type : {Type{"f16", "f16", 16, -9, 9, "f32", 32}, Type{"h16", "f16", 16, -7, 7, "f16", 16},
                           Type{"bf16", "bf16", 16, -9, 9, "f32", 32}, Type{"s8", "s8", 8, -128, 127, "s32", 32},
                           Type{"u8", "u8", 8, 0, 255, "s32", 32}})
    for (const Extent3& shape : {Extent3{16, 16, 16}, Extent3{32, 8, 16}, Extent3{8, 32, 16}})
      for (bool row_col : {true, false}) check(type, shape, row_col);
  for (bool row_col : {true, false}) {
    check({"tf32", "tf32", 32, -9, 9, "f32", 32}, {16, 16, 8}, row_col);
    check({"f64", "f64", 64, -9, 9, "f64", 64}, {8, 8, 4}, row_col);
  }
}

TEST(Wmma, ThroughSharedMemoryMultipliesTilesAndIsSilent) {
  const auto a = random_numbers(64 * 64, -9, 9, 1), b = random_numbers(64 * 64, -9, 9, 2);
  Machinery machine;
  machine.input("a", bytes_of("f16", 16, a));
  machine.input("b", bytes_of("f16", 16, b));
  const size_t out = machine.output<float>("d", 64 * 64);
  const auto report = machine.run(module_of("wmma"), "tiles_in_shared", {1, 1, 1}, {512, 1, 1});
  EXPECT_TRUE(report.findings.empty()) << report.findings[0].message;
  const auto result = machine.download<float>(out);
  for (size_t row = 0; row < 64; ++row) {
    for (size_t column = 0; column < 64; ++column) {
      int expected = 0;
      for (size_t k = 0; k < 64; ++k) expected += a[row * 64 + k] * b[k * 64 + column];
      EXPECT_EQ(result[row * 64 + column], static_cast<float>(expected));
    }
  }
}

TEST(Wmma, OfFourBitNumbersAndOfBitsIsExact) {
  const auto a = random_numbers(8 * 32, -8, 7, 1), b = random_numbers(8 * 32, -8, 7, 2);
  const auto c = random_numbers(64, -50, 50, 3);
  const auto nibbles = [](const std::vector<int>& values) {
    std::vector<uint8_t> bytes(values.size() / 2);
    for (size_t i = 0; i < values.size(); ++i)
      bytes[i / 2] = static_cast<uint8_t>(bytes[i / 2] | (values[i] & 15) << (i % 2 * 4));
    return bytes;
  };
  Machinery machine;
  machine.input("a", nibbles(a));
  machine.input("b", nibbles(b));
  machine.input("c", c);
  const size_t out = machine.output<int>("d", 64);
  machine.run(module_of("wmma"), "s4_m8n8k32", {1, 1, 1}, {32, 1, 1});
  const auto result = machine.download<int>(out);
  for (size_t i = 0; i < 64; ++i) {
    int expected = c[i];
    for (size_t k = 0; k < 32; ++k) expected += a[i / 8 * 32 + k] * b[i % 8 * 32 + k];
    EXPECT_EQ(result[i], expected);
  }

  std::mt19937 random(5);
  std::vector<uint32_t> bits_a(32), bits_b(32);
  for (auto* bits : {&bits_a, &bits_b})
    for (uint32_t& word : *bits) word = random();
  Machinery second;
  second.input("a", bits_a);
  second.input("b", bits_b);
  second.input("c", c);
  const size_t counts = second.output<int>("d", 64);
  second.run(module_of("wmma"), "b1_m8n8k128", {1, 1, 1}, {32, 1, 1});
  for (size_t i = 0; i < 64; ++i) {
    int expected = c[i];
    for (size_t word = 0; word < 4; ++word)
      expected += std::popcount(bits_a[i / 8 * 4 + word] ^ bits_b[i % 8 * 4 + word]);
    EXPECT_EQ(second.download<int>(counts)[i], expected);
  }
}

TEST(Wmma, OutsideOfABufferIsFound) {
  for (size_t rows : {15U, 16U}) {
    Machinery machine;
    machine.input("a", std::vector<uint16_t>(rows * 16));
    machine.input("b", std::vector<uint16_t>(256));
    machine.input("c", std::vector<float>(256));
    machine.input("d", std::vector<float>(256));
    const auto report = machine.run(module_of("wmma"), "f16_m16n16k16_row_col", {1, 1, 1}, {32, 1, 1});
    ASSERT_EQ(report.findings.size(), 16 - rows);
    if (rows == 16) continue;
    EXPECT_EQ(report.findings[0].id, "out-of-bounds");
    EXPECT_EQ(report.findings[0].offset, 15 * 32);
    EXPECT_EQ(report.findings[0].count, 8U);
  }
}

}  // namespace
}  // namespace tilescope
