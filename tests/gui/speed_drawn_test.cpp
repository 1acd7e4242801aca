// The speed panel's views drawn without a window, with made-up recordings in a temporary folder, and their messages
// where there are none.
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "app/draw/plots/plot.hpp"
#include "app/panels/speed/speed_views.hpp"
#include "engine/bench/recording.hpp"
#include "tests/bench/map_report.hpp"
#include "tests/gui/drawn_panel.hpp"

namespace tilescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const ImVec2 kPanel(464, 368);

/// A root with the program's assets but without its recordings.
class DrawnSpeed : public testing::DrawnPanel {
 protected:
  void SetUp() override {
    DrawnPanel::SetUp();
    const std::filesystem::path source(TILESCOPE_SOURCE);
    root_ = std::filesystem::temp_directory_path() / ("tilescope-speed-" + std::to_string(getpid()));
    std::filesystem::create_directories(root_ / "assets" / "recordings");
    std::filesystem::create_directory_symlink(source / "kernels", root_ / "kernels");
    for (const auto& entry : std::filesystem::directory_iterator(source / "assets"))
      if (entry.path().filename() != "recordings")
        std::filesystem::create_symlink(entry.path(), root_ / "assets" / entry.path().filename());
  }
  void TearDown() override {
    session.reset();
    std::filesystem::remove_all(root_);
    DrawnPanel::TearDown();
  }

  void open(const std::string& lab) {
    session = std::make_unique<Session>(Engine::open({.root = root_, .cache_folder = {}, .simulator_threads = 1}));
    session->auto_run = false;
    session->select_lab(lab);
  }
  void record(const SpeedReport& report, const std::string& name) const {
    ASSERT_TRUE(write_recording(report, root_ / "assets" / "recordings" / name));
  }
  /// Every text of the last frame is in ImGui's buffers only as glyphs; a mark's explanation is available as text.
  std::string explained_at(const std::string& name, ImVec2 size = kPanel) {
    draw(draw_speed, size);
    if (!view.marks.contains(name)) return "no " + name;
    const ImVec2 at = view.marks.at(name).centre();
    draw(draw_speed, size, at);
    view.explained.clear();
    draw(draw_speed, size, at);
    return view.explained;
  }
  std::filesystem::path root_;
};

SpeedReport make_sweep(const Lab& lab, const std::vector<std::pair<std::string, double>>& times,
                       const std::vector<int64_t>& sizes) {
  SpeedReport report;
  report.lab = lab.name;
  report.gpu = "NVIDIA H200";
  report.date = "2026-11-20T10:00:00Z";
  report.size_name = sweep_name(lab);
  report.config = default_config(lab, DeviceKind::gpu);
  for (const auto& [name, milliseconds] : times) {
    const bool is_rung = find_rung(lab, name) != nullptr;
    report.series.push_back({.name = name, .is_rung = is_rung, .unavailable = {}, .points = {}});
    for (const int64_t size : sizes) {
      TimingPoint point =
          testing::made_up_time(size, milliseconds * static_cast<double>(size) / static_cast<double>(sizes.back()));
      point.params.clear();
      report.series.back().points.push_back(point);
    }
  }
  return report;
}

TEST_F(DrawnSpeed, ALadderThatIsTooHighStandsInTwoColumnsWithEveryName) {
  const Lab& gelu = *find_lab("gelu");
  std::vector<std::pair<std::string, double>> times;
  for (const Rung& rung : gelu.rungs) times.emplace_back(rung.name, 1.0);
  for (const ReferenceSpec& reference : gelu.references) times.emplace_back(reference.name, 1.0);
  record(make_sweep(gelu, times, {1 << 10, 1 << 20}), "gelu.json");
  open("gelu");
  view.bottom = BottomTab::ladder;
  const auto last_plot_has = [](const std::string& name) {
    return std::ranges::any_of(plots::TextBoxes(), [&](const auto& box) { return box.text == name; });
  };
  const std::string first = gelu.rungs.front().title.en;
  draw(draw_speed, {784, 260}, {-1, -1});
  for (const ReferenceSpec& reference : gelu.references) EXPECT_TRUE(last_plot_has(reference.name)) << reference.name;
  EXPECT_FALSE(last_plot_has(first) || last_plot_has(gelu.rungs.front().name)) << "it stands in the first column";
  draw(draw_speed, {784, 700}, {-1, -1});
  for (const ReferenceSpec& reference : gelu.references) EXPECT_TRUE(last_plot_has(reference.name)) << reference.name;
  EXPECT_TRUE(last_plot_has(first) || last_plot_has(gelu.rungs.front().name)) << "there is height for one column";
}

TEST_F(DrawnSpeed, EveryViewDrawsInEveryRoomOfEveryLabWithAndWithoutRecordings) {
  const Lab& norm = *find_lab("rmsnorm");
  for (const bool recorded : {false, true}) {
    if (recorded) {
      record(testing::make_map_report(norm), "map.json");
      record(make_sweep(*find_lab("gelu"), {{"eight-kernels", 2.2}, {"fused", 0.25}, {"PyTorch", 0.26}},
                        {1 << 10, 1 << 20}),
             "gelu.json");
      record(make_sweep(*find_lab("grouped-order"), {{"row-major", 0.02}, {"grouped", 0.021}, {"PyTorch", 0.01}},
                        {256, 512, 1024}),
             "order.json");
    }
    for (const char* lab : {"gelu", "softmax", "rmsnorm", "grouped-order", "vector-add", "execution-model"}) {
      open(lab);
      for (const BottomTab tab : speed_tabs(session->lab()))
        for (const ImVec2 room : {kPanel, ImVec2(784, 260), ImVec2(1200, 700), ImVec2(160, 120), ImVec2(40, 20)}) {
          view.bottom = tab;
          for (const ImVec2 pointer : {ImVec2(-1, -1), ImVec2(200, 150), ImVec2(430, 200)})
            EXPECT_GT(draw(draw_speed, room, pointer), 0) << lab << " " << static_cast<int>(tab);
        }
    }
  }
}

TEST_F(DrawnSpeed, ALabHasTheViewsThatItDeclares) {
  using Tabs = std::vector<BottomTab>;
  EXPECT_EQ(speed_tabs(*find_lab("gelu")),
            (Tabs{BottomTab::sweep, BottomTab::ladder, BottomTab::roofline, BottomTab::fusion}));
  EXPECT_EQ(speed_tabs(*find_lab("rmsnorm")),
            (Tabs{BottomTab::sweep, BottomTab::ladder, BottomTab::roofline, BottomTab::map}));
  EXPECT_EQ(speed_tabs(*find_lab("grouped-order")),
            (Tabs{BottomTab::sweep, BottomTab::ladder, BottomTab::roofline, BottomTab::small}));
  EXPECT_EQ(shown_tab(*find_lab("gelu"), BottomTab::map), BottomTab::sweep);
  EXPECT_EQ(speed_tabs(*find_lab("transpose")), (Tabs{BottomTab::sweep, BottomTab::ladder})) << "it computes nothing";
}

TEST_F(DrawnSpeed, AViewThatALabDoesNotHaveIsThereAgainInOneThatHasIt) {
  open("rmsnorm");
  view.bottom = BottomTab::map;
  draw(draw_speed, kPanel);
  session->select_lab("gelu");
  draw(draw_speed, kPanel);
  EXPECT_EQ(view.bottom, BottomTab::map);
}

TEST_F(DrawnSpeed, ACellOfTheMapTellsAllTimesTheMarginAndWhatAutoTakes) {
  record(testing::make_map_report(*find_lab("rmsnorm")), "map.json");
  open("rmsnorm");
  view.bottom = BottomTab::map;
  const SchemeMap& map = *session->lab().scheme_map;
  const auto cell = [&](int64_t rows, int64_t columns) {
    const auto row = std::find(map.row_values.begin(), map.row_values.end(), rows) - map.row_values.begin();
    const auto column =
        std::find(map.column_values.begin(), map.column_values.end(), columns) - map.column_values.begin();
    return fmt::format("map.{}.{}", row, column);
  };
  const std::string text = explained_at(cell(4096, 4096));
  EXPECT_THAT(text, HasSubstr("4,096 rows of 4,096 elements"));
  EXPECT_THAT(text, HasSubstr("Scheme 1, one CTA  1.0 ms"));
  EXPECT_THAT(text, HasSubstr("Scheme 4, few lanes  500 µs  (BLOCK 128)"));
  EXPECT_THAT(text, HasSubstr("4 is the fastest; 1, the second, takes 2.0 times as long"));
  EXPECT_THAT(text, HasSubstr("auto chooses: Scheme 2"));
  EXPECT_THAT(explained_at(cell(1024, 16384)), HasSubstr("a tie"));
  draw(draw_speed, kPanel);
  EXPECT_FALSE(view.marks.contains(cell(262144, 1048576))) << "more elements than the map goes to";
}

TEST_F(DrawnSpeed, PressingACellGoesToItsShapeAndItsWinner) {
  record(testing::make_map_report(*find_lab("rmsnorm")), "map.json");
  open("rmsnorm");
  view.bottom = BottomTab::map;
  draw(draw_speed, kPanel);
  click(draw_speed, kPanel, view.marks.at("map.2.1").centre());
  EXPECT_EQ(session->request().config.size("rows"), 16);
  EXPECT_EQ(session->request().config.size("columns"), 1024);
  EXPECT_EQ(session->request().rung, "scheme-4");
}

TEST_F(DrawnSpeed, ACellThatWasNotTimedClaimsNoTime) {
  open("rmsnorm");
  view.bottom = BottomTab::map;
  const std::string text = explained_at("map.0.1");
  EXPECT_THAT(text, HasSubstr("auto chooses"));
  EXPECT_THAT(text, Not(HasSubstr("fastest")));
  EXPECT_THAT(text, Not(HasSubstr(" ms")));
}

TEST_F(DrawnSpeed, FusionTellsWhatEachLaunchReadsAndWrites) {
  open("gelu");
  if (!session->engine().compiler()) GTEST_SKIP() << session->engine().compiler().error().message;
  session->set_size("n", 8192);
  view.bottom = BottomTab::fusion;
  for (int i = 0; i < 600 && !session->fusion() && !session->fusion_error(); ++i) {
    draw(draw_speed, kPanel);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  ASSERT_TRUE(session->fusion());
  const std::string third = explained_at("fusion.eight-kernels.2");
  EXPECT_THAT(third, HasSubstr("Launch 3, add"));
  EXPECT_THAT(third, HasSubstr(bytes_text(2 * 4 * 8192)));
  EXPECT_THAT(third, HasSubstr("SIMULATED"));
  draw(draw_speed, kPanel);
  EXPECT_TRUE(view.marks.contains("fusion.eight-kernels.7"));
  EXPECT_TRUE(view.marks.contains("fusion.fused.0"));
}

TEST_F(DrawnSpeed, PressingAnImplementationOfTheSmallTableSelectsItsRung) {
  record(make_sweep(*find_lab("grouped-order"), {{"row-major", 0.02}, {"grouped", 0.021}, {"PyTorch", 0.01}},
                    {256, 512, 1024}),
         "order.json");
  open("grouped-order");
  view.bottom = BottomTab::small;
  draw(draw_speed, kPanel);
  ASSERT_TRUE(view.marks.contains("small.row-major"));
  click(draw_speed, kPanel, view.marks.at("small.row-major").centre());
  EXPECT_EQ(session->rung().name, "row-major");
}

/// A sweep of softmax over its shapes; Triton ran at the first two and failed at the third.
SpeedReport make_shapes(const Lab& lab) {
  std::vector<int64_t> shapes;
  for (size_t shape = 1; shape <= lab.points.size(); ++shape) shapes.push_back(static_cast<int64_t>(shape));
  SpeedReport report = make_sweep(
      lab, {{"five-kernels", 2}, {"row-in-registers", 1}, {"auto", 0.9}, {"copy", 0.8}, {"Triton", 1.1}}, shapes);
  report.shapes = lab.points;
  TimingSeries& triton = report.series.back();
  triton.points.resize(2);
  triton.gaps[3] = "Triton ran out of shared memory.";
  report.series.push_back({.name = "cuDNN", .is_rung = false, .unavailable = "It is not installed.", .points = {}});
  return report;
}

TEST_F(DrawnSpeed, ASweepOverShapesHasACellForEachShapeOfEachSeries) {
  const Lab& softmax = *find_lab("softmax");
  record(make_shapes(softmax), "softmax.json");
  open("softmax");
  for (const ImVec2 room : {ImVec2(464, 330), ImVec2(640, 330), ImVec2(736, 300), ImVec2(1000, 330)}) {
    draw(draw_speed, room);
    std::vector<Mark> cells;
    for (const char* series : {"five-kernels", "row-in-registers", "auto", "copy", "Triton"})
      for (size_t shape = 1; shape <= softmax.points.size(); ++shape) {
        const std::string name = fmt::format("shapes.{}.{}", series, shape);
        ASSERT_TRUE(view.marks.contains(name)) << name << " at " << room.x;
        cells.push_back(view.marks.at(name));
      }
    EXPECT_FALSE(view.marks.contains("shapes.cuDNN.1")) << "without a time it is named below, not drawn";
    for (size_t one = 0; one < cells.size(); ++one) {
      EXPECT_GT(cells[one].high.x - cells[one].low.x, 34) << "room for a figure of four digits";
      EXPECT_TRUE(cells[one].low.x >= 0 && cells[one].high.x <= room.x && cells[one].high.y <= room.y);
      for (size_t other = 0; other < one; ++other)
        EXPECT_FALSE(cells[one].low.x < cells[other].high.x && cells[other].low.x < cells[one].high.x &&
                     cells[one].low.y < cells[other].high.y && cells[other].low.y < cells[one].high.y);
    }
  }
}

TEST_F(DrawnSpeed, ACellTellsItsTimeOrWhyThereIsNone) {
  record(make_shapes(*find_lab("softmax")), "softmax.json");
  open("softmax");
  const ImVec2 room(640, 330);
  const std::string told = explained_at("shapes.row-in-registers.2", room);
  EXPECT_THAT(told, HasSubstr("Row in registers at rows × columns = 4096 × 1024"));
  EXPECT_THAT(told, HasSubstr(" to ")) << "the interval";
  EXPECT_THAT(explained_at("shapes.Triton.3", room), HasSubstr("out of shared memory"));
  const std::string missing = explained_at("shapes.Triton.4", room);
  EXPECT_THAT(missing, HasSubstr("Triton has no time at 8192 × 16384"));
  EXPECT_THAT(missing, Not(HasSubstr("out of shared")));
}

TEST_F(DrawnSpeed, PressingARowOfAShapeSweepSelectsItsRung) {
  record(make_shapes(*find_lab("softmax")), "softmax.json");
  open("softmax");
  const ImVec2 room(640, 330);
  draw(draw_speed, room);
  click(draw_speed, room, view.marks.at("shapes.row-in-registers.1").centre());
  EXPECT_EQ(session->rung().name, "row-in-registers");
  draw(draw_speed, room);
  click(draw_speed, room, view.marks.at("shapes.copy.1").centre());
  EXPECT_EQ(session->rung().name, "row-in-registers") << "a reference is no rung";
}

TEST_F(DrawnSpeed, NothingOfAPlotLiesOnTheNotesHoweverLowThePanelIs) {
  const Lab& add = *find_lab("vector-add");
  std::vector<std::pair<std::string, double>> times;
  for (const Rung& rung : add.rungs) times.emplace_back(rung.name, 1.0 + 0.1 * static_cast<double>(times.size()));
  for (const char* reference : {"copy", "PyTorch", "Triton"}) times.emplace_back(reference, 1.0);
  record(make_sweep(add, times, {1 << 10, 1 << 20, 1 << 28}), "add.json");
  open("vector-add");
  for (const BottomTab tab : {BottomTab::sweep, BottomTab::ladder})
    for (float height = 60; height <= 400; height += 4) {
      view.bottom = tab;
      draw(draw_speed, {640, height}, {-1, -1});
      if (!view.marks.contains("speed.notes")) {
        EXPECT_LT(height, 200) << "there is room for both";
        continue;
      }
      const Mark& notes = view.marks.at("speed.notes");
      EXPECT_LE(notes.high.y, height);
      for (const auto& text : plots::TextBoxes())
        EXPECT_LE(text.high.y, notes.low.y + 1) << text.text << " in a panel of " << height;
    }
}

TEST_F(DrawnSpeed, PlotsCallRungsByTheirTitlesInBothLanguages) {
  record(make_sweep(*find_lab("vector-add"), {{"thread-per-element", 2}, {"vector-loads", 1}, {"copy", 1}},
                    {1 << 10, 1 << 20}),
         "add.json");
  for (const Language language : {Language::en, Language::zh}) {
    strings.language = language;
    open("vector-add");
    for (const BottomTab tab : {BottomTab::sweep, BottomTab::ladder}) {
      view.bottom = tab;
      draw(draw_speed, {640, 330}, {-1, -1});
      for (const char* rung : {"thread-per-element", "vector-loads"}) {
        const std::string title = strings(find_rung(session->lab(), rung)->title);
        const auto& texts = plots::TextBoxes();
        EXPECT_TRUE(std::ranges::any_of(texts, [&](const auto& box) { return box.text == title; })) << title;
        EXPECT_FALSE(std::ranges::any_of(texts, [&](const auto& box) { return box.text == rung; })) << rung;
      }
    }
  }
}

TEST_F(DrawnSpeed, WithoutTimesOfSmallSizesThereIsNoTable) {
  open("grouped-order");
  view.bottom = BottomTab::small;
  draw(draw_speed, kPanel);
  EXPECT_FALSE(view.marks.contains("small.row-major"));
}

}  // namespace
}  // namespace tilescope
