// Hardware counters that ship with the program: assets/counters/<lab>.<gpu>.json, read with Nsight Compute elsewhere.
// RECORDED.
//
//   set   one kernel on one GPU on one day: who counted what, with which command
//   row   one launch of it: sizes, parameters, order of the blocks, and what the counters said
//
// tools/record_orders.py writes such files. A file that is truncated or whose figures cannot be is refused with a
// sentence; the program goes on without it.
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

/// One launch. A figure of 0 was not counted.
struct CounterRow {
  std::map<std::string, int64_t> sizes, params;  // a run is this one if it has the same values of those named here
  OrderTraffic::Kind order = OrderTraffic::Kind::row_major;
  int64_t group = 0;  // of OrderTraffic::Kind::grouped
  uint32_t blocks_per_multiprocessor = 0;
  double device_bytes_read = 0, l2_bytes = 0;
  double l2_hit_rate = 0;  // 0 … 1
  double nanoseconds = 0;
};

struct CounterSet {
  std::string gpu;          // "NVIDIA H200"
  std::string date;         // ISO 8601
  std::string tool;         // "Nsight Compute"
  std::string command;      // what counted; empty where it was not written down
  std::string name;         // of the kernel, as plots label it: "Triton"
  std::string kernel;       // whose launches these are, one phrase
  bool own_kernel = false;  // the lab's; else one that does the same work in the same order
  std::vector<CounterRow> rows;
};

/// What is looked for.
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
  /// The row of a run; one of the lab's own kernel before any other, the newest before older ones. Groups of one row
  /// are the row-major order.
  Found find(const CounterKey& key) const;
};

/// Both names without the vendor's.
bool same_gpu(const std::string& a, const std::string& b);

Result<RecordedCounters> counters_from_json(const nlohmann::json& document, const std::string& source);

struct CounterFiles {
  std::vector<RecordedCounters> labs;
  std::vector<Error> refused;                                      // one per file that was not accepted
  const RecordedCounters* find_lab(const std::string& lab) const;  // null if there is none
};
/// Every *.json of the folder, the sets of one lab together. A missing folder gives none.
CounterFiles read_counters(const std::filesystem::path& folder);

}  // namespace tilescope
