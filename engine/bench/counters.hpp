// Hardware counters that ship with the program: assets/counters/<lab>.<gpu>.json, read with Nsight Compute elsewhere.
// RECORDED.
//
//  set   one kernel on one GPU on one day: who measured it, and with which command
//  row   one launch of it: sizes, parameters, block order, and the counter values
//
// tools/record_orders.py writes these files. A file that is truncated or holds impossible values is rejected with a
// message, and the program continues without it.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/lab.hpp"
#include "engine/order_result.hpp"
#include "engine/result.hpp"

namespace tilescope {

/// One launch. A value of 0 was not counted.
struct CounterRow {
  std::map<std::string, int64_t> sizes, params;  // a run matches if its values equal all of these
  OrderTraffic::Kind order = OrderTraffic::Kind::row_major;
  int64_t group = 0;  // for OrderTraffic::Kind::grouped
  uint32_t blocks_per_multiprocessor = 0;
  double device_bytes_read = 0, l2_bytes = 0;
  double l2_hit_rate = 0;  // 0 … 1
  double nanoseconds = 0;
};

struct CounterSet {
  std::string gpu;          // "NVIDIA H200"
  std::string date;         // ISO 8601
  std::string tool;         // "Nsight Compute"
  std::string command;      // the command that counted; empty if it was not recorded
  std::string name;         // the kernel's label in plots: "Triton"
  std::string kernel;       // one phrase: whose launches these are
  bool own_kernel = false;  // the lab's own kernel; false: one that does the same work in the same order
  std::vector<CounterRow> rows;
};

/// The run whose counters are looked up.
struct CounterKey {
  std::string gpu;  // "H200" or "NVIDIA H200"
  const Config& config;
  uint32_t blocks_per_multiprocessor = 0;
  OrderTraffic::Kind order = OrderTraffic::Kind::row_major;
  int64_t group = 0;
};

struct RecordedCounters {
  static constexpr int kFormat = 1;
  std::string lab;
  std::vector<CounterSet> sets;

  struct Found {
    const CounterSet* set = nullptr;
    const CounterRow* row = nullptr;
    explicit operator bool() const { return row != nullptr; }
  };
  /// The row of a run. The lab's own kernel is preferred to any other, newer sets to older ones. Grouped order with
  /// groups of one row counts as row-major.
  Found find(const CounterKey& key) const;
};

/// Compares the names without the vendor prefix.
bool same_gpu(const std::string& a, const std::string& b);

Result<RecordedCounters> counters_from_json(const nlohmann::json& document, const std::string& source);

struct CounterFiles {
  std::vector<RecordedCounters> labs;
  std::vector<Error> refused;                                      // one per file that was not accepted
  const RecordedCounters* find_lab(const std::string& lab) const;  // null if there is none
};
/// Reads every *.json of the folder and merges the sets of one lab. A missing folder gives none.
CounterFiles read_counters(const std::filesystem::path& folder);

}  // namespace tilescope
