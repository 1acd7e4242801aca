#include "app/exercises/goals.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {
namespace {

/// numerator / denominator; nothing if there is nothing to divide by.
std::optional<double> ratio(double numerator, double denominator) {
  return denominator == 0 ? std::nullopt : std::optional(numerator / denominator);
}

double count(uint64_t number) { return static_cast<double>(number); }

/// The traffic of one buffer; null: there is no such buffer.
const BufferTraffic* traffic_of(const RunResult& result, const std::string& buffer) {
  const auto found = std::ranges::find(result.traffic.buffers, buffer, &BufferTraffic::name);
  return found != result.traffic.buffers.end() ? &*found : nullptr;
}

double bytes_of(const RunResult& result, const std::string& buffer) {
  for (const BufferSpec& spec : result.plan.buffers)
    if (spec.name == buffer) return static_cast<double>(spec.count()) * static_cast<double>(size_of(spec.type));
  return 0;
}

/// Bytes that must move at least once: inputs read, outputs written.
double least_bytes(const RunResult& result) {
  double bytes = 0;
  for (const BufferSpec& spec : result.plan.buffers)
    if (spec.role != Role::scratch)
      bytes += static_cast<double>(spec.count()) * static_cast<double>(size_of(spec.type));
  return bytes;
}

double output_elements(const RunResult& result) {
  double elements = 0;
  for (const BufferSpec& spec : result.plan.buffers)
    if (spec.role == Role::output || spec.role == Role::inout) elements += static_cast<double>(spec.count());
  return elements;
}

std::optional<double> of_buffer(const Goal& goal, const RunResult& result) {
  const BufferTraffic* traffic = traffic_of(result, goal.of);
  if (traffic == nullptr) return std::nullopt;
  switch (goal.measure) {
    case Measure::sectors_per_request:
      return ratio(count(traffic->read_sectors + traffic->write_sectors),
                   count(traffic->read_requests + traffic->write_requests));
    case Measure::moved_per_useful:
      return ratio(32 * count(traffic->read_sectors + traffic->write_sectors),
                   count(traffic->read_useful + traffic->write_useful));
    case Measure::reads_per_element:
      return ratio(count(traffic->read_useful), bytes_of(result, goal.of));
    case Measure::writes_per_element:
      return ratio(count(traffic->write_useful), bytes_of(result, goal.of));
    case Measure::requests:
      return count(traffic->read_requests + traffic->write_requests);
    default:
      return std::nullopt;
  }
}

/// The largest value over the launches.
template <class Of>
std::optional<double> largest(const RunResult& result, const Of& of) {
  std::optional<double> most;
  for (const BlockUsage& usage : result.usage) most = std::max(most.value_or(0), static_cast<double>(of(usage)));
  return most;
}

std::optional<double> of_launches(const Goal& goal, const RunResult& result) {
  double sum = 0;
  switch (goal.measure) {
    case Measure::blocks:
      for (const Launch& launch : result.plan.launches) sum += count(launch.grid.count());
      return sum;
    case Measure::threads:
      for (const Launch& launch : result.plan.launches) sum += count(launch.grid.count() * launch.block.count());
      return sum;
    case Measure::launches:
      return count(result.plan.launches.size());
    case Measure::barriers:
      for (const Launch& launch : result.plan.launches) sum += count(launch.grid.count());
      return ratio(count(result.traffic.counters.block_barriers), sum);
    default:
      return std::nullopt;
  }
}

/// The least of the launches, in percent: what a block's resources allow, however small the grid.
std::optional<double> least_occupancy(const RunResult& result) {
  std::optional<double> least;
  for (size_t i = 0; i < result.occupancy.size(); ++i) {
    const Occupancy& one = result.occupancy[i];
    const uint32_t blocks = std::min({one.by_threads, one.by_blocks, one.by_registers, one.by_shared, one.by_barriers});
    const double threads = static_cast<double>(blocks) * 32 * std::ceil(result.usage[i].threads / 32.0);
    const double occupancy = 100 * threads / result.modelled_gpu.max_threads_per_multiprocessor;
    least = std::min(least.value_or(occupancy), occupancy);
  }
  return least;
}

std::optional<double> of_machine_code(const Goal& goal, const RunResult& result) {
  switch (goal.measure) {
    case Measure::registers:
      return largest(result, [](const BlockUsage& one) { return one.registers_per_thread; });
    case Measure::shared_bytes:
      return largest(result, [](const BlockUsage& one) { return one.static_shared_bytes + one.dynamic_shared_bytes; });
    case Measure::spilled_bytes: {
      double bytes = 0;
      for (const KernelInfo& one : result.compiled.kernels) bytes += one.spill_load_bytes + one.spill_store_bytes;
      return bytes;
    }
    case Measure::occupancy:
      return least_occupancy(result);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<double> measured(const Goal& goal, const RunResult& result) {
  if (!goal.of.empty()) return of_buffer(goal, result);
  const Counters& counters = result.traffic.counters;
  switch (goal.measure) {
    case Measure::sectors_per_request:
      return ratio(count(counters.global_sectors()), count(counters.global_requests()));
    case Measure::moved_per_useful:
      return ratio(count(counters.global_bytes_moved()), count(counters.global_bytes_useful()));
    case Measure::requests:
      return count(counters.global_requests());
    case Measure::atomics:
      return count(counters.global_atomic_requests);
    case Measure::bank_conflicts:
      return count(counters.shared_load_bank_conflicts + counters.shared_store_bank_conflicts +
                   counters.shared_atomic_bank_conflicts);
    case Measure::shared_wavefronts:
      return count(counters.shared_load_wavefronts + counters.shared_store_wavefronts +
                   counters.shared_atomic_wavefronts);
    case Measure::instructions:
      return count(counters.warp_instructions);
    case Measure::instructions_per_element:
      return ratio(32 * count(counters.warp_instructions), output_elements(result));
    case Measure::device_bytes_per_least:
      if (!result.hierarchy.modelled) return std::nullopt;
      return ratio(count(result.hierarchy.total.device_bytes_read + result.hierarchy.total.device_bytes_written +
                         result.hierarchy.total.bytes_left_in_l2),
                   least_bytes(result));
    case Measure::blocks:
    case Measure::threads:
    case Measure::launches:
    case Measure::barriers:
      return of_launches(goal, result);
    case Measure::registers:
    case Measure::shared_bytes:
    case Measure::spilled_bytes:
    case Measure::occupancy:
      return of_machine_code(goal, result);
    case Measure::reads_per_element:
    case Measure::writes_per_element:
      break;
  }
  return std::nullopt;
}

Phrase subject_of(const Goal& goal) {
  const Phrase measure = Phrase::translatable(name_of(goal.measure));
  return goal.of.empty() ? measure : phrase("{} of {}", measure, goal.of);
}

Phrase limit_of(const Goal& goal) {
  const std::string limit = goal_number(goal.limit);
  if (goal.bound == Goal::Bound::at_most) return phrase("at most {}", limit);
  if (goal.bound == Goal::Bound::at_least) return phrase("at least {}", limit);
  return phrase("exactly {}", limit);
}

std::string goal_number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.2f}", value);
}

}  // namespace tilescope
