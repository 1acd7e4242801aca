// What the source panel knows about each line, from hand-made results and texts.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/observed/source_model.hpp"
#include "engine/lab.hpp"

namespace tilescope {
namespace {

LineTraffic row(uint32_t line, AccessKind kind, uint64_t requests, uint64_t sectors, uint64_t useful) {
  LineTraffic traffic;
  traffic.line = line;
  traffic.file = "/home/someone/kernels/x.cu";
  traffic.kind = kind;
  traffic.requests = requests;
  traffic.sectors = sectors;
  traffic.useful_bytes = useful;
  return traffic;
}

TEST(SourceLedger, SumsLoadsAndStoresOfALine) {
  Traffic traffic;
  traffic.lines = {row(10, AccessKind::load, 100, 400, 12800), row(10, AccessKind::store, 50, 200, 6400),
                   row(12, AccessKind::load, 100, 500, 12800)};
  const Ledger ledger = ledger_of(traffic, "kernels/x.cu");
  ASSERT_EQ(ledger.lines.size(), 2U);
  EXPECT_EQ(ledger.lines.at(10).read_bytes, 12800U);
  EXPECT_EQ(ledger.lines.at(10).write_bytes, 6400U);
  EXPECT_DOUBLE_EQ(ledger.lines.at(10).sectors_per_request(), 4.0);
  EXPECT_FALSE(ledger.lines.at(10).wasteful());
  EXPECT_TRUE(ledger.lines.at(12).wasteful());  // 5 sectors for 128 bytes
  EXPECT_EQ(ledger.total.moved_bytes(), 1100U * 32);
  EXPECT_EQ(ledger.largest_line, 19200U);
}

TEST(SourceLedger, OtherFilesAndSharedMemoryAreLeftOut) {
  Traffic traffic;
  traffic.lines = {row(3, AccessKind::load, 1, 4, 128), row(4, AccessKind::load, 1, 4, 128)};
  traffic.lines[0].file = "kernels/common.cuh";
  traffic.lines[1].space = Space::shared;
  EXPECT_TRUE(ledger_of(traffic, "kernels/x.cu").lines.empty());
}

TEST(SourceLedger, ATailCutShortByTheMaskIsNotWaste) {
  Traffic traffic;
  traffic.lines = {row(1, AccessKind::load, 32, 125, 4000 - 4)};  // n = 999: the last sector holds 7 floats
  EXPECT_FALSE(ledger_of(traffic, "x.cu").lines.at(1).wasteful());
}

TEST(SourceLedger, TheOneSectorThatARequestCannotDoWithoutIsNotWaste) {
  Traffic traffic;
  traffic.lines = {row(1, AccessKind::load, 100, 100, 400), row(2, AccessKind::load, 100, 200, 400)};
  const Ledger ledger = ledger_of(traffic, "x.cu");
  EXPECT_FALSE(ledger.lines.at(1).wasteful());  // one word for a warp
  EXPECT_TRUE(ledger.lines.at(2).wasteful());   // the same word over two sectors
}

TEST(SourceKernel, IsFoundWithTheCommentAboveIt) {
  const std::vector<std::string> lines{"// calls add(x)",
                                       "struct A {",
                                       "};",
                                       "",
                                       "// One.",
                                       "// Two.",
                                       "void add_more(int n) {",
                                       "}",
                                       "// The kernel.",
                                       "extern \"C\" __global__ void add(",
                                       "    int n) {",
                                       "  f();",
                                       "}",
                                       "// next"};
  const auto kernel = find_kernel(lines, "add");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->first, 9U);
  EXPECT_EQ(kernel->signature, 10U);
  EXPECT_EQ(kernel->last, 13U);
  EXPECT_FALSE(find_kernel(lines, "subtract"));
}

TEST(SourceKernel, AKernelThatOnlyCallsTheFunctionAboveItBeginsThere) {
  std::vector<std::string> lines{"// What the function does.",
                                 "template <bool ALIGNED>",
                                 "__device__ void add_tile(int* a, int n) {",
                                 "  a[n] = 1;",
                                 "}",
                                 "",
                                 "extern \"C\" __global__ void __launch_bounds__(64)",
                                 "    add(int* a, int n) {",
                                 "  add_tile<true>(a, tile_at(n, 0));",
                                 "}"};
  const auto first_and_last = [&](std::string_view kernel) {
    const auto body = find_body(lines, kernel);
    return body ? std::pair(body->signature, body->last) : std::pair(0U, 0U);
  };
  EXPECT_EQ(first_and_last("add"), std::pair(3U, 10U));
  lines[8] = "  add_tile<true>(a, n); a[0] = 0;";
  EXPECT_EQ(first_and_last("add"), std::pair(8U, 10U)) << "it does something itself";
  lines[8] = "  if (n > 0) add_tile<true>(a, n);";
  EXPECT_EQ(first_and_last("add"), std::pair(8U, 10U)) << "not a call";
  lines[8] = "  add_tile<true>(a, n);";
  lines[5] = "__device__ int other;";
  EXPECT_EQ(first_and_last("add"), std::pair(8U, 10U)) << "the function is not directly above";
  EXPECT_FALSE(find_body(lines, "subtract"));
}

TEST(SourceKernel, EveryRungsKernelIsFoundInItsFile) {
  for (const Lab& lab : labs()) {
    for (const Rung& rung : lab.rungs) {
      const std::string file = source_file_of(lab, rung);
      std::ifstream stream(std::string(TILESCOPE_SOURCE) + "/" + file);
      std::vector<std::string> lines;
      for (std::string line; std::getline(stream, line);) lines.push_back(line);
      for (const std::string& kernel : rung.kernels)
        EXPECT_TRUE(find_kernel(lines, kernel, language_of(file))) << lab.name << " " << kernel;
    }
  }
}

TEST(SourceErrors, AreReadFromTheMessageOfAFailedCompilation) {
  const Error error = make_error(ErrorId::compile_failed, "kernels/x.cu",
                                 "kernels/x.cu(12): error: identifier \"foo\" is undefined\n    foo = 1;\n    ^\n\n"
                                 "kernels/x.cu(14): warning #177-D: unused\n");
  const auto errors = compile_errors(error);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].line, 12U);
  EXPECT_EQ(errors[0].text, "identifier \"foo\" is undefined");
  EXPECT_TRUE(compile_errors(make_error(ErrorId::cancelled)).empty());
  EXPECT_TRUE(compile_errors(std::nullopt).empty());
}

TEST(SourceErrors, InAHeaderNameItAndAreNotOnALineOfTheKernelsFile) {
  const Error error = make_error(ErrorId::compile_failed, "kernels/x.cu",
                                 "/home/me/my labs/tile.cuh(7): error: expected a \";\"\n\n"
                                 "kernels/x.cu(12): error: identifier \"foo\" is undefined\n");
  const auto errors = compile_errors(error);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_FALSE(is_in_file(errors[0], "kernels/x.cu"));
  EXPECT_TRUE(is_in_file(errors[0], "tile.cuh"));
  EXPECT_TRUE(is_in_file(errors[1], "kernels/x.cu"));
  const auto strings = Strings::load(std::filesystem::path(TILESCOPE_SOURCE) / "assets" / "strings");
  ASSERT_TRUE(strings) << strings.error().message;
  EXPECT_EQ(compile_errors_text(*strings, errors, "kernels/x.cu"), "tile.cuh, line 7: expected a \";\"  (+1 more)");
  EXPECT_EQ(compile_errors_text(*strings, {errors[1]}, "kernels/x.cu"), "line 12: identifier \"foo\" is undefined");
  EXPECT_EQ(compile_errors_text(*strings, {{.text = "ptxas: too much shared data"}}, "x.cu"),
            "ptxas: too much shared data")
      << "no line is known";
  const std::string said = with_file_names(error.message, error);
  EXPECT_EQ(said.find("/home/me"), std::string::npos) << said;
  EXPECT_NE(said.find("tile.cuh(7)"), std::string::npos) << said;
  EXPECT_NE(said.find("kernels/x.cu(12)"), std::string::npos) << said;
}

constexpr std::string_view kPtx = R"(.version 8.0
.file	1 "/home/someone/kernels/x.cu"
.file	2 "/home/someone/kernels/common.cuh"
.visible .entry other(
	.param .u64 other_param_0
)
{
	.loc	1 3 5
	ret;
}
.visible .entry add(
	.param .u64 add_param_0
)
{
	.reg .f32 	%f<4>;
	.loc	1 20 3
	ld.global.f32 	%f1, [%rd1];
	.loc	1 8 20, function_name $L__info_string0, inlined_at 1 21 5
	add.f32 	%f3, %f1, %f2;
	.loc	2 4 1, function_name $L__info_string1, inlined_at 1 22 5
	st.global.f32 	[%rd3], %f3;
	ret;
}
)";

TEST(SourcePtx, IsTheKernelAloneWithTheSourceLineOfEachInstruction) {
  const Listing listing = read_ptx(kPtx, "add", "kernels/x.cu");
  EXPECT_EQ(listing.text.find("other"), std::string::npos);
  EXPECT_EQ(listing.text.find(".loc"), std::string::npos);
  EXPECT_TRUE(listing.text.starts_with(".visible .entry add("));
  EXPECT_TRUE(listing.text.ends_with("}"));
  ASSERT_TRUE(listing.first_of(20));
  const auto line_at = [&](uint32_t index) {
    size_t begin = 0;
    while (index-- > 0) begin = listing.text.find('\n', begin) + 1;
    return listing.text.substr(begin, listing.text.find('\n', begin) - begin);
  };
  EXPECT_NE(line_at(*listing.first_of(20)).find("ld.global"), std::string::npos);
  // Inlined code belongs to its own line and to the calling line; code of another file only to the calling line.
  EXPECT_EQ(listing.first_of(8), listing.first_of(21));
  EXPECT_NE(line_at(*listing.first_of(22)).find("st.global"), std::string::npos);
  EXPECT_FALSE(listing.first_of(4));
  EXPECT_FALSE(listing.first_of(3));
}

RunResult traced() {
  RunResult result;
  result.trace.sites = {Site{.line = 18}, Site{.line = 20}};
  for (uint32_t block = 0; block < 2; ++block)
    for (uint16_t warp = 0; warp < 2; ++warp)
      for (uint16_t site = 0; site < 2; ++site) {
        Access access;
        access.block = block;
        access.warp = warp;
        access.site = site;
        result.trace.accesses.push_back(access);
      }
  return result;
}

TEST(SourceSelection, AnAccessMeansItsLine) {
  const RunResult result = traced();
  Selection selection;
  EXPECT_FALSE(line_of(selection, &result));
  selection.access = 3;
  EXPECT_EQ(line_of(selection, &result), 20U);
  EXPECT_FALSE(line_of(selection, nullptr));
  selection.line = 5;
  EXPECT_EQ(line_of(selection, &result), 5U);
  selection = {};
  selection.access = 99;  // of an older run
  EXPECT_FALSE(line_of(selection, &result));
}

TEST(SourceSelection, AnotherLineTakesTheSameWarpsAccessThere) {
  const RunResult result = traced();
  ViewState view;
  view.selection.access = 6;  // block 1, warp 1, line 18
  select_line(view, &result, 20);
  EXPECT_EQ(view.selection.line, 20U);
  EXPECT_EQ(view.selection.access, 7U);
  select_line(view, &result, 3);  // no access there
  EXPECT_EQ(view.selection.line, 3U);
  EXPECT_FALSE(view.selection.access);
}

}  // namespace
}  // namespace tilescope
