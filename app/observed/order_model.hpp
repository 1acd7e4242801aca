// The content of the order view: the blocks' positions in each order, which blocks are resident, and what they need.
// Pure: no ImGui.
//
//   position   index in an order: the block at position p is the p-th that is issued
//   tile       row · columns + column of the matrix of tiles; if the blocks do not form a matrix, a block is its own
//              tile
//   window     the positions [first, end) that are resident at a moment: a whole wave, or during playback the blocks
//              issued last
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/draw/strings.hpp"
#include "app/observed/trace_index.hpp"
#include "app/observed/view_state.hpp"
#include "engine/bench/counters.hpp"
#include "engine/lab.hpp"
#include "engine/run_result.hpp"
#include "engine/units.hpp"

namespace tilescope {

/// The usual name of the parameter that groups tile rows.
constexpr const char* kGroupParam = "GROUP_M";

struct OrderWindow {
  uint64_t first = 0, end = 0;
  uint64_t wave = 0;  // the newest block's
  bool operator==(const OrderWindow&) const = default;
};

enum class TileState : uint8_t { waiting, done, resident };  // the larger value is shown if several tiles share a cell

/// One order of the result.
struct ShownOrder {
  const OrderTraffic* traffic = nullptr;                   // in the result; use it only while the result is held
  OrderTraffic::Kind kind = OrderTraffic::Kind::launched;  // launched: an order without a name
  int64_t group = 0;
  bool launched = false;
  std::vector<uint32_t> tile_at;      // by position
  std::vector<uint32_t> position_of;  // by tile
};

/// What the blocks of a window read.
struct OrderNeed {
  std::vector<bool> rows, columns;  // strips of the two operands, tile rows and columns
  uint32_t row_count = 0, column_count = 0;
  uint64_t bytes = 0;  // over all operands
};

struct OrderPicture {
  ResultReference result;
  uint32_t rows = 0, columns = 0;  // in tiles
  bool matrix = false;             // the blocks are tiles of a matrix, with strips of two operands
  double aspect = 1;               // width over height of the whole output
  std::vector<ShownOrder> orders;  // left to right: one to three, including the launched one
  size_t launched = 0;             // index into orders

  const OrderModel& model() const { return *result->block_order; }
  uint64_t blocks() const { return model().blocks; }
  uint64_t waves() const { return model().launched.waves.size(); }
  uint32_t row_of(uint32_t tile) const { return tile / columns; }
  uint32_t column_of(uint32_t tile) const { return tile % columns; }
  uint32_t tile_of_block(uint32_t block) const { return orders[launched].tile_at[block]; }
  uint32_t block_of_tile(uint32_t tile) const { return orders[launched].position_of[tile]; }
};

/// Whether there is anything to show.
bool has_order(const std::shared_ptr<const RunResult>& result);
OrderPicture make_order_picture(const std::shared_ptr<const RunResult>& result);

/// The wave that is shown when nothing is played: among the whole waves that need the most common amount, the one
/// nearest the middle.
uint64_t usual_wave(const OrderModel& model);
OrderWindow wave_window(const OrderModel& model, uint64_t wave);
OrderWindow window_of(const ViewState& view, const OrderModel& model);
TileState state_of(uint64_t position, const OrderWindow& window);
/// By cell of a picture of `cell_rows` × `cell_columns`, at most as many as tiles: the state that takes precedence.
std::vector<TileState> cell_states(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window,
                                   uint32_t cell_rows, uint32_t cell_columns);
OrderNeed need_of(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window);

/// The part of the tiles that is drawn large with numbers: around the oldest resident block.
struct TilePart {
  uint32_t row = 0, column = 0, rows = 0, columns = 0;
};
TilePart part_around(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window,
                     uint32_t most_rows, uint32_t most_columns);

/// Plays whole grids in the same time; stops at the last block.
void advance_order(ViewState& view, const OrderModel& model, double seconds);
void toggle_order(ViewState& view, const OrderModel& model);
/// Pauses at the end of that wave.
void show_wave(ViewState& view, const OrderModel& model, uint64_t wave);
void step_wave(ViewState& view, const OrderModel& model, int64_t by);
void step_block(ViewState& view, const OrderModel& model, int64_t by);

/// "Row-major", "Grouped by 8", "Hilbert", "As launched".
std::string order_name(const Strings& strings, OrderTraffic::Kind kind, int64_t group);
/// "A": matrices are named by one letter.
std::string operand_name(const std::string& buffer);

/// The level whose bytes the bars and the plot over GROUP_M show.
enum class OrderBytes { device, l2 };
/// The model's bytes at the chosen level.
double modelled_bytes(const OrderTraffic& traffic, OrderBytes level);
double counted_bytes(const CounterRow& row, OrderBytes level);
/// Hardware counters of an order, on the result's GPU with the same number of blocks per SM; `config` is the result's,
/// or that of a different size. Nothing without counters.
RecordedCounters::Found counted(const RecordedCounters* counters, const RunResult& result, const Config& config,
                                OrderTraffic::Kind kind, int64_t group);
/// The same for several orders, all from one set so that they are comparable: the set that has most of them.
std::vector<RecordedCounters::Found> counted_together(const RecordedCounters* counters, const RunResult& result,
                                                      const Config& config,
                                                      std::span<const std::pair<OrderTraffic::Kind, int64_t>> orders);
/// Error of the model, in percent.
double model_error(double modelled, double counted);

/// What the model's range means, and how often it held for launches that were kept out of the fit.
std::string order_certainty(const Strings& strings, const OrderModel& model);

}  // namespace tilescope
