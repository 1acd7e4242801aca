// A hand-made RunResult of a matmul whose blocks compute the tiles of C in some order: the ground truth for testing the
// order view without compiler or simulator.
#pragma once

#include <algorithm>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "engine/run_result.hpp"
#include "tests/testing.hpp"

namespace tilescope::testing {

struct TiledProduct {
  uint32_t rows = 8, columns = 8;  // tiles
  uint32_t resident = 10;
  uint64_t row_bytes = 1000, column_bytes = 3000;  // of one strip of A, of B
  OrderTraffic::Kind launched = OrderTraffic::Kind::grouped;
  int64_t group = 2;  // of the launch, and of the other grouped order
  uint64_t l2_bytes = 1 << 20;
};

/// The tiles in groups of rows, column by column within a group, as a reader of the Triton tutorial would write it.
inline std::vector<uint32_t> tiles_in_groups(uint32_t rows, uint32_t columns, uint32_t group) {
  std::vector<uint32_t> tiles;
  for (uint32_t first = 0; first < rows; first += group)
    for (uint32_t column = 0; column < columns; ++column)
      for (uint32_t row = first; row < std::min(first + group, rows); ++row) tiles.push_back(row * columns + column);
  return tiles;
}

/// The waves of an order; each reads what it needs from device memory.
inline OrderTraffic traffic_of(const TiledProduct& product, const std::vector<uint32_t>& tiles) {
  OrderTraffic traffic;
  for (size_t first = 0; first < tiles.size(); first += product.resident) {
    WaveTraffic wave{.first_block = first, .blocks = std::min<uint64_t>(product.resident, tiles.size() - first)};
    std::set<uint32_t> rows, columns;
    for (size_t at = first; at < first + wave.blocks; ++at) {
      rows.insert(tiles[at] / product.columns);
      columns.insert(tiles[at] % product.columns);
    }
    wave.strips = {static_cast<uint32_t>(rows.size()), static_cast<uint32_t>(columns.size())};
    wave.needed_bytes = rows.size() * product.row_bytes + columns.size() * product.column_bytes;
    wave.device_bytes_read = wave.needed_bytes;
    traffic.device_bytes_read += wave.device_bytes_read;
    traffic.largest_wave_bytes = std::max(traffic.largest_wave_bytes, wave.needed_bytes);
    traffic.waves.push_back(wave);
  }
  traffic.l2_bytes_read = tiles.size() * (product.row_bytes + product.column_bytes);
  traffic.l2_hit_rate = 1 - static_cast<double>(traffic.device_bytes_read) / static_cast<double>(traffic.l2_bytes_read);
  return traffic;
}

inline std::vector<uint32_t> tiles_of(const TiledProduct& product, OrderTraffic::Kind kind, int64_t group) {
  if (kind == OrderTraffic::Kind::row_major) return tiles_in_groups(product.rows, product.columns, 1);
  if (kind == OrderTraffic::Kind::grouped)
    return tiles_in_groups(product.rows, product.columns, static_cast<uint32_t>(group));
  // Column by column instead of Hilbert's curve: any different order serves here.
  return tiles_in_groups(product.rows, product.columns, product.rows);
}

inline std::shared_ptr<RunResult> make_product(const TiledProduct& product) {
  auto result = std::make_shared<RunResult>();
  result->request.lab = "grouped-order";
  result->request.rung = product.launched == OrderTraffic::Kind::row_major ? "row-major"
                         : product.launched == OrderTraffic::Kind::hilbert ? "hilbert"
                                                                           : "grouped";
  result->request.config.params = {{"GROUP_M", product.group}};
  result->rung = result->request.rung;
  result->config = result->request.config;
  result->modelled_gpu.name = "H200";
  const int64_t m = int64_t{64} * product.rows, n = int64_t{64} * product.columns;
  result->plan.buffers = {{.name = "a", .shape = {m, 64}},
                          {.name = "b", .shape = {64, n}},
                          {.name = "c", .shape = {m, n}, .role = Role::output}};
  OrderModel& model = result->block_order.emplace();
  model.blocks = uint64_t{product.rows} * product.columns;
  model.gpu = "H200";
  model.resident_blocks = product.resident;
  model.blocks_per_multiprocessor = 1;
  model.l2_bytes = product.l2_bytes;
  model.tile_rows = product.rows;
  model.tile_columns = product.columns;
  model.row_operand = 0;
  model.column_operand = 1;
  const std::vector<uint32_t> launched = tiles_of(product, product.launched, product.group);
  model.operands = {{.buffer = 0, .name = "a", .strips = product.rows},
                    {.buffer = 1, .name = "b", .strips = product.columns}};
  model.operands[0].strip_bytes.assign(product.rows, product.row_bytes);
  model.operands[1].strip_bytes.assign(product.columns, product.column_bytes);
  std::vector<uint32_t> block_of_tile(launched.size());
  for (uint32_t block = 0; block < launched.size(); ++block) {
    block_of_tile[launched[block]] = block;
    model.operands[0].strip_of_block.push_back(launched[block] / product.columns);
    model.operands[1].strip_of_block.push_back(launched[block] % product.columns);
  }
  model.launched = traffic_of(product, launched);
  model.bounds = {model.launched.device_bytes_read, model.launched.device_bytes_read};
  model.read_at_steady_clock = model.launched.device_bytes_read;
  using Kind = OrderTraffic::Kind;
  for (const auto& [kind, group] :
       {std::pair<Kind, int64_t>{Kind::row_major, 0}, {Kind::grouped, product.group}, {Kind::hilbert, 0}}) {
    const std::vector<uint32_t> tiles = tiles_of(product, kind, group);
    OrderTraffic other = traffic_of(product, tiles);
    other.kind = kind;
    other.group = group;
    if (tiles != launched)
      for (const uint32_t tile : tiles) other.blocks.push_back(block_of_tile[tile]);
    model.others.push_back(std::move(other));
  }
  model.finding = {"The order saves.", "顺序节省。"};
  model.why = {"Waves need less.", "波次所需更少。"};
  return result;
}

}  // namespace tilescope::testing
