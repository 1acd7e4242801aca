#include "app/observed/waves_model.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/numbers.hpp"

namespace tilescope {
namespace {

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

/// A nonzero fraction is never shown as 0%, nor one below 1 as 100%.
std::string honest_percent(double share) {
  if (share > 0 && share < 0.01) return "<1%";
  if (share < 1 && share > 0.99) return fmt::format("{:.1f}%", std::min(99.9, 100 * share));
  return percent(share);
}

std::string kib(uint32_t bytes) {
  return bytes % 1024 == 0 ? with_separators(bytes / 1024) : fmt::format("{:.1f}", static_cast<double>(bytes) / 1024);
}

size_t shown_launch(const RunResult& result) {
  const size_t last = result.waves.size() - 1;
  return std::min<size_t>(result.launch, last);
}

OccupancyLimit limit_of(const WavesPicture& picture) {
  for (const ResourceLimit& one : picture.limits)
    if (one.limiting) return one.limit;
  return OccupancyLimit::threads;
}

void say_model(WavesSentence& said, const Strings& strings, const WaveSchedule& waves) {
  // fmt::arg keeps references to its arguments.
  const std::string all_blocks = with_separators(waves.blocks), resident_blocks = with_separators(waves.resident()),
                    last_blocks = with_separators(waves.last_wave_blocks()),
                    idle_share = honest_percent(1 - waves.filled());
  const auto blocks = fmt::arg("blocks", all_blocks), resident = fmt::arg("resident", resident_blocks),
             last = fmt::arg("last", last_blocks), idle = fmt::arg("idle", idle_share);
  if (waves.waves() == 1) {
    said.finding = waves.blocks == 1 ? strings("waves.one_block") : strings.format("waves.one_wave", blocks);
    const uint32_t busy = waves.busy_multiprocessors(0);
    if (busy < waves.multiprocessors)
      said.reason = strings.format("waves.idle_processors", fmt::arg("idle", waves.multiprocessors - busy),
                                   fmt::arg("all", waves.multiprocessors));
    else if (waves.last_wave_blocks() < waves.resident())
      said.reason = strings.format("waves.room_left", resident, last);
    else
      said.reason = strings("waves.none_empty");
    return;
  }
  said.finding = strings.format("waves.finding", blocks, fmt::arg("waves", with_separators(waves.waves())), resident);
  if (waves.last_wave_blocks() == waves.resident())
    said.reason = strings("waves.none_empty");
  else
    said.reason = strings.format("waves.tail", last, resident, idle);
}

void say_measured(WavesSentence& said, const Strings& strings, const WavesPicture& picture, const BlockTimes& times) {
  said.finding = strings.format("waves.measured", fmt::arg("blocks", with_separators(times.blocks.size())),
                                fmt::arg("processors", times.multiprocessors), fmt::arg("most", times.most_resident),
                                fmt::arg("time", milliseconds_text(times.total_us / 1000)));
  said.reason = strings.format("waves.measured_filled", fmt::arg("filled", percent(times.filled)),
                               fmt::arg("model", percent(picture.schedule.filled())),
                               fmt::arg("waves", with_separators(picture.schedule.waves())));
}

}  // namespace

const WaveSchedule* shown_waves(const RunResult& result) {
  return result.waves.empty() ? nullptr : &result.waves[shown_launch(result)];
}

const BlockTimes* shown_times(const RunResult& result) {
  return result.block_times && result.launch + size_t{1} >= result.plan.launches.size() ? &*result.block_times
                                                                                        : nullptr;
}

uint64_t played_blocks(const RunResult& result) {
  const WaveSchedule* waves = shown_waves(result);
  return waves != nullptr ? waves->blocks : result.tiles.grid.count();
}

MeasuredPlaces::MeasuredPlaces(const BlockTimes& times) : slots_(times.most_resident) {
  std::map<uint32_t, uint32_t> row_of;
  for (const BlockSpan& span : times.blocks) row_of.emplace(span.multiprocessor, 0);
  for (auto& [name, row] : row_of) {
    row = static_cast<uint32_t>(names_.size());
    names_.push_back(name);
  }
  blocks_.resize(names_.size() * slots_);
  // Each block goes to the first slot of its SM that is free when it begins.
  for (const uint32_t block : times.order) {
    const BlockSpan& span = times.blocks[block];
    const size_t first = size_t{row_of[span.multiprocessor]} * slots_;
    for (size_t slot = first; slot < first + slots_; ++slot) {
      auto& held = blocks_[slot];
      if (!held.empty() && times.blocks[held.back()].end_us > span.begin_us) continue;
      held.push_back(block);
      break;
    }
  }
}

std::optional<uint32_t> MeasuredPlaces::block_at(const BlockTimes& times, uint32_t row, uint32_t slot,
                                                 double time_us) const {
  const auto& held = blocks_[size_t{row} * slots_ + slot];
  const auto after = std::ranges::upper_bound(held, time_us, {}, [&](uint32_t b) { return times.blocks[b].begin_us; });
  if (after == held.begin()) return {};
  const uint32_t block = *(after - 1);
  if (times.blocks[block].end_us <= time_us && times.blocks[block].begin_us < time_us) return {};
  return block;
}

std::vector<float> MeasuredPlaces::residency(const BlockTimes& times, uint32_t columns) const {
  std::vector<float> values(names_.size() * columns, 0);
  if (times.total_us <= 0) return values;
  const double column_us = times.total_us / columns;
  for (size_t place = 0; place < blocks_.size(); ++place) {
    float* row = values.data() + place / slots_ * columns;
    for (const uint32_t block : blocks_[place]) {
      const double begin = times.blocks[block].begin_us / column_us, end = times.blocks[block].end_us / column_us;
      const auto last = std::min<uint32_t>(columns - 1, static_cast<uint32_t>(end));
      for (auto column = static_cast<uint32_t>(begin); column <= last; ++column)
        row[column] += static_cast<float>(std::max(0.0, std::min(end, column + 1.0) - std::max<double>(begin, column)));
    }
  }
  return values;
}

bool take_waves(WavesPicture& picture, const std::shared_ptr<const RunResult>& result, std::span<const GpuSpec> gpus) {
  const WaveSchedule* waves = shown_waves(*result);
  if (waves == nullptr) return false;
  if (picture.result.is(result)) return true;
  const size_t launch = shown_launch(*result);
  picture = {.result = ResultReference(result),
             .schedule = *waves,
             .usage = result->usage[launch],
             .occupancy = result->occupancy[launch]};
  const size_t at = std::min(launch, result->plan.launches.size() - 1);
  if (const KernelInfo* kernel = result->compiled.find(result->plan.launches[at].kernel))
    picture.spilled_bytes = kernel->spill_store_bytes;
  picture.limits = resource_limits(result->modelled_gpu, picture.usage, picture.occupancy, waves->blocks);
  picture.gpus = waves_on(gpus, picture.usage, waves->blocks);
  if (const BlockTimes* times = shown_times(*result)) picture.measured = MeasuredPlaces(*times);
  return true;
}

double moment_of(const BlockTimes& times, double position) {
  const auto blocks = static_cast<double>(times.blocks.size());
  if (position < 0) return times.blocks[times.order.back()].begin_us;
  return times.total_us * std::min(1.0, position / blocks);
}

WavesSentence waves_sentence(const Strings& strings, const WavesPicture& picture) {
  WavesSentence said;
  const WaveSchedule& waves = picture.schedule;
  const OccupancyLimit limit = limit_of(picture);
  if (!waves.runs()) {
    said.trouble = true;
    said.finding = strings("waves.none_fits");
    said.reason = strings.format("waves.none_fits_why", fmt::arg("limit", limit_name(strings, limit)),
                                 fmt::arg("detail", limit_detail(strings, picture, limit)),
                                 fmt::arg("gpu", picture.result->modelled_gpu.name));
    return said;
  }
  if (const BlockTimes* times = shown_times(*picture.result))
    say_measured(said, strings, picture, *times);
  else
    say_model(said, strings, waves);
  const uint32_t held = waves.blocks_per_multiprocessor;
  said.quiet = strings.format(held == 1 ? "waves.limited_to_one" : "waves.limited",
                              fmt::arg("limit", limit_name(strings, limit)), fmt::arg("blocks", held));
  return said;
}

std::string wave_text(const Strings& strings, const WaveSchedule& schedule, uint64_t issued, bool brief) {
  if (issued == 0) return strings("waves.nothing_issued");
  const uint64_t first = schedule.first_resident(issued), wave = first / schedule.resident();
  return strings.format(brief ? "waves.wave_of_brief" : "waves.wave_of", fmt::arg("wave", with_separators(wave + 1)),
                        fmt::arg("waves", with_separators(schedule.waves())), fmt::arg("first", with_separators(first)),
                        fmt::arg("last", with_separators(issued - 1)),
                        fmt::arg("held", with_separators(issued - first)),
                        fmt::arg("places", with_separators(schedule.resident())));
}

std::string limit_name(const Strings& strings, OccupancyLimit limit) {
  return strings("waves.limit_" + std::string(name_of(limit)));
}

std::string limit_detail(const Strings& strings, const WavesPicture& picture, OccupancyLimit limit) {
  const GpuSpec& gpu = picture.result->modelled_gpu;
  const auto of = [&](const std::string& taken, const std::string& all) {
    return strings.format("waves.takes", fmt::arg("taken", taken), fmt::arg("all", all));
  };
  switch (limit) {
    case OccupancyLimit::registers:
      return of(with_separators(picture.occupancy.registers_per_block),
                with_separators(gpu.registers_per_multiprocessor));
    case OccupancyLimit::shared:
      return of(kib(picture.occupancy.shared_bytes_per_block), kib(gpu.shared_bytes_per_multiprocessor) + " KiB");
    case OccupancyLimit::threads:
      return of(with_separators(picture.schedule.warps_per_block), with_separators(gpu.max_warps_per_multiprocessor));
    case OccupancyLimit::barriers:
      return of(with_separators(picture.usage.barriers), with_separators(gpu.barriers_per_multiprocessor.value_or(0)));
    case OccupancyLimit::blocks:
    case OccupancyLimit::grid:
      break;
  }
  return of("1", with_separators(gpu.max_blocks_per_multiprocessor));
}

std::string limit_sentence(const Strings& strings, const ResourceLimit& limit) {
  const std::string what = limit_name(strings, limit.limit);
  const auto name = fmt::arg("limit", what);
  if (!limit.blocks) return strings.format("waves.no_limit_meaning", name);
  if (*limit.blocks == 0) return strings.format("waves.limit_none_meaning", name);
  return strings.format("waves.limit_meaning", name, fmt::arg("blocks", *limit.blocks),
                        fmt::arg("occupancy", percent(limit.occupancy)),
                        fmt::arg("waves", with_separators(limit.waves)));
}

}  // namespace tilescope
