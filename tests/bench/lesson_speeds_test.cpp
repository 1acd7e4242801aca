// The tables of speeds in the lessons beside the recordings that ship: each says which command wrote it, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/bench/recording.hpp"
#include "engine/bench/speed_unit.hpp"
#include "engine/lab.hpp"
#include "engine/numbers.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = TILESCOPE_SOURCE;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream stream(line.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');) {
    const size_t first = cell.find_first_not_of(" `"), last = cell.find_last_not_of(" `");
    cells.push_back(first == std::string::npos ? std::string() : cell.substr(first, last - first + 1));
  }
  return cells;
}

/// The recording that a lesson's caption names by its command and its day; null: there is none.
const SpeedReport* named_in(const Recordings& recordings, const std::string& lab, const std::string& caption) {
  for (const SpeedReport& report : recordings.reports)
    if (report.lab == lab && caption.find('`' + report.command + '`') != std::string::npos &&
        caption.find(report.date.substr(0, 10)) != std::string::npos)
      return &report;
  return nullptr;
}

const TimingPoint* point_named(const SpeedReport& report, const TimingSeries& series, const std::string& head) {
  for (const TimingPoint& point : series.points) {
    const auto shape = static_cast<size_t>(point.size) - 1;
    if (head == (report.shapes.empty() ? with_separators(point.size) : report.shapes[shape].name)) return &point;
  }
  return nullptr;
}

std::string shown(const Lab& lab, const SpeedReport& report, const TimingPoint& point) {
  const double speed = speed_of(lab, report, point);
  if (lab.speed_unit == SpeedUnit::gigabytes) return with_separators(std::llround(speed));
  return fmt::format("{:.1f}", speed);
}

class LessonSpeeds : public testing::TestWithParam<std::string> {};

TEST_P(LessonSpeeds, AreThoseOfTheRecordingThatTheLessonNames) {
  const Recordings recordings = read_recordings(kRoot / "assets/recordings");
  EXPECT_TRUE(recordings.refused.empty());
  int tables = 0;
  for (const Lab& lab : labs()) {
    std::ifstream lesson(kRoot / "docs/labs" / GetParam() / (lab.name + ".md"));
    const SpeedReport* report = nullptr;
    std::vector<std::string> head;
    for (std::string line; std::getline(lesson, line);) {
      if (line.starts_with("RECORDED")) {
        report = named_in(recordings, lab.name, line);
        EXPECT_NE(report, nullptr) << lab.name << ": " << line;
        head.clear();
      }
      if (report == nullptr) continue;
      if (!line.starts_with("| ")) {
        if (!head.empty() && !line.starts_with("|-")) report = nullptr;  // the table has ended
        continue;
      }
      const std::vector<std::string> cells = cells_of(line);
      if (head.empty()) {
        head = cells;
        EXPECT_EQ(head.front(), speed_unit_of(lab)) << lab.name;
        ++tables;
        continue;
      }
      const auto series = std::find_if(report->series.begin(), report->series.end(),
                                       [&](const TimingSeries& one) { return one.name == cells.front(); });
      ASSERT_NE(series, report->series.end()) << lab.name << ": " << line;
      for (size_t column = 1; column < head.size(); ++column) {
        const TimingPoint* point = point_named(*report, *series, head[column]);
        EXPECT_EQ(cells[column], point == nullptr ? std::string() : shown(lab, *report, *point))
            << lab.name << ", " << cells.front() << " at " << head[column];
      }
    }
  }
  EXPECT_GE(tables, 5);
}

INSTANTIATE_TEST_SUITE_P(Languages, LessonSpeeds, testing::Values("en", "zh"));

}  // namespace
}  // namespace tilescope
