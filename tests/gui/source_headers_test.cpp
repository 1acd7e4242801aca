// The headers beside a kernel's file, from hand-made files, results and texts.
#include "app/panels/source/source_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "engine/compile/used_parts.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

class SourceHeadersTest : public testing::Test {
 protected:
  SourceHeadersTest() { fs::create_directories(folder / "deep"); }
  ~SourceHeadersTest() override { fs::remove_all(folder); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }
  std::vector<std::string> names(const std::string& text, const std::vector<std::string>& folders = {}) {
    std::vector<std::string> found;
    for (const SourceHeader& header : headers_of(text, folder, folders)) found.push_back(header.name);
    return found;
  }
  fs::path folder = own_test_folder();
};

TEST_F(SourceHeadersTest, ComeInTheOrderInWhichACompilerMeetsThem) {
  write("stages.cuh", "#pragma once\n#include \"tiles.cuh\"\nint stages;\n");
  write("tiles.cuh", "#include <cuda_fp16.h>\n#include \"deep/elements.cuh\"\n");
  write("deep/elements.cuh", "#include \"near.cuh\"\n");
  write("deep/near.cuh", "int near;\n");
  EXPECT_THAT(names("// #include \"no.cuh\"\n#include \"stages.cuh\"\n#include \"tiles.cuh\"\n"),
              ElementsAre("near.cuh", "deep/elements.cuh", "tiles.cuh", "stages.cuh"));
}

TEST_F(SourceHeadersTest, ThatIncludeEachOtherAreReadOnce) {
  write("a.cuh", "#include \"b.cuh\"\n");
  write("b.cuh", "#include \"a.cuh\"\n");
  EXPECT_THAT(names("#include \"a.cuh\"\n"), ElementsAre("b.cuh", "a.cuh"));
}

TEST_F(SourceHeadersTest, ThatAreNotThereAreLeftOut) {
  EXPECT_TRUE(names("#include \"missing.cuh\"\n#include \"unclosed\n").empty());
  write("deep/other.cuh", "int x;\n");
  EXPECT_TRUE(names("#include \"other.cuh\"\n").empty());
  EXPECT_THAT(names("#include \"other.cuh\"\n", {(folder / "deep").string()}), ElementsAre("other.cuh"));
}

/// Lines 7 and 9 of the kernel's file call the load on line 3 of tiles.cuh; line 9 also stores.
RunResult result_with_calls() {
  RunResult result;
  const auto add = [&](uint32_t line, uint32_t origin, AccessKind kind, Space space, uint64_t sectors) {
    Site site;
    site.line = line;
    site.file = "kernels/x.cu";
    site.origin_line = origin;
    site.origin_file = origin != 0 ? "/somewhere/kernels/tiles.cuh" : "";
    site.kind = kind;
    site.space = space;
    result.trace.sites.push_back(site);
    SiteCount count;
    count.site = static_cast<uint16_t>(result.trace.sites.size() - 1);
    count.requests = 10;
    count.sectors = sectors;
    count.useful_bytes = sectors * 16;
    result.traffic.sites.push_back(count);
  };
  add(7, 3, AccessKind::async_copy, Space::global, 40);
  add(9, 3, AccessKind::load, Space::global, 80);
  add(9, 0, AccessKind::store, Space::global, 20);
  add(9, 5, AccessKind::store, Space::global, 5);
  add(9, 6, AccessKind::load, Space::shared, 0);
  return result;
}

TEST(SourceHeaderLedger, SumsWhatEveryCallerMoved) {
  const Ledger ledger = ledger_of_header(result_with_calls(), "tiles.cuh");
  ASSERT_EQ(ledger.lines.size(), 2U);
  EXPECT_EQ(ledger.lines.at(3).read_bytes, 120U * 32);
  EXPECT_EQ(ledger.lines.at(3).requests, 20U);
  EXPECT_EQ(ledger.lines.at(5).write_bytes, 5U * 32);
  EXPECT_EQ(ledger.largest_line, 120U * 32);
  EXPECT_EQ(ledger.total.moved_bytes(), 125U * 32);
  EXPECT_TRUE(ledger_of_header(result_with_calls(), "other.cuh").lines.empty());
}

TEST(SourceHeaderLedger, KnowsWhoCalledALineAndWhatALineCalls) {
  const RunResult result = result_with_calls();
  EXPECT_THAT(callers_of(result, "tiles.cuh", 3), ElementsAre(7, 9));
  EXPECT_THAT(callers_of(result, "tiles.cuh", 6), ElementsAre(9));
  EXPECT_TRUE(callers_of(result, "tiles.cuh", 4).empty());
  EXPECT_THAT(lines_called_by(result, "tiles.cuh", 9), ElementsAre(3, 5, 6));
  EXPECT_TRUE(lines_called_by(result, "x.cu", 9).empty());
}

TEST(JoinedSource, KnowsWhereItsLinesComeFrom) {
  const std::vector<SourceHeader> headers{{"a.cuh", "", "one\ntwo\n"}, {"b.cuh", "", "three"}};
  const JoinedSource joined("first\nsecond\n", headers);
  const std::vector<std::string> lines = joined.lines();
  const auto line_at = [&](std::optional<size_t> header, uint32_t number) {
    for (uint32_t line = 1; line <= lines.size(); ++line)
      if (const auto place = joined.place_of(line); place.header == header && place.line == number)
        return lines[line - 1];
    return std::string("none");
  };
  EXPECT_EQ(line_at(std::nullopt, 1), "first");
  EXPECT_EQ(line_at(std::nullopt, 2), "second");
  EXPECT_EQ(line_at(0, 1), "one");
  EXPECT_EQ(line_at(0, 2), "two");
  EXPECT_EQ(line_at(1, 1), "three");
  EXPECT_EQ(line_at(1, 2), "none");
}

TEST(JoinedSource, LetsAKernelReachWhatAHeaderHas) {
  const std::vector<SourceHeader> headers{{"a.cuh", "", "__device__ int twice(int x) {\n  return 2 * x;\n}\n"}};
  const JoinedSource joined("extern \"C\" __global__ void k(int* p) {\n  p[0] = twice(1);\n}\n", headers);
  const std::vector<std::string> kernels{"k"};
  const auto parts = used_parts(joined.text(), kernels);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[1].name, "twice");
  EXPECT_EQ(joined.place_of(parts[1].first_line).header, 0U);
  EXPECT_EQ(joined.place_of(parts[1].first_line).line, 1U);
}

}  // namespace
}  // namespace tilescope
