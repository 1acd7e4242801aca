// What the order view shows of a result: which block stands where in each order, what is resident, and what that needs.
// Pure: no ImGui.
//
//   position   place in an order: the block at position p is issued as number p
//   tile       row · columns + column of the matrix of tiles; where the blocks make no matrix, a block is its own tile
//   window     the positions [first, end) that are resident at a moment: a whole wave, or while blocks are played the
//              ones issued last
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

/// The parameter that groups tile rows, as the field calls it.
constexpr const char* kGroupParam = "GROUP_M";

struct OrderWindow {
  uint64_t first = 0, end = 0;
  uint64_t wave = 0;  // of the newest block
  bool operator==(const OrderWindow&) const = default;
};

enum class TileState : uint8_t { waiting, done, resident };  // the later ones win where several tiles share a cell

/// One order of the result.
struct ShownOrder {
  const OrderTraffic* traffic = nullptr;                   // of the result; look at it only while that is held
  OrderTraffic::Kind kind = OrderTraffic::Kind::launched;  // launched: in no order that has a name
  int64_t group = 0;
  bool launched = false;
  std::vector<uint32_t> tile_at;      // by position
  std::vector<uint32_t> position_of;  // by tile
};

/// What the blocks of a window read.
struct OrderNeed {
  std::vector<bool> rows, columns;  // strips of the two operands, tile rows and columns
  uint32_t row_count = 0, column_count = 0;
  uint64_t bytes = 0;  // of all operands
};

struct OrderPicture {
  ResultReference result;
  uint32_t rows = 0, columns = 0;  // of tiles
  bool matrix = false;             // the blocks are tiles of a matrix, with strips of two operands
  double aspect = 1;               // width over height of the whole output
  std::vector<ShownOrder> orders;  // left to right: one to three, the launched one among them
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

/// The wave that is shown while nothing is played: of the whole ones that need as much as most, the one nearest the
/// middle.
uint64_t usual_wave(const OrderModel& model);
OrderWindow wave_window(const OrderModel& model, uint64_t wave);
OrderWindow window_of(const ViewState& view, const OrderModel& model);
TileState state_of(uint64_t position, const OrderWindow& window);
/// By cell of a picture of `cell_rows` × `cell_columns`, no more than there are tiles: the state that matters most.
std::vector<TileState> cell_states(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window,
                                   uint32_t cell_rows, uint32_t cell_columns);
OrderNeed need_of(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window);

/// The part of the tiles that is drawn large with its numbers: around the oldest resident block.
struct TilePart {
  uint32_t row = 0, column = 0, rows = 0, columns = 0;
};
TilePart part_around(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window,
                     uint32_t most_rows, uint32_t most_columns);

/// Plays whole grids in the same time; stops at the last block.
void advance_order(ViewState& view, const OrderModel& model, double seconds);
void toggle_order(ViewState& view, const OrderModel& model);
/// The end of that wave, paused.
void show_wave(ViewState& view, const OrderModel& model, uint64_t wave);
void step_wave(ViewState& view, const OrderModel& model, int64_t by);
void step_block(ViewState& view, const OrderModel& model, int64_t by);

/// "Row-major", "Grouped by 8", "Hilbert", "As launched".
std::string order_name(const Strings& strings, OrderTraffic::Kind kind, int64_t group);
/// "A": one letter stands for a matrix.
std::string operand_name(const std::string& buffer);

/// Which bytes the bars and the plot over GROUP_M show.
enum class OrderBytes { device, l2 };
/// What the model says of the chosen level, in bytes.
double modelled_bytes(const OrderTraffic& traffic, OrderBytes level);
double counted_bytes(const CounterRow& row, OrderBytes level);
/// What hardware counted of an order, on the result's GPU with as many blocks per multiprocessor; `config` is the
/// result's, or that of another size. Nothing without counters.
RecordedCounters::Found counted(const RecordedCounters* counters, const RunResult& result, const Config& config,
                                OrderTraffic::Kind kind, int64_t group);
/// The same of several orders, all of one set, so that they can be compared: that which has most of them.
std::vector<RecordedCounters::Found> counted_together(const RecordedCounters* counters, const RunResult& result,
                                                      const Config& config,
                                                      std::span<const std::pair<OrderTraffic::Kind, int64_t>> orders);
/// By how much the model is off, in percent.
double model_error(double modelled, double counted);

}  // namespace tilescope
