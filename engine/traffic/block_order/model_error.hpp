// The errors of modelled values against hardware counters, in one place, for all code that shows them: "±2%".
//
// tests/labs/model_error_test.cpp checks each of these values against the recorded counters.
#pragma once

#include <string_view>

namespace tilescope {

struct ModelError {
  double typical_percent;      // half of the cases deviate by no more than this
  double largest_percent;      // no case deviates by more
  int cases;                   // number of compared cases
  std::string_view counter;    // as Nsight Compute names it
  std::string_view gpu, date;  // where and when it was counted
  std::string_view command;    // repeats the counting and the comparison
  std::string_view document;   // lists all cases
};

/// The cache model (hierarchy.hpp), over the rungs of the labs at their default sizes, except rungs with several
/// launches, rungs whose blocks wait for each other, and rungs that spill. The largest deviations are: in sectors read,
/// kernels that request the same sectors again while they are in flight, from one SM or from neighbouring ones, because
/// the hardware merges such requests; in sectors written, kernels that write a sector in parts shortly after one
/// another, for the same reason; in device bytes, kernels that read little, because the hardware adds the kernel's own
/// code. Two runs of the command differ as well, since the order of the CTAs is different each time: the hardware's own
/// L2 counts by 2% in half of the cases, and by up to 29%.
constexpr std::string_view kCachesCommand = "tools/calibrate_counters.py record_counters";
constexpr ModelError kL2ReadError{
    10.6, 65.5, 87, "lts__t_sectors_op_read.sum", "H200", "2026-11-24", kCachesCommand, "docs/counters.md"};
constexpr ModelError kL2WriteError{
    1.2, 79.7, 86, "lts__t_sectors_op_write.sum", "H200", "2026-11-24", kCachesCommand, "docs/counters.md"};
constexpr ModelError kDeviceReadError{
    2.0, 16.7, 87, "dram__bytes_read.sum", "H200", "2026-11-24", kCachesCommand, "docs/counters.md"};

/// The error of a model on launches that none of its constants was fitted to.
struct KeptOutError {
  int cases;
  int within_15_percent;  // among these cases; or within the range of their repeated counts, if that is wider
  int sure_cases;         // cases of which the model is sure (OrderModel::is_sure)
  int sure_within_15_percent;
  int in_range;  // cases whose count is in the range that the model states (OrderModel::least_read), give or take 15%
  int sure_in_range;
  double median_percent, ninth_decile_percent, largest_percent;
  std::string_view counter, gpu, date, command, document;

  /// The cases of which the model is as sure, and those of them within 15%.
  constexpr int cases_if(bool sure) const { return sure ? sure_cases : cases - sure_cases; }
  constexpr int within_if(bool sure) const {
    return sure ? sure_within_15_percent : within_15_percent - sure_within_15_percent;
  }
  constexpr int in_range_if(bool sure) const { return sure ? sure_in_range : in_range - sure_in_range; }
};

/// The block-order model (issue_order.hpp), over matrix products of many shapes, tiles and orders, in launches whose
/// clock falls while they run; and, below, with a steady clock (OrderModel::read_at_steady_clock).
/// tests/traffic/order_points_test.cpp checks part of them, tools/model_orders.cpp all of them.
constexpr KeptOutError kOrderKeptOut{.cases = 238,
                                     .within_15_percent = 217,
                                     .sure_cases = 110,
                                     .sure_within_15_percent = 109,
                                     .in_range = 235,
                                     .sure_in_range = 110,
                                     .median_percent = 1.7,
                                     .ninth_decile_percent = 15.0,
                                     .largest_percent = 91,
                                     .counter = "dram__bytes_read.sum",
                                     .gpu = "H200",
                                     .date = "2026-11-28",
                                     .command = "model_orders (docs/block-order.md)",
                                     .document = "docs/block-order.md"};
constexpr KeptOutError kSteadyOrderKeptOut{.cases = 238,
                                           .within_15_percent = 221,
                                           .sure_cases = 110,
                                           .sure_within_15_percent = 107,
                                           .in_range = 234,
                                           .sure_in_range = 110,
                                           .median_percent = 2.2,
                                           .ninth_decile_percent = 18.4,
                                           .largest_percent = 62,
                                           .counter = "dram__bytes_read.sum",
                                           .gpu = "H200",
                                           .date = "2026-11-28",
                                           .command = "model_orders (docs/block-order.md)",
                                           .document = "docs/block-order.md"};

}  // namespace tilescope
