// The whole window in Chinese, with broken kernels and wrong own files: no English sentence is drawn.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>

#include "app/draw/sentences.hpp"
#include "tests/gui/drawn_texts.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class ChineseTest : public testing::ScreenTest {
 protected:
  ChineseTest() {
    screen->strings.language = Language::zh;
    folder = own_test_folder();
  }
  ~ChineseTest() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  std::vector<Finding> findings() const {
    const auto& result = screen->session.result();
    return result ? result->findings : std::vector<Finding>();
  }

  /// Whether the text has three neighbouring lower-case words.
  static bool is_english(const std::string& text) {
    static const std::regex words("(^|[^a-z_./-])[a-z]{2,} [a-z]{2,} [a-z]{2,}($|[^a-z_(=-])");
    return std::regex_search(text, words);
  }

  /// In every window except those that show code; command lines are exempt.
  void expect_no_english(const std::string& where) {
    static const std::regex code("/(source|ptx|header|diff|operator text|operator graph [12])_[0-9A-F]{8}$");
    const testing::DrawnTexts texts;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i) {
      const ImDrawList& list = *data->CmdLists[i];
      const std::string owner = list._OwnerName != nullptr ? list._OwnerName : "";
      const bool is_code = std::regex_search(owner, code) && owner.find("/source_") != owner.rfind('/');
      for (const std::string& text : texts.of(list)) {
        seen += text.size();
        if (is_code || text.starts_with("tilescope ") || !is_english(text)) continue;
        if (reported.insert(text).second) ADD_FAILURE() << where << " draws: " << text << "\nin " << owner;
      }
    }
  }

  void expect_no_english_in_views(const std::string& where) {
    // Tooltips describe the findings after the first.
    for (const Finding& finding : findings()) {
      const std::string text = finding_text(screen->strings, finding);
      EXPECT_FALSE(is_english(text)) << text;
    }
    for (const ViewSpec& view : views()) {
      if (screen->views().at(view.name).finds_text()) continue;  // a test of its own reads the lesson
      screen->view.tab = view.name;
      ASSERT_TRUE(settle()) << where;
      frames(2);
      expect_no_english(where + ", view " + std::string(view.name));
    }
  }

  void expect_no_english_of(const std::string& lab, const std::string& rung, const std::string& broken) {
    screen->session.select_lab(lab);
    screen->session.select_rung(rung);
    if (!broken.empty()) screen->session.set_broken(broken, true);
    screen->session.submit();
    ASSERT_TRUE(settle()) << lab;
    expect_no_english_in_views(lab + "/" + rung + " " + broken);
    if (!broken.empty()) screen->session.set_broken(broken, false);
  }

  void expect_no_english_of_file(const std::string& name, const std::string& text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    screen->open_file(folder / name);
    const auto start = std::chrono::steady_clock::now();
    while (!(screen->sandbox.is_shown(screen->session) && screen->sandbox.file() == folder / name) &&
           std::chrono::steady_clock::now() - start < std::chrono::seconds(20))
      frame();
    screen->session.submit();
    ASSERT_TRUE(settle()) << name;
    expect_no_english_in_views(name);
  }

  fs::path folder;
  std::set<std::string> reported;
  size_t seen = 0;
};

TEST_F(ChineseTest, TextsAreReadBackFromTheirVertices) {
  screen->strings.language = Language::en;
  screen->session.submit();
  ASSERT_TRUE(settle());
  screen->view.tab = "correctness";
  frames(2);
  const testing::DrawnTexts texts;
  std::string all;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i)
    for (const std::string& text : texts.of(*data->CmdLists[i])) all += text + "\n";
  EXPECT_NE(all.find("Correctness"), std::string::npos) << all;
  EXPECT_NE(all.find("The largest error"), std::string::npos) << all;
}

TEST_F(ChineseTest, BrokenKernels) {
  for (const auto& [lab, rung] : std::vector<std::pair<std::string, std::string>>{
           {"vector-add", "thread-per-element"}, {"reduction-sum", "sequential-stride"}, {"softmax", "online"}}) {
    const Lab* of = find_lab(lab);
    ASSERT_NE(of, nullptr) << lab;
    expect_no_english_of(lab, rung, "");
    for (const BreakIt& broken : of->break_it)
      if (broken.concerns(rung)) expect_no_english_of(lab, rung, broken.name);
  }
  EXPECT_GT(seen, 10000U);
}

TEST_F(ChineseTest, RefusedValues) {
  screen->session.select_lab("matmul-fp32");
  screen->session.select_rung("warp-tile");
  screen->session.set_param("WM", 128);
  screen->session.submit();
  ASSERT_TRUE(settle());
  expect_no_english_in_views("matmul-fp32 with WM = 128");
}

TEST_F(ChineseTest, OwnFilesThatAreWrong) {
  expect_no_english_of_file("race.cu", R"(
__global__ void sum(const float* x, float* out, int n) {
  __shared__ float partial[256];
  partial[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = partial[255 - threadIdx.x];
}
)");
  expect_no_english_of_file("bounds.cu", R"(
__global__ void shift(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i + n];
}
)");
  expect_no_english_of_file("barrier.cu", R"(
__global__ void wait(float* y) {
  if (threadIdx.x < 40) __syncthreads();
  y[threadIdx.x] = 1;
  if (threadIdx.x < 40) __syncthreads();
}
)");
  expect_no_english_of_file("endless.cu", R"(
__global__ void turn(volatile float* y) {
  while (y[0] != 4321.0f) {
  }
}
)");
  const auto found = findings();
  EXPECT_TRUE(std::ranges::any_of(found, [](const Finding& one) { return one.id == "step-limit"; }));
  expect_no_english_of_file("nothing.cu", "int main() { return 0; }\n");
  EXPECT_GT(seen, 10000U);
}

}  // namespace
}  // namespace tilescope
