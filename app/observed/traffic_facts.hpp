// The content of the traffic view, derived from a RunResult: requests and bytes per source line, the sentence, and the
// 128-byte lines of one access. No drawing.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "app/draw/strings.hpp"
#include "app/observed/source_model.hpp"
#include "app/observed/trace_index.hpp"
#include "engine/units.hpp"

namespace tilescope {

/// One word from each of the 32 banks.
constexpr uint64_t kPassBytes = 128;

/// Requests, and the bytes that they moved: sectors of global memory, or passes over the banks of shared memory.
struct DataMovement {
  uint64_t requests = 0, sectors = 0, useful = 0;
  uint64_t passes = 0, needed_passes = 0;  // for shared memory; needed: without conflicts
  uint64_t moved() const { return sectors * kSectorBytes + passes * kPassBytes; }
  uint64_t conflicts() const { return passes - std::min(needed_passes, passes); }
  uint64_t steps() const { return sectors + passes; }
  /// Bytes of sectors that were not requested, and of passes caused by conflicts.
  uint64_t wasted() const {
    const uint64_t sector_bytes = sectors * kSectorBytes;
    return sector_bytes - (sectors > 0 ? std::min(useful, sector_bytes) : 0) + conflicts() * kPassBytes;
  }
  double steps_per_request() const {
    return requests == 0 ? 0 : static_cast<double>(steps()) / static_cast<double>(requests);
  }
  /// Sectors that would hold the requested bytes, at least one; or passes without conflicts.
  double needed_per_request() const {
    if (requests == 0) return 0;
    const double needed = passes > 0 ? static_cast<double>(needed_passes)
                                     : static_cast<double>(useful) / static_cast<double>(kSectorBytes);
    return std::max(needed / static_cast<double>(requests), 1.0);
  }
  double used() const { return moved() == 0 ? 1 : static_cast<double>(useful) / static_cast<double>(moved()); }
  void add(const DataMovement& other);
};
/// Whether whole sectors were moved unnecessarily, by the criterion of the source margin, or conflicts cost passes.
bool is_wasteful(const DataMovement& movement);
DataMovement movement_of(const LineTraffic& line);
/// Sum over all accesses to global memory, or to shared memory.
DataMovement total_movement(const Traffic& traffic, Space space = Space::global);

/// One row of the ledger: the accesses of one kind at a source line.
struct LedgerRow {
  uint32_t line = 0;
  std::string file, buffers;  // "a, b"
  Space space = Space::global;
  AccessKind kind = AccessKind::load;
  DataMovement movement;
  size_t index = 0;  // into Traffic::lines
  bool writes() const { return kind != AccessKind::load && kind != AccessKind::async_copy; }
  bool is_shared() const { return space == Space::shared; }
};
/// Rows for global and shared memory, ascending by line.
std::vector<LedgerRow> ledger_rows(const RunResult& result);
/// "shared read", the name of a row's kind in the ledger.
const std::string& kind_text(const Strings& strings, Space space, AccessKind kind);
/// What ptxas made of the memory operations of a line; empty if it changed nothing.
std::string change_text(const Strings& strings, const LineTraffic& line);

/// "Every byte moved is used:" · "4 sectors serve each warp request."
struct TrafficSentence {
  std::string finding, reason;
  bool waste = false;
  std::optional<size_t> worst;  // the row that it refers to, in ledger_rows
};
TrafficSentence traffic_sentence(const Strings& strings, const RunResult& result);

/// The error of the cache model against hardware, in one sentence.
std::string model_error_text(const Strings& strings);

/// "4", "4.5", "15.9"
std::string figure_text(double value);

/// A 128-byte line that an access touches. Bit k of `used`: byte k is requested.
struct MemoryLine {
  int64_t line = 0;  // in the buffer: offset / 128
  std::bitset<kLineBytes> used;
  bool touches(size_t sector) const;
};
/// Ascending lines.
std::vector<MemoryLine> memory_lines(const WarpAccess& access);

}  // namespace tilescope
