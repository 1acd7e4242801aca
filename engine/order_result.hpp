// What the order in which a grid's blocks are issued means for the L2 and device memory: the result of the block-order
// model (engine/traffic/block_order/issue_order.hpp). MODELLED, from footprints that the simulator observed.
//
//   strip   what one block reads of one buffer from its first step to its last: of a matmul, a tile row of A or a tile
//           column of B. Blocks of the same tile row read the same strip.
//   wave    as many consecutive blocks as the GPU holds at a time; the k-th wave is blocks [k · resident, …)
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/phrase.hpp"
#include "engine/types.hpp"

namespace tilescope {

/// One buffer that the blocks read, cut into the strips that they read of it.
struct OrderedOperand {
  size_t buffer = 0;  // index into Plan::buffers
  std::string name;
  uint64_t strips = 0;                   // different ones
  std::vector<uint64_t> strip_bytes;     // of each, in whole sectors
  std::vector<uint32_t> strip_of_block;  // by block, in the order of strips' first bytes: the tile row or column
};

/// What one wave asks for, and what the model says comes from device memory while its blocks run.
struct WaveTraffic {
  uint64_t first_block = 0, blocks = 0;  // positions in the order
  uint64_t needed_bytes = 0;             // different bytes that its blocks read
  std::vector<uint32_t> strips;          // by operand: different strips
  uint64_t device_bytes_read = 0;
};

struct OrderedBuffer {
  size_t buffer = 0;  // index into Plan::buffers
  std::string name;
  uint64_t l2_bytes_read = 0, l2_bytes_written = 0;  // what the multiprocessors ask for
  uint64_t device_bytes_read = 0, device_bytes_written = 0;
};

/// The whole grid in one order.
struct OrderTraffic {
  enum class Kind : uint8_t { launched, row_major, grouped, hilbert };
  Kind kind = Kind::launched;
  int64_t group = 0;           // of Kind::grouped: rows of a group
  uint64_t l2_bytes_read = 0;  // what the multiprocessors ask the L2 for
  uint64_t l2_bytes_written = 0;
  uint64_t device_bytes_read = 0, device_bytes_written = 0;
  double l2_hit_rate = 0;           // of the bytes read: 1 − device_bytes_read / l2_bytes_read
  uint64_t largest_wave_bytes = 0;  // what the wave that needs most needs
  std::vector<WaveTraffic> waves;
  std::vector<OrderedBuffer> buffers;  // those that the kernel touches
  std::vector<uint32_t> blocks;        // as launched: empty; else the block at each position of the order

  /// What its waves need, added up: what is read where nothing is kept from wave to wave, and all of it within one.
  uint64_t strip_bytes() const {
    uint64_t sum = 0;
    for (const WaveTraffic& wave : waves) sum += wave.needed_bytes;
    return sum;
  }
};

struct OrderModel {
  /// Why there is no model, one sentence; empty if there is one.
  Phrase reason;
  uint64_t blocks = 0;           // of the grid
  uint64_t blocks_executed = 0;  // from their first instruction to their last
  uint64_t blocks_begun = 0;     // to the point where the places of their tiles are known
  uint64_t blocks_checked = 0;   // of those executed, such whose accesses were predicted before and came out the same
  uint32_t steps = 0;            // of a block, as its accesses fall into (rounds of its loop)
  std::string gpu;               // "H200"
  uint64_t l2_bytes = 0;
  uint32_t l2_partitions = 1;
  uint32_t blocks_per_multiprocessor = 0;
  uint64_t resident_blocks = 0;
  Phrase residency;  // "registers allow 1 block per multiprocessor", or "as set"
  std::vector<OrderedOperand> operands;
  /// The grid as a matrix of tiles, if there are two operands of which each pair of strips is one block's; else 0.
  /// A block's row is its strip of the one, its column that of the other.
  uint32_t tile_rows = 0, tile_columns = 0;
  size_t row_operand = 0, column_operand = 0;  // indices into operands
  OrderTraffic launched;
  /// The same footprints in other orders, where the grid is a matrix of tiles: row-major, groups of 2, 4, … rows, and
  /// Hilbert's curve.
  std::vector<OrderTraffic> others;
  double milliseconds = 0;  // that the model took, with the execution of blocks
  Text finding, why;        // what the order saves, or that it makes no difference; and why, with the figures

  bool modelled() const { return reason.empty(); }
  Text conclusion() const { return {finding.en + " " + why.en, finding.zh + why.zh}; }
  /// Null if there is none.
  const OrderTraffic* find(OrderTraffic::Kind kind, int64_t group = 0) const {
    for (const auto& one : others)
      if (one.kind == kind && one.group == group) return &one;
    return nullptr;
  }
  /// The order that the launch is in; null if it is none of the others.
  const OrderTraffic* same_as_launched() const {
    for (const auto& one : others)
      if (one.blocks.empty()) return &one;
    return nullptr;
  }
};

}  // namespace tilescope
