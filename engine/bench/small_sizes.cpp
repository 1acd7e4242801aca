#include "engine/bench/small_sizes.hpp"

#include <algorithm>

#include "engine/bench/timed_place.hpp"

namespace tilescope {

bool SmallSizesTable::empty() const {
  return std::all_of(rows.begin(), rows.end(), [](const SmallSizesRow& row) {
    return std::all_of(row.times.begin(), row.times.end(), [](const TimingPoint* time) { return time == nullptr; });
  });
}

SmallSizesTable make_small_sizes(const Lab& lab, const SpeedReport& report) {
  SmallSizesTable table{.sizes = lab.small_sizes, .rows = {}};
  for (const TimingSeries& series : report.series) {
    SmallSizesRow row{
        .name = series.name, .is_rung = series.is_rung, .unavailable = series.unavailable, .times = {}, .best = {}};
    for (const int64_t size : table.sizes) row.times.push_back(timed_point(report, series.name, size));
    row.best.resize(table.sizes.size());
    table.rows.push_back(std::move(row));
  }
  for (size_t i = 0; i < table.sizes.size(); ++i) {
    const TimingPoint* fastest = nullptr;
    for (const SmallSizesRow& row : table.rows)
      if (row.times[i] != nullptr && (fastest == nullptr || row.times[i]->median_ms < fastest->median_ms))
        fastest = row.times[i];
    for (SmallSizesRow& row : table.rows)
      row.best[i] = row.times[i] != nullptr && row.times[i]->low_ms <= fastest->high_ms;
  }
  return table;
}

}  // namespace tilescope
