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
/// launches and those whose blocks wait for one another. What deviates most: of sectors read, a kernel that asks for
/// the same sectors again while they are on their way, which the hardware merges; of sectors written, kernels that
/// write a sector in parts shortly after one another, likewise; of device bytes, kernels that read some 80 KB, to which
/// the hardware adds the kernel's own code.
constexpr std::string_view kCachesCommand = "bench/calibrate_counters.py record_counters";
constexpr ModelError kL2ReadError{
    6.5, 52.1, 48, "lts__t_sectors_op_read.sum", "H200", "2026-11-21", kCachesCommand, "docs/counters.md"};
constexpr ModelError kL2WriteError{
    1.3, 16.7, 46, "lts__t_sectors_op_write.sum", "H200", "2026-11-21", kCachesCommand, "docs/counters.md"};
constexpr ModelError kDeviceReadError{
    1.4, 14.9, 48, "dram__bytes_read.sum", "H200", "2026-11-21", kCachesCommand, "docs/counters.md"};

/// The block-order model (block_order.hpp), over three sizes and orders of a matrix product.
constexpr ModelError kOrderDeviceReadError{0.3,
                                           5.2,
                                           9,
                                           "dram__bytes_read.sum",
                                           "H200",
                                           "2026-11-20",
                                           "tilescope run grouped-order (docs/block-order.md)",
                                           "docs/block-order.md"};

}  // namespace tilescope
