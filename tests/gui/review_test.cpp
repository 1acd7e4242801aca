// Review cards on the screen: in the lesson, in a review over all labs, and on the page of skills.
#include <set>

#include "app/recall/schedule.hpp"
#include "tests/gui/drawn_texts.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/gui/text_faults.hpp"

namespace tilescope {
namespace {

constexpr int64_t kNow = 1'800'000'000, kDay = 24 * 3600;

class ReviewScreen : public testing::ScreenTest {
 protected:
  void SetUp() override {
    screen->recall.clock = [this] { return now_; };
  }
  LabProgress& learned(const std::string& lab) { return screen->session.learned[lab]; }
  const CardRecord* record(const std::string& lab, size_t index) const {
    const auto& cards = screen->recall.cards_of(lab);
    return record_of(screen->session.learned, {find_lab(lab), &cards.at(index)});
  }
  void start_review(const std::string& lab) {
    screen->session.select_lab(lab);
    learned(lab).lesson_read = true;
    screen->view.tab = "review";
    frames(2);
    click("start review");
  }
  std::vector<DrawnText> texts() {
    std::vector<DrawnText> all;
    record_texts(&all);
    frame();
    record_texts(nullptr);
    return all;
  }
  bool has(const std::string& mark) const { return screen->marks().contains(mark); }

  int64_t now_ = kNow;
};

TEST_F(ReviewScreen, ALessonEndsWithItsCardsAndTheyAreAskedAgain) {
  screen->session.select_lab("softmax");
  screen->view.tab = "lesson";
  frames(3);
  point_at({700, 400});
  // A row is also marked while it is only half in the view, which ends where the source begins.
  const auto in_view = [&] {
    return has("card row 1") && screen->marks().at("card row 1").high.y < screen->marks().at("splitter.source").low.y;
  };
  for (int turn = 0; turn < 400 && !in_view(); ++turn) {
    ImGui::GetIO().MouseWheel = -5;
    frame();
  }
  frames(30);
  ASSERT_TRUE(in_view());
  EXPECT_FALSE(has("card because")) << "no answer is on the screen before";
  click("card row 1");
  frames(3);
  EXPECT_TRUE(learned("softmax").cards_opened);
  ASSERT_TRUE(has("card question"));
  EXPECT_FALSE(has("card because"));
  const ReviewCard& card = screen->recall.cards_of("softmax").front();
  ASSERT_FALSE(card.asks_for_number());
  press(Key::digit_1);
  frames(3);
  EXPECT_TRUE(has("card because"));
  ASSERT_NE(record("softmax", 0), nullptr);
  EXPECT_EQ(record("softmax", 0)->due, kNow + (record("softmax", 0)->was_right() ? kDay : 600));
}

TEST_F(ReviewScreen, AReviewAsksEachCardOnceAndSumsUp) {
  start_review("softmax");
  const size_t count = screen->recall.cards_of("softmax").size();
  for (size_t number = 0; number < count; ++number) {
    SCOPED_TRACE(number);
    frames(2);
    ASSERT_TRUE(has("card question"));
    EXPECT_FALSE(has("card because"));
    EXPECT_FALSE(has("card right"));
    if (has("card field")) {
      type("123456789");
      press(Key::enter);
    } else {
      press(Key::digit_1);
    }
    frames(2);
    EXPECT_NE(has("card was right"), has("card was wrong"));
    EXPECT_TRUE(has("card because"));
    press(Key::enter);
  }
  frames(2);
  EXPECT_TRUE(has("review score"));
  EXPECT_EQ(learned("softmax").cards.size(), count) << "every card was answered once";
  size_t right = 0;
  for (const auto& [id, one] : learned("softmax").cards) {
    EXPECT_EQ(one.tries, 1) << id;
    EXPECT_EQ(one.due, kNow + (one.right == 1 ? kDay : 600)) << id;
    right += static_cast<size_t>(one.right);
  }
  for (const ReviewCard& card : screen->recall.cards_of("softmax"))
    if (card.asks_for_number()) {
      EXPECT_EQ(learned("softmax").cards[card.id].right, 0) << "123456789 is not " << card.number;
    }
  EXPECT_LT(right, count);
  EXPECT_TRUE(has("review misses"));
  now_ += 2 * kDay;
  frames(2);
  EXPECT_EQ(screen->recall.due(screen->session.learned).due, count);
}

TEST_F(ReviewScreen, ATypedNumberIsJudgedAndWhatIsNoNumberIsRefused) {
  start_review("softmax");
  size_t numbers = 0;
  for (size_t turn = 0; turn < screen->recall.cards_of("softmax").size(); ++turn) {
    frames(2);
    if (!has("card field")) {
      press(Key::digit_1);
      press(Key::enter);
      continue;
    }
    type("twelve");
    press(Key::enter);
    frames(5);  // the field has the keyboard again
    EXPECT_FALSE(has("card because")) << "what is no number is no answer";
    const ReviewCard& card = screen->recall.cards_of("softmax").at(turn);  // new cards come in the order of the file
    ASSERT_TRUE(card.asks_for_number());
    type(fmt::format("{:g}", card.number).c_str());  // replaces what was refused, which is selected
    press(Key::enter);
    frames(2);
    EXPECT_TRUE(has("card was right")) << card.id << " " << card.number;
    EXPECT_EQ(learned("softmax").cards[card.id].right, 1);
    ++numbers;
    press(Key::enter);
  }
  EXPECT_GE(numbers, 2U);
}

TEST_F(ReviewScreen, TheRailTellsWhatIsDueAndLeadsThere) {
  learned("softmax").cards_opened = true;
  frames(2);
  ASSERT_TRUE(has("review due cards"));
  click("review due cards");
  EXPECT_EQ(screen->view.tab, "review");
  click("skills page");
  EXPECT_EQ(screen->view.tab, "skills");
  frames(2);
  EXPECT_TRUE(has("skills shown"));
  EXPECT_TRUE(has("skill coalescing"));
}

TEST_F(ReviewScreen, TextsFitInBothLanguagesAndSizes) {
  for (const ImVec2 extent : {ImVec2(1600, 1000), ImVec2(1280, 800)})
    for (const Language language : {Language::en, Language::zh}) {
      window = extent;
      screen->strings.language = language;
      for (const char* tab : {"review", "skills"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", tab, extent.x, language == Language::zh ? "zh" : "en"));
        screen->view.tab = tab;
        learned("transpose").lesson_read = true;
        frames(3);
        for (const std::string& fault : testing::faults_of(texts())) ADD_FAILURE() << fault;
      }
    }
}

}  // namespace
}  // namespace tilescope
