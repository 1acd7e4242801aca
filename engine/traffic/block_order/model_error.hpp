// How far modelled figures were from the counters of hardware, in one place, for whoever shows them: "±2%".
//
// tests/labs/model_error_test.cpp holds each of these figures against the recorded counters.
#pragma once

#include <string_view>

namespace tilescope {

struct ModelError {
  double typical_percent;      // half of the cases deviate by no more
  double largest_percent;      // none of them by more
  int cases;                   // that were compared
  std::string_view counter;    // of Nsight Compute
  std::string_view gpu, date;  // where and when it was counted
  std::string_view command;    // that counts and compares again
  std::string_view document;   // with all cases
};

/// The model of the caches (hierarchy.hpp), over the rungs of the labs at their default sizes, but those of several
/// launches, those whose blocks wait for one another and those that spill. What deviates most: of sectors read, kernels
/// that ask for the same sectors again while they are on their way, from one multiprocessor or from neighbours, which
/// the hardware merges; of sectors written, kernels that write a sector in parts shortly after one another, likewise;
/// of device bytes, kernels that read little, to which the hardware adds the kernel's own code. Two runs of the command
/// differ as well, since the order of the CTAs is another one each time: the hardware's own counts of the L2 by 2% in
/// half of the cases, and by up to 29%.
constexpr std::string_view kCachesCommand = "tools/calibrate_counters.py record_counters";
constexpr ModelError kL2ReadError{
    10.6, 65.5, 70, "lts__t_sectors_op_read.sum", "H200", "2026-11-22", kCachesCommand, "docs/counters.md"};
constexpr ModelError kL2WriteError{
    2.5, 27.2, 69, "lts__t_sectors_op_write.sum", "H200", "2026-11-22", kCachesCommand, "docs/counters.md"};
constexpr ModelError kDeviceReadError{
    2.0, 16.7, 70, "dram__bytes_read.sum", "H200", "2026-11-22", kCachesCommand, "docs/counters.md"};

/// How far a model is from launches that none of its constants was fitted to.
struct KeptOutError {
  int cases;
  int within_15_percent;  // of these; or within the range of their repeated counts, where that is wider
  double median_percent, ninth_decile_percent, largest_percent;
  std::string_view counter, gpu, date, command, document;
};

/// The block-order model (block_order.hpp), over matrix products of many shapes, tiles and orders.
/// tests/traffic/order_points_test.cpp holds part of them against it, tools/model_orders.cpp all.
constexpr KeptOutError kOrderKeptOut{238,
                                     195,
                                     2.8,
                                     26.0,
                                     148,
                                     "dram__bytes_read.sum",
                                     "H200",
                                     "2026-11-24",
                                     "model_orders (docs/block-order.md)",
                                     "docs/block-order.md"};

}  // namespace tilescope
