#include "engine/compile/ptx_link.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace tilescope {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string kCaller = kHead + R"(
.extern .func (.param .b32 result) other
(
  .param .b32 other_param_0
)
;
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b) ;
.global .align 4 .u32 file;
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(
  .param .u64 k_param_0
)
{
  .loc 1 7 0
  .loc 2 3 1, function_name $L__info_string0, inlined_at 1 7 2
  ld.global.u32 %r1, [file+4];
  call.uni (%r2), other, (%r1);
  ret;
}
.visible .entry lonely() { call.uni nowhere, (); ret; }
.extern .func nowhere () ;
  .file 1 "a.cu"
  .file 2 "shared.h"
.section .debug_str
{
$L__info_string0:
.b8 107,0
}
)";
const std::string kCallee = kHead + R"(
.global .align 4 .u32 file;
.extern .shared .align 16 .b8 dynamic[];
.visible .func (.param .b32 result) other(
  .param .b32 other_param_0
)
{
  .loc 1 5 0
  .loc 2 3 1, function_name $L__info_string0, inlined_at 1 5 2
  ld.global.u32 %r1, [file+4];
  ret;
}
  .file 1 "b.cu"
  .file 2 "shared.h"
.section .debug_str
{
$L__info_string0:
.b8 108,0
}
)";

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(PtxLink, WhatHasNoLinkageStaysApartAndWhatIsExternIsFound) {
  const auto linked = link_ptx(std::vector<LinkInput>{{"a.cu", kCaller}, {"b.cu", kCallee}}, {"k"});
  ASSERT_TRUE(linked) << linked.error().message;
  EXPECT_THAT(linked->undefined, IsEmpty());
  const std::string& ptx = linked->ptx;
  EXPECT_THAT(ptx, HasSubstr("[file+4]"));
  EXPECT_THAT(ptx, HasSubstr("[file$2+4]"));
  EXPECT_EQ(count(ptx, ".u32 file"), 2U);
  EXPECT_EQ(count(ptx, "dynamic[]"), 1U);
  EXPECT_EQ(count(ptx, ".version"), 1U);
  EXPECT_EQ(count(ptx, ".extern .func (.param .b32 result)"), 0U) << "it is declared as what it turns out to be";
  EXPECT_LT(ptx.find("vprintf"), ptx.find(".entry k"));
}

TEST(PtxLink, LinesKeepTheirFiles) {
  const auto linked = link_ptx(std::vector<LinkInput>{{"a.cu", kCaller}, {"b.cu", kCallee}}, {"k"});
  ASSERT_TRUE(linked);
  for (const char* line : {".file 1 \"a.cu\"", ".file 3 \"b.cu\"", ".file 4 \"shared.h\"", ".loc 1 7 0", ".loc 3 5 0",
                           "$L__info_string0_0, inlined_at 1 7 2", "$L__info_string0_1, inlined_at 3 5 2"})
    EXPECT_EQ(count(linked->ptx, line), 1U) << line;
}

TEST(PtxLink, OnlyWhatTheKernelsNeedHasToBeDefined) {
  const std::vector<LinkInput> both = {{"a.cu", kCaller}, {"b.cu", kCallee}};
  EXPECT_THAT(link_ptx(both, {"lonely"})->undefined, ElementsAre("nowhere"));
  EXPECT_THAT(link_ptx(both, {})->undefined, ElementsAre("nowhere"));
  EXPECT_THAT(link_ptx(std::vector<LinkInput>{{"a.cu", kCaller}}, {"k"})->undefined, ElementsAre("other"));
}

TEST(PtxLink, OfWeakDefinitionsOneStaysAndOfTwoOthersNone) {
  const std::string weak = kHead + ".weak .func f() { ret; }\n.weak .global .align 4 .u32 v;\n";
  const auto linked = link_ptx(std::vector<LinkInput>{{"a.cu", weak}, {"b.cu", weak}}, {});
  ASSERT_TRUE(linked);
  EXPECT_EQ(count(linked->ptx, ".func f()"), 1U);
  EXPECT_EQ(count(linked->ptx, ".u32 v"), 1U);
  const auto twice = link_ptx(std::vector<LinkInput>{{"b.cu", kCallee}, {"c.cu", kCallee}}, {});
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("'other' is defined in b.cu and in c.cu"));
}

}  // namespace
}  // namespace tilescope
