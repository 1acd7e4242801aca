// What the speed panel shows, worked out from a SpeedReport. No ImGui.
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

/// What the sweep shows of each point: its speed, or the time where a lab asks for that, in the unit that suits the
/// longest one. Refers to both.
struct SpeedQuantity {
  const Lab& lab;
  const SpeedReport& report;
  bool time = false;
  double per_millisecond = 1;  // of the unit of time
  const char* unit = "";

  double of(const TimingPoint& point) const;
  double low(const TimingPoint& point) const;  // ends of its interval
  double high(const TimingPoint& point) const;
  double largest() const;
};
SpeedQuantity quantity_of(const Lab& lab, const SpeedReport& report);
/// The largest size that was timed with a warm L2 (graph batches); 0 if none was.
int64_t largest_warm_size(const SpeedReport& report);
/// Whether any implementation was timed so at this size, or shape.
bool has_warm_point(const SpeedReport& report, int64_t size);

/// The speed at the ends of a point's interval, from that of its median.
double low_speed(const TimingPoint& point, double median);
double high_speed(const TimingPoint& point, double median);

/// The timed sizes, ascending; of a sweep over shapes their numbers.
std::vector<int64_t> timed_sizes(const SpeedReport& report);
/// The timed size that moves the most bytes; nothing if the report has no points.
std::optional<int64_t> largest_size(const Lab& lab, const SpeedReport& report);
/// What 100% is in the ladders of a report, at every size the same: the copy of device memory where the lab times one,
/// which is as fast as bytes can be moved; else of the references that were timed at all sizes (or, if none was, of
/// all) the fastest at the largest size; without references, the fastest rung there. Null: nothing was timed.
const TimingSeries* ladder_reference(const Lab& lab, const SpeedReport& report);

/// Whether a series is the copy of device memory.
bool is_device_copy(const Lab& lab, const TimingSeries& series);

/// Every implementation at one size, as a share of ladder_reference.
struct Ladder {
  struct Row {
    size_t series;  // index into the report
    double percent;
    const TimingPoint* point;
  };
  int64_t size = 0;
  std::string best;  // the name of what 100% is; where the reference was not timed at this size, the fastest one there
  bool best_is_reference = false;
  std::vector<Row> rows;  // in the report's order
};
/// At the timed size nearest to `size`; no rows if the report has no points.
Ladder make_ladder(const Lab& lab, const SpeedReport& report, int64_t size);
/// The size that the lab's ladder is at: the one that was chosen, if the report has it, else the largest.
int64_t ladder_size(const ViewState& view, const Lab& lab, const SpeedReport& report);
/// A size as briefly as it can be read: "8,192", "2³⁰", "8192 × 4096".
std::string brief_place_text(const SpeedReport& report, int64_t size);

/// How a series is named wherever it is shown: rungs by their titles.
std::string series_title(const Lab& lab, const TimingSeries& series, const Strings& strings);

/// "H200, 1,980 MHz, CUDA 13.0"
std::string machine_text(const SpeedReport& report, const Strings& strings);
/// The same with the parameters: "H200, 1,980 MHz, CUDA 13.0, BLOCK 128"
std::string provenance_text(const SpeedReport& report, const Strings& strings);
/// "median, L2 flushed; up to 2¹⁸ in graph batches, warm"
std::string method_text(const SpeedReport& report, const Strings& strings);
/// Both at length: driver, versions, clocks, command.
std::string provenance_sentence(const SpeedReport& report, const Strings& strings);

}  // namespace tilescope
