// The steps of every lab: each is done by what it asks for, its answer comes from the run, and what it points at
// exists.
#include <fstream>
#include <regex>

#include "app/views/lesson/lesson_document.hpp"
#include "app/views/steps/lab_steps.hpp"
#include "app/views/steps/step_progress.hpp"
#include "engine/text_file.hpp"
#include "tests/gui/drawn_texts.hpp"
#include "tests/gui/screen_fixture.hpp"
#include "tests/gui/text_faults.hpp"
#include "tests/own_folder.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> labs_with_steps() {
  std::vector<std::string> names;
  for (const Lab& lab : labs())
    if (fs::exists(fs::path(TILESCOPE_SOURCE) / "docs/labs/steps" / (lab.name + ".toml"))) names.push_back(lab.name);
  return names;
}
fs::path file_of(const std::string& lab) { return fs::path(TILESCOPE_SOURCE) / "docs/labs/steps" / (lab + ".toml"); }

size_t letters(const std::string& text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void check_links(const Lab& lab, const std::string& markdown) {
  for (const LessonLink& link : parse_lesson(markdown).links) {
    SCOPED_TRACE(link.address);
    if (link.kind == LinkKind::rung) {
      EXPECT_NE(find_rung(lab, link.target), nullptr);
    } else if (link.kind == LinkKind::tab) {
      EXPECT_NE(find_view(link.target), nullptr);
    } else if (link.kind == LinkKind::lab) {
      EXPECT_NE(find_lab(link.target), nullptr);
    } else if (link.kind == LinkKind::break_it) {
      EXPECT_NE(std::ranges::find(lab.break_it, link.target, &BreakIt::name), lab.break_it.end());
    } else if (link.kind == LinkKind::set) {
      const auto assignment = assignment_from(link.target);
      ASSERT_TRUE(assignment);
      const bool known = std::ranges::find(lab.params, assignment->first, &Param::name) != lab.params.end() ||
                         std::ranges::find(lab.sizes, assignment->first, &Size::name) != lab.sizes.end();
      EXPECT_TRUE(known);
    } else {
      EXPECT_EQ(link.kind, LinkKind::exercise);
    }
  }
}

TEST(Steps, FilesAreReadAndTheirTextsFit) {
  EXPECT_EQ(labs_with_steps().size(), labs().size()) << "every lab has steps";
  for (const std::string& name : labs_with_steps()) {
    SCOPED_TRACE(name);
    const auto steps = read_steps(file_of(name));
    ASSERT_TRUE(steps) << steps.error().message;
    const Lab& lab = *find_lab(name);
    EXPECT_GE(steps->steps.size(), 5U);
    size_t asking = 0;
    for (const LabStep& step : steps->steps) {
      SCOPED_TRACE(step.id);
      asking += step.asks() ? 1 : 0;
      EXPECT_LE(letters(step.title.en), 48U);
      EXPECT_LE(letters(step.title.zh), 24U);
      for (const Text& text : {step.to_do, step.look, step.ask, step.because}) {
        check_links(lab, text.en);
        check_links(lab, text.zh);
      }
      for (const StepCondition& condition : step.done)
        if (condition.kind == StepCondition::Kind::lower) {
          EXPECT_TRUE(bottom_tab_named(condition.target)) << condition.target;
        }
    }
    EXPECT_GE(asking * 3, steps->steps.size() * 2);
  }
}

std::string problem_of(const std::string& text) {
  const fs::path file = own_test_folder() / "steps.toml";
  std::ofstream(file) << text;
  const auto steps = read_steps(file);
  if (steps) return "";
  return std::regex_replace(steps.error().message, std::regex(".* cannot be used: "), "");
}

TEST(Steps, AFileThatIsWrongIsSaidWithItsStep) {
  const std::string step =
      "minutes = 5\n[[steps]]\nid = \"one\"\ntitle = {en = \"a\", zh = \"b\"}\ndo = {en = \"a\", zh = \"b\"}\nlook = "
      "{en = \"a\", zh = \"b\"}\nbecause = {en = \"a\", zh = \"b\"}\n";
  EXPECT_EQ(problem_of(step + "done = [\"whole\"]\n"), "");
  EXPECT_EQ(problem_of(step), "step 'one': 'done' is missing");
  EXPECT_EQ(problem_of(step + "done = [\"walk:far\"]\n"), "step 'one': 'walk:far' is no condition");
  EXPECT_EQ(problem_of(step + "done = [\"whole\"]\nchoices = [1, 2]\nanswer = \"1\"\n"),
            "step 'one': a question needs choices, and choices need a question");
  EXPECT_EQ(problem_of(step + "done = [\"whole\"]\nask = {en = \"a\", zh = \"b\"}\nchoices = [2, 1]\nanswer = \"1\"\n"),
            "step 'one': its choices do not ascend");
  EXPECT_EQ(problem_of("minutes = 5\n"), "'steps' is missing");
  EXPECT_NE(problem_of("minutes = \n"), "");
}

class StepsScreen : public testing::ScreenTest {
 protected:
  void open(const std::string& lab) {
    screen->session.select_lab(lab);
    screen->view.steps_shown = true;
    screen->view.tab = "tiles";
    frames(2);
  }
  bool is_noted(const std::string& id) {
    return screen->session.learned[screen->session.lab().name].steps.contains(id);
  }
  /// Whether the mark is there; the steps of a block are recorded after the run.
  bool comes(const std::string& mark) {
    for (int turn = 0; turn < 400 && !screen->marks().contains(mark); ++turn) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      frame();
    }
    return screen->marks().contains(mark);
  }
  /// What a learner would do.
  void fulfil(const StepCondition& condition) {
    using Kind = StepCondition::Kind;
    Session& session = screen->session;
    ViewState& view = screen->view;
    if (condition.kind == Kind::rung) session.select_rung(condition.target);
    if (condition.kind == Kind::tab) view.tab = condition.target;
    if (condition.kind == Kind::broken) session.set_broken(condition.target, true);
    if (condition.kind == Kind::whole)
      for (const std::string& one : std::vector(session.request().broken)) session.set_broken(one, false);
    if (condition.kind == Kind::set) {
      const auto assignment = assignment_from(condition.target);
      session.set_param(assignment->first, assignment->second);
      session.set_size(assignment->first, assignment->second);
    }
    if (condition.kind == Kind::edited) {
      std::string text = read_text(engine->root() / session.source_file()).value();
      const size_t product = text.find("x * y");
      ASSERT_NE(product, std::string::npos);
      session.set_source(text.replace(product, 5, "x"));
    }
    if (condition.kind == Kind::lower) {
      view.bottom = *bottom_tab_named(condition.target);
      view.bottom_speed = true;
    }
    if (condition.kind == Kind::predicted) session.learned[session.lab().name].guesses["0"].push_back({{1, 2}, 1, 2});
  }
  /// What can only be done with the result.
  void fulfil_with_result(const StepCondition& condition) {
    ViewState& view = screen->view;
    if (condition.kind == StepCondition::Kind::played) {
      view.playback.position = static_cast<double>(screen->session.result()->tiles.grid.count());
      view.plane.step = 1;
    }
    if (condition.kind != StepCondition::Kind::chosen) return;
    Selection& now = view.selection;
    const Selection& before = view.suggested;
    if (condition.target == "block") now = {.block = before.block.value_or(0) + 1};
    if (condition.target == "lane") now.lane = before.lane == 5 ? 6 : 5;
    if (condition.target == "line") now.line = before.line.value_or(1) + 1;
    if (condition.target == "access") now.access = before.access.value_or(0) + 1;
    if (condition.target == "element") now.element = before.element.value_or(0) + 1;
  }
};

class StepsOfLab : public StepsScreen, public ::testing::WithParamInterface<std::string> {};

TEST_P(StepsOfLab, AreDoneByWhatTheyAskForAndAnsweredByTheRun) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  const LabSteps all = read_steps(file_of(GetParam())).value();
  open(GetParam());
  screen->session.submit();
  ASSERT_TRUE(settle());
  for (const LabStep& step : all.steps) {
    SCOPED_TRACE(step.id);
    EXPECT_FALSE(is_noted(step.id)) << "it must be done by the learner, not by the step before it";
    for (const StepCondition& condition : step.done) fulfil(condition);
    if (screen->session.stale()) screen->session.submit();
    ASSERT_TRUE(settle());
    for (const StepCondition& condition : step.done) fulfil_with_result(condition);
    frames(4);
    ASSERT_FALSE(screen->session.error()) << screen->session.error()->message;
    EXPECT_TRUE(is_noted(step.id));
    // Maps of elements are textures, and there is no OpenGL here.
    const bool texture = step.at == "map.error" || step.at == "map.result" || step.at == "error spread";
    if (!step.at.empty() && !texture) {
      EXPECT_TRUE(comes(step.at)) << step.at;
    }
    if (step.asks()) {
      const auto right = right_choice(step, screen->session.result().get());
      ASSERT_TRUE(right) << "no choice is " << step.answer;
      frames(4);
      click("step choice " + std::to_string(*right));
      const DoneStep& done = screen->session.learned[GetParam()].steps[step.id];
      EXPECT_TRUE(done.right());
    }
    frames(4);
    click("next step");
  }
  frames(2);
  EXPECT_FALSE(screen->marks().contains("step open")) << "all of them are done";
}
INSTANTIATE_TEST_SUITE_P(Labs, StepsOfLab, ::testing::ValuesIn(labs_with_steps()),
                         [](const auto& test) { return std::regex_replace(test.param, std::regex("-"), "_"); });

TEST_F(StepsScreen, AWrongAnswerIsKeptAndTheRightOneNamed) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  open("softmax");
  screen->show_step(1);
  screen->session.select_rung("thread-per-row");
  screen->view.tab = "traffic";
  screen->session.submit();
  ASSERT_TRUE(settle());
  frames(3);
  EXPECT_FALSE(screen->marks().contains("steps because")) << "the answer comes first";
  click("step choice 0");
  const DoneStep kept = screen->session.learned["softmax"].steps["a-row-apart"];
  EXPECT_TRUE(kept.answered());
  EXPECT_FALSE(kept.right());
  EXPECT_TRUE(screen->marks().contains("steps because"));
  click("step choice " + std::to_string(kept.answer));
  EXPECT_EQ(screen->session.learned["softmax"].steps["a-row-apart"], kept) << "the first answer counts";
}

TEST_F(StepsScreen, AnOpenQuestionThatHidesTheNumberComesFirst) {
  if (!engine->compiler()) GTEST_SKIP() << engine->compiler().error().message;
  open("softmax");
  screen->view.veils = true;
  screen->show_step(1);
  screen->session.select_rung("thread-per-row");
  screen->view.tab = "traffic";
  screen->session.submit();
  ASSERT_TRUE(settle());
  frames(3);
  ASSERT_FALSE(screen->view.veiled.empty());
  EXPECT_TRUE(screen->marks().contains("steps first"));
  screen->view.veils = false;
  frames(3);
  EXPECT_FALSE(screen->marks().contains("steps first"));
  EXPECT_TRUE(screen->marks().contains("look here"));
}

TEST_F(StepsScreen, TheKeyShowsThemAndTheyStayWhileTabsChange) {
  screen->session.select_lab("softmax");
  frames(2);
  EXPECT_TRUE(screen->marks().contains("show steps"));
  press(Key::s);
  frames(2);
  EXPECT_TRUE(screen->marks().contains("steps head") || screen->marks().contains("steps.head"));
  screen->view.tab = "lesson";
  frames(2);
  EXPECT_TRUE(screen->marks().contains("steps do"));
  click("close steps");
  frames(2);
  EXPECT_FALSE(screen->marks().contains("steps do"));
}

TEST_F(StepsScreen, InANarrowWindowTheyTakeThePlaceOfTheRail) {
  open("softmax");
  window = {1280, 800};
  frames(2);
  EXPECT_TRUE(screen->marks().contains("steps do"));
  EXPECT_FALSE(screen->marks().contains("lab.softmax"));
  window = {1600, 1000};
  frames(2);
  EXPECT_TRUE(screen->marks().contains("lab.softmax"));
}

}  // namespace
}  // namespace tilescope
