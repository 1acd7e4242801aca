// The block-order model: predicts how much a whole grid reads from device memory, by replaying footprints observed on a
// few of its blocks, in issue order, through the L2 of a GPU. MODELLED: traffic only, never time.
//
//     GridFootprints grid;                     // engine/run/observe_order.hpp fills it from executed blocks
//     auto traffic = replay(grid, {}, gpu);    // {}: in launch order
//
// issue_order.cpp lists the parts of the L2 model; docs/block-order.md compares it with an H200.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/order_result.hpp"
#include "engine/plan.hpp"
#include "engine/result.hpp"
#include "engine/traffic/block_order/digest.hpp"
#include "engine/traffic/block_order/footprint.hpp"
#include "engine/traffic/block_order/grid_pace.hpp"

namespace tilescope {

/// A buffer and a direction in which blocks touch it.
struct FootprintKey {
  uint32_t buffer = 0;
  bool write = false;
  bool operator==(const FootprintKey&) const = default;
};

/// The footprints of all blocks of a grid: each is its pattern's footprint, shifted in each buffer by the block's
/// offset.
struct GridFootprints {
  ShapeTable shapes;
  std::vector<FootprintKey> keys;
  std::vector<BlockFootprint> patterns;  // few: inner blocks, and those at each edge
  std::vector<uint32_t> pattern_of_block;
  std::vector<int64_t> shifts;  // by block and key, bytes
  uint64_t blocks() const { return pattern_of_block.size(); }
  int64_t shift(uint64_t block, size_t key) const { return shifts[block * keys.size() + key]; }
};

/// The L2 and the SMs that use it.
struct ModelledCache {
  std::string gpu;  // "H200"
  uint64_t bytes = 0;
  uint32_t partitions = 1;  // each caches, for the SMs beside it, also data that belongs to the others
  uint32_t multiprocessors = 1;
  uint32_t blocks_per_multiprocessor = 1;
  GridPace pace;
};

/// The footprints divided into units that blocks share entirely or not at all.
class OrderReplay {
 public:
  /// An Error if the footprints overlap too irregularly to be replayed.
  static Result<OrderReplay> make(const GridFootprints& grid, std::span<const BufferSpec> buffers);

  const std::vector<OrderedOperand>& operands() const { return operands_; }
  /// The grid as a matrix of tiles (OrderModel::tile_rows), or 0 × 0.
  uint32_t tile_rows() const { return tile_rows_; }
  uint32_t tile_columns() const { return tile_columns_; }
  size_t row_operand() const { return row_operand_; }
  size_t column_operand() const { return column_operand_; }
  uint32_t steps() const { return steps_; }

  /// By tile, in row-major order: its block.
  std::vector<uint32_t> blocks_of_tiles() const;
  /// Digest of what every tile touches; independent of launch order.
  const Digest& digest() const { return digest_; }

  /// `order`: the block at each position; empty: launch order. If stopped, it returns the partial result.
  OrderTraffic replay(std::span<const uint32_t> order, const ModelledCache& cache,
                      const std::stop_token& stop = {}) const;

 private:
  struct Use {  // use of a unit in a turn
    uint32_t unit = 0;
    uint32_t requested_bytes = 0;
  };
  struct Strip {  // what a block touches through one key
    size_t key = 0;
    std::vector<Use> uses;
    uint32_t first_turn = 0;          // the first in which it touches anything; a turn is one step, or a few
    std::vector<uint32_t> turn_ends;  // for that turn and the following ones: ends in uses
    Digest digest = {};
    uint64_t bytes = 0;  // from different units
    int64_t first_byte = 0;
  };
  friend class ReplayBuilder;
  friend class UnitJoiner;
  friend class Replayer;

  uint64_t blocks_ = 0;
  uint32_t steps_ = 0;
  uint32_t steps_of_turn_ = 1;
  std::vector<FootprintKey> keys_;
  std::vector<std::string> buffer_names_;
  std::vector<Strip> strips_;
  std::vector<uint32_t> strip_of_;  // by block and key; kNone: the block does not touch it
  std::vector<uint32_t> unit_bytes_;
  std::vector<uint16_t> unit_key_;
  std::vector<OrderedOperand> operands_;
  uint32_t tile_rows_ = 0, tile_columns_ = 0;
  size_t row_operand_ = 0, column_operand_ = 0;
  Digest digest_;
};

/// The bounds of an order, from its replays with held_together and let_apart (grid_pace.hpp). Blocks in lockstep would
/// read the sum of strips at most.
OrderBounds bounds_of(const OrderTraffic& together, const OrderTraffic& apart);
/// Those of the launched order.
OrderBounds bounds_of(const OrderReplay& replay, ModelledCache cache, const std::stop_token& stop = {});
/// OrderModel::read_at_steady_clock.
uint64_t read_at_steady_clock(const OrderReplay& replay, ModelledCache cache, const std::stop_token& stop = {});

/// Orders of a matrix of tiles: at each position, tile row · columns + column. The grouped order is that of the Triton
/// tutorial: groups of `group` rows, column by column within a group.
std::vector<uint32_t> grouped_tiles(uint32_t rows, uint32_t columns, uint32_t group);
/// The Hilbert curve over a rectangle of any size.
std::vector<uint32_t> hilbert_tiles(uint32_t rows, uint32_t columns);

/// Cached replays of a few grids. A slider that only changes the order of a grid's tiles does not change what each tile
/// touches, so nothing is replayed twice. Thread-safe.
class KnownReplays {
 public:
  using Results = std::map<Digest, std::shared_ptr<const OrderTraffic>>;  // by the order of the tiles

  /// The results for a grid's tiles and a cache; empty if there are none.
  Results find(const Digest& grid) const;
  void keep(const Digest& grid, Results results);
  /// How many results are kept.
  size_t size() const;

 private:
  static constexpr size_t kMostGrids = 8;
  mutable std::mutex mutex_;
  std::list<std::pair<Digest, Results>> grids_;  // the last one kept comes first
};

/// Fills all of an OrderModel that follows from the footprints. `known` may be null.
Result<void> model_orders(const GridFootprints& grid, std::span<const BufferSpec> buffers, const ModelledCache& cache,
                          const std::stop_token& stop, OrderModel& result, KnownReplays* known = nullptr);

}  // namespace tilescope
