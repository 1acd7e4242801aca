// mma.sync of every shape and type against a matrix product in double precision or integers. The fragments are filled
// and read in the layout of PTX ISA 9.0 (section 9.7.15.5), written down here shape by shape.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "matrix_numbers.hpp"
#include "run_kernel.hpp"

namespace tilescope {
namespace {

struct Place {
  size_t row, column;
};
/// Row and column of element i of a lane's fragment; g is lane / 4 and t is lane % 4 (the ISA's groupID,
/// threadID_in_group).
using Fragment = std::function<Place(size_t i, size_t g, size_t t)>;

struct Shape {
  std::string name;
  size_t m, n, k;
  Fragment a, b, c;
};

const Fragment kC16 = [](size_t i, size_t g, size_t t) { return Place{i < 2 ? g : g + 8, t * 2 + i % 2}; };
const Fragment kC8 = [](size_t i, size_t g, size_t t) { return Place{g, t * 2 + i % 2}; };

std::vector<Shape> shapes_of(Number number) {
  switch (number) {
    case Number::f16:
    case Number::bf16:
      return {{"m16n8k8", 16, 8, 8,
               [](size_t i, size_t g, size_t t) {
                 return Place{i < 2 ? g : g + 8, t * 2 + i % 2};
               },
               [](size_t i, size_t g, size_t t) {
                 return Place{t * 2 + i, g};
               },
               kC16},
              {"m16n8k16", 16, 8, 16,
               [](size_t i, size_t g, size_t t) {
                 return Place{i < 2 || (i >= 4 && i < 6) ? g : g + 8, i < 4 ? t * 2 + i % 2 : t * 2 + i % 2 + 8};
               },
               [](size_t i, size_t g, size_t t) {
                 return Place{i < 2 ? t * 2 + i % 2 : t * 2 + i % 2 + 8, g};
               },
               kC16}};
    case Number::tf32:
      return {{"m16n8k4", 16, 8, 4,
               [](size_t i, size_t g, size_t t) {
                 return Place{i == 0 ? g : g + 8, t};
               },
               [](size_t, size_t g, size_t t) {
                 return Place{t, g};
               },
               kC16},
              {"m16n8k8", 16, 8, 8,
               [](size_t i, size_t g, size_t t) {
                 return Place{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
               },
               [](size_t i, size_t g, size_t t) {
                 return Place{i == 0 ? t : t + 4, g};
               },
               kC16}};
    case Number::f64:
      return {{"m8n8k4", 8, 8, 4,
               [](size_t, size_t g, size_t t) {
                 return Place{g, t};
               },
               [](size_t, size_t g, size_t t) {
                 return Place{t, g};
               },
               kC8},
              {"m16n8k4", 16, 8, 4,
               [](size_t i, size_t g, size_t t) {
                 return Place{i == 0 ? g : g + 8, t};
               },
               [](size_t, size_t g, size_t t) {
                 return Place{t, g};
               },
               kC16},
              {"m16n8k8", 16, 8, 8,
               [](size_t i, size_t g, size_t t) {
                 return Place{i % 2 == 0 ? g : g + 8, i < 2 ? t : t + 4};
               },
               [](size_t i, size_t g, size_t t) {
                 return Place{i == 0 ? t : t + 4, g};
               },
               kC16},
              {"m16n8k16", 16, 8, 16,
               [](size_t i, size_t g, size_t t) {
                 return Place{i % 2 == 0 ? g : g + 8, i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
               },
               [](size_t i, size_t g, size_t t) {
                 return Place{t + i * 4, g};
               },
               kC16}};
    case Number::e4m3:
    case Number::e5m2:
    case Number::s8:
    case Number::u8: {
      std::vector<Shape> shapes = {
          {"m16n8k16", 16, 8, 16,
           [](size_t i, size_t g, size_t t) {
             return Place{i < 4 ? g : g + 8, t * 4 + i % 4};
           },
           [](size_t i, size_t g, size_t t) {
             return Place{t * 4 + i, g};
           },
           kC16},
          {"m16n8k32", 16, 8, 32,
           [](size_t i, size_t g, size_t t) {
             return Place{i < 4 || (i >= 8 && i < 12) ? g : g + 8, i < 8 ? t * 4 + i % 4 : t * 4 + i % 4 + 16};
           },
           [](size_t i, size_t g, size_t t) {
             return Place{i < 4 ? t * 4 + i % 4 : t * 4 + i % 4 + 16, g};
           },
           kC16}};
      if (number == Number::s8 || number == Number::u8)
        shapes.push_back({"m8n8k16", 8, 8, 16,
                          [](size_t i, size_t g, size_t t) {
                            return Place{g, t * 4 + i};
                          },
                          [](size_t i, size_t g, size_t t) {
                            return Place{t * 4 + i, g};
                          },
                          kC8});
      return shapes;
    }
    case Number::s4:
    case Number::u4:
      return {{"m8n8k32", 8, 8, 32,
               [](size_t i, size_t g, size_t t) {
                 return Place{g, t * 8 + i};
               },
               [](size_t i, size_t g, size_t t) {
                 return Place{t * 8 + i, g};
               },
               kC8},
              {"m16n8k32", 16, 8, 32,
               [](size_t i, size_t g, size_t t) {
                 return Place{i < 8 ? g : g + 8, t * 8 + i % 8};
               },
               [](size_t i, size_t g, size_t t) {
                 return Place{t * 8 + i, g};
               },
               kC16},
              {"m16n8k64", 16, 8, 64,
               [](size_t i, size_t g, size_t t) {
                 return Place{i < 8 || (i >= 16 && i < 24) ? g : g + 8, i < 16 ? t * 8 + i % 8 : t * 8 + i % 8 + 32};
               },
               [](size_t i, size_t g, size_t t) {
                 return Place{i < 8 ? t * 8 + i % 8 : t * 8 + i % 8 + 32, g};
               },
               kC16}};
    case Number::b1:
      return {
          {"m8n8k128", 8, 8, 128,
           [](size_t i, size_t g, size_t t) {
             return Place{g, t * 32 + i};
           },
           [](size_t i, size_t g, size_t t) {
             return Place{t * 32 + i, g};
           },
           kC8},
          {"m16n8k128", 16, 8, 128,
           [](size_t i, size_t g, size_t t) {
             return Place{i < 32 ? g : g + 8, t * 32 + i % 32};
           },
           [](size_t i, size_t g, size_t t) {
             return Place{t * 32 + i, g};
           },
           kC16},
          {"m16n8k256", 16, 8, 256,
           [](size_t i, size_t g, size_t t) {
             return Place{i < 32 || (i >= 64 && i < 96) ? g : g + 8, i < 64 ? t * 32 + i % 32 : t * 32 + i % 32 + 128};
           },
           [](size_t i, size_t g, size_t t) {
             return Place{i < 32 ? t * 32 + i % 32 : t * 32 + i % 32 + 128, g};
           },
           kC16}};
    default:
      return {};
  }
}

struct Matrix {
  size_t rows, columns;
  std::vector<double> values;
  double at(size_t row, size_t column) const { return values[row * columns + column]; }
};

/// The registers of all lanes, register by register: elements fill a register from its low bits.
struct Registers {
  size_t bits_each;  // 32 or 64
  std::vector<std::vector<uint64_t>> of;
  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> all;
    for (const auto& lanes : of)
      for (uint64_t lane : lanes)
        for (size_t byte = 0; byte < bits_each / 8; ++byte) all.push_back(static_cast<uint8_t>(lane >> (8 * byte)));
    return all;
  }
};
size_t register_bits(Number number) { return number == Number::f64 ? 64 : 32; }
size_t count_registers(Number number, size_t rows, size_t columns) {
  return rows * columns * bits_of(number) / 32 / register_bits(number);
}

/// Random numbers in a fragment, and the resulting matrix.
Registers fill(Number number, const Fragment& fragment, Matrix& matrix, std::mt19937& random) {
  const size_t bits = bits_of(number), each = register_bits(number);
  matrix.values.assign(matrix.rows * matrix.columns, std::nan(""));
  Registers registers{each, {}};
  registers.of.assign(count_registers(number, matrix.rows, matrix.columns), std::vector<uint64_t>(32, 0));
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < registers.of.size() * each / bits; ++i) {
      const Element element = make_element(number, random);
      const Place place = fragment(i, lane / 4, lane % 4);
      EXPECT_TRUE(std::isnan(matrix.at(place.row, place.column))) << "two lanes hold one element";
      matrix.values[place.row * matrix.columns + place.column] = element.value;
      registers.of[i * bits / each][lane] |= element.bits << (i * bits % each);
    }
  }
  return registers;
}

std::string list(const char* name, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + std::string(name) + std::to_string(i);
  return text + "}";
}

/// A kernel of one warp: loads the registers of A, B and C, multiplies, and stores those of D.
std::string kernel_of(const std::string& opcode, size_t bits_a, const size_t (&counts)[4], size_t bits_c) {
  const auto type = [](size_t bits) { return "b" + std::to_string(bits); };
  std::string text =
      ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb, "
      ".param .u64 pc, .param .u64 pd)\n{\n.reg .b32 %lane;\n.reg .b64 %p, %at;\n";
  const char* names[] = {"a", "b", "c", "d"};
  const size_t bits[] = {bits_a, bits_a, bits_c, bits_c};
  for (size_t i = 0; i < 4; ++i)
    text += ".reg ." + type(bits[i]) + " %" + names[i] + "<" + std::to_string(counts[i] + 1) + ">;\n";
  text += "mov.u32 %lane, %tid.x;\n";
  const auto move = [&](size_t i, bool load) {
    text += fmt::format("ld.param.u64 %p, [p{}];\nmul.wide.u32 %at, %lane, {};\nadd.s64 %p, %p, %at;\n", names[i],
                        bits[i] / 8);
    for (size_t reg = 0; reg < counts[i]; ++reg) {
      const std::string place = "[%p+" + std::to_string(reg * 32 * bits[i] / 8) + "]";
      const std::string value = std::string("%") + names[i] + std::to_string(reg);
      text += load ? fmt::format("ld.global.{} {}, {};\n", type(bits[i]), value, place)
                   : fmt::format("st.global.{} {}, {};\n", type(bits[i]), place, value);
    }
  };
  for (size_t i = 0; i < 3; ++i) move(i, true);
  text += opcode + " " + list("d", counts[3]) + ", " + list("a", counts[0]) + ", " + list("b", counts[1]) + ", " +
          list("c", counts[2]) + ";\n";
  move(3, false);
  return text + "ret;\n}\n";
}

double value_of(Number number, uint64_t bits) {
  switch (number) {
    case Number::f64:
      return std::bit_cast<double>(bits);
    case Number::f32:
      return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case Number::s32:
      return static_cast<int32_t>(bits);
    default: {  // f16, normal or zero
      const double fraction = static_cast<double>(bits & 0x3ff) / 1024;
      const auto exponent = static_cast<int>(bits >> 10 & 31);
      const double magnitude = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
      return (bits & 0x8000) != 0 ? -magnitude : magnitude;
    }
  }
}

double half_ulp(double value) {
  return std::ldexp(1.0, std::max(-14, std::ilogb(std::max(std::abs(value), 1e-9))) - 11);
}

/// Expected D and its tolerance.
struct Expected {
  double value, tolerance;
};
Expected expected_of(const Matrix& a, const Matrix& b, double c, size_t row, size_t column, const std::string& bit_op) {
  Expected expected{c, 0};
  double magnitude = std::abs(c);
  for (size_t k = 0; k < a.columns; ++k) {
    double product = a.at(row, k) * b.at(k, column);
    if (bit_op == "xor") product = a.at(row, k) != b.at(k, column) ? 1 : 0;
    expected.value += product;
    magnitude += std::abs(product);
  }
  expected.tolerance = magnitude * static_cast<double>(a.columns) * 0x1p-24;
  return expected;
}

struct Case {
  Number a, b, c;
  std::string middle, tail;  // parts of the opcode before the types and after them
};

void check(const Case& test, const Shape& shape) {
  const std::string opcode = "mma.sync.aligned." + shape.name + ".row.col" + test.middle + "." + name_of(test.c) + "." +
                             name_of(test.a) + "." + name_of(test.b) + "." + name_of(test.c) + test.tail;
  SCOPED_TRACE(opcode);
  std::mt19937 random(7);
  Matrix a{shape.m, shape.k, {}}, b{shape.k, shape.n, {}}, c{shape.m, shape.n, {}};
  const Registers of_a = fill(test.a, shape.a, a, random), of_b = fill(test.b, shape.b, b, random);
  const Registers of_c = fill(test.c, shape.c, c, random);
  Machinery machine;
  machine.input("a", of_a.bytes());
  machine.input("b", of_b.bytes());
  machine.input("c", of_c.bytes());
  const size_t out = machine.output<uint8_t>("d", of_c.bytes().size());
  const size_t counts[] = {of_a.of.size(), of_b.of.size(), of_c.of.size(), of_c.of.size()};
  CompiledModule module;
  module.ptx = kernel_of(opcode, of_a.bits_each, counts, of_c.bits_each);
  const auto report = machine.run(module, "k", {1, 1, 1}, {32, 1, 1});
  EXPECT_TRUE(report.findings.empty());
  const auto bytes = machine.download<uint8_t>(out);
  const size_t bits = bits_of(test.c), each = of_c.bits_each;
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < of_c.of.size() * each / bits; ++i) {
      uint64_t stored = 0;
      std::memcpy(&stored, bytes.data() + (i * bits / each * 32 + lane) * each / 8 + i * bits % each / 8, bits / 8);
      const Place place = shape.c(i, lane / 4, lane % 4);
      const double start = c.at(place.row, place.column);
      Expected expected =
          expected_of(a, b, start, place.row, place.column, test.tail.substr(0, 4) == ".xor" ? "xor" : "");
      if (test.c == Number::f64) expected.tolerance *= 0x1p-29;
      if (test.c == Number::s32) expected.tolerance = 0;
      if (test.c == Number::f16) expected.tolerance += half_ulp(expected.value);
      EXPECT_NEAR(value_of(test.c, stored), expected.value, expected.tolerance) << "lane " << lane << " element " << i;
    }
  }
}

TEST(MatrixProduct, OfFloatsIsTheProductInEveryShape) {
  for (const Case& test : {Case{Number::f16, Number::f16, Number::f32, "", ""},
                           {Number::f16, Number::f16, Number::f16, "", ""},
                           {Number::bf16, Number::bf16, Number::f32, "", ""},
                           {Number::tf32, Number::tf32, Number::f32, "", ""},
                           {Number::f64, Number::f64, Number::f64, "", ""}})
    for (const Shape& shape : shapes_of(test.a)) check(test, shape);
}
TEST(MatrixProduct, OfEightBitFloatsIsTheProductInEveryShape) {
  for (Number a : {Number::e4m3, Number::e5m2})
    for (Number b : {Number::e4m3, Number::e5m2})
      for (Number c : {Number::f32, Number::f16})
        for (const Shape& shape : shapes_of(a)) check({a, b, c, "", ""}, shape);
}
TEST(MatrixProduct, OfIntegersIsExactInEveryShapeAndSignedness) {
  for (Number a : {Number::s8, Number::u8, Number::s4, Number::u4})
    for (Number b : {Number::s8, Number::u8, Number::s4, Number::u4})
      for (const char* middle : {"", ".satfinite"})
        if (bits_of(a) == bits_of(b))
          for (const Shape& shape : shapes_of(a)) check({a, b, Number::s32, middle, ""}, shape);
}
TEST(MatrixProduct, OfBitsCountsThoseThatDifferOrAreBothSet) {
  for (const char* tail : {".xor.popc", ".and.popc"})
    for (const Shape& shape : shapes_of(Number::b1)) check({Number::b1, Number::b1, Number::s32, "", tail}, shape);
}

/// Element 0 of lane 0's D, for a product with all elements equal.
template <class T>
T first_of_product(const std::string& opcode, uint32_t a, uint32_t b, T c, const size_t (&counts)[4]) {
  Machinery machine;
  machine.input("a", std::vector<uint32_t>(32 * counts[0], a));
  machine.input("b", std::vector<uint32_t>(32 * counts[1], b));
  machine.input("c", std::vector<T>(32 * counts[2], c));
  const size_t out = machine.output<T>("d", 32 * counts[3]);
  CompiledModule module;
  module.ptx = kernel_of(opcode, 32, counts, 32);
  machine.run(module, "k", {1, 1, 1}, {32, 1, 1});
  return machine.download<T>(out)[0];
}

TEST(MatrixProduct, OfIntegersWrapsAroundUnlessItSaturates) {
  const std::string head = "mma.sync.aligned.m8n8k16.row.col", tail = "s32.s8.s8.s32";
  const size_t counts[] = {1, 1, 2, 2};
  const int32_t most = std::numeric_limits<int32_t>::max(), least = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(first_of_product<int32_t>(head + "." + tail, 0x7f7f7f7f, 0x01010101, most, counts), least + 127 * 16 - 1);
  EXPECT_EQ(first_of_product<int32_t>(head + ".satfinite." + tail, 0x7f7f7f7f, 0x01010101, most, counts), most);
  EXPECT_EQ(first_of_product<int32_t>(head + ".satfinite." + tail, 0x7f7f7f7f, 0xffffffff, least, counts), least);
  EXPECT_EQ(first_of_product<int32_t>(head + ".satfinite." + tail, 0x7f7f7f7f, 0xffffffff, most, counts),
            most - 127 * 16);
}
TEST(MatrixProduct, KeepsSubnormalHalvesAndInfinitiesAndMakesOneNan) {
  const std::string opcode = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32";
  const size_t counts[] = {2, 1, 4, 4};
  EXPECT_EQ(first_of_product<float>(opcode, 0x00010001, 0x3c003c00, 0.0F, counts), 8 * 0x1p-24F);
  EXPECT_EQ(first_of_product<float>(opcode, 0x7c007c00, 0x3c003c00, 0.0F, counts),
            std::numeric_limits<float>::infinity());
  EXPECT_EQ(first_of_product<uint32_t>(opcode, 0x7c007c00, 0x00000000, 0, counts), 0x7fffffffU);
  EXPECT_EQ(first_of_product<uint32_t>(opcode, 0xfe01fe01, 0x3c003c00, 0, counts), 0x7fffffffU);
}
TEST(MatrixProduct, ByPartOfAWarpIsFoundAndByAWholeWarpIsNot) {
  for (uint32_t threads : {20U, 32U, 64U}) {
    Machinery machine;
    const std::vector<uint32_t> zeros(32 * 8, 0);
    for (const char* name : {"a", "b", "c", "d"}) machine.input(name, zeros);
    CompiledModule module;
    module.ptx = kernel_of("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 32, {1, 1, 2, 2}, 32);
    const auto report = machine.run(module, "k", {1, 1, 1}, {threads, 1, 1});
    ASSERT_EQ(report.findings.size(), threads == 20 ? 1U : 0U);
    if (threads != 20) continue;
    EXPECT_EQ(report.findings[0].id, "divergent-warp-instruction");
    EXPECT_NE(report.findings[0].message.find("mma.sync is executed by 20 of a warp's 32 lanes, and needs all of them "
                                              "together"),
              std::string::npos)
        << report.findings[0].message;
  }
}

}  // namespace
}  // namespace tilescope
