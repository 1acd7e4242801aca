// Every lab in every tab, in both languages and at several sizes, which take turns: no text overlaps a different one,
// none is cut off at the edge of its window, and no sentence ends twice. Texts are recorded where they are drawn;
// nothing is rendered.
#include <algorithm>
#include <cmath>

#include "app/draw/widgets.hpp"
#include "app/views/view.hpp"
#include "engine/kernel_language.hpp"
#include "engine/lab.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/gui/text_faults.hpp"
#include "tests/thorough.hpp"

namespace tilescope {
namespace {

using testing::faults_of;
using testing::ScreenTest;

struct Extent {
  float width, height;
};
const std::vector<Extent> kExtents{{1600, 1000}, {1280, 800}, {1024, 640}, {900, 560}};

class DrawnTexts : public ScreenTest {
 protected:
  DrawnTexts() : ScreenTest(testing::all_texts()) {  // so that Chinese has its final width
    screen->view.animate = false;
    ImGui::GetIO().MousePos = {-1, -1};
  }
  ~DrawnTexts() override { record_texts(nullptr); }

  void draw(const Extent& extent) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {extent.width, extent.height};
    io.DeltaTime = 1.0F / 60;
    ImGui::NewFrame();
    screen->draw(extent.width, extent.height);
    ImGui::Render();
  }

  /// The texts of a frame in which nothing moves any more.
  std::vector<DrawnText> texts_at(const Extent& extent) {
    record_texts(nullptr);
    draw(extent);  // lays out
    draw(extent);  // scroll bars have appeared or disappeared
    std::vector<DrawnText> texts;
    record_texts(&texts);
    draw(extent);
    record_texts(nullptr);
    return texts;
  }

  /// Draws until the records that the tab makes on demand exist.
  void wait_for_records() {
    const auto start = std::chrono::steady_clock::now();
    do {
      draw(kExtents[0]);
      if (!screen->session.recording_steps() && !screen->session.counting_fusion()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    } while (std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
  }

  /// At two of the extents, thoroughly at all; the extents take turns.
  void check(const std::string& what) {
    for (const Extent& extent : values_in_turn(kExtents, ++turn, 2))
      for (const Language language : {Language::en, Language::zh}) {
        screen->strings.language = language;
        for (const std::string& fault : faults_of(texts_at(extent))) {
          ++faults;
          ADD_FAILURE() << what << " at " << extent.width << " × " << extent.height
                        << (language == Language::zh ? ", Chinese: " : ": ") << fault;
        }
      }
    screen->strings.language = Language::en;
  }

  /// The source panel and every tensor of the layout view with the lab's Triton rungs.
  void check_layouts(const Lab& lab) {
    for (const Rung& rung : lab.rungs) {
      if (language_of(source_file_of(lab, rung)) != KernelLanguage::triton || rung.pick) continue;
      screen->session.select_rung(rung.name);
      screen->view.tab = "layout";
      screen->session.submit();
      if (!settle() || screen->session.error()) continue;  // no Triton
      View& layout = screen->views().at("layout");
      for (uint32_t tensor = 0; screen->marks().contains("layout.entry." + std::to_string(tensor)); ++tensor) {
        layout.apply(screen->view, {.tensor = tensor});
        check(fmt::format("{}, {}, tensor {}", lab.name, rung.name, tensor));
      }
    }
  }

  int faults = 0;
  size_t turn = 0;
};

DrawnText text_at(const char* text, ImVec2 low, ImVec2 high) {
  return {.text = text,
          .window = "one",
          .low = low,
          .high = high,
          .clip_low = {0, 0},
          .clip_high = {100, 100},
          .scrolls_y = false};
}

TEST(TextFaults, AreTwoStopsInARow) {
  EXPECT_EQ(faults_of({text_at("done.. Choose", {10, 10}, {30, 20})}).size(), 1U);
  EXPECT_EQ(faults_of({text_at("视图。。选择", {10, 10}, {30, 20})}).size(), 1U);
  EXPECT_TRUE(faults_of({text_at("and so on... Next.", {10, 10}, {30, 20})}).empty());
}

TEST(TextFaults, AreOverlapsAndWhatIsCutOff) {
  EXPECT_TRUE(faults_of({text_at("a", {10, 10}, {30, 20}), text_at("b", {31, 10}, {50, 20})}).empty());
  EXPECT_EQ(faults_of({text_at("a", {10, 10}, {30, 20}), text_at("b", {26, 12}, {50, 22})}).size(), 1U);
  EXPECT_TRUE(faults_of({text_at("a", {10, 10}, {30, 20}), text_at("a", {11, 10}, {31, 20})}).empty());
  EXPECT_EQ(faults_of({text_at("a", {80, 10}, {120, 20})}).size(), 1U);
  EXPECT_TRUE(faults_of({text_at("a", {120, 10}, {160, 20})}).empty());  // not visible at all
  DrawnText below = text_at("a", {10, 95}, {30, 108});
  EXPECT_EQ(faults_of({below}).size(), 1U);
  below.scrolls_y = true;
  EXPECT_TRUE(faults_of({below}).empty());
}

TEST_F(DrawnTexts, AreRecordedWithTheirWindow) {
  screen->view.tab = "lesson";
  const auto texts = texts_at(kExtents[0]);
  const auto name = std::ranges::find(texts, std::string("Tilescope"), &DrawnText::text);
  ASSERT_NE(name, texts.end());
  EXPECT_NE(name->window.find("header"), std::string::npos);
  EXPECT_GT(name->high.x, name->low.x + 40);
  EXPECT_GT(texts.size(), 100U);
}

TEST_F(DrawnTexts, NeitherOverlapNorAreCutOffInTheHelpAndTheCheatSheets) {
  screen->view.tab = "lesson";
  for (const Screen::Help page : {Screen::Help::keys, Screen::Help::terms, Screen::Help::glossary}) {
    screen->show_help(page);
    check(fmt::format("page {} of the help", static_cast<int>(page)));
  }
  screen->show_term("warp");
  check("the glossary at a term");
  screen->show_help(Screen::Help::keys);
  for (const char* sheet : {"triton", "errors", "questions"}) {
    screen->show_sheet(sheet);
    check(std::string("cheat sheet ") + sheet);
  }
  EXPECT_EQ(faults, 0);
}

TEST_F(DrawnTexts, NeitherOverlapNorAreCutOffInAnyLabAndTab) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  for (size_t number = 0; const Lab& lab : labs()) {
    turn = number++;  // so that a view takes all sizes, in different labs
    screen->session.select_lab(lab.name);
    screen->session.set_device(DeviceKind::sim);
    screen->view.tab = "lesson";
    draw(kExtents[0]);
    screen->session.submit();
    ASSERT_TRUE(settle()) << lab.name;
    ASSERT_NE(screen->session.result(), nullptr) << lab.name;
    for (const ViewSpec& view : views()) {
      screen->view.tab = view.name;
      wait_for_records();
      check(fmt::format("{}, view {}", lab.name, view.name));
    }
    screen->view.tab = "tiles";
    for (const TilesLevel level : {TilesLevel::block, TilesLevel::warp, TilesLevel::lane}) {
      screen->view.zoom.level = level;
      check(lab.name + ", tiles at level " + std::to_string(static_cast<int>(level)));
    }
    check_layouts(lab);
  }
  EXPECT_EQ(faults, 0);
}

}  // namespace
}  // namespace tilescope
