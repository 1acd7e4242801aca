#include "app/observed/run_values.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "app/observed/waves_model.hpp"

namespace tilescope {
namespace {

double number(uint64_t value) { return static_cast<double>(value); }

using Count = double (*)(const RunResult&);

const Counters& counters(const RunResult& result) { return result.traffic.counters; }

uint64_t wrong_elements(const RunResult& result) {
  uint64_t wrong = 0;
  for (const Correctness& one : result.correctness) wrong += one.mismatches;
  return wrong;
}

uint32_t most_registers(const RunResult& result) {
  uint32_t most = 0;
  for (const BlockUsage& one : result.usage) most = std::max(most, one.registers_per_thread);
  return most;
}

uint32_t most_shared_bytes(const RunResult& result) {
  uint32_t most = 0;
  for (const BlockUsage& one : result.usage) most = std::max(most, one.static_shared_bytes + one.dynamic_shared_bytes);
  return most;
}

const std::map<std::string_view, Count>& counts() {
  static const std::map<std::string_view, Count> all{
      {"blocks", [](const RunResult& run) { return number(run.tiles.grid.count()); }},
      {"threads", [](const RunResult& run) { return number(run.tiles.grid.count() * run.tiles.block.count()); }},
      {"threads_per_block", [](const RunResult& run) { return number(run.tiles.block.count()); }},
      {"warps_per_block", [](const RunResult& run) { return number((run.tiles.block.count() + 31) / 32); }},
      {"idle_threads", [](const RunResult& run) { return number(run.tiles.idle_threads); }},
      {"launches", [](const RunResult& run) { return number(run.plan.launches.size()); }},
      {"requests", [](const RunResult& run) { return number(counters(run).global_requests()); }},
      {"sectors", [](const RunResult& run) { return number(counters(run).global_sectors()); }},
      {"bytes_moved", [](const RunResult& run) { return number(counters(run).global_bytes_moved()); }},
      {"bytes_useful", [](const RunResult& run) { return number(counters(run).global_bytes_useful()); }},
      {"load_requests", [](const RunResult& run) { return number(counters(run).global_load_requests); }},
      {"load_sectors", [](const RunResult& run) { return number(counters(run).global_load_sectors); }},
      {"store_requests", [](const RunResult& run) { return number(counters(run).global_store_requests); }},
      {"store_sectors", [](const RunResult& run) { return number(counters(run).global_store_sectors); }},
      {"atomics", [](const RunResult& run) { return number(counters(run).global_atomic_requests); }},
      {"shared_wavefronts",
       [](const RunResult& run) {
         const Counters& one = counters(run);
         return number(one.shared_load_wavefronts + one.shared_store_wavefronts + one.shared_atomic_wavefronts);
       }},
      {"bank_conflicts",
       [](const RunResult& run) {
         const Counters& one = counters(run);
         return number(one.shared_load_bank_conflicts + one.shared_store_bank_conflicts +
                       one.shared_atomic_bank_conflicts);
       }},
      {"barriers", [](const RunResult& run) { return number(counters(run).block_barriers); }},
      {"instructions", [](const RunResult& run) { return number(counters(run).warp_instructions); }},
      {"registers", [](const RunResult& run) { return number(most_registers(run)); }},
      {"shared_bytes", [](const RunResult& run) { return number(most_shared_bytes(run)); }},
      {"findings", [](const RunResult& run) { return number(run.findings.size()); }},
      {"wrong_elements", [](const RunResult& run) { return number(wrong_elements(run)); }}};
  return all;
}

}  // namespace

std::optional<double> run_value(std::string_view name, const RunResult& result) {
  const std::string key(name);
  // For a rung that picks, the picked configuration.
  const Config& config = result.config.sizes.empty() ? result.request.config : result.config;
  if (const auto size = config.sizes.find(key); size != config.sizes.end()) return static_cast<double>(size->second);
  if (const auto param = config.params.find(key); param != config.params.end())
    return static_cast<double>(param->second);
  if (const WaveSchedule* waves = shown_waves(result)) {
    if (name == "waves") return number(waves->waves());
    if (name == "resident") return number(waves->resident());
    if (name == "held") return number(waves->blocks_per_multiprocessor);
  }
  const auto found = counts().find(name);
  if (found == counts().end() || !result.observed) return std::nullopt;
  return found->second(result);
}

}  // namespace tilescope
