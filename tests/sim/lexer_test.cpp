// PTX text is split into tokens as the PTX ISA says, and nothing but PTX is accepted.
#include "engine/sim/ptx/lexer.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>

namespace tilescope {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> result;
  for (const auto& token : lex_ptx(text)) result.emplace_back(token.text);
  return result;
}

TEST(Lexer, OpcodesRegistersAndLabelsAreOneTokenEach) {
  EXPECT_EQ(words("ld.global.nc.L1::no_allocate.v4.f32 {%f1, _}, [%rd8+-16];"),
            (std::vector<std::string>{"ld.global.nc.L1::no_allocate.v4.f32", "{", "%f1", ",", "_", "}", ",", "[",
                                      "%rd8", "+", "-", "16", "]", ";", ""}));
  EXPECT_EQ(words("@!%p1 bra $L__BB0_2;"), (std::vector<std::string>{"@", "!", "%p1", "bra", "$L__BB0_2", ";", ""}));
  EXPECT_EQ(words("$L__BB0_2: mov.u32 %r1, %tid.x;"),
            (std::vector<std::string>{"$L__BB0_2", ":", "mov.u32", "%r1", ",", "%tid.x", ";", ""}));
}
TEST(Lexer, DirectivesAreCutAtEachDot) {
  EXPECT_EQ(words(".reg.b32 %r<2>;"), (std::vector<std::string>{".reg", ".b32", "%r", "<", "2", ">", ";", ""}));
}
TEST(Lexer, CommentsAreDroppedAndLinesCounted) {
  const auto tokens = lex_ptx("// one\n/* two\nthree */ ret; // four");
  ASSERT_EQ(tokens.size(), 3U);
  EXPECT_EQ(tokens[0].text, "ret");
  EXPECT_EQ(tokens[0].line, 3U);
}
TEST(Lexer, IntegersInEveryBase) {
  for (const char* text : {"42", "0x2A", "052", "0b101010", "42U", "0x2aU"}) {
    const auto tokens = lex_ptx(text);
    ASSERT_EQ(tokens.size(), 2U) << text;
    EXPECT_EQ(tokens[0].kind, PtxTokenKind::integer);
    EXPECT_EQ(tokens[0].bits, 42U);
  }
  EXPECT_EQ(lex_ptx("18446744073709551615")[0].bits, ~uint64_t{0});
  EXPECT_EQ(lex_ptx("18446744073709551616")[0].kind, PtxTokenKind::bad);
}
TEST(Lexer, FloatingPointLiteralsKeepTheirBits) {
  const auto single = lex_ptx("0f3F800000")[0];
  EXPECT_EQ(single.kind, PtxTokenKind::float32);
  EXPECT_EQ(single.bits, std::bit_cast<uint32_t>(1.0F));
  const auto wide = lex_ptx("0d4008000000000000")[0];
  EXPECT_EQ(wide.kind, PtxTokenKind::float64);
  EXPECT_EQ(wide.bits, std::bit_cast<uint64_t>(3.0));
  EXPECT_EQ(lex_ptx("1.5e3")[0].bits, std::bit_cast<uint64_t>(1500.0));
}
TEST(Lexer, WhatIsNoPtxIsBad) {
  for (const char* text : {"\"no end", "0f3F80", "0xU", "`", "\x80", "1e+"})
    EXPECT_EQ(lex_ptx(text)[0].kind, PtxTokenKind::bad) << text;
}

}  // namespace
}  // namespace tilescope
