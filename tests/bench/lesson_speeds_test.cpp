// The speed tables of the lessons against the shipped recordings: each table says which command wrote it and when, and
// each recording has a table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "engine/bench/recording.hpp"
#include "engine/bench/scheme_map.hpp"
#include "engine/bench/speed_unit.hpp"
#include "engine/lab.hpp"
#include "engine/numbers.hpp"
#include "engine/specs.hpp"

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

/// The recording that a lesson's caption names by its command and day; null if there is none.
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

std::string unit_of(const Lab& lab) { return lab.sweep_shows_time ? "µs" : speed_unit_of(lab); }

std::string shown(const Lab& lab, const SpeedReport& report, const TimingPoint& point) {
  if (lab.sweep_shows_time) return fmt::format("{:.1f}", point.median_ms * 1000);
  const double speed = speed_of(lab, report, point);
  if (lab.speed_unit == SpeedUnit::gigabytes) return with_separators(std::llround(speed));
  return fmt::format("{:.1f}", speed);
}

/// A caption that names a recording, and the table that follows it.
struct LessonTable {
  const SpeedReport* report = nullptr;
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

std::vector<LessonTable> tables_of(const Recordings& recordings, const Lab& lab, const std::string& language) {
  std::ifstream lesson(kRoot / "docs/labs" / language / (lab.name + ".md"));
  std::vector<LessonTable> tables;
  bool open = false;  // the last caption's table may still begin or continue
  for (std::string line; std::getline(lesson, line);) {
    if (line.starts_with("RECORDED")) {
      tables.push_back({.report = named_in(recordings, lab.name, line), .caption = line});
      open = true;
    } else if (open && line.starts_with("| ")) {
      LessonTable& table = tables.back();
      if (table.head.empty())
        table.head = cells_of(line);
      else
        table.rows.push_back(cells_of(line));
    } else if (open && !line.empty() && !line.starts_with("|-")) {
      open = false;
    }
  }
  return tables;
}

void expect_speeds(const Lab& lab, const LessonTable& table) {
  const SpeedReport& report = *table.report;
  EXPECT_EQ(table.head.front(), unit_of(lab)) << lab.name;
  for (const std::vector<std::string>& row : table.rows) {
    ASSERT_EQ(row.size(), table.head.size()) << lab.name << ": " << row.front();
    const auto series = std::find_if(report.series.begin(), report.series.end(),
                                     [&](const TimingSeries& one) { return one.name == row.front(); });
    ASSERT_NE(series, report.series.end()) << lab.name << ": " << row.front();
    for (size_t column = 1; column < table.head.size(); ++column) {
      const TimingPoint* point = point_named(report, *series, table.head[column]);
      EXPECT_EQ(row[column], point == nullptr ? std::string() : shown(lab, report, *point))
          << lab.name << ", " << row.front() << " at " << table.head[column];
    }
  }
}

/// The schemes that a cell of the map's table has to name: the fastest, and the second if it may be as fast.
std::string winners_of(const Lab& lab, const SchemeCell& cell) {
  if (!cell.winner) return {};
  const auto name = [&](size_t scheme) {
    const std::string rung = lab.scheme_map->schemes[scheme].rung, prefix = "scheme-";
    return rung.starts_with(prefix) ? rung.substr(prefix.size()) : rung;
  };
  return name(*cell.winner) + (cell.tie ? ", " + name(*cell.second) : "");
}

void expect_winners(const Lab& lab, const LessonTable& table) {
  const auto gpus = read_gpu_specs(kRoot / "assets/gpus.toml");
  ASSERT_TRUE(gpus);
  const GpuSpec* gpu = find_gpu_of_driver(*gpus, table.report->gpu);
  ASSERT_NE(gpu, nullptr);
  for (const TimingSeries& series : table.report->series)
    for (const TimingPoint& point : series.points)
      EXPECT_FALSE(point.params.empty()) << series.name << " at " << point.size << " does not say with what it ran";
  const SchemeGrid grid = make_scheme_grid(lab, table.report->config, *gpu, table.report);
  EXPECT_EQ(table.head.size(), grid.column_values.size() + 1);
  EXPECT_EQ(table.rows.size(), grid.row_values.size());
  for (size_t row = 0; row < std::min(table.rows.size(), grid.row_values.size()); ++row) {
    ASSERT_EQ(table.rows[row].size(), table.head.size()) << lab.name;
    EXPECT_EQ(table.rows[row].front(), with_separators(grid.row_values[row]));
    for (size_t column = 0; column + 1 < table.head.size(); ++column) {
      EXPECT_EQ(table.head[column + 1], with_separators(grid.column_values[column]));
      EXPECT_EQ(table.rows[row][column + 1], winners_of(lab, grid.cell(row, column)))
          << lab.name << " at " << table.rows[row].front() << " x " << table.head[column + 1];
    }
  }
}

class LessonSpeeds : public testing::TestWithParam<std::string> {};

TEST_P(LessonSpeeds, AreThoseOfTheRecordingThatTheLessonNames) {
  const Recordings recordings = read_recordings(kRoot / "assets/recordings");
  EXPECT_TRUE(recordings.refused.empty());
  std::set<const SpeedReport*> told;
  for (const Lab& lab : labs())
    for (const LessonTable& table : tables_of(recordings, lab, GetParam())) {
      EXPECT_NE(table.report, nullptr) << lab.name << ": " << table.caption;
      EXPECT_FALSE(table.rows.empty()) << lab.name << " has no table under: " << table.caption;
      if (table.report == nullptr || table.rows.empty()) continue;
      told.insert(table.report);
      table.report->is_map ? expect_winners(lab, table) : expect_speeds(lab, table);
    }
  for (const SpeedReport& report : recordings.reports)
    EXPECT_TRUE(told.contains(&report)) << "no lesson has a table of: " << report.command;
}

INSTANTIATE_TEST_SUITE_P(Languages, LessonSpeeds, testing::Values("en", "zh"));

}  // namespace
}  // namespace tilescope
