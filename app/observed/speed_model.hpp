// The content of the speed panel, derived from a SpeedReport. No ImGui.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/draw/strings.hpp"
#include "app/observed/view_state.hpp"
#include "engine/lab.hpp"
#include "engine/run_result.hpp"

namespace tilescope {

/// The point of a series at a size; null if that size was not timed.
const TimingPoint* point_at(const TimingSeries& series, int64_t size);
/// The timed size nearest to `size` by ratio; null for a series without points.
const TimingPoint* nearest_point(const TimingSeries& series, int64_t size);
/// The series of a rung; null if the report has none.
const TimingSeries* rung_series(const SpeedReport& report, const std::string& rung);

/// The smallest and the largest size of a report; nothing if it has no points.
struct SizeRange {
  int64_t low, high;
};
std::optional<SizeRange> sizes_of(const SpeedReport& report);
/// A point's size: "98,432", or the name of its shape; the short form is "2¹⁷", or "2¹³×2¹²".
std::string place_text(const SpeedReport& report, int64_t size);
std::string short_place_text(const SpeedReport& report, int64_t size);
/// A point in the unit of the lab's field: GB/s or TFLOP/s.
double speed_at(const Lab& lab, const SpeedReport& report, const TimingPoint& point);
double largest_speed(const Lab& lab, const SpeedReport& report);

/// The quantity that the sweep plots for each point: speed, or time if the lab asks for that, in a unit that suits the
/// longest time. Refers to both arguments.
struct SpeedQuantity {
  const Lab& lab;
  const SpeedReport& report;
  bool time = false;
  double per_millisecond = 1;  // in the unit of time
  const char* unit = "";

  double of(const TimingPoint& point) const;
  double low(const TimingPoint& point) const;  // ends of its interval
  double high(const TimingPoint& point) const;
  double largest() const;
};
SpeedQuantity quantity_of(const Lab& lab, const SpeedReport& report);
/// The largest size timed with a warm L2 (graph batches); 0 if there is none.
int64_t largest_warm_size(const SpeedReport& report);
/// Whether any implementation was timed with a warm L2 at this size or shape.
bool has_warm_point(const SpeedReport& report, int64_t size);

/// The speed at the ends of a point's interval, from its speed at the median.
double low_speed(const TimingPoint& point, double median);
double high_speed(const TimingPoint& point, double median);

/// The timed sizes, ascending; for a sweep over shapes their numbers.
std::vector<int64_t> timed_sizes(const SpeedReport& report);
/// The timed size that moves the most bytes; nothing if the report has no points.
std::optional<int64_t> largest_size(const Lab& lab, const SpeedReport& report);
/// The 100% of a report's ladders, the same at every size: the copy of device memory if the lab times one, since bytes
/// cannot move faster; else the reference that is fastest at the largest size, among those timed at all sizes (or, if
/// there are none, among all); without references, the fastest rung there. Null: nothing was timed.
const TimingSeries* ladder_reference(const Lab& lab, const SpeedReport& report);

/// Whether a series is the copy of device memory.
bool is_device_copy(const Lab& lab, const TimingSeries& series);

/// Every implementation at one size, relative to ladder_reference.
struct Ladder {
  struct Row {
    size_t series;  // index into the report
    double percent;
    const TimingPoint* point;
  };
  int64_t size = 0;
  std::string best;  // name of what 100% is; if the reference was not timed at this size, the fastest one there
  bool best_is_reference = false;
  std::vector<Row> rows;  // in the report's order
};
/// The ladder at the timed size nearest to `size`; no rows if the report has no points.
Ladder make_ladder(const Lab& lab, const SpeedReport& report, int64_t size);
/// The size of the lab's ladder: the chosen one if the report has it, else the largest.
int64_t ladder_size(const ViewState& view, const Lab& lab, const SpeedReport& report);
/// A size in its shortest readable form: "8,192", "2³⁰", "8192 × 4096".
std::string brief_place_text(const SpeedReport& report, int64_t size);

/// The displayed name of a series: rungs by their titles.
std::string series_title(const Lab& lab, const TimingSeries& series, const Strings& strings);

/// The name that the driver gives, without its vendor: "H200".
std::string short_gpu(const std::string& name);
/// "H200, 1,980 MHz, CUDA 13.0"
std::string machine_text(const SpeedReport& report, const Strings& strings);
/// The same with the parameters: "H200, 1,980 MHz, CUDA 13.0, BLOCK 128"
std::string provenance_text(const SpeedReport& report, const Strings& strings);
/// "median, L2 flushed; up to 2¹⁸ in graph batches, warm"
std::string method_text(const SpeedReport& report, const Strings& strings);
/// Both in full: driver, versions, clocks, command.
std::string provenance_sentence(const SpeedReport& report, const Strings& strings);

}  // namespace tilescope
