// Matrix products whose device bytes were counted on a GPU (assets/counters/block-orders.*.csv), and the block-order
// model's prediction for each. The footprints are written down here instead of being observed: executing 790 products
// in part would take an hour, and observe_order_test.cpp compares the observed ones with them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "engine/parallel.hpp"
#include "engine/specs.hpp"
#include "engine/traffic/block_order/issue_order.hpp"

namespace tilescope {

/// Whether the clock falls while the launch runs, as in one after a pause, or is steady (at_steady_clock).
enum class ClockState : uint8_t { falling, steady };
constexpr std::array<ClockState, 2> kClockStates{ClockState::falling, ClockState::steady};

struct OrderPoint {
  /// The bytes of its launches with the clock in one state.
  struct Counts {
    std::vector<double> reads;
    double least = 0, most = 0;  // over all points with this launch
    double median() const {
      std::vector<double> sorted = reads;
      std::ranges::sort(sorted);
      return sorted[sorted.size() / 2];
    }
  };

  std::string type;  // "fp16", "fp32"
  uint32_t bm = 0, bn = 0, bk = 0, stages = 0, warps = 0, ctas_per_sm = 0;
  uint32_t m = 0, n = 0, k = 0;
  uint32_t group = 0;  // rows per group; 0: Hilbert's curve
  std::array<Counts, 2> by_state;
  bool kept_out = false;

  Counts& counts(ClockState state) { return by_state[static_cast<size_t>(state)]; }
  const Counts& counts(ClockState state) const { return by_state[static_cast<size_t>(state)]; }
  bool is_counted(ClockState state) const { return !counts(state).reads.empty(); }
  uint32_t rows() const { return (m + bm - 1) / bm; }
  uint32_t columns() const { return (n + bn - 1) / bn; }
  uint32_t element_bytes() const { return type == "fp32" ? 4 : 2; }
  /// "fp16 128 × 256 × 64, 1 CTA on an SM"
  std::string tile() const {
    std::ostringstream text;
    text << type << ' ' << bm << " × " << bn << " × " << bk << ", " << ctas_per_sm
         << (ctas_per_sm == 1 ? " CTA" : " CTAs") << " per SM";
    return text.str();
  }
  bool is_same_launch(const OrderPoint& other) const {
    const auto key = [](const OrderPoint& p) {
      return std::tuple(p.type, p.bm, p.bn, p.bk, p.stages, p.warps, p.ctas_per_sm, p.m, p.n, p.k, p.group);
    };
    return key(*this) == key(other);
  }
  /// Within 15% of the median count, or between the smallest and the largest count.
  bool holds(ClockState state, double modelled) const {
    const Counts& counted = counts(state);
    return std::fabs(modelled / counted.median() - 1) <= 0.15 ||
           (counted.least <= modelled && modelled <= counted.most);
  }
  /// The same, or between the smallest and the largest count with the clock in either state.
  bool holds_in_some_state(ClockState state, double modelled) const {
    double least = counts(state).least, most = counts(state).most;
    for (const Counts& counted : by_state) {
      if (counted.reads.empty()) continue;
      least = std::min(least, counted.least);
      most = std::max(most, counted.most);
    }
    return holds(state, modelled) || (least <= modelled && modelled <= most);
  }
  /// The median count, give or take 15%, is in this range.
  bool is_between(ClockState state, double least, double most) const {
    const double median = counts(state).median();
    return least <= 1.15 * median && 0.85 * median <= most;
  }
};

/// The columns falling_1, …, steady_1, … hold counts.
inline std::vector<OrderPoint> read_order_points(const std::string& file_name) {
  constexpr size_t kFirstCount = 12;  // type to group, kept_out
  std::ifstream file(file_name);
  std::vector<std::string> columns;
  std::vector<OrderPoint> points;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::ranges::replace(line, ',', ' ');
    std::istringstream in(line);
    if (columns.empty()) {
      for (std::string column; in >> column;) columns.push_back(column);
      continue;
    }
    OrderPoint point;
    in >> point.type >> point.bm >> point.bn >> point.bk >> point.stages >> point.warps >> point.ctas_per_sm >>
        point.m >> point.n >> point.k >> point.group >> point.kept_out;
    double read = 0;
    for (size_t i = kFirstCount; i < columns.size() && in >> read; ++i)
      point.counts(columns[i].starts_with("steady") ? ClockState::steady : ClockState::falling).reads.push_back(read);
    points.push_back(point);
  }
  for (OrderPoint& point : points)
    for (const ClockState state : kClockStates) {
      if (!point.is_counted(state)) continue;
      OrderPoint::Counts& counted = point.counts(state);
      counted.least = counted.most = counted.reads.front();
      for (const OrderPoint& other : points) {
        if (!point.is_same_launch(other)) continue;
        counted.least = std::min(counted.least, std::ranges::min(other.counts(state).reads));
        counted.most = std::max(counted.most, std::ranges::max(other.counts(state).reads));
      }
    }
  return points;
}

/// What the CTAs of a point touch: strips of A and B along K, a k-tile of each per step, and the tile of C at the end.
class PointFootprints {
 public:
  explicit PointFootprints(const OrderPoint& point) : point_(point), bytes_(point.element_bytes()) {
    grid_.keys = {{0, false}, {1, false}, {2, true}};
    for (uint32_t edge = 0; edge < 4; ++edge) grid_.patterns.push_back(pattern((edge & 1) != 0, (edge & 2) != 0));
    const std::vector<uint32_t> tiles = point.group == 0 ? hilbert_tiles(point.rows(), point.columns())
                                                         : grouped_tiles(point.rows(), point.columns(), point.group);
    for (const uint32_t tile : tiles) {
      const uint32_t row = tile / point.columns(), column = tile % point.columns();
      grid_.pattern_of_block.push_back((row + 1 == point.rows() ? 1U : 0U) + (column + 1 == point.columns() ? 2U : 0U));
      grid_.shifts.push_back(int64_t{row} * point.bm * point.k * bytes_);
      grid_.shifts.push_back(int64_t{column} * point.bn * point.k * bytes_);
      grid_.shifts.push_back(int64_t{tile} * point.bm * point.bn * bytes_);
    }
  }
  const GridFootprints& grid() const { return grid_; }

 private:
  BlockFootprint pattern(bool last_row, bool last_column) {
    const uint32_t rows = last_row ? point_.m - (point_.rows() - 1) * point_.bm : point_.bm;
    const uint32_t columns = last_column ? point_.n - (point_.columns() - 1) * point_.bn : point_.bn;
    BlockFootprint steps;
    for (uint32_t k = 0; k < point_.k; k += point_.bk) {
      const uint32_t depth = std::min(point_.bk, point_.k - k);
      steps.push_back({{region(0, false, int64_t{k} * point_.bm, rows * depth),
                        region(1, false, int64_t{k} * point_.bn, columns * depth)}});
    }
    steps.back().regions.push_back(region(2, true, 0, rows * columns));
    return steps;
  }
  Region region(uint32_t buffer, bool write, int64_t element, uint32_t elements) {
    const int64_t bytes = int64_t{elements} * bytes_;
    return {buffer, write, grid_.shapes.intern({{0, bytes}}), element * bytes_, static_cast<uint64_t>(bytes)};
  }

  const OrderPoint& point_;
  const int64_t bytes_;
  GridFootprints grid_;
};

struct ModelledPoint {
  double at_steady_clock = 0, strip_bytes = 0;
  OrderModel model = {};  // only what is read in the launched order, and its bounds
  double read(ClockState state) const {
    return state == ClockState::steady ? at_steady_clock : static_cast<double>(model.launched.device_bytes_read);
  }
  /// Whether the range that the model states holds for a point.
  bool range_holds(const OrderPoint& point, ClockState state) const {
    return point.is_between(state, static_cast<double>(model.least_read()), static_cast<double>(model.most_read()));
  }
};

inline ModelledPoint model_point(const OrderPoint& point, const GpuSpec& gpu) {
  const PointFootprints footprints(point);
  const std::vector<BufferSpec> buffers{{.name = "a"}, {.name = "b"}, {.name = "c"}};
  const auto replay = OrderReplay::make(footprints.grid(), buffers);
  if (!replay) return {};
  LaunchWork work;
  const PeakRate rate = point.type == "fp32" ? PeakRate::fp32 : PeakRate::fp16;
  work.operations[static_cast<size_t>(rate)] = 2.0 * point.bm * point.bn * point.k;
  work.copy_groups_in_flight = point.stages - 1;
  const uint64_t read = uint64_t{point.bm + point.bn} * point.k * point.element_bytes();
  const uint64_t written = uint64_t{point.bm} * point.bn * point.element_bytes();
  const ModelledCache cache{.gpu = gpu.name,
                            .bytes = gpu.l2_bytes,
                            .partitions = gpu.l2_partitions,
                            .multiprocessors = gpu.multiprocessors,
                            .blocks_per_multiprocessor = point.ctas_per_sm,
                            .pace = pace_of(gpu, work, (point.k + point.bk - 1) / point.bk, read, written)};
  const OrderTraffic traffic = replay->replay({}, cache);
  ModelledPoint result{.at_steady_clock = static_cast<double>(read_at_steady_clock(*replay, cache)),
                       .strip_bytes = static_cast<double>(traffic.strip_bytes())};
  result.model.launched.device_bytes_read = traffic.device_bytes_read;
  result.model.bounds = bounds_of(*replay, cache);
  return result;
}

inline std::vector<ModelledPoint> model_points(const std::vector<OrderPoint>& points, const GpuSpec& gpu) {
  std::vector<ModelledPoint> modelled(points.size());
  std::vector<size_t> once;  // the first point of each launch
  for (size_t i = 0; i < points.size(); ++i)
    if (std::ranges::none_of(once, [&](size_t other) { return points[other].is_same_launch(points[i]); }))
      once.push_back(i);
  parallel_for(once.size(), 1,
               [&](size_t first, size_t) { modelled[once[first]] = model_point(points[once[first]], gpu); });
  for (size_t i = 0; i < points.size(); ++i)
    modelled[i] =
        modelled[*std::ranges::find_if(once, [&](size_t other) { return points[other].is_same_launch(points[i]); })];
  return modelled;
}

/// How many counts of the launches that were kept out are within 15% of the median of the same launch's other counts,
/// or in their range, and of how many: what to expect of a model that knows the launch, but not what differs from one
/// count to the next.
inline std::pair<size_t, size_t> counts_held_by_others(const std::vector<OrderPoint>& points, ClockState state) {
  size_t held = 0, all = 0;
  for (const OrderPoint& point : points) {
    if (!point.kept_out) continue;
    const std::vector<double>& reads = point.counts(state).reads;
    for (size_t i = 0; i < reads.size(); ++i) {
      OrderPoint others = point;
      OrderPoint::Counts& counted = others.counts(state);
      counted.reads.erase(counted.reads.begin() + static_cast<std::ptrdiff_t>(i));
      if (counted.reads.empty()) continue;
      counted.least = std::ranges::min(counted.reads);
      counted.most = std::ranges::max(counted.reads);
      held += others.holds(state, reads[i]) ? 1 : 0;
      ++all;
    }
  }
  return {held, all};
}

struct OrderCase {
  const OrderPoint* point;
  const ModelledPoint* model;
};

/// Errors of the model, or of the sum of strips, in percent of the median count.
struct OrderErrors {
  size_t cases = 0, held = 0, held_in_some_state = 0;
  size_t ranges_held = 0;  // always the ranges that the model states
  double median = 0, ninth_decile = 0, largest = 0;
};
inline OrderErrors errors_of(const std::vector<OrderCase>& cases, ClockState state, bool of_strips = false) {
  OrderErrors errors{.cases = cases.size()};
  std::vector<double> percent;
  for (const auto& [point, model] : cases) {
    const double bytes = of_strips ? model->strip_bytes : model->read(state);
    errors.held += point->holds(state, bytes) ? 1 : 0;
    errors.held_in_some_state += point->holds_in_some_state(state, bytes) ? 1 : 0;
    errors.ranges_held += model->range_holds(*point, state) ? 1 : 0;
    percent.push_back(100 * std::fabs(bytes / point->counts(state).median() - 1));
  }
  std::ranges::sort(percent);
  if (percent.empty()) return errors;
  errors.median = percent[(percent.size() - 1) / 2];
  errors.ninth_decile = percent[(percent.size() - 1) * 9 / 10];
  errors.largest = percent.back();
  return errors;
}

}  // namespace tilescope
