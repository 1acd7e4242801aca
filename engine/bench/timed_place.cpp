#include "engine/bench/timed_place.hpp"

#include <algorithm>

namespace tilescope {

std::optional<int64_t> exact_place(const Lab& lab, const SpeedReport& report, const Config& config) {
  int64_t place = 0;
  if (report.shapes.empty()) {
    const auto found = config.sizes.find(lab.sweep_size);
    if (found == config.sizes.end()) return {};
    place = found->second;
  } else {
    const auto found = std::find_if(report.shapes.begin(), report.shapes.end(), [&](const SweepPoint& shape) {
      return std::all_of(shape.sizes.begin(), shape.sizes.end(), [&](const auto& size) {
        const auto value = config.sizes.find(size.first);
        return value != config.sizes.end() && value->second == size.second;
      });
    });
    if (found == report.shapes.end()) return {};
    place = found - report.shapes.begin() + 1;
  }
  if (config_of_place(lab, report, place).sizes != config.sizes) return {};
  return place;
}

Config config_of_place(const Lab& lab, const SpeedReport& report, int64_t size) {
  Config config = report.config;
  const auto shape = static_cast<size_t>(size) - 1;
  if (report.shapes.empty()) return sweep_config(lab, std::move(config), size);
  if (shape < report.shapes.size())
    for (const auto& [name, value] : report.shapes[shape].sizes) config.sizes[name] = value;
  return config;
}

std::string place_name(const SpeedReport& report, int64_t size) {
  const auto shape = static_cast<size_t>(size) - 1;
  return shape < report.shapes.size() ? report.shapes[shape].name : std::to_string(size);
}

const TimingPoint* timed_point(const SpeedReport& report, const std::string& series, int64_t size) {
  for (const TimingSeries& one : report.series) {
    if (one.name != series) continue;
    for (const TimingPoint& point : one.points)
      if (point.size == size) return &point;
  }
  return nullptr;
}

}  // namespace tilescope
