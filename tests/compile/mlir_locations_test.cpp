#include "engine/compile/triton/mlir_locations.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

// Lines of the TTGIR of a matmul, as Triton 3.6.0 writes them.
constexpr std::string_view kText = R"(#loc = loc("kernels/matmul.py":11:0)
module {
  tt.func public @matmul(%a_ptr: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc("a_ptr"(#loc))) {
    %cst = arith.constant dense<2.0> : tensor<64x128xf32, #mma> loc(#loc1)
    %cols = arith.addi %N, %c127_i32 : i32 loc(#loc77)
    %a = tt.load %a_ptrs : tensor<64x32x!tt.ptr<f16>, #blocked> loc(#loc69)
    %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
    ^bb0(%v_11: f32 loc(callsite(#loc5 at #loc24)), %v_12: f32 loc(callsite(#loc10 at #loc2))):
    }) : (tensor<512xf32>) -> f32 loc(#loc90)
    tt.return loc("kernels/matmul.py":29:4)
  } loc(#loc)
} loc(#loc)
#loc1 = loc(unknown)
#loc2 = loc("kernels/matmul.py":13:22)
#loc3 = loc("/opt/triton (3.6)/language/standard.py":43:17)
#loc5 = loc("kernels/matmul.py":23:20)
#loc24 = loc("kernels/matmul.py":24:1)
#loc47 = loc("cols"(#loc2))
#loc69 = loc("a"(#loc5))
#loc70 = loc(callsite(#loc3 at #loc24))
#loc77 = loc(callsite(#loc3 at #loc47))
#loc90 = loc(callsite(#loc3 at #loc70))
#loc91 = loc(fused[#loc1, #loc69, #loc2])
#loc92 = loc(fused<"x">["b"(#loc24), #loc2])
#loc93 = loc("c"(#loc93))
)";

std::vector<uint32_t> lines_of(const MlirLocation& location) {
  std::vector<uint32_t> lines;
  for (const MlirPlace& place : location.places) lines.push_back(place.line);
  return lines;
}
using Lines = std::vector<uint32_t>;

TEST(MlirLocations, AReferenceIsFollowedToFileLineAndColumn) {
  const MlirLocations locations(kText);
  const MlirLocation load = locations.of_line("    %a = tt.load %a_ptrs : tensor<64x32xf16> loc(#loc69)");
  EXPECT_EQ(load.name, "a");
  ASSERT_EQ(load.places.size(), 1U);
  EXPECT_EQ(load.places[0], (MlirPlace{"kernels/matmul.py", 23, 20}));
  EXPECT_EQ(lines_of(locations.of_line("tt.return loc(\"kernels/matmul.py\":29:4)")), (Lines{29}));
}

TEST(MlirLocations, InlinedCodeNamesItsCallersFromTheInsideOut) {
  const MlirLocations locations(kText);
  const MlirLocation cols = locations.of_line("%cols = arith.addi %N, %c loc(#loc77)");
  EXPECT_EQ(cols.name, "cols");
  EXPECT_EQ(lines_of(cols), (Lines{43, 13}));
  EXPECT_EQ(cols.places[0].file, "/opt/triton (3.6)/language/standard.py");
  EXPECT_EQ(lines_of(locations.of_line("}) : f32 loc(#loc90)")), (Lines{43, 43, 24}));
  EXPECT_EQ(lines_of(locations.of_line("^bb0(%a: f32 loc(#loc2), %v: f32 loc(callsite(#loc5 at #loc24))):")),
            (Lines{23, 24}));
}

TEST(MlirLocations, OfFusedLocationsTheFirstKnownOneCounts) {
  const MlirLocations locations(kText);
  EXPECT_EQ(lines_of(locations.of_line("x loc(#loc91)")), (Lines{23}));
  EXPECT_EQ(lines_of(locations.of_line("x loc(#loc92)")), (Lines{24}));
}

TEST(MlirLocations, WhatIsUnknownHasNoPlace) {
  const MlirLocations locations(kText);
  EXPECT_TRUE(locations.of_line("%cst = arith.constant loc(#loc1)").places.empty());
  EXPECT_TRUE(locations.of_line("x loc(#loc999)").places.empty());
  EXPECT_TRUE(locations.of_line("x loc(#loc93)").places.empty()) << "it refers to itself";
  EXPECT_TRUE(locations.of_line("%a = ttg.local_alloc() : f32").places.empty());
  EXPECT_TRUE(locations.of_line("x loc(\"unfinished").places.empty());
}

TEST(MlirLocations, ALineIsShownWithoutThem) {
  EXPECT_EQ(without_locations("  tt.func @f(%a: f16 {x = 16 : i32} loc(\"a (b)\"(#loc)), %b: i32 loc(#loc)) {"),
            "  tt.func @f(%a: f16 {x = 16 : i32}, %b: i32) {");
  EXPECT_EQ(without_locations("} loc(#loc)"), "}");
  EXPECT_TRUE(is_location_entry("#loc12 = loc(unknown)"));
  EXPECT_FALSE(is_location_entry("#blocked = #ttg.blocked<{order = [0]}>"));
}

}  // namespace
}  // namespace tilescope
