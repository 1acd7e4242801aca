#include "app/observed/order_model.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/traffic/block_order/model_error.hpp"

namespace tilescope {
namespace {

using Kind = OrderTraffic::Kind;

constexpr double kWholeGridSeconds = 8;
constexpr double kWidest = 4;  // limit on an output's aspect ratio: longer ones are drawn as if they had this ratio

/// Width / height of the output that the last operand's blocks write; 1 if it is not a matrix.
double aspect_of(const RunResult& result) {
  for (const BufferSpec& buffer : result.plan.buffers)
    if (buffer.role != Role::input && buffer.shape.size() == 2 && buffer.shape[0] > 0 && buffer.shape[1] > 0)
      return std::clamp(static_cast<double>(buffer.shape[1]) / static_cast<double>(buffer.shape[0]), 1 / kWidest,
                        kWidest);
  return 1;
}

/// Without a matrix, blocks are drawn row by row, in a picture slightly wider than high.
uint32_t columns_without_matrix(uint64_t blocks) {
  return std::max<uint32_t>(
      1, static_cast<uint32_t>(std::ceil(std::sqrt(1.5 * static_cast<double>(std::max<uint64_t>(1, blocks))))));
}

/// GROUP_M if the rung has it.
int64_t group_of(const RunResult& result) {
  const Lab* lab = lab_of(result.request);
  const Rung* rung = lab != nullptr ? find_rung(*lab, result.rung) : nullptr;
  const auto& params = result.config.params;
  const auto found = params.find(kGroupParam);
  if (rung == nullptr || found == params.end()) return 0;
  const bool used = std::find(rung->params.begin(), rung->params.end(), kGroupParam) != rung->params.end();
  return used ? found->second : 0;
}

const OrderTraffic* best_group(const OrderModel& model) {
  const OrderTraffic* best = nullptr;
  for (const OrderTraffic& one : model.others)
    if (one.kind == Kind::grouped && (best == nullptr || one.device_bytes_read < best->device_bytes_read)) best = &one;
  return best;
}

ShownOrder named(const OrderTraffic* traffic) {
  return {.traffic = traffic, .kind = traffic->kind, .group = traffic->group, .tile_at = {}, .position_of = {}};
}

/// The orders side by side, row-major first.
std::vector<ShownOrder> choose_orders(const RunResult& result) {
  const OrderModel& model = *result.block_order;
  ShownOrder launched = named(&model.launched);
  launched.launched = true;
  if (const OrderTraffic* known = model.same_as_launched(); known != nullptr && model.tile_rows != 0) {
    launched.kind = known->kind;
    launched.group = known->group;
    // A group larger than the matrix's height is equivalent to one of its height.
    if (known->kind == Kind::grouped) launched.group = std::max(known->group, group_of(result));
  }
  const OrderTraffic* row_major = model.find(Kind::row_major);
  const OrderTraffic* grouped = best_group(model);
  if (model.tile_rows == 0 || row_major == nullptr) return {launched};
  if (launched.kind == Kind::row_major)
    return grouped == nullptr ? std::vector{launched} : std::vector{launched, named(grouped)};
  if (launched.kind == Kind::hilbert && grouped != nullptr) return {named(row_major), named(grouped), launched};
  return {named(row_major), launched};
}

void place_blocks(const OrderPicture& picture, ShownOrder& order) {
  const OrderModel& model = picture.model();
  const auto blocks = static_cast<uint32_t>(model.blocks);
  order.tile_at.resize(blocks);
  order.position_of.assign(size_t{picture.rows} * picture.columns, blocks);
  for (uint32_t position = 0; position < blocks; ++position) {
    const uint32_t block = order.traffic->blocks.empty() ? position : order.traffic->blocks[position];
    uint32_t tile = block;
    if (picture.matrix)
      tile = model.operands[model.row_operand].strip_of_block[block] * picture.columns +
             model.operands[model.column_operand].strip_of_block[block];
    order.tile_at[position] = tile;
    order.position_of[tile] = position;
  }
}

/// Number of issued blocks; nothing if nothing is played.
std::optional<uint64_t> issued(const ViewState& view, const OrderModel& model) {
  if (view.playback.position < 0 || !view.animate) return {};
  return std::min(model.blocks, static_cast<uint64_t>(view.playback.position));
}

uint64_t wave_count(const OrderModel& model) { return std::max<size_t>(1, model.launched.waves.size()); }

}  // namespace

bool has_order(const std::shared_ptr<const RunResult>& result) {
  return result && result->block_order && result->block_order->modelled() && result->block_order->blocks > 0 &&
         !result->block_order->launched.waves.empty();
}

OrderPicture make_order_picture(const std::shared_ptr<const RunResult>& result) {
  OrderPicture picture;
  picture.result = ResultReference(result);
  const OrderModel& model = *result->block_order;
  picture.matrix = model.tile_rows != 0;
  if (picture.matrix) {
    picture.rows = model.tile_rows;
    picture.columns = model.tile_columns;
    picture.aspect = aspect_of(*result);
  } else {
    picture.columns = columns_without_matrix(model.blocks);
    picture.rows = static_cast<uint32_t>((model.blocks + picture.columns - 1) / picture.columns);
    picture.aspect = static_cast<double>(picture.columns) / std::max<uint32_t>(1, picture.rows);
  }
  picture.orders = choose_orders(*result);
  for (size_t i = 0; i < picture.orders.size(); ++i) {
    place_blocks(picture, picture.orders[i]);
    if (picture.orders[i].launched) picture.launched = i;
  }
  return picture;
}

uint64_t usual_wave(const OrderModel& model) {
  const auto& waves = model.launched.waves;
  const uint64_t whole = std::min<uint64_t>(waves.size(), model.blocks / std::max<uint64_t>(1, model.resident_blocks));
  if (whole == 0) return 0;
  std::vector<uint64_t> needs;
  for (uint64_t wave = 0; wave < whole; ++wave) needs.push_back(waves[wave].needed_bytes);
  std::nth_element(needs.begin(), needs.begin() + static_cast<ptrdiff_t>((whole - 1) / 2), needs.end());
  const uint64_t median = needs[(whole - 1) / 2], middle = (whole - 1) / 2;
  uint64_t best = 0;
  const auto rank = [&](uint64_t wave) {
    const uint64_t needed = waves[wave].needed_bytes;
    return std::pair(needed > median ? needed - median : median - needed,
                     wave > middle ? wave - middle : middle - wave);
  };
  for (uint64_t wave = 1; wave < whole; ++wave)
    if (rank(wave) < rank(best)) best = wave;
  return best;
}

OrderWindow wave_window(const OrderModel& model, uint64_t wave) {
  wave = std::min(wave, wave_count(model) - 1);
  const uint64_t first = wave * model.resident_blocks;
  return {first, std::min(first + model.resident_blocks, model.blocks), wave};
}

OrderWindow window_of(const ViewState& view, const OrderModel& model) {
  const auto count = issued(view, model);
  if (!count) return wave_window(model, usual_wave(model));
  if (*count == 0) return {};
  const uint64_t resident = std::max<uint64_t>(1, model.resident_blocks), wave = (*count - 1) / resident;
  if (*count == model.blocks) return wave_window(model, wave);  // the last wave ends without new blocks
  return {*count - std::min(*count, resident), *count, wave};
}

TileState state_of(uint64_t position, const OrderWindow& window) {
  if (position >= window.end) return TileState::waiting;
  return position >= window.first ? TileState::resident : TileState::done;
}

std::vector<TileState> cell_states(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window,
                                   uint32_t cell_rows, uint32_t cell_columns) {
  std::vector<TileState> cells(size_t{cell_rows} * cell_columns, TileState::waiting);
  const bool one_each = cell_rows == picture.rows && cell_columns == picture.columns;
  for (uint64_t position = 0; position < window.end; ++position) {
    const uint32_t tile = order.tile_at[position];
    size_t cell = tile;
    if (!one_each)
      cell = uint64_t{picture.row_of(tile)} * cell_rows / picture.rows * cell_columns +
             uint64_t{picture.column_of(tile)} * cell_columns / picture.columns;
    cells[cell] = std::max(cells[cell], state_of(position, window));
  }
  return cells;
}

OrderNeed need_of(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window) {
  OrderNeed need;
  const OrderModel& model = picture.model();
  for (size_t i = 0; i < model.operands.size(); ++i) {
    const OrderedOperand& operand = model.operands[i];
    std::vector<bool> seen(operand.strips, false);
    uint32_t count = 0;
    for (uint64_t position = window.first; position < window.end; ++position) {
      const uint32_t block =
          order.traffic->blocks.empty() ? static_cast<uint32_t>(position) : order.traffic->blocks[position];
      const uint32_t strip = operand.strip_of_block[block];
      if (strip >= seen.size() || seen[strip]) continue;
      seen[strip] = true;
      ++count;
      need.bytes += operand.strip_bytes[strip];
    }
    if (!picture.matrix) continue;
    if (i == model.row_operand) {
      need.rows = std::move(seen);
      need.row_count = count;
    } else if (i == model.column_operand) {
      need.columns = std::move(seen);
      need.column_count = count;
    }
  }
  return need;
}

TilePart part_around(const OrderPicture& picture, const ShownOrder& order, const OrderWindow& window,
                     uint32_t most_rows, uint32_t most_columns) {
  TilePart part;
  if (window.first >= window.end) return part;
  part.columns = std::min(most_columns, picture.columns);
  const uint32_t begin = picture.column_of(order.tile_at[window.first]), before = part.columns / 3;
  part.column = std::min(begin - std::min(begin, before), picture.columns - part.columns);
  uint32_t low = picture.rows, high = 0;
  for (uint64_t position = window.first; position < window.end; ++position) {
    const uint32_t tile = order.tile_at[position], column = picture.column_of(tile);
    if (column < part.column || column >= part.column + part.columns) continue;
    low = std::min(low, picture.row_of(tile));
    high = std::max(high, picture.row_of(tile));
  }
  part.rows = std::min(most_rows, high + 1 - low);
  // If not all rows fit, those around the oldest block.
  const uint32_t oldest = picture.row_of(order.tile_at[window.first]);
  part.row = std::clamp(oldest - std::min(oldest, part.rows / 2), low, high + 1 - part.rows);
  return part;
}

void advance_order(ViewState& view, const OrderModel& model, double seconds) {
  Playback& playback = view.playback;
  if (!playback.playing || !view.animate) return;
  const auto all = static_cast<double>(model.blocks);
  const double speed =
      playback.blocks_per_second > 0 ? playback.blocks_per_second : std::max(1.0, all / kWholeGridSeconds);
  playback.position = std::min(all, std::max(0.0, playback.position) + speed * std::min(seconds, 0.1));
  if (playback.position >= all) playback.playing = false;
}

void toggle_order(ViewState& view, const OrderModel& model) {
  Playback& playback = view.playback;
  playback.playing = !playback.playing;
  if (playback.playing && (playback.position < 0 || playback.position >= static_cast<double>(model.blocks)))
    playback.position = 0;
}

void show_wave(ViewState& view, const OrderModel& model, uint64_t wave) {
  view.playback.playing = false;
  view.playback.position = static_cast<double>(wave_window(model, wave).end);
}

void step_wave(ViewState& view, const OrderModel& model, int64_t by) {
  const OrderWindow now = window_of(view, model);
  const bool whole = now == wave_window(model, now.wave);
  auto wave = static_cast<int64_t>(now.wave) + by;
  if (!whole && by > 0 && now.end > 0) --wave;  // first to the end of the current wave
  if (now.end == 0) wave = 0;
  show_wave(view, model,
            static_cast<uint64_t>(std::clamp<int64_t>(wave, 0, static_cast<int64_t>(wave_count(model)) - 1)));
}

void step_block(ViewState& view, const OrderModel& model, int64_t by) {
  const auto end = static_cast<int64_t>(window_of(view, model).end), all = static_cast<int64_t>(model.blocks);
  view.playback.playing = false;
  view.playback.position = static_cast<double>(std::clamp<int64_t>(end + by, 0, all));
}

std::string order_name(const Strings& strings, Kind kind, int64_t group) {
  switch (kind) {
    case Kind::row_major:
      return strings("order.row_major");
    case Kind::grouped:
      return strings.format("order.grouped", fmt::arg("group", group));
    case Kind::hilbert:
      return strings("order.hilbert");
    case Kind::launched:
      break;
  }
  return strings("order.as_launched");
}

std::string operand_name(const std::string& buffer) {
  if (buffer.size() != 1) return buffer;
  return {static_cast<char>(std::toupper(static_cast<unsigned char>(buffer.front())))};
}

double modelled_bytes(const OrderTraffic& traffic, OrderBytes level) {
  return static_cast<double>(level == OrderBytes::device ? traffic.device_bytes_read
                                                         : traffic.l2_bytes_read + traffic.l2_bytes_written);
}

double counted_bytes(const CounterRow& row, OrderBytes level) {
  return level == OrderBytes::device ? row.device_bytes_read : row.l2_bytes;
}

RecordedCounters::Found counted(const RecordedCounters* counters, const RunResult& result, const Config& config,
                                Kind kind, int64_t group) {
  if (counters == nullptr || !result.block_order) return {};
  return counters->find({.gpu = result.modelled_gpu.name,
                         .config = config,
                         .blocks_per_multiprocessor = result.block_order->blocks_per_multiprocessor,
                         .order = kind,
                         .group = group});
}

std::vector<RecordedCounters::Found> counted_together(const RecordedCounters* counters, const RunResult& result,
                                                      const Config& config,
                                                      std::span<const std::pair<Kind, int64_t>> orders) {
  std::vector<RecordedCounters::Found> found;
  for (const auto& [kind, group] : orders) found.push_back(counted(counters, result, config, kind, group));
  const auto rows_of = [&](const CounterSet* set) {
    return std::count_if(found.begin(), found.end(), [&](const auto& one) { return one.set == set; });
  };
  const CounterSet* common = nullptr;
  for (const auto& one : found)
    if (one && (common == nullptr || rows_of(one.set) > rows_of(common))) common = one.set;
  for (auto& one : found)
    if (one.set != common) one = {};
  return found;
}

double model_error(double modelled, double counted) { return counted > 0 ? 100 * (modelled / counted - 1) : 0; }

std::string order_certainty(const Strings& strings, const OrderModel& model) {
  const KeptOutError& error = kOrderKeptOut;
  const bool sure = model.is_sure();
  return strings.format(sure ? "order.sure_meaning" : "order.unsure_meaning", fmt::arg("cases", error.cases_if(sure)),
                        fmt::arg("held", error.within_if(sure)), fmt::arg("ranged", error.in_range_if(sure)),
                        fmt::arg("gpu", error.gpu));
}

}  // namespace tilescope
