// The effect of the block issue order on the L2 and device memory: the result of the block-order model
// (engine/traffic/block_order/issue_order.hpp). MODELLED, from footprints that the simulator observed.
//
//   strip   the part of one buffer that one block reads from its first step to its last: for a matmul, a tile row of A
//           or a tile column of B. Blocks of the same tile row read the same strip.
//   wave    as many consecutive blocks as the GPU holds at a time; the k-th wave is blocks [k · resident, …)
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/phrase.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// One buffer that the blocks read, divided into the strips that they read.
struct OrderedOperand {
  size_t buffer = 0;  // index into Plan::buffers
  std::string name;
  uint64_t strips = 0;                   // number of different strips
  std::vector<uint64_t> strip_bytes;     // per strip, in whole sectors
  std::vector<uint32_t> strip_of_block;  // strip index by block; strips are ordered by their first byte: the tile row
                                         // or column
};

/// What one wave requests, and the part that the model predicts to come from device memory while its blocks run.
struct WaveTraffic {
  uint64_t first_block = 0, blocks = 0;  // positions in the order
  uint64_t needed_bytes = 0;             // different bytes that its blocks read
  std::vector<uint32_t> strips;          // by operand: number of different strips
  uint64_t device_bytes_read = 0;
};

struct OrderedBuffer {
  size_t buffer = 0;  // index into Plan::buffers
  std::string name;
  uint64_t l2_bytes_read = 0, l2_bytes_written = 0;  // requested by the SMs
  uint64_t device_bytes_read = 0, device_bytes_written = 0;
};

/// Traffic of the whole grid in one order.
struct OrderTraffic {
  enum class Kind : uint8_t { launched, row_major, grouped, hilbert };
  Kind kind = Kind::launched;
  int64_t group = 0;           // for Kind::grouped: rows per group
  uint64_t l2_bytes_read = 0;  // bytes that the SMs request from the L2
  uint64_t l2_bytes_written = 0;
  uint64_t device_bytes_read = 0, device_bytes_written = 0;
  double l2_hit_rate = 0;           // fraction of the bytes read: 1 − device_bytes_read / l2_bytes_read
  uint64_t largest_wave_bytes = 0;  // needed_bytes of the wave that needs most
  std::vector<WaveTraffic> waves;
  std::vector<OrderedBuffer> buffers;  // the buffers that the kernel touches
  std::vector<uint32_t> blocks;        // empty for the launched order; else the block at each position of the order

  /// Sum of what its waves need: the bytes read if the L2 keeps nothing between waves, and everything within one.
  uint64_t strip_bytes() const {
    uint64_t sum = 0;
    for (const WaveTraffic& wave : waves) sum += wave.needed_bytes;
    return sum;
  }
};

/// Device bytes read in the launched order if its blocks stay together as well as they can, and if they drift apart.
/// The model's own figure usually lies between.
struct OrderBounds {
  uint64_t together = 0, apart = 0;
};

struct OrderModel {
  /// Why there is no model, in one sentence; empty if there is one.
  Phrase reason;
  uint64_t blocks = 0;           // in the grid
  uint64_t blocks_executed = 0;  // from first to last instruction
  uint64_t blocks_begun = 0;     // up to the point where the addresses of their tiles are known
  uint64_t blocks_checked = 0;   // executed blocks that matched a prediction made beforehand
  uint32_t steps = 0;            // steps of a block into which its accesses fall (iterations of its loop)
  std::string gpu;               // "H200"
  uint64_t l2_bytes = 0;
  uint32_t l2_partitions = 1;
  uint32_t blocks_per_multiprocessor = 0;
  uint64_t resident_blocks = 0;
  Phrase residency;  // "registers allow 1 block per multiprocessor", or "as set"
  std::vector<OrderedOperand> operands;
  /// The grid as a matrix of tiles, if there are two operands and each pair of their strips belongs to exactly one
  /// block; else 0. A block's row is its strip of one operand, its column that of the other.
  uint32_t tile_rows = 0, tile_columns = 0;
  size_t row_operand = 0, column_operand = 0;  // indices into operands
  OrderTraffic launched;
  /// The same footprints in other orders, if the grid is a matrix of tiles: row-major, groups of 2, 4, … rows, and the
  /// Hilbert curve.
  std::vector<OrderTraffic> others;
  OrderBounds bounds;
  /// Device bytes read in the launched order if the launch follows others. All other figures are those of a launch
  /// after a pause, whose clock falls while it runs (at_steady_clock in engine/traffic/block_order/grid_pace.hpp).
  uint64_t read_at_steady_clock = 0;
  double milliseconds = 0;  // time that the model took, including the execution of blocks
  Text finding, why;        // what the order saves, or that it makes no difference; and why, with the numbers

  bool modelled() const { return reason.empty(); }
  uint64_t least_read() const { return std::min({launched.device_bytes_read, bounds.together, bounds.apart}); }
  uint64_t most_read() const { return std::max({launched.device_bytes_read, bounds.together, bounds.apart}); }
  /// The bytes hardly depend on how far blocks drift apart, which is what the model knows least
  /// (engine/traffic/block_order/model_error.hpp says how often it is right then).
  bool is_sure() const {
    constexpr double kSure = 1.15;
    return static_cast<double>(most_read()) <= kSure * static_cast<double>(least_read());
  }
  Text conclusion() const { return {finding.en + " " + why.en, finding.zh + why.zh}; }
  /// Null if there is none.
  const OrderTraffic* find(OrderTraffic::Kind kind, int64_t group = 0) const {
    for (const auto& one : others)
      if (one.kind == kind && one.group == group) return &one;
    return nullptr;
  }
  /// The order that equals the launched one; null if none does.
  const OrderTraffic* same_as_launched() const {
    for (const auto& one : others)
      if (one.blocks.empty()) return &one;
    return nullptr;
  }
};

}  // namespace tilescope
