// Chooses the blocks to execute, and derives the footprints of the others.
//
//   1  Every block is begun: it stops once each of its warps has executed each of its loads once. What it has touched
//      by then has a form (shapes by buffer) and places (offsets by buffer).
//   2  Blocks of one form are a class; the first block of each is executed to its end. The others' footprints are its
//      footprint shifted by the differences of their places.
//   3  A buffer that is only written at the end has no place in the beginning. Its offset must follow from the others
//      by a linear rule: as many blocks as this takes are executed to their ends.
//   4  Further blocks are executed to their ends and must have touched exactly what is predicted.
#include "engine/run/observe_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

namespace tilescope {
namespace {

constexpr uint64_t kMostBlocks = uint64_t{1} << 18;
/// Blocks whose accesses are held at a time: as many as have about kBatchAccesses.
constexpr uint64_t kFewestOfBatch = 512, kMostOfBatch = 8192, kBatchAccesses = uint64_t{1} << 21;
constexpr size_t kMostClasses = 64;
constexpr size_t kMostAccesses = size_t{1} << 25;  // for the blocks executed to their end

/// Offsets of a block's regions, by key; only keys that its beginning touches.
using Places = std::map<size_t, int64_t>;

/// A linear rule from the offsets in the beginning to the offset of one more buffer, found by elimination.
class LinearRule {
 public:
  /// Whether no combination of the known differences gives these.
  bool is_new(const std::vector<int64_t>& differences) const {
    const auto rest = reduce(differences, 0).first;
    return std::any_of(rest.begin(), rest.end(), [](double value) { return std::fabs(value) > 1e-6; });
  }
  /// Adds an example. False: it contradicts the others.
  bool add(const std::vector<int64_t>& differences, int64_t result) {
    auto [rest, value] = reduce(differences, static_cast<double>(result));
    const auto pivot =
        std::max_element(rest.begin(), rest.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    if (pivot == rest.end() || std::fabs(*pivot) <= 1e-6) return std::fabs(value) < 0.5;
    Row row{static_cast<size_t>(pivot - rest.begin()), rest, value};
    for (double& one : row.factors) one /= *pivot;
    row.value /= *pivot;
    rows_.push_back(std::move(row));
    return true;
  }
  /// The offset for these differences; nothing if it is not a whole number.
  std::optional<int64_t> predict(const std::vector<int64_t>& differences) const {
    const double value = -reduce(differences, 0).second;
    const double rounded = std::nearbyint(value);
    if (std::fabs(value - rounded) > 1e-3) return std::nullopt;
    return static_cast<int64_t>(rounded);
  }

 private:
  struct Row {
    size_t pivot;
    std::vector<double> factors;
    double value;
  };
  std::pair<std::vector<double>, double> reduce(const std::vector<int64_t>& differences, double value) const {
    std::vector<double> rest(differences.begin(), differences.end());
    for (const Row& row : rows_) {
      const double times = rest[row.pivot];
      for (size_t i = 0; i < rest.size(); ++i) rest[i] -= times * row.factors[i];
      rest[row.pivot] = 0;
      value -= times * row.value;
    }
    return {rest, value};
  }
  std::vector<Row> rows_;
};

struct BlockBytes {
  uint64_t requested = 0;  // reads, counted per request to the L2
  uint64_t written = 0;    // counted once each
};
BlockBytes bytes_of(const GridFootprints& grid, const BlockFootprint& footprint) {
  BlockBytes bytes;
  for (const StepFootprint& step : footprint)
    for (const Region& region : step.regions) {
      if (!region.write) bytes.requested += region.requested_bytes;
      if (region.write)
        for (const ByteRun& run : grid.shapes[region.shape]) bytes.written += static_cast<uint64_t>(run.bytes);
    }
  return bytes;
}

/// The L2 of a GPU, and the pace of the grid's blocks on it.
ModelledCache cache_of(const GpuSpec& gpu, uint32_t blocks_per_multiprocessor, const ObservedGrid& grid) {
  const BlockFootprint& first = grid.footprints.patterns.front();
  const BlockBytes bytes = bytes_of(grid.footprints, first);
  return {.gpu = gpu.name,
          .bytes = gpu.l2_bytes,
          .partitions = gpu.l2_partitions,
          .multiprocessors = gpu.multiprocessors,
          .blocks_per_multiprocessor = blocks_per_multiprocessor,
          .pace = pace_of(gpu, grid.work, static_cast<uint32_t>(first.size()), bytes.requested, bytes.written)};
}

class GridObserver {
 public:
  GridObserver(Executor& simulator, const OrderSubject& subject, const std::stop_token& stop, OrderModel& result)
      : simulator_(simulator), subject_(subject), stop_(stop), result_(result), blocks_(subject.launch.grid.count()) {}

  Result<ObservedGrid> observe() {
    if (blocks_ > kMostBlocks)
      return fail(ErrorId::not_modelled, phrase("the grid has {} blocks, more than {}", blocks_, kMostBlocks));
    if (auto done = execute_first(); !done) return forward(done);
    if (auto done = find_beginning(); !done) return forward(done);
    if (auto done = begin_all(); !done) return forward(done);
    if (auto done = execute_chosen(); !done) return forward(done);
    if (auto done = settle_keys(); !done) return forward(done);
    if (auto done = learn_rules(); !done) return forward(done);
    if (auto done = place_all(); !done) return forward(done);
    if (auto done = check(); !done) return forward(done);
    result_.blocks_begun = blocks_;
    result_.blocks_executed = footprints_.size();
    result_.blocks_checked = checked_.size();
    return ObservedGrid{std::move(grid_), work_};
  }

 private:
  struct Class {
    std::vector<Region> form;  // without offsets
    uint32_t first = 0;
  };

  Result<LaunchReport> execute(std::vector<uint32_t> blocks, uint64_t steps, bool count_work = false) {
    LaunchOptions options;
    options.count_work = count_work;
    options.checks = false;
    options.count_traffic = false;
    options.record_accesses = true;
    options.record_shared = false;
    options.access_budget = kMostAccesses;
    options.launch_index = subject_.launch_index;
    options.steps_per_block = steps;
    options.blocks = std::move(blocks);
    const size_t wanted = options.blocks.size();
    auto report = simulator_.launch(subject_.module, subject_.launch, subject_.buffers, options, stop_);
    if (!report) return report;
    if (report->stopped_by_finding)
      return fail(ErrorId::not_modelled, report->findings.empty() ? Phrase("a block could not be executed to its end")
                                                                  : sentence_of(report->findings.front()));
    if (report->trace.blocks_recorded != wanted)
      return fail(ErrorId::not_modelled, phrase("{} blocks make more than {} accesses", wanted, kMostAccesses));
    return report;
  }

  Result<void> execute_whole(const std::vector<uint32_t>& blocks) {
    if (blocks.empty()) return {};
    auto report = execute(blocks, UINT64_MAX);
    if (!report) return forward(report);
    for (const uint32_t block : blocks)
      footprints_[block] = make_footprint(report->trace, accesses_of_block(report->trace, block), grid_.shapes);
    return {};
  }

  static std::set<std::pair<uint16_t, uint16_t>> loads_of(const AccessTrace& trace, uint32_t block) {
    std::set<std::pair<uint16_t, uint16_t>> loads;
    for (const Access& access : accesses_of_block(trace, block)) {
      const Site& site = trace.sites[access.site];
      const bool reads = site.kind == AccessKind::load || site.kind == AccessKind::async_copy;
      if (reads && site.space == Space::global && region_of(access.base).buffer >= 0)
        loads.insert({access.warp, access.site});
    }
    return loads;
  }

  Result<void> execute_first() {
    auto report = execute({0}, UINT64_MAX, true);
    if (!report) return forward(report);
    work_ = report->work;
    loads_ = loads_of(report->trace, 0);
    footprints_[0] = make_footprint(report->trace, accesses_of_block(report->trace, 0), grid_.shapes);
    if (loads_.empty()) return fail(ErrorId::not_modelled, "block 0 reads nothing");
    return {};
  }

  /// Finds how many warp instructions it takes until all warps have executed all their loads. The count must not be
  /// much larger, since the loop with all its arithmetic follows.
  Result<void> find_beginning() {
    const auto is_enough = [&](uint64_t steps) -> Result<bool> {
      auto report = execute({0}, steps);
      if (!report) return forward(report);
      if (loads_of(report->trace, 0) != loads_) return false;
      begin_accesses_ = report->trace.accesses.size();
      return true;
    };
    uint64_t too_few = 0, enough = 16 * subject_.launch.block.count() / 32 + 16;
    for (;; too_few = enough, enough *= 2) {
      const auto found = is_enough(enough);
      if (!found) return forward(found);
      if (*found) break;
    }
    while (enough - too_few > enough / 16) {
      const uint64_t middle = too_few + (enough - too_few) / 2;
      const auto found = is_enough(middle);
      if (!found) return forward(found);
      (*found ? enough : too_few) = middle;
    }
    begin_steps_ = enough;
    return {};
  }

  Result<void> begin_all() {
    class_of_.resize(blocks_);
    places_.resize(blocks_);
    const uint64_t count =
        std::clamp(kBatchAccesses / std::max<uint64_t>(begin_accesses_, 1), kFewestOfBatch, kMostOfBatch);
    for (uint64_t first = 0; first < blocks_; first += count) {
      std::vector<uint32_t> batch;
      for (uint64_t block = first; block < std::min(first + count, blocks_); ++block)
        batch.push_back(static_cast<uint32_t>(block));
      auto report = execute(batch, begin_steps_);
      if (!report) return forward(report);
      if (auto noted = note_beginnings(report->trace, batch); !noted) return noted;
      if (subject_.progress) subject_.progress(static_cast<double>(first) / static_cast<double>(blocks_));
    }
    return {};
  }

  Result<void> note_beginnings(const AccessTrace& trace, const std::vector<uint32_t>& batch) {
    std::vector<std::vector<Region>> beginnings = make_beginnings(trace, batch, grid_.shapes);
    for (size_t i = 0; i < batch.size(); ++i) {
      const uint32_t block = batch[i];
      std::vector<Region>& form = beginnings[i];
      for (Region& region : form) {
        places_[block][key_of(region)] = region.offset;
        region.offset = 0;
      }
      const auto same =
          std::find_if(classes_.begin(), classes_.end(), [&](const Class& one) { return one.form == form; });
      class_of_[block] = static_cast<uint32_t>(same - classes_.begin());
      if (same != classes_.end()) continue;
      if (classes_.size() == kMostClasses)
        return fail(ErrorId::not_modelled,
                    phrase("its blocks start in more than {} different ways: they are not shifts of one another",
                           kMostClasses));
      classes_.push_back({std::move(form), block});
    }
    return {};
  }

  size_t key_of(const Region& region) {
    const FootprintKey key{region.buffer, region.write};
    const auto same = std::find(grid_.keys.begin(), grid_.keys.end(), key);
    if (same != grid_.keys.end()) return static_cast<size_t>(same - grid_.keys.begin());
    grid_.keys.push_back(key);
    return grid_.keys.size() - 1;
  }

  /// Offset differences between a block and the first of its class, by key of the beginnings.
  std::vector<int64_t> differences_of(uint32_t block) const {
    std::vector<int64_t> differences(begun_keys_, 0);
    const Places& own = places_[block];
    const Places& first = places_[classes_[class_of_[block]].first];
    for (const auto& [key, offset] : own) differences[key] = offset - first.at(key);
    return differences;
  }

  /// The first block of each class, blocks whose differences are linearly independent, and some blocks for checking.
  Result<void> execute_chosen() {
    begun_keys_ = grid_.keys.size();
    std::set<uint32_t> chosen;
    for (const Class& one : classes_) chosen.insert(one.first);
    LinearRule directions;
    for (uint32_t block = 0; block < blocks_; ++block) {
      const auto differences = differences_of(block);
      if (!directions.is_new(differences)) continue;
      directions.add(differences, 0);
      chosen.insert(block);
      examples_.push_back(block);
    }
    constexpr uint64_t kChecks = 4;
    for (uint64_t i = 0; i < kChecks; ++i) {  // evenly spaced, including the last one
      const auto block = static_cast<uint32_t>((i + 1) * (blocks_ - 1) / kChecks);
      if (chosen.insert(block).second) checked_.insert(block);
    }
    chosen.erase(0);
    return execute_whole({chosen.begin(), chosen.end()});
  }

  /// Keys that only complete footprints have.
  Result<void> settle_keys() {
    for (const auto& [block, footprint] : footprints_)
      for (const StepFootprint& step : footprint)
        for (const Region& region : step.regions) key_of(region);
    return {};
  }

  /// The offset of a key's first region in a footprint.
  std::optional<int64_t> offset_in(const BlockFootprint& footprint, size_t key) const {
    for (const StepFootprint& step : footprint)
      for (const Region& region : step.regions)
        if (grid_.keys[key] == FootprintKey{region.buffer, region.write}) return region.offset;
    return std::nullopt;
  }

  Result<void> learn_rules() {
    rules_.resize(grid_.keys.size());
    for (const uint32_t block : examples_)
      for (size_t key = begun_keys_; key < grid_.keys.size(); ++key) {
        const auto own = offset_in(footprints_[block], key);
        const auto first = offset_in(footprints_[classes_[class_of_[block]].first], key);
        if (!own || !first) continue;
        if (!rules_[key].add(differences_of(block), *own - *first)) return not_shifted(block, key);
      }
    return {};
  }

  Result<void> place_all() {
    for (const Class& one : classes_) grid_.patterns.push_back(footprints_[one.first]);
    grid_.pattern_of_block = class_of_;
    grid_.shifts.assign(blocks_ * grid_.keys.size(), 0);
    for (uint32_t block = 0; block < blocks_; ++block) {
      const auto differences = differences_of(block);
      for (size_t key = 0; key < grid_.keys.size(); ++key) {
        const auto shift = key < begun_keys_ ? differences[key] : rules_[key].predict(differences);
        if (!shift) return not_shifted(block, key);
        grid_.shifts[block * grid_.keys.size() + key] = *shift;
      }
    }
    return {};
  }

  /// The footprints of executed blocks must equal the predicted ones.
  Result<void> check() {
    for (const auto& [block, footprint] : footprints_) {
      BlockFootprint predicted = grid_.patterns[class_of_[block]];
      for (StepFootprint& step : predicted)
        for (Region& region : step.regions) region.offset += grid_.shift(block, key_of(region));
      if (predicted == footprint) continue;
      for (size_t step = 0; step < std::max(predicted.size(), footprint.size()); ++step)
        if (step >= predicted.size() || step >= footprint.size() || !(predicted[step] == footprint[step]))
          return fail(ErrorId::not_modelled,
                      phrase("what block {} touches in step {} is not what block {} touches there, moved", block, step,
                             classes_[class_of_[block]].first));
    }
    return {};
  }

  tl::unexpected<Error> not_shifted(uint32_t block, size_t key) const {
    const FootprintKey& what = grid_.keys[key];
    return fail(
        ErrorId::not_modelled,
        phrase("where block {} {} '{}' does not follow from where it reads", block,
               Phrase(what.write ? "writes" : "reads"),
               what.buffer < subject_.specs.size() ? Phrase(subject_.specs[what.buffer].name) : Phrase("a buffer")));
  }

  Executor& simulator_;
  const OrderSubject& subject_;
  const std::stop_token& stop_;
  OrderModel& result_;
  const uint64_t blocks_;
  GridFootprints grid_;
  LaunchWork work_;
  std::set<std::pair<uint16_t, uint16_t>> loads_;  // warp and site, of block 0
  uint64_t begin_steps_ = 0, begin_accesses_ = 0;  // for block 0
  std::vector<Class> classes_;
  std::vector<uint32_t> class_of_;
  std::vector<Places> places_;
  size_t begun_keys_ = 0;           // how many of grid_.keys the beginnings touch
  std::vector<uint32_t> examples_;  // blocks from which the rules are learned
  std::set<uint32_t> checked_;
  std::map<uint32_t, BlockFootprint> footprints_;  // of the blocks executed to their end
  std::vector<LinearRule> rules_;                  // by key
};

}  // namespace

Result<ObservedGrid> observe_grid(Executor& simulator, const OrderSubject& subject, const std::stop_token& stop,
                                  OrderModel& result) {
  return GridObserver(simulator, subject, stop, result).observe();
}

Result<OrderModel> model_block_order(Executor& simulator, const OrderSubject& subject, const GpuSpec& gpu,
                                     uint32_t blocks_per_multiprocessor, const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  OrderModel result;
  result.blocks = subject.launch.grid.count();
  auto grid = observe_grid(simulator, subject, stop, result);
  auto done = grid ? model_orders(grid->footprints, subject.specs, cache_of(gpu, blocks_per_multiprocessor, *grid),
                                  stop, result, subject.known)
                   : forward(grid);
  if (!done && done.error().id != ErrorId::not_modelled) return forward(done);
  if (!done) result.reason = done.error().what;
  result.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace tilescope
