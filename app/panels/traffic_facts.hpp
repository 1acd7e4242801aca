// What the traffic view shows, taken from a RunResult: totals, one band per buffer and direction, the ledger's rows,
// the sentence, and the 128-byte lines of one access. No drawing.
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "app/panels/source_model.hpp"
#include "app/panels/tiles_index.hpp"
#include "app/panels/tiles_sentence.hpp"
#include "app/strings.hpp"

namespace tilescope {

/// Requests and bytes between registers and global memory.
struct DataMovement {
  uint64_t requests = 0, sectors = 0, useful = 0;
  uint64_t moved() const { return sectors * kSectorBytes; }
  uint64_t wasted() const { return moved() - std::min(useful, moved()); }
  double sectors_per_request() const {
    return requests == 0 ? 0 : static_cast<double>(sectors) / static_cast<double>(requests);
  }
  /// Sectors that would hold the bytes asked for.
  double needed_per_request() const {
    return requests == 0 ? 0 : static_cast<double>(useful) / kSectorBytes / static_cast<double>(requests);
  }
  double used() const { return sectors == 0 ? 1 : static_cast<double>(useful) / static_cast<double>(moved()); }
};
/// Whole sectors moved in vain, as the source margin judges it.
bool is_wasteful(const DataMovement& movement);
DataMovement total_movement(const Traffic& traffic);

/// One buffer in one direction.
struct Band {
  size_t buffer = 0;
  std::string name;
  bool write = false;
  DataMovement movement;
};
std::vector<Band> bands_of(const Traffic& traffic);

/// One row of the ledger: a source line's loads, or its stores.
struct LedgerRow {
  uint32_t line = 0;
  std::string file, buffers;  // "a, b"
  AccessKind kind = AccessKind::load;
  DataMovement movement;
  bool writes() const { return kind != AccessKind::load && kind != AccessKind::async_copy; }
};
std::vector<LedgerRow> ledger_rows(const RunResult& result);

/// "Every byte moved is used:" · "4 sectors serve each warp request."
struct TrafficSentence {
  std::string finding, reason;
  bool waste = false;
};
TrafficSentence traffic_sentence(const Strings& strings, const RunResult& result);

/// "4", "4.5", "15.9"
std::string figure_text(double value);
/// "100%", "92.3%"
std::string percent_text(double fraction);

/// A 128-byte line that an access touches. Bit k of `used`: byte k is asked for.
struct MemoryLine {
  int64_t line = 0;  // of the buffer: offset / 128
  std::bitset<kLineBytes> used;
  bool touches(size_t sector) const;
};
/// Ascending lines.
std::vector<MemoryLine> memory_lines(const WarpAccess& access);

}  // namespace tilescope
