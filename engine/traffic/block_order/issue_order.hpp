// The block-order model: what a whole grid reads from device memory, from footprints that were observed of a few of its
// blocks, replayed in issue order through the L2 of a GPU. MODELLED: traffic only, never time.
//
//     GridFootprints grid;                     // engine/run/observe_order.hpp fills it from executed blocks
//     auto traffic = replay(grid, {}, gpu);    // {}: in launch order
//
// How the L2 is modelled, and how far that is from hardware, is said in block_order.cpp; docs/block-order.md has the
// comparison with an H200.
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

/// The footprints of all blocks of a grid: each is that of its pattern, moved in each buffer by an offset of its own.
struct GridFootprints {
  ShapeTable shapes;
  std::vector<FootprintKey> keys;
  std::vector<BlockFootprint> patterns;  // few: inner blocks, and those at each edge
  std::vector<uint32_t> pattern_of_block;
  std::vector<int64_t> shifts;  // by block and key, bytes
  uint64_t blocks() const { return pattern_of_block.size(); }
  int64_t shift(uint64_t block, size_t key) const { return shifts[block * keys.size() + key]; }
};

/// The L2 and who uses it.
struct ModelledCache {
  std::string gpu;  // "H200"
  uint64_t bytes = 0;
  uint32_t partitions = 1;  // each caches, for the multiprocessors beside it, also what belongs to the others
  uint32_t multiprocessors = 1;
  uint32_t blocks_per_multiprocessor = 1;
  GridPace pace;
};

/// The footprints cut into units that blocks share whole or not at all.
class OrderReplay {
 public:
  /// An Error if the footprints overlap in too fine a way to be replayed.
  static Result<OrderReplay> make(const GridFootprints& grid, std::span<const BufferSpec> buffers);

  const std::vector<OrderedOperand>& operands() const { return operands_; }
  /// The grid as a matrix of tiles (OrderModel::tile_rows), or 0 × 0.
  uint32_t tile_rows() const { return tile_rows_; }
  uint32_t tile_columns() const { return tile_columns_; }
  size_t row_operand() const { return row_operand_; }
  size_t column_operand() const { return column_operand_; }
  uint32_t steps() const { return steps_; }

  /// By tile, row after row: its block.
  std::vector<uint32_t> blocks_of_tiles() const;
  /// Of what all tiles touch, in which order soever their blocks are launched.
  const Digest& digest() const { return digest_; }

  /// `order`: the block at each position; empty: launch order. Stopped, it returns what it has come to.
  OrderTraffic replay(std::span<const uint32_t> order, const ModelledCache& cache,
                      const std::stop_token& stop = {}) const;

 private:
  struct Use {  // of a unit in a turn
    uint32_t unit = 0;
    uint32_t requested_bytes = 0;
  };
  struct Strip {  // what a block touches by one key
    size_t key = 0;
    std::vector<Use> uses;
    uint32_t first_turn = 0;          // in which it touches anything; a turn is one step, or a few
    std::vector<uint32_t> turn_ends;  // of that and the following ones, in uses
    Digest digest = {};
    uint64_t bytes = 0;  // of different units
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

/// Orders of a matrix of tiles: at each position, the tile row · columns + column. The grouped one is that of the
/// Triton tutorial: groups of `group` rows, column after column inside a group.
std::vector<uint32_t> grouped_tiles(uint32_t rows, uint32_t columns, uint32_t group);
/// Hilbert's curve over a rectangle of any size.
std::vector<uint32_t> hilbert_tiles(uint32_t rows, uint32_t columns);

/// Replays that were done, of a few grids. A slider that only changes the order in which a grid's tiles are taken
/// leaves what each tile touches as it was; then nothing is replayed twice. Thread-safe.
class KnownReplays {
 public:
  using Results = std::map<Digest, std::shared_ptr<const OrderTraffic>>;  // by the order of the tiles

  /// Of a grid's tiles and a cache; empty if there are none.
  Results find(const Digest& grid) const;
  void keep(const Digest& grid, Results results);
  /// How many results are kept.
  size_t size() const;

 private:
  static constexpr size_t kMostGrids = 8;
  mutable std::mutex mutex_;
  std::list<std::pair<Digest, Results>> grids_;  // the last one kept is the first
};

/// Fills everything of a OrderModel that follows from the footprints. `known`: may be null.
Result<void> model_orders(const GridFootprints& grid, std::span<const BufferSpec> buffers, const ModelledCache& cache,
                          const std::stop_token& stop, OrderModel& result, KnownReplays* known = nullptr);

}  // namespace tilescope
