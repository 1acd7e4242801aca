// Figures of lessons: their fences, their numbers beside computations of their own, and how they are drawn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "app/views/lesson/figures/bank_tile.hpp"
#include "app/views/lesson/figures/copy_pipeline.hpp"
#include "app/views/lesson/figures/fused_chain.hpp"
#include "app/views/lesson/figures/gradient_owners.hpp"
#include "app/views/lesson/figures/host_timeline.hpp"
#include "app/views/lesson/figures/lesson_figures.hpp"
#include "app/views/lesson/figures/reduction_tree.hpp"
#include "app/views/lesson/lesson_document.hpp"
#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "engine/text_file.hpp"
#include "engine/traffic/access/coalesce.hpp"
#include "engine/traffic/access/fragments.hpp"
#include "tests/gui/drawn_panel.hpp"
#include "tests/gui/text_faults.hpp"

namespace tilescope {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct LessonFence {
  std::string lesson, language, text;
};
std::vector<LessonFence> fences_of_lessons() {
  std::vector<LessonFence> fences;
  for (const Lab& lab : labs())
    for (const char* language : {"en", "zh"}) {
      const auto file = std::filesystem::path(TILESCOPE_SOURCE) / "docs/labs" / language / (lab.name + ".md");
      for (const LessonBlock& block : parse_lesson(read_text(file).value_or("")).blocks)
        if (block.kind == LessonBlockKind::figure) fences.push_back({lab.name, language, block.info});
    }
  return fences;
}

TEST(FigureFence, IsABlockOfItsOwn) {
  const LessonDocument document =
      parse_lesson("before\n\n```figure waves grid=9\n```\n\n```figure fragment\nmatrix=B\nlane=3\n```\n");
  ASSERT_EQ(document.blocks.size(), 3U);
  EXPECT_EQ(document.blocks[1].kind, LessonBlockKind::figure);
  EXPECT_EQ(document.blocks[1].info, "waves grid=9");
  EXPECT_EQ(document.blocks[2].info, "fragment matrix=B lane=3") << "parameters may continue on its lines";
}

/// The text of [figure] that says what is wrong; empty if nothing is.
std::string fault_of(std::string_view fence) {
  const std::vector<GpuSpec> gpus{usual_gpu()};
  const auto figure = read_figure(fence, gpus);
  return figure ? std::string() : figure.error().key;
}

TEST(FigureFence, SaysWhatIsWrongWithIt) {
  EXPECT_EQ(fault_of("no-such-kind"), "figure.fault_kind");
  EXPECT_EQ(fault_of("waves grid"), "figure.fault_word");
  EXPECT_EQ(fault_of("waves blocks=3"), "figure.fault_parameter");
  EXPECT_EQ(fault_of("waves grid=0"), "figure.fault_number");
  EXPECT_EQ(fault_of("waves grid=3x"), "figure.fault_number");
  EXPECT_EQ(fault_of("waves gpu=h900"), "figure.fault_choice");
  EXPECT_EQ(fault_of("fragment matrix=D"), "figure.fault_choice");
  EXPECT_EQ(fault_of("fragment shape=m16n8k4 type=f16"), "figure.fault_shape");
  EXPECT_EQ(fault_of("reduction-tree values=1,2,3"), "figure.fault_power");
  EXPECT_EQ(fault_of("reduction-tree values=1,two"), "figure.fault_value");
  EXPECT_EQ(fault_of("online-softmax values=1"), "figure.fault_count");
  EXPECT_EQ(fault_of("coalescing bytes=3"), "figure.fault_alignment");
  EXPECT_EQ(fault_of("coalescing stride=1000"), "figure.fault_range");
  EXPECT_EQ(fault_of("transpose-banks layouts=plain,skewed"), "figure.fault_choice");
  EXPECT_EQ(fault_of("host-timeline wait=event"), "figure.fault_choice");
  EXPECT_EQ(fault_of("fused-chain columns=0"), "figure.fault_number");
  EXPECT_EQ(fault_of("layer-matmuls sequence=1,2,3,4"), "figure.fault_count");
  EXPECT_EQ(fault_of("gradient-owners queries=3 keys=2 causal=on"), "figure.fault_causal");
}

TEST(FigureFence, NeedsNoParameters) {
  std::set<std::string_view> names;
  for (const FigureKind& kind : figure_kinds()) {
    EXPECT_EQ(fault_of(kind.name), "") << kind.name;
    names.insert(kind.name);
  }
  EXPECT_GE(names.size(), 12U);
}

TEST(FigureFence, IsRightInEveryLesson) {
  std::set<std::string> lessons;
  for (const LessonFence& fence : fences_of_lessons()) {
    EXPECT_EQ(fault_of(fence.text), "") << fence.language << "/" << fence.lesson << ": " << fence.text;
    lessons.insert(fence.lesson);
  }
  EXPECT_EQ(lessons.size(), labs().size()) << "every lesson has a figure";
}

TEST(FigureNumbers, OfATreeAreItsPartialSums) {
  const std::vector<double> values{3, 1, 4, 1, 5, 9, 2, 6};
  const auto halves = reduction_steps(values, ReductionOrder::halves, ReductionOperator::sum);
  ASSERT_EQ(halves.size(), 3U);
  EXPECT_EQ(halves[0].stride, 4U);
  EXPECT_THAT(halves[0].active, ElementsAre(true, true, true, true, false, false, false, false));
  EXPECT_THAT(std::vector<double>(halves[0].values.begin(), halves[0].values.begin() + 4), ElementsAre(8, 10, 6, 7));
  EXPECT_EQ(halves[2].values[0], std::accumulate(values.begin(), values.end(), 0.0));
  const auto neighbours = reduction_steps(values, ReductionOrder::neighbours, ReductionOperator::maximum);
  EXPECT_THAT(neighbours[0].active, ElementsAre(true, false, true, false, true, false, true, false));
  EXPECT_EQ(neighbours[1].stride, 2U);
  EXPECT_EQ(neighbours[2].values[0], 9);
  for (const auto& steps : {halves, neighbours})
    for (size_t step = 0; step < steps.size(); ++step)
      EXPECT_EQ(std::count(steps[step].active.begin(), steps[step].active.end(), true), 4 >> step);
}

TEST(FigureNumbers, OfAColumnInBanks) {
  EXPECT_EQ(wavefronts_of_column(BankLayout::plain, 1, 4), 4U);
  EXPECT_EQ(wavefronts_of_column(BankLayout::padded, 1, 4), 1U);
  EXPECT_EQ(wavefronts_of_column(BankLayout::swizzled, 1, 4), 1U);
  EXPECT_EQ(wavefronts_of_column(BankLayout::plain, 0, 32), 32U);
  EXPECT_EQ(bank_of(BankLayout::padded, 3, 2), 5U);
  EXPECT_EQ(bank_of(BankLayout::swizzled, 3, 2), 1U);
  // Every layout keeps the elements apart.
  for (const BankLayout layout : {BankLayout::plain, BankLayout::padded, BankLayout::swizzled}) {
    std::set<uint32_t> words;
    for (uint32_t row = 0; row < 32; ++row)
      for (uint32_t column = 0; column < 32; ++column) words.insert(word_of(layout, row, column));
    EXPECT_EQ(words.size(), 1024U);
  }
}

TEST(FigureNumbers, OfAPipelineKeepEveryBufferToOneTile) {
  EXPECT_EQ(pipelined_tiles(6, 1, 2).back().compute_end, 18U) << "copy and compute in turn";
  EXPECT_EQ(pipelined_tiles(6, 3, 2).back().compute_end, 8U) << "the copies are hidden but for the first";
  for (uint32_t buffers = 1; buffers <= 5; ++buffers)
    for (uint32_t copy = 1; copy <= 4; ++copy) {
      const auto tiles = pipelined_tiles(8, buffers, copy);
      for (size_t tile = 0; tile < tiles.size(); ++tile) {
        EXPECT_GE(tiles[tile].compute_begin, tiles[tile].copy_end);
        if (tile > 0) {
          EXPECT_GE(tiles[tile].compute_begin, tiles[tile - 1].compute_end);
        }
        if (tile >= buffers) {
          EXPECT_GE(tiles[tile].copy_begin, tiles[tile - buffers].compute_end);
        }
      }
    }
}

TEST(FigureNumbers, OfAProgramKeepKernelsInTheOrderOfTheirLaunches) {
  for (uint32_t kernels = 1; kernels <= 3; ++kernels)
    for (uint32_t length = 1; length <= 8; ++length) {
      const HostTimes times{.kernel = length, .kernels = kernels};
      std::map<HostActor, uint32_t> free;
      uint32_t launched = 0, ended = 0;
      for (const HostSpan& span : host_timeline(times)) {
        EXPECT_LT(span.begin, span.end);
        if (span.actor != HostActor::queue) {
          EXPECT_GE(span.begin, free[span.actor]) << "an actor does one thing at a time";
        }
        free[span.actor] = span.end;
        if (span.work == HostWork::launch) {
          EXPECT_EQ(span.end - span.begin, 1U) << "however long the kernel takes";
          launched = span.end;
        }
        if (span.work == HostWork::kernel) {
          EXPECT_GE(span.begin, std::max(launched, ended));
          ended = span.end;
        }
        if (span.work == HostWork::copy_out) {
          EXPECT_EQ(span.begin, std::max(launched, ended)) << "the results are copied when all kernels have ended";
        }
      }
    }
}

TEST(FigureNumbers, OfAChainAreWhatItsKernelsCost) {
  // A matrix travels 7 times, then 3 times, then once; vectors are read and the sums written besides.
  const double rows = 8192, columns = 4096, matrix = 4 * rows * columns, vector = 4 * columns, sums = 4 * rows;
  const OperatorGraph graph = chain_of_rows(8192, 4096);
  const auto stages = chain_stages(graph, rates_of(usual_gpu()));
  ASSERT_EQ(stages.size(), 3U);
  const double expected[] = {7 * matrix + 2 * vector + sums, 3 * matrix + 2 * vector + sums,
                             matrix + 2 * vector + sums};
  const size_t kernels[] = {4, 2, 1};
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    EXPECT_EQ(stages[stage].size(), kernels[stage]);
    double drawn = 0, counted = 0;
    for (const ChainKernel& kernel : stages[stage]) {
      counted += kernel.cost.bytes();
      for (const MovedTensor& moved : kernel.moved) drawn += moved.bytes;
    }
    EXPECT_EQ(counted, expected[stage]) << stage;
    EXPECT_EQ(drawn, expected[stage]) << stage;
  }
}

TEST(FigureNumbers, OfOwnersAreTheTilesThatAMaskLeaves) {
  const ScoreTiles causal{.queries = 4, .keys = 4, .causal = true};
  for (uint32_t index = 0; index < 4; ++index) {
    EXPECT_EQ(tiles_of_owner(causal, GradientOwner::keys, index), 4 - index);
    EXPECT_EQ(tiles_of_owner(causal, GradientOwner::queries, index), index + 1);
  }
  EXPECT_EQ(visited_tiles(causal), 10U);
  // Two tiles of queries after two tiles of keys that all of them see.
  EXPECT_EQ(visited_tiles({.queries = 2, .keys = 4, .causal = true}), 7U);
  EXPECT_EQ(visited_tiles({.queries = 3, .keys = 4}), 12U);
  const auto passes = gradient_passes();
  EXPECT_EQ(passes[0].products() + passes[1].products(), 7U);
  EXPECT_EQ(passes[2].products(), 5U);
  EXPECT_FALSE(passes[0].adds_in_memory() || passes[1].adds_in_memory());
  EXPECT_TRUE(passes[2].adds_in_memory());
}

class DrawnFigures : public testing::DrawnPanel {
 protected:
  void SetUp() override {
    DrawnPanel::SetUp();
    root = TILESCOPE_SOURCE;
    view.animate = false;
    gpus = session->engine().gpus().value();
    figures.prepare(gpus, usual_gpu());
    use_scale(1);
  }
  void TearDown() override {
    record_texts(nullptr);
    DrawnPanel::TearDown();
  }

  /// Fonts with every Chinese character that can be shown.
  void use_scale(float scale) {
    view.scale = scale;
    fonts = testing::open_context(scale, testing::all_texts());
    ImGui::GetIO().DeltaTime = 1 / 60.0F;
  }

  /// Draws the figure alone in a column of this many unscaled pixels. Returns its texts.
  std::vector<DrawnText> texts_of(const std::string& fence, float width, ImVec2 pointer = {-1, -1}) {
    std::vector<DrawnText> texts;
    const auto paint = [&](PanelContext& context) {
      height = figures.height(context, fence, context.px(width));
      record_texts(&texts);
      figures.draw(context, fence, {0, 0}, {context.px(width), height});
      record_texts(nullptr);
    };
    ImGui::GetIO().DisplaySize = {2000, 8000};
    draw(paint, {width * view.scale, 4000}, pointer);
    return texts;
  }
  std::vector<std::string> words_of(const std::string& fence, float width = 760) {
    std::vector<std::string> words;
    for (const DrawnText& text : texts_of(fence, width)) words.push_back(text.text);
    return words;
  }

  void expect_readable(const std::string& fence, float width) {
    std::vector<DrawnText> texts = texts_of(fence, width);
    const std::string where = fmt::format("{} at {}, scale {}, {}", fence, width, view.scale,
                                          strings.language == Language::zh ? "Chinese" : "English");
    EXPECT_GE(texts.size(), 5U) << where;
    for (DrawnText& text : texts) {  // the frame of the figure in place of the window's
      const float side = 16 * view.scale;
      text.clip_low = {side, side};
      text.clip_high = {width * view.scale - side, height - side};
      text.scrolls_y = false;
      EXPECT_EQ(text.text.find_first_of("{}"), std::string::npos) << where << ": " << text.text;
    }
    EXPECT_THAT(testing::faults_of(texts), IsEmpty()) << where;
  }

  std::filesystem::path root;
  std::vector<GpuSpec> gpus;
  LessonFigures figures;
  float height = 0;
};

TEST_F(DrawnFigures, NeitherOverlapNorAreCutOff) {
  std::set<std::string> fences;
  for (const LessonFence& fence : fences_of_lessons()) fences.insert(fence.text);
  for (const FigureKind& kind : figure_kinds()) fences.emplace(kind.name);
  for (const float scale : {1.0F, 2.0F}) {
    use_scale(scale);
    for (const Language language : {Language::en, Language::zh}) {
      strings.language = language;
      for (const std::string& fence : fences)
        for (const float width : {400.0F, 560.0F, 760.0F}) expect_readable(fence, width);
    }
  }
}

TEST_F(DrawnFigures, FitEveryGpu) {
  for (const GpuSpec& gpu : gpus) {
    figures.prepare(gpus, gpu);
    for (const char* fence : {"memory-hierarchy", "waves grid=5000 threads=128 registers=128", "waves grid=7"})
      for (const float width : {400.0F, 760.0F}) expect_readable(fence, width);
  }
}

TEST_F(DrawnFigures, ShowTheSumOfATree) {
  EXPECT_THAT(words_of("reduction-tree values=3,1,4,1,5,9,2,6"), Contains("31"));
}

TEST_F(DrawnFigures, ShowTheStatesOfAnOnlineSoftmax) {
  const std::vector<double> values{3, 1, 4, 2};
  const auto words = words_of("online-softmax values=3,1,4,2");
  double whole = 0;
  for (size_t seen = 1; seen <= values.size(); ++seen) {
    const double m = *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(seen));
    double l = 0;
    for (size_t of = 0; of < seen; ++of) l += std::exp(values[of] - m);
    EXPECT_THAT(words, Contains("= " + figure_number(l))) << seen;
    whole = l;
  }
  EXPECT_THAT(words, Contains(fmt::format("× exp(3 − 4) = {}", figure_number(std::exp(-1)))));
  for (const double value : values) EXPECT_THAT(words, Contains(figure_number(std::exp(value - 4) / whole)));
}

TEST_F(DrawnFigures, CountTheSectorsThatCoalesceCounts) {
  for (const uint32_t bytes : {1U, 4U, 8U, 16U})
    for (const uint64_t stride : {0U, 1U, 2U, 3U, 8U}) {
      std::array<uint64_t, 32> addresses{};
      for (uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = lane * stride * bytes + bytes;
      const uint32_t sectors = coalesce(addresses, ~0U, bytes).sectors;
      const std::string fence = fmt::format("coalescing stride={} bytes={} offset={}", stride, bytes, bytes);
      EXPECT_THAT(
          words_of(fence),
          Contains(HasSubstr(fmt::format("{} sectors = {} B", sectors, with_separators(int64_t{sectors} * 32)))))
          << fence;
    }
  EXPECT_THAT(words_of("coalescing stride=1"), Contains(HasSubstr("4 sectors = 128 B, 100% used")));
  EXPECT_THAT(words_of("coalescing stride=8"), Contains(HasSubstr("32 sectors = 1,024 B, 12.5% used")));
  EXPECT_THAT(words_of("coalescing offset=4"), Contains(HasSubstr("5 sectors")));
}

TEST_F(DrawnFigures, ShowHowTheErrorOfADifferenceDependsOnItsStep) {
  texts_of("difference-error operator=gelu", 760);
  std::map<std::string, double> errors;  // by step
  for (float x = 50; x < 750; x += 9) {
    view.explained.clear();
    texts_of("difference-error operator=gelu", 760, {x, 90});
    const size_t step = view.explained.find("h = 1e-"), error = view.explained.find("off by ");
    if (step != std::string::npos && error != std::string::npos)
      errors[view.explained.substr(step + 4, view.explained.find(' ', step + 4) - step - 4)] =
          std::stod(view.explained.substr(error + 7));
  }
  EXPECT_EQ(errors.size(), 12U);
  EXPECT_NEAR(errors["1e-2"] / errors["1e-3"], 100, 20) << "truncation";
  EXPECT_GT(errors["1e-9"], 5 * errors["1e-7"]) << "rounding";
  EXPECT_LT(errors["1e-5"], 1e-9);
}

TEST_F(DrawnFigures, ShowTheWavesOfAGrid) {
  // An H200 has 132 SMs; 1024 threads of 32 registers fit twice on one.
  const auto words = words_of("waves grid=300 threads=1024 registers=32 gpu=h200");
  EXPECT_THAT(words, Contains("300 blocks on H200: 132 SMs that hold 2 each"));
  EXPECT_THAT(words, Contains("blocks 264 to 299"));
  EXPECT_THAT(words, Contains("96 SMs idle"));
  EXPECT_THAT(words, Not(Contains("wave 3")));
  EXPECT_THAT(words_of("waves grid=100000 threads=1024 gpu=h200"), Contains(HasSubstr("more full waves")));
}

TEST_F(DrawnFigures, ShowWhichLaneHoldsAnElement) {
  // PTX ISA, "Matrix Fragments for mma.m16n8k16": groupID = lane / 4; a0 and a1 are in row groupID, columns
  // 2 · (lane % 4) and the next; a2 and a3 in row groupID + 8; a4 … a7 eight columns on.
  EXPECT_THAT(words_of("fragment matrix=A lane=5"),
              AllOf(Contains("A[1][2–3]"), Contains("A[9][2–3]"), Contains("A[1][10–11]"), Contains("A[9][10–11]")));
  EXPECT_THAT(words_of("fragment matrix=B lane=5"), AllOf(Contains("B[2–3][1]"), Contains("B[10–11][1]")));
  EXPECT_THAT(words_of("fragment matrix=C lane=31"), AllOf(Contains("C[7][6]"), Contains("C[15][7]")));
}

TEST_F(DrawnFigures, ShowTheMemoriesOfTheChosenGpu) {
  figures.prepare(gpus, *find_gpu(gpus, "a100"));
  const auto words = words_of("memory-hierarchy");
  EXPECT_THAT(words, AllOf(Contains("SM 107"), Contains("192 KiB"), Contains("40 MiB"), Contains("80 GiB")));
  EXPECT_THAT(words, Contains("2.04 TB/s"));
  figures.prepare(gpus, *find_gpu(gpus, "v100"));
  EXPECT_THAT(words_of("memory-hierarchy"), Contains("900 GB/s"));
  EXPECT_THAT(words_of("memory-hierarchy gpu=h200"), Contains("4.8 TB/s")) << "named by the lesson";
}

TEST_F(DrawnFigures, ShowConflictsOfBanks) {
  EXPECT_THAT(words_of("transpose-banks layouts=plain"), AllOf(Contains("4 wavefronts"), Contains("×4")));
  EXPECT_THAT(words_of("transpose-banks layouts=padded"), AllOf(Contains("1 wavefront"), Not(Contains("×4"))));
}

TEST_F(DrawnFigures, ShowWhatFusingAChainSaves) {
  const auto words = words_of("fused-chain rows=8192 columns=4096 gpu=h200");
  EXPECT_THAT(words, AllOf(Contains("940 MB, 195.7 µs"), Contains("134 MB, 28.0 µs")));
  EXPECT_THAT(words, Contains("mul, add, relu, sum"));
}

TEST_F(DrawnFigures, ShowTheMatmulsOfALayer) {
  // 2 · 512 · 768 · 768 FLOPs; 2 · 12 · 512 · 512 · 64 for the scores.
  EXPECT_THAT(words_of("layer-matmuls layer=bert sequence=512"),
              AllOf(Contains("1  q_proj"), Contains("8  down"), Contains("604 MFLOP"), Contains("403 MFLOP"),
                    Contains("12 · (512 × 512 × 64)")));
  EXPECT_THAT(words_of("layer-matmuls layer=bert sequence=512,2048"), AllOf(Contains("× 4"), Contains("× 16")));
  EXPECT_THAT(words_of("layer-matmuls layer=llama sequence=2048"), Contains("9  down")) << "a gate of its own";
}

TEST_F(DrawnFigures, AWrongFenceIsASentence) {
  const auto words = words_of("waves grid=0");
  EXPECT_THAT(words, Contains(HasSubstr("grid=0")));
  EXPECT_LE(words.size(), 2U);
}

TEST_F(DrawnFigures, ExplainWhatIsUnderThePointer) {
  for (const Language language : {Language::en, Language::zh}) {
    strings.language = language;
    for (const FigureKind& kind : figure_kinds()) {
      const std::string fence(kind.name);
      texts_of(fence, 760);
      std::set<std::string> meanings;
      for (float y = 20; y < height; y += 13)
        for (float x = 20; x < 740; x += 47) {
          view.explained.clear();
          texts_of(fence, 760, {x, y});
          if (!view.explained.empty()) meanings.insert(view.explained);
        }
      EXPECT_GE(meanings.size(), 4U) << kind.name;
      for (const std::string& meaning : meanings) {
        EXPECT_EQ(meaning.find_first_of("{}"), std::string::npos) << kind.name << ": " << meaning;
        EXPECT_TRUE(meaning.ends_with(language == Language::zh ? "。" : ".")) << kind.name << ": " << meaning;
      }
    }
  }
}

TEST_F(DrawnFigures, LightUpWhatBelongsToIt) {
  const std::string fence = "fragment matrix=A lane=0";
  std::optional<ImVec2> seven;
  for (const DrawnText& text : texts_of(fence, 760))
    if (text.text == "7" && text.low.x > 60)
      seven = ImVec2((text.low.x + text.high.x) / 2, (text.low.y + text.high.y) / 2);
  ASSERT_TRUE(seven);
  texts_of(fence, 760, *seven);
  std::vector<std::string> words;
  for (const DrawnText& text : texts_of(fence, 760, *seven)) words.push_back(text.text);
  EXPECT_THAT(words, AllOf(Contains("Lane 7 holds"), Contains("A[9][14–15]")));
}

}  // namespace
}  // namespace tilescope
