// The tables of speeds in the lessons beside the recordings that ship: each says which command wrote it, and when; and
// each recording has a table. A ladder table has a row for each rung at one size.
//
// A table of times has milliseconds in the place of speeds.
//
//   TILESCOPE_WRITE_TABLES=1 bench_test --gtest_filter='*LessonSpeeds*'    fills the cells from the recordings
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <span>
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

/// A table below a caption that names a recording. The first one has speeds; one whose second column is the time is a
/// ladder, at the size in its first cell; one whose first cell is "ms" has times.
struct LessonTable {
  const SpeedReport* report = nullptr;
  std::string caption;
  size_t head_line = 0;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  bool is_ladder() const { return head.size() == 5 && (head[1] == "time" || head[1] == "时间"); }
  bool has_times() const { return head.front() == "ms"; }
};

fs::path lesson_of(const Lab& lab, const std::string& language) {
  return kRoot / "docs/labs" / language / (lab.name + ".md");
}

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream stream(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<LessonTable> tables_of(const Recordings& recordings, const Lab& lab, std::span<const std::string> lines) {
  std::vector<LessonTable> tables;
  const SpeedReport* report = nullptr;
  std::string caption;
  bool in_table = false, has_table = true;  // the caption's first table is still to come where not
  const auto add = [&](size_t line) {
    tables.push_back({.report = report, .caption = caption, .head_line = line, .head = {}, .rows = {}});
  };
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const bool is_row = line.starts_with("| ");
    if (line.starts_with("RECORDED")) {
      if (!has_table) add(i);  // an error: nothing follows the last one
      report = named_in(recordings, lab.name, line);
      caption = line;
      has_table = false;
    } else if (is_row && in_table) {
      tables.back().rows.push_back(cells_of(line));
    } else if (is_row && !caption.empty()) {
      add(i);
      tables.back().head = cells_of(line);
      if (has_table && !tables.back().is_ladder() && !tables.back().has_times())
        tables.pop_back();  // a table of something else
      else
        in_table = has_table = true;
    }
    if (!is_row && !line.starts_with("|-")) in_table = false;
  }
  return tables;
}

using Rows = std::vector<std::vector<std::string>>;

/// The named series' speeds in the places of the head.
Rows speeds_of(const Lab& lab, const LessonTable& table) {
  Rows rows;
  for (const std::vector<std::string>& row : table.rows) {
    rows.push_back({row.front()});
    const auto series = std::ranges::find(table.report->series, row.front(), &TimingSeries::name);
    EXPECT_NE(series, table.report->series.end()) << lab.name << ": " << row.front();
    for (size_t column = 1; column < table.head.size() && series != table.report->series.end(); ++column) {
      const TimingPoint* point = point_named(*table.report, *series, table.head[column]);
      if (point == nullptr)
        rows.back().emplace_back();
      else
        rows.back().push_back(table.has_times() ? fmt::format("{:.4f}", point->median_ms)
                                                : shown(lab, *table.report, *point));
    }
  }
  return rows;
}

std::string times(double factor) { return fmt::format("{:.{}f}×", factor, factor < 10 ? 2 : 1); }

/// Each rung that the recording has at the size of the table: its time, how many times as fast it is as the rung before
/// it and as the first one, and its share of the speed of the fastest reference.
Rows ladder_of(const Lab& lab, const LessonTable& table) {
  double first = 0, before = 0, best = 0;
  for (const TimingSeries& series : table.report->series)
    if (const TimingPoint* point = point_named(*table.report, series, table.head.front()); point && !series.is_rung)
      best = best == 0 ? point->median_ms : std::min(best, point->median_ms);
  Rows rows;
  for (const Rung& rung : lab.rungs) {
    const auto series = std::ranges::find(table.report->series, rung.name, &TimingSeries::name);
    if (rung.pick || series == table.report->series.end()) continue;
    const TimingPoint* point = point_named(*table.report, *series, table.head.front());
    if (point == nullptr) continue;
    const double time = point->median_ms;
    rows.push_back({rung.name, time < 1 ? fmt::format("{:.1f} µs", time * 1000) : fmt::format("{:.2f} ms", time),
                    before == 0 ? "" : times(before / time), first == 0 ? "" : times(first / time),
                    best == 0 ? "" : fmt::format("{:.{}f}%", 100 * best / time, best < time / 10 ? 1 : 0)});
    if (first == 0) first = time;
    before = time;
  }
  return rows;
}

void expect_speeds(const Lab& lab, const LessonTable& table) {
  if (!table.is_ladder() && !table.has_times()) {
    EXPECT_EQ(table.head.front(), unit_of(lab)) << lab.name;
  }
  const Rows expected = table.is_ladder() ? ladder_of(lab, table) : speeds_of(lab, table);
  ASSERT_EQ(table.rows.size(), expected.size()) << lab.name << ": " << table.caption;
  for (size_t row = 0; row < expected.size(); ++row) {
    ASSERT_EQ(table.rows[row].size(), table.head.size()) << lab.name << ": " << table.rows[row].front();
    EXPECT_EQ(table.rows[row], expected[row]) << lab.name << ": " << table.caption;
  }
}

/// The lesson with the day of the newest recording of each command, and with what that recording says in every cell.
void write_tables(const Recordings& recordings, const Lab& lab, const std::string& language) {
  if (!fs::exists(lesson_of(lab, language))) return;  // a lab of another test
  std::vector<std::string> lines = lines_of(lesson_of(lab, language));
  for (std::string& line : lines)
    for (const SpeedReport& report : recordings.reports)
      if (line.starts_with("RECORDED") && report.lab == lab.name && line.find('`' + report.command + '`') != line.npos)
        line = std::regex_replace(line, std::regex(R"(\d{4}-\d\d-\d\d)"), report.date.substr(0, 10));
  const std::vector<LessonTable> tables = tables_of(recordings, lab, lines);
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) {  // the lines before it keep their numbers
    if (table->report == nullptr || table->report->is_map || table->head.empty()) continue;
    std::vector<std::string> rows;
    for (const auto& cells : table->is_ladder() ? ladder_of(lab, *table) : speeds_of(lab, *table)) {
      const bool is_rung = find_rung(lab, cells.front()) != nullptr;
      rows.push_back(is_rung ? "| `" + cells.front() + "`" : "| " + cells.front());
      for (size_t column = 1; column < cells.size(); ++column) rows.back() += " | " + cells[column];
      rows.back() += " |";
    }
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(table->head_line) + 2;
    lines.insert(lines.erase(first, first + static_cast<std::ptrdiff_t>(table->rows.size())), rows.begin(), rows.end());
  }
  std::ofstream lesson(lesson_of(lab, language));
  for (const std::string& line : lines) lesson << line << '\n';
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
  for (const Lab& lab : labs()) {
    if (std::getenv("TILESCOPE_WRITE_TABLES") != nullptr) write_tables(recordings, lab, GetParam());
    for (const LessonTable& table : tables_of(recordings, lab, lines_of(lesson_of(lab, GetParam())))) {
      EXPECT_NE(table.report, nullptr) << lab.name << ": " << table.caption;
      EXPECT_FALSE(table.rows.empty()) << lab.name << " has no table under: " << table.caption;
      if (table.report == nullptr || table.rows.empty()) continue;
      told.insert(table.report);
      table.report->is_map ? expect_winners(lab, table) : expect_speeds(lab, table);
    }
  }
  for (const SpeedReport& report : recordings.reports)
    EXPECT_TRUE(told.contains(&report)) << "no lesson has a table of: " << report.command;
}

INSTANTIATE_TEST_SUITE_P(Languages, LessonSpeeds, testing::Values("en", "zh"));

}  // namespace
}  // namespace tilescope
