// The cache model against the counters of an H200 in docs/counters.md (written by tools/calibrate_counters.py), for
// every rung of every lab at its default sizes.
#include "engine/traffic/block_order/model_error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "engine/run/engine.hpp"

namespace tilescope {
namespace {

struct Counted {
  double l2_read = 0, l2_written = 0, device_read = 0;
};

/// " 24,608 / 37,398 " → 37398
double hardware_in(const std::string& cell) {
  std::string digits;
  for (const char c : cell.substr(cell.find('/') + 1))
    if (c >= '0' && c <= '9') digits += c;
  return std::stod(digits);
}

/// The table "The model of the caches" of docs/counters.md, by "lab rung".
std::map<std::string, Counted> counted_on_hardware() {
  std::ifstream file(std::string(TILESCOPE_SOURCE) + "/docs/counters.md");
  std::map<std::string, Counted> counted;
  bool in_table = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) in_table = line.starts_with("## The model of the caches");
    if (!in_table || !line.starts_with("| ") || line.find(" / ") == std::string::npos) continue;
    std::vector<std::string> cells;
    std::istringstream row(line.substr(2));
    for (std::string cell; std::getline(row, cell, '|');) cells.push_back(cell);
    if (cells.size() < 6) continue;
    cells[0].resize(cells[0].find_last_not_of(' ') + 1);
    counted[cells[0]] = {hardware_in(cells[2]), hardware_in(cells[3]), hardware_in(cells[4])};
  }
  return counted;
}

double percent_off(uint64_t modelled, double counted) {
  return 100 * std::fabs(static_cast<double>(modelled) / counted - 1);
}

/// By rung.
using Errors = std::map<std::string, double>;

void expect_as_stated(const Errors& errors, const ModelError& stated) {
  std::vector<double> percent;
  for (const auto& [rung, error] : errors) {
    percent.push_back(error);
    EXPECT_LE(error, stated.largest_percent) << rung << ", " << stated.counter;
  }
  std::sort(percent.begin(), percent.end());
  EXPECT_EQ(static_cast<int>(percent.size()), stated.cases) << stated.counter;
  EXPECT_GT(percent.back(), stated.largest_percent - 2) << stated.counter << ": the model is better than it says";
  EXPECT_NEAR(percent[(percent.size() - 1) / 2], stated.typical_percent, 0.5) << stated.counter;
}

TEST(ModelError, OfTheCachesIsWhatTheCountersOfAnH200Say) {
  const std::shared_ptr<Engine> engine = Engine::open({});
  const auto counted = counted_on_hardware();
  ASSERT_FALSE(counted.empty());
  Errors l2_read, l2_written, device_read;
  for (const Lab& lab : labs()) {
    for (const Rung& rung : lab.rungs) {
      const auto hardware = counted.find(lab.name + " " + rung.name);
      if (hardware == counted.end()) continue;
      Request request;
      request.lab = lab.name;
      request.rung = rung.name;
      request.config = default_config(lab, DeviceKind::sim);
      request.gpu = "h200";
      const auto result = engine->run(request);
      ASSERT_TRUE(result) << result.error().message;
      ASSERT_TRUE(result->hierarchy.modelled) << result->hierarchy.reason;
      const HierarchyUse& total = result->hierarchy.total;
      l2_read[hardware->first] = percent_off(total.l2.read_sectors, hardware->second.l2_read);
      // In smaller counts the handful of sectors that the launch itself writes is a large part.
      if (hardware->second.l2_written >= 1000)
        l2_written[hardware->first] = percent_off(total.l2.write_sectors, hardware->second.l2_written);
      device_read[hardware->first] = percent_off(total.device_bytes_read, hardware->second.device_read);
    }
  }
  expect_as_stated(l2_read, kL2ReadError);
  expect_as_stated(l2_written, kL2WriteError);
  expect_as_stated(device_read, kDeviceReadError);
}

}  // namespace
}  // namespace tilescope
