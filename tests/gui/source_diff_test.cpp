// Two rungs of a source side by side: facts that hold for any two, and what a reader would see for known ones.
#include "app/panels/source/source_diff.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "app/session/session.hpp"
#include "engine/compile/python_parts.hpp"
#include "engine/compile/used_parts.hpp"
#include "engine/lab.hpp"

namespace tilescope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = DiffRow::Kind;

std::string read_kernels(const std::string& file) {
  std::ifstream stream(std::filesystem::path(TILESCOPE_SOURCE) / "kernels" / file);
  return {std::istreambuf_iterator<char>(stream), {}};
}
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const char c : text) c == '\n' ? lines.emplace_back() : lines.back() += c;
  return lines;
}
SourceDiff diff_of(const std::string& text, const std::string& other, const std::string& shown) {
  return diff_of_kernels(text, std::vector<std::string>{other}, std::vector<std::string>{shown});
}
std::vector<uint32_t> used_lines(const std::string& text, const std::vector<std::string>& kernels,
                                 KernelLanguage language) {
  std::vector<uint32_t> lines;
  const bool python = language == KernelLanguage::triton;
  for (const UsedPart& part : python ? used_python_parts(text, kernels) : used_parts(text, kernels))
    for (uint32_t line = part.first_line; line <= part.last_line; ++line) lines.push_back(line);
  return lines;
}

constexpr const char* kText =
    "__device__ int helper(int x) {\n"                        // 1
    "  int y = x + 1;\n  int z = y + 1;\n  return z;\n}\n\n"  // 2 … 6
    "// The first.\n"                                         // 7
    "__global__ void first(int* x) {\n"                       // 8
    "  int i = threadIdx.x;\n"
    "  x[i] = helper(i);\n"
    "}\n\n"             // 11, 12
    "// The second.\n"  // 13
    "__global__ void second(int* x) {\n"
    "  int i = threadIdx.x;\n"
    "  __syncthreads();\n"
    "  x[i] = helper(i) + 2;\n"
    "}\n";  // 18

TEST(SourceDiff, PutsKernelsOfOneFileBesideEachOtherWithTheLinesOfTheFile) {
  const SourceDiff diff = diff_of(kText, "first", "second");
  const auto row_of = [&](uint32_t shown) { return *std::ranges::find(diff.rows, shown, &DiffRow::right); };
  EXPECT_EQ(row_of(15).kind, Kind::equal);
  EXPECT_EQ(row_of(15).left, 9U);
  EXPECT_EQ(row_of(16).kind, Kind::added);
  EXPECT_EQ(row_of(17).kind, Kind::changed);
  EXPECT_EQ(row_of(17).left, 10U);
  EXPECT_EQ(row_of(18).kind, Kind::equal);
  EXPECT_EQ(diff.added, 4U);    // comment, name, barrier, sum
  EXPECT_EQ(diff.removed, 3U);  // comment, name, sum
}

TEST(SourceDiff, EmphasisesTheWordsThatChanged) {
  const SourceDiff diff = diff_of(kText, "first", "second");
  const auto row = std::ranges::find(diff.rows, 17U, &DiffRow::right);
  ASSERT_NE(row, diff.rows.end());
  EXPECT_THAT(diff.words[row->words].left, IsEmpty());
  EXPECT_THAT(diff.words[row->words].right, ElementsAre(ByteRange{18, 22}));  // " + 2"
}

TEST(SourceDiff, FoldsWhatBothUseAndUnfoldsIt) {
  const SourceDiff diff = diff_of(kText, "first", "second");
  ASSERT_EQ(diff.folds.size(), 1U);
  EXPECT_EQ(diff.folds[0].lines, 5U);
  EXPECT_THAT(diff.folds[0].names, ElementsAre("helper"));
  EXPECT_EQ(diff.fold_of(3), 0U);
  EXPECT_FALSE(diff.fold_of(15));
  const auto shows = [&](uint32_t line, const std::set<uint32_t>& open) {
    const auto rows = rows_on_screen(diff, true, open);
    return std::ranges::find(rows, line, &DiffRow::right) != rows.end();
  };
  EXPECT_FALSE(shows(3, {}));
  EXPECT_TRUE(shows(3, {0}));
  EXPECT_TRUE(shows(15, {}));
}

TEST(SourceDiff, InOneColumnWhatWentComesBeforeWhatCame) {
  std::vector<uint32_t> order;
  for (const DiffRow& row : rows_on_screen(diff_of(kText, "first", "second"), false, {}))
    if (row.kind != Kind::fold && row.kind != Kind::gap) order.push_back(row.right != 0 ? row.right : row.left);
  EXPECT_THAT(order, ElementsAre(7, 8, 13, 14, 15, 10, 16, 17, 18));
}

TEST(SourceDiff, OfAKernelWithItselfIsNothing) {
  EXPECT_TRUE(diff_of(kText, "first", "first").same());
  EXPECT_FALSE(diff_of(kText, "first", "second").same());
  EXPECT_TRUE(diff_of("", "first", "second").rows.empty());
}

/// Every line of both rungs exactly once, and equal lines match.
void expect_whole(const std::string& text, const SourceDiff& diff, const Rung& other, const Rung& shown) {
  const std::vector<std::string> lines = lines_of(text);
  std::set<uint32_t> open;
  for (uint32_t fold = 0; fold < diff.folds.size(); ++fold) open.insert(fold);
  for (const bool two_columns : {true, false}) {
    std::vector<uint32_t> left, right;
    for (const DiffRow& row : rows_on_screen(diff, two_columns, open)) {
      if (row.left != 0) left.push_back(row.left);
      if (row.right != 0) right.push_back(row.right);
      EXPECT_TRUE(row.kind != Kind::equal || lines[row.left - 1] == lines[row.right - 1]);
    }
    std::ranges::sort(left);
    std::ranges::sort(right);
    const KernelLanguage language = language_of(other.kernel_file);
    EXPECT_EQ(left, used_lines(text, other.kernels, language));
    EXPECT_EQ(right, used_lines(text, shown.kernels, language));
  }
}

TEST(SourceDiff, OfAnyTwoRungsHasEveryLineOfBothOnceAndEqualLinesAreEqual) {
  for (const Lab& lab : labs()) {
    for (const Rung& other : lab.rungs) {
      const std::string file = std::filesystem::path(source_file_of(lab, other)).filename();
      const std::string text = read_kernels(file);
      for (const Rung& shown : lab.rungs) {
        if (other.pick || shown.pick || other.kernel_file != shown.kernel_file) continue;
        SCOPED_TRACE(lab.name + ": " + other.name + " beside " + shown.name);
        const SourceDiff diff = diff_of_kernels(text, other.kernels, shown.kernels, language_of(file));
        EXPECT_EQ(diff.same(), other.kernels == shown.kernels);
        expect_whole(text, diff, other, shown);
      }
    }
  }
}

// As the lab's lesson says: the padded tile differs only in the length of its rows.
TEST(SourceDiff, OfThePaddedTileIsItsDeclaration) {
  const std::string text = read_kernels("transpose.cu");
  const std::vector<std::string> lines = lines_of(text);
  const SourceDiff diff = diff_of(text, "shared_tile", "padded_tile");
  std::vector<std::string> changed;
  for (const DiffRow& row : diff.rows)
    if (row.kind == Kind::changed && lines[row.right - 1].find("//") != 0) changed.push_back(lines[row.right - 1]);
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_THAT(changed[0], ::testing::HasSubstr("padded_tile("));
  EXPECT_THAT(changed[1], ::testing::HasSubstr("tile[TILE][TILE + PAD]"));
}

TEST(PlantedDiff, ShowsTheChangedLineOfTheKernelAndFoldsWhatStayed) {
  const Lab& lab = *find_lab("softmax");
  const std::string text = read_kernels("softmax.cu");
  const auto planted = with_bugs(text, lab.break_it, {"NO_MAX"});
  ASSERT_TRUE(planted) << planted.error().message;
  const std::vector<std::string> before = lines_of(text), after = lines_of(*planted);
  const SourceDiff diff = diff_of_plants(text, *planted, std::vector<std::string>{"online"});
  ASSERT_EQ(diff.added, 1U);
  const auto changed = std::ranges::find(diff.rows, Kind::changed, &DiffRow::kind);
  EXPECT_THAT(before[changed->left - 1], ::testing::HasSubstr("fast_exp(x - max)"));
  EXPECT_EQ(changed->right, before.size() + changed->left);
  EXPECT_THAT(after[changed->left - 1], ::testing::HasSubstr("fast_exp(x)"));
  ASSERT_FALSE(diff.folds.empty());
  for (const DiffFold& fold : diff.folds)
    for (uint32_t row = fold.begin; row < fold.end; ++row) EXPECT_EQ(diff.rows[row].kind, Kind::equal);
}

TEST(LaunchedKernels, AreThoseOfTheConfiguration) {
  const Lab& lab = *find_lab("softmax");
  const Rung& rung = *find_rung(lab, "row-in-registers");
  Config config = default_config(lab, DeviceKind::sim);
  config.sizes["columns"] = 500;  // rows of whole vectors
  EXPECT_THAT(launched_kernels(rung, config), ElementsAre("row_in_registers"));
  config.sizes["columns"] = 501;
  EXPECT_THAT(launched_kernels(rung, config), ElementsAre("online"));
}

}  // namespace
}  // namespace tilescope
