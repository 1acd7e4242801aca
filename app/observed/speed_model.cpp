#include "app/observed/speed_model.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>
#include <sstream>

#include "app/draw/plots/axis.hpp"
#include "engine/bench/speed_unit.hpp"
#include "engine/bench/timed_place.hpp"
#include "engine/reference/registry.hpp"

namespace tilescope {
namespace {

double distance(int64_t a, int64_t b) {
  return std::abs(std::log2(static_cast<double>(std::max<int64_t>(a, 1))) -
                  std::log2(static_cast<double>(std::max<int64_t>(b, 1))));
}

std::string clocks_text(const SpeedReport& report) {
  const auto low = with_separators(report.sm_clock_min_mhz), high = with_separators(report.sm_clock_max_mhz);
  if (report.sm_clock_max_mhz == 0) return {};
  return (low == high ? high : low + "–" + high) + " MHz";
}

std::string cuda_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

std::string short_gpu(const std::string& name) {
  constexpr std::string_view kVendor = "NVIDIA ";
  return name.starts_with(kVendor) ? name.substr(kVendor.size()) : name;
}

const TimingPoint* point_at(const TimingSeries& series, int64_t size) {
  const auto found = std::find_if(series.points.begin(), series.points.end(),
                                  [size](const TimingPoint& point) { return point.size == size; });
  return found != series.points.end() ? &*found : nullptr;
}

const TimingPoint* nearest_point(const TimingSeries& series, int64_t size) {
  const auto found = std::min_element(
      series.points.begin(), series.points.end(),
      [size](const TimingPoint& a, const TimingPoint& b) { return distance(a.size, size) < distance(b.size, size); });
  return found != series.points.end() ? &*found : nullptr;
}

const TimingSeries* rung_series(const SpeedReport& report, const std::string& rung) {
  for (const auto& series : report.series)
    if (series.is_rung && series.name == rung) return &series;
  return nullptr;
}

std::optional<SizeRange> sizes_of(const SpeedReport& report) {
  std::optional<SizeRange> range;
  for (const auto& series : report.series) {
    for (const auto& point : series.points) {
      if (!range) range = SizeRange{point.size, point.size};
      range->low = std::min(range->low, point.size);
      range->high = std::max(range->high, point.size);
    }
  }
  return range;
}

std::string place_text(const SpeedReport& report, int64_t size) {
  return report.shapes.empty() ? with_separators(size) : place_name(report, size);
}
std::string short_place_text(const SpeedReport& report, int64_t size) {
  if (report.shapes.empty()) return plots::size_text(size);
  std::istringstream words(place_text(report, size));  // "8192 × 4096"
  std::string text;
  for (std::string word; words >> word;) {
    int64_t number = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), number);
    text += read.ptr == word.data() + word.size() ? plots::size_text(number) : word;
  }
  return text;
}

double speed_at(const Lab& lab, const SpeedReport& report, const TimingPoint& point) {
  return speed_of(lab, report, point);
}

double largest_speed(const Lab& lab, const SpeedReport& report) {
  double largest = 0;
  for (const auto& series : report.series)
    for (const auto& point : series.points) largest = std::max(largest, speed_at(lab, report, point));
  return largest;
}

double SpeedQuantity::of(const TimingPoint& point) const {
  return time ? point.median_ms * per_millisecond : speed_at(lab, report, point);
}
double SpeedQuantity::low(const TimingPoint& point) const {
  return time ? point.low_ms * per_millisecond : low_speed(point, of(point));
}
double SpeedQuantity::high(const TimingPoint& point) const {
  return time ? point.high_ms * per_millisecond : high_speed(point, of(point));
}
double SpeedQuantity::largest() const {
  double largest = 0;
  for (const auto& series : report.series)
    for (const auto& point : series.points) largest = std::max(largest, of(point));
  return largest;
}

SpeedQuantity quantity_of(const Lab& lab, const SpeedReport& report) {
  if (!lab.sweep_shows_time) return {.lab = lab, .report = report, .unit = speed_unit_of(lab)};
  const SpeedQuantity milliseconds{.lab = lab, .report = report, .time = true, .unit = "ms"};
  if (milliseconds.largest() >= 1) return milliseconds;
  return {.lab = lab, .report = report, .time = true, .per_millisecond = 1000, .unit = "µs"};
}

int64_t largest_warm_size(const SpeedReport& report) {
  int64_t largest = 0;
  for (const auto& series : report.series)
    for (const auto& point : series.points)
      if (!point.cold_l2) largest = std::max(largest, point.size);
  return largest;
}

bool has_warm_point(const SpeedReport& report, int64_t size) {
  return std::any_of(report.series.begin(), report.series.end(), [size](const TimingSeries& series) {
    const TimingPoint* point = point_at(series, size);
    return point != nullptr && !point->cold_l2;
  });
}

double low_speed(const TimingPoint& point, double median) {
  return point.high_ms > 0 ? median * point.median_ms / point.high_ms : median;
}
double high_speed(const TimingPoint& point, double median) {
  return point.low_ms > 0 ? median * point.median_ms / point.low_ms : median;
}

std::vector<int64_t> timed_sizes(const SpeedReport& report) {
  std::vector<int64_t> sizes;
  for (const TimingSeries& series : report.series)
    for (const TimingPoint& point : series.points) sizes.push_back(point.size);
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::optional<int64_t> largest_size(const Lab& lab, const SpeedReport& report) {
  std::optional<int64_t> largest;
  double most = 0;
  for (const int64_t size : timed_sizes(report)) {
    // Shapes are unordered; sizes ascend.
    const double bytes = report.shapes.empty() || !lab.useful_bytes
                             ? static_cast<double>(size)
                             : lab.useful_bytes(config_of_place(lab, report, size));
    if (largest && bytes <= most) continue;
    largest = size;
    most = bytes;
  }
  return largest;
}

const TimingSeries* ladder_reference(const Lab& lab, const SpeedReport& report) {
  const auto largest = largest_size(lab, report);
  if (!largest) return nullptr;
  for (const TimingSeries& series : report.series)
    if (is_device_copy(lab, series) && point_at(series, *largest) != nullptr) return &series;
  const size_t all = timed_sizes(report).size();
  const auto fastest = [&](bool rungs, bool everywhere) {
    const TimingSeries* best = nullptr;
    for (const TimingSeries& series : report.series) {
      const TimingPoint* point = point_at(series, *largest);
      if (point == nullptr || series.is_rung != rungs || (everywhere && series.points.size() != all)) continue;
      if (best == nullptr || point->gigabytes_per_second() > point_at(*best, *largest)->gigabytes_per_second())
        best = &series;
    }
    return best;
  };
  if (const TimingSeries* found = fastest(false, true)) return found;
  if (const TimingSeries* found = fastest(false, false)) return found;
  return fastest(true, false);
}

bool is_device_copy(const Lab& lab, const TimingSeries& series) {
  return !series.is_rung && std::ranges::any_of(lab.references, [&](const ReferenceSpec& spec) {
    return spec.name == series.name && only_moves_bytes(spec);
  });
}

Ladder make_ladder(const Lab& lab, const SpeedReport& report, int64_t size) {
  Ladder ladder;
  const std::vector<int64_t> sizes = timed_sizes(report);
  if (sizes.empty()) return ladder;
  ladder.size = *std::ranges::min_element(sizes, {}, [size](int64_t one) { return distance(one, size); });

  const TimingSeries* reference = ladder_reference(lab, report);
  const auto fastest_here = [&](bool rungs) {
    const TimingSeries* best = nullptr;
    double most = 0;
    for (const TimingSeries& series : report.series) {
      const TimingPoint* point = point_at(series, ladder.size);
      if (point == nullptr || series.is_rung != rungs || point->gigabytes_per_second() <= most) continue;
      best = &series;
      most = point->gigabytes_per_second();
    }
    return best;
  };
  if (reference == nullptr || point_at(*reference, ladder.size) == nullptr) reference = fastest_here(false);
  if (reference == nullptr) reference = fastest_here(true);
  double full = 0;
  if (reference != nullptr) {
    ladder.best = reference->name;
    ladder.best_is_reference = !reference->is_rung;
    full = point_at(*reference, ladder.size)->gigabytes_per_second();
  }
  for (size_t i = 0; i < report.series.size(); ++i)
    if (const TimingPoint* point = point_at(report.series[i], ladder.size))
      ladder.rows.push_back({i, full > 0 ? 100 * point->gigabytes_per_second() / full : 0, point});
  return ladder;
}

int64_t ladder_size(const ViewState& view, const Lab& lab, const SpeedReport& report) {
  if (const auto chosen = view.ladder_sizes.find(lab.name); chosen != view.ladder_sizes.end())
    for (const int64_t size : timed_sizes(report))
      if (place_name(report, size) == chosen->second) return size;
  return largest_size(lab, report).value_or(0);
}

std::string brief_place_text(const SpeedReport& report, int64_t size) {
  constexpr int64_t kLong = 1'000'000;
  return report.shapes.empty() && size >= kLong ? short_place_text(report, size) : place_text(report, size);
}

std::string series_title(const Lab& lab, const TimingSeries& series, const Strings& strings) {
  const Rung* rung = series.is_rung ? find_rung(lab, series.name) : nullptr;
  return rung != nullptr ? strings(rung->title) : series.name;
}

std::string machine_text(const SpeedReport& report, const Strings& strings) {
  std::string text = short_gpu(report.gpu);
  for (const std::string& part :
       {clocks_text(report), report.cuda_version > 0 ? "CUDA " + cuda_text(report.cuda_version) : std::string()})
    if (!part.empty()) text += strings("speed.comma") + part;
  return text;
}

std::string provenance_text(const SpeedReport& report, const Strings& strings) {
  std::string text = machine_text(report, strings);
  // The parameters that the rungs were compiled with, not the sliders' values.
  const Lab* lab = find_lab(report.lab);
  for (const auto& [name, value] : report.config.params)
    text += strings("speed.comma") +
            fmt::format("{} {}", name, lab != nullptr ? param_text(*lab, name, value) : std::to_string(value));
  return text;
}

std::string method_text(const SpeedReport& report, const Strings& strings) {
  std::string text = report.date.substr(0, 10) + strings("speed.comma") + strings("speed.median");
  if (report.shapes.empty()) {
    const int64_t warm = largest_warm_size(report);
    if (warm > 0) text += strings.format("speed.warm_up_to", fmt::arg("size", short_place_text(report, warm)));
    return text;
  }
  std::string warm;  // shapes are unordered, so each is named
  for (int64_t place = 1; place <= static_cast<int64_t>(report.shapes.size()); ++place)
    if (has_warm_point(report, place))
      warm += (warm.empty() ? "" : strings("speed.comma")) + short_place_text(report, place);
  if (!warm.empty()) text += strings.format("speed.warm_at", fmt::arg("sizes", warm));
  return text;
}

std::string provenance_sentence(const SpeedReport& report, const Strings& strings) {
  std::string versions;
  const auto add = [&](const char* name, const std::string& version) {
    if (!version.empty())
      versions += strings(versions.empty() ? "speed.semicolon" : "speed.comma") + name + " " + version;
  };
  add("NVRTC", report.nvrtc_version);
  add("PyTorch", report.torch_version);
  add("Triton", report.triton_version);
  return strings.format("speed.provenance", fmt::arg("gpu", report.gpu), fmt::arg("driver", report.driver_version),
                        fmt::arg("clocks", clocks_text(report)),
                        fmt::arg("memory", with_separators(report.memory_clock_mhz)), fmt::arg("versions", versions),
                        fmt::arg("date", report.date), fmt::arg("command", report.command));
}

}  // namespace tilescope
