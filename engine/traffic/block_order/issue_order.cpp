// The compared orders, and the conclusions about them.
//
// The parts of the L2 model, and what each explains in an H200's counters (docs/block-order.md has the numbers):
//   two partitions, which both keep data that both sides use
//       data shared by several waves is lost between them already at 4096, where it would fit a single L2 of 60 MB
//   least recently used replacement
//       a wave that loops over K needs all of its strips again in the next wave
//   the pace of blocks (grid_pace.hpp)
//       blocks that share a strip but were issued far apart, such as the rows of a row-major wave, drift apart and wait
//       for what they miss
#include "engine/traffic/block_order/issue_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/numbers.hpp"
#include "engine/parallel.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

constexpr double kMatters = 0.15;  // the model's own error: smaller differences do not count

std::string text_of(uint64_t bytes) { return three_figures(static_cast<double>(bytes)); }
/// The usual name of the size, and the size in the unit of the other numbers.
std::string text_of_l2(uint64_t bytes) {
  return fmt::format("{:.3g} MiB ({})", static_cast<double>(bytes) / 1048576.0, text_of(bytes));
}

struct WantedOrder {
  OrderTraffic::Kind kind;
  int64_t group;
  std::vector<uint32_t> tiles;
};

std::vector<WantedOrder> orders_of(uint32_t rows, uint32_t columns) {
  std::vector<WantedOrder> orders;
  orders.push_back({OrderTraffic::Kind::row_major, 0, grouped_tiles(rows, columns, 1)});
  for (uint32_t group = 2; group < 2 * rows && group <= 64; group *= 2)
    orders.push_back({OrderTraffic::Kind::grouped, group, grouped_tiles(rows, columns, group)});
  orders.push_back({OrderTraffic::Kind::hilbert, 0, hilbert_tiles(rows, columns)});
  return orders;
}

struct Named {
  std::string en, zh;
};
/// As the object of "than …", "in …": "row-major", "groups of 8 rows".
Named name_of_order(const OrderTraffic& order) {
  if (order.kind == OrderTraffic::Kind::grouped)
    return {fmt::format("groups of {} rows", order.group), fmt::format("每 {} 行一组", order.group)};
  if (order.kind == OrderTraffic::Kind::hilbert) return {"Hilbert's curve", "希尔伯特曲线"};
  return {"row-major", "按行"};
}

/// The launch as the subject of a sentence, named by its order if that is a known one.
Named subject_of(const OrderModel& result) {
  const OrderTraffic* known = result.same_as_launched();
  if (known == nullptr) return {"This order", "此顺序"};
  if (known->kind == OrderTraffic::Kind::grouped)
    return {fmt::format("Grouping by {}", known->group), fmt::format("每 {} 行一组", known->group)};
  if (known->kind == OrderTraffic::Kind::hilbert) return {"Hilbert's curve", "希尔伯特曲线"};
  return {"Row-major", "按行"};
}

/// The order that the launch is compared with: row-major; or, if the launch itself reads as much, the best one.
const OrderTraffic& rival_of(const OrderModel& result) {
  const OrderTraffic* row_major = result.find(OrderTraffic::Kind::row_major);
  const bool is_row_major = row_major->device_bytes_read == result.launched.device_bytes_read &&
                            row_major->largest_wave_bytes == result.launched.largest_wave_bytes;
  if (!is_row_major) return *row_major;
  return *std::min_element(result.others.begin(), result.others.end(),
                           [](const auto& a, const auto& b) { return a.device_bytes_read < b.device_bytes_read; });
}

/// Blocks of the largest wave: at most the blocks of the grid.
std::string blocks_of_wave(const OrderModel& result) {
  return with_separators(std::min(result.resident_blocks, result.blocks));
}

/// What is possible if the model is not sure: " (2.31 GB to 6.21 GB are possible)".
Named range_of(const OrderModel& result) {
  if (result.is_sure()) return {};
  const std::string least = text_of(result.least_read()), most = text_of(result.most_read());
  return {fmt::format(" ({} to {} are possible)", least, most), fmt::format("（可能在 {} 到 {} 之间）", least, most)};
}

/// Whether the launched order may read as much as the other one, for all that the model knows.
bool may_be_equal(const OrderModel& result, uint64_t other) {
  return !result.is_sure() && result.least_read() <= other && other <= result.most_read();
}

/// The conclusion if blocks share no rows and columns of tiles, so that there is nothing to compare with.
void conclude_alone(OrderModel& result) {
  const std::string read = text_of(result.launched.device_bytes_read);
  const Named range = range_of(result);
  const std::string needed = text_of(result.launched.largest_wave_bytes), l2 = text_of_l2(result.l2_bytes);
  result.finding = {fmt::format("{} are read from device memory{}.", read, range.en),
                    fmt::format("从显存读取 {}{}。", read, range.zh)};
  result.why = {fmt::format("A wave of {} blocks needs at most {}, and the L2 of the {} holds {}.",
                            blocks_of_wave(result), needed, result.gpu, l2),
                fmt::format("一个波次（{} 个线程块）最多需要 {}，{} 的 L2 为 {}。", blocks_of_wave(result), needed,
                            result.gpu, l2)};
}

/// Why two orders read the same amount.
Named why_same(const OrderModel& result, uint64_t largest) {
  if (largest <= result.l2_bytes)
    return {"so what a wave needs fits the L2 in either order", "两种顺序下，一个波次所需都放得进 L2"};
  if (result.blocks <= result.resident_blocks)
    return {"and all blocks run in one wave, so every order needs the same",
            "所有线程块在同一波次中，任何顺序所需都一样"};
  return {"neither order fits the L2, and both need about the same", "两种顺序都放不进 L2，所需也相近"};
}

/// What is saved or lost against the rival, with what a wave needs of the operands in both, or why it is the same.
void conclude(OrderModel& result) {
  if (result.tile_rows == 0) return conclude_alone(result);
  const OrderTraffic& here = result.launched;
  const OrderTraffic& rival = rival_of(result);
  const Named subject = subject_of(result), other = name_of_order(rival);
  const std::string read = text_of(here.device_bytes_read), rival_read = text_of(rival.device_bytes_read);
  const Named range = range_of(result);
  const std::string needs = text_of(here.largest_wave_bytes), rival_needs = text_of(rival.largest_wave_bytes);
  const std::string l2 = text_of_l2(result.l2_bytes);
  const double change = static_cast<double>(here.device_bytes_read) /
                            static_cast<double>(std::max<uint64_t>(1, rival.device_bytes_read)) -
                        1;
  const std::string instead = rival.kind == OrderTraffic::Kind::row_major ? "row-major" : "with " + other.en;
  const std::string needs_en = fmt::format("A wave of {} blocks needs at most {} of the operands, {} {}",
                                           blocks_of_wave(result), needs, rival_needs, instead);
  const std::string needs_zh = fmt::format("一个波次（{} 个线程块）最多需要 {} 操作数，{}则为 {}",
                                           blocks_of_wave(result), needs, other.zh, rival_needs);
  const std::string l2_en = fmt::format("the L2 of the {} holds {}", result.gpu, l2);
  const std::string l2_zh = fmt::format("{} 的 L2 为 {}", result.gpu, l2);
  result.why = {fmt::format("{}; {}.", needs_en, l2_en), fmt::format("{}；{}。", needs_zh, l2_zh)};
  if (may_be_equal(result, rival.device_bytes_read)) {
    result.finding = {
        fmt::format("The model cannot tell whether the order matters: {} are read from device memory{}, {} {}.", read,
                    range.en, rival_read, instead),
        fmt::format("模型无法断定顺序是否有影响：从显存读取 {}{}，{}为 {}。", read, range.zh, other.zh, rival_read)};
    return;
  }
  if (std::fabs(change) >= kMatters) {
    const int percent = static_cast<int>(std::lround(100 * std::fabs(change)));
    result.finding = {fmt::format("{} reads {}% {} from device memory than {}: {}{} against {}.", subject.en, percent,
                                  change < 0 ? "less" : "more", other.en, read, range.en, rival_read),
                      fmt::format("{}从显存读取的字节比{}{} {}%：{}{}，后者 {}。", subject.zh, other.zh,
                                  change < 0 ? "少" : "多", percent, read, range.zh, rival_read)};
    return;
  }
  const Named same = why_same(result, std::max(here.largest_wave_bytes, rival.largest_wave_bytes));
  result.finding = {fmt::format("The order makes no difference that matters: {} are read from device memory, {} {}.",
                                read, rival_read, instead),
                    fmt::format("顺序没有值得一提的差别：从显存读取 {}，{}为 {}。", read, other.zh, rival_read)};
  result.why = {fmt::format("{}; {}, {}.", needs_en, l2_en, same.en),
                fmt::format("{}；{}，{}。", needs_zh, l2_zh, same.zh)};
}

}  // namespace

OrderBounds bounds_of(const OrderTraffic& together, const OrderTraffic& apart) {
  return {std::min(together.device_bytes_read, together.strip_bytes()), apart.device_bytes_read};
}

OrderBounds bounds_of(const OrderReplay& replay, ModelledCache cache, const std::stop_token& stop) {
  const GridPace pace = cache.pace;
  cache.pace = held_together(pace);
  const OrderTraffic together = replay.replay({}, cache, stop);
  cache.pace = let_apart(pace);
  return bounds_of(together, replay.replay({}, cache, stop));
}

uint64_t read_at_steady_clock(const OrderReplay& replay, ModelledCache cache, const std::stop_token& stop) {
  cache.pace = at_steady_clock(cache.pace);
  return replay.replay({}, cache, stop).device_bytes_read;
}

KnownReplays::Results KnownReplays::find(const Digest& grid) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [digest, results] : grids_)
    if (digest == grid) return results;
  return {};
}

void KnownReplays::keep(const Digest& grid, Results results) {
  const std::lock_guard lock(mutex_);
  grids_.remove_if([&](const auto& one) { return one.first == grid; });
  grids_.emplace_front(grid, std::move(results));
  if (grids_.size() > kMostGrids) grids_.pop_back();
}

size_t KnownReplays::size() const {
  const std::lock_guard lock(mutex_);
  size_t results = 0;
  for (const auto& [digest, of_grid] : grids_) results += of_grid.size();
  return results;
}

namespace {

/// The orders of a grid of tiles, each replayed once, or not at all if its result is known.
class TileOrders {
 public:
  TileOrders(const OrderReplay& replay, const ModelledCache& cache, KnownReplays* known)
      : replay_(replay),
        cache_(cache),
        known_(known),
        block_of_tile_(replay.blocks_of_tiles()),
        grid_(replay.digest()) {
    grid_.add(cache.bytes);
    grid_.add(cache.partitions);
    grid_.add(cache.multiprocessors);
    grid_.add(cache.blocks_per_multiprocessor);
    const GridPace& pace = cache.pace;
    for (const double value : numbers_of(pace)) grid_.add(std::bit_cast<uint64_t>(value));
    if (known_ != nullptr) results_ = known_->find(grid_);
    orders_ = orders_of(replay.tile_rows(), replay.tile_columns());
    orders_.push_back({OrderTraffic::Kind::launched, 0, launched_tiles()});
    for (const WantedOrder& order : orders_) digests_.push_back(digest_of(order.tiles));
    for (const GridPace& other : {held_together(pace), let_apart(pace), at_steady_clock(pace)}) {
      other_paces_.push_back(cache);
      other_paces_.back().pace = other;
      digests_.push_back(digests_[orders_.size() - 1]);
      digests_.back().add(other_paces_.size());
    }
  }

  /// False: stopped.
  bool replay_all(const std::stop_token& stop) {
    std::vector<size_t> missing;  // indices into digests_
    for (size_t i = 0; i < digests_.size(); ++i)
      if (results_.try_emplace(digests_[i]).second) missing.push_back(i);
    parallel_for(missing.size(), 1, [&](size_t first, size_t) {
      if (stop.stop_requested()) return;
      const size_t i = missing[first];
      const std::vector<uint32_t> blocks = blocks_of(i < orders_.size() ? orders_[i] : orders_.back());
      const ModelledCache& cache = i < orders_.size() ? cache_ : other_paces_[i - orders_.size()];
      results_.at(digests_[i]) = std::make_shared<const OrderTraffic>(replay_.replay(blocks, cache, stop));
    });
    if (stop.stop_requested()) return false;
    if (known_ != nullptr) known_->keep(grid_, results_);
    return true;
  }

  void take(OrderModel& result) const {
    for (size_t i = 0; i < orders_.size(); ++i) {
      OrderTraffic traffic = *results_.at(digests_[i]);
      traffic.kind = orders_[i].kind;
      traffic.group = orders_[i].group;
      traffic.blocks.clear();  // empty for the launched order
      if (traffic.kind == OrderTraffic::Kind::launched) {
        result.launched = std::move(traffic);
      } else {
        if (digests_[i] != digests_[orders_.size() - 1]) traffic.blocks = blocks_of(orders_[i]);
        result.others.push_back(std::move(traffic));
      }
    }
    const auto at_pace = [&](size_t index) -> const OrderTraffic& {
      return *results_.at(digests_[orders_.size() + index]);
    };
    result.bounds = bounds_of(at_pace(0), at_pace(1));
    result.read_at_steady_clock = at_pace(2).device_bytes_read;
  }

 private:
  std::vector<uint32_t> launched_tiles() const {
    std::vector<uint32_t> tiles(block_of_tile_.size());
    for (uint32_t tile = 0; tile < tiles.size(); ++tile) tiles[block_of_tile_[tile]] = tile;
    return tiles;
  }
  std::vector<uint32_t> blocks_of(const WantedOrder& order) const {
    std::vector<uint32_t> blocks;
    for (const uint32_t tile : order.tiles) blocks.push_back(block_of_tile_[tile]);
    return blocks;
  }
  static Digest digest_of(const std::vector<uint32_t>& tiles) {
    Digest digest;
    for (const uint32_t tile : tiles) digest.add(tile);
    return digest;
  }

  const OrderReplay& replay_;
  const ModelledCache& cache_;
  KnownReplays* known_;
  const std::vector<uint32_t> block_of_tile_;
  Digest grid_;
  std::vector<WantedOrder> orders_;
  std::vector<ModelledCache> other_paces_;  // for the launched order: held together, let apart, at a steady clock
  std::vector<Digest> digests_;             // of each order, then of each of other_paces_
  KnownReplays::Results results_;
};

}  // namespace

Result<void> model_orders(const GridFootprints& grid, std::span<const BufferSpec> buffers, const ModelledCache& cache,
                          const std::stop_token& stop, OrderModel& result, KnownReplays* known) {
  auto replay = OrderReplay::make(grid, buffers);
  if (!replay) return forward(replay);
  result.gpu = cache.gpu;
  result.blocks = grid.blocks();
  result.steps = replay->steps();
  result.operands = replay->operands();
  result.tile_rows = replay->tile_rows();
  result.tile_columns = replay->tile_columns();
  result.row_operand = replay->row_operand();
  result.column_operand = replay->column_operand();
  result.l2_bytes = cache.bytes;
  result.l2_partitions = cache.partitions;
  result.blocks_per_multiprocessor = cache.blocks_per_multiprocessor;
  result.resident_blocks = uint64_t{cache.multiprocessors} * cache.blocks_per_multiprocessor;
  if (result.tile_rows != 0) {
    TileOrders orders(*replay, cache, known);
    if (!orders.replay_all(stop)) return fail(ErrorId::cancelled);
    orders.take(result);
  } else {
    result.launched = replay->replay({}, cache, stop);
    result.bounds = bounds_of(*replay, cache, stop);
    result.read_at_steady_clock = read_at_steady_clock(*replay, cache, stop);
    if (stop.stop_requested()) return fail(ErrorId::cancelled);
  }
  conclude(result);
  return {};
}

}  // namespace tilescope
