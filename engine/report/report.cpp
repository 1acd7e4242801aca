#include "engine/report/report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/bench/speed_unit.hpp"
#include "engine/checksum.hpp"
#include "engine/compile/kernel_names.hpp"
#include "engine/json_text.hpp"
#include "engine/kernel_language.hpp"
#include "engine/report/hierarchy_report.hpp"
#include "engine/report/order_report.hpp"
#include "engine/report/tile_report.hpp"
#include "engine/sha256.hpp"
#include "engine/traffic/access/ptxas_changes.hpp"

namespace tilescope {

using nlohmann::json;

namespace {

json to_json(const Dim3& extent) { return json::array({extent.x, extent.y, extent.z}); }

json counters_json(const Counters& c) {
  return {{"global_load_requests", c.global_load_requests},
          {"global_load_sectors", c.global_load_sectors},
          {"global_store_requests", c.global_store_requests},
          {"global_store_sectors", c.global_store_sectors},
          {"global_atomic_requests", c.global_atomic_requests},
          {"global_atomic_sectors", c.global_atomic_sectors},
          {"global_bytes_moved", c.global_bytes_moved()},
          {"shared_load_wavefronts", c.shared_load_wavefronts},
          {"shared_store_wavefronts", c.shared_store_wavefronts},
          {"shared_atomic_wavefronts", c.shared_atomic_wavefronts},
          {"shared_load_bank_conflicts", c.shared_load_bank_conflicts},
          {"shared_store_bank_conflicts", c.shared_store_bank_conflicts},
          {"shared_atomic_bank_conflicts", c.shared_atomic_bank_conflicts},
          {"global_load_bytes_useful", c.global_load_bytes_useful},
          {"global_store_bytes_useful", c.global_store_bytes_useful},
          {"global_atomic_bytes_useful", c.global_atomic_bytes_useful},
          {"warp_instructions", c.warp_instructions},
          {"block_barriers", c.block_barriers}};
}

/// NaN and infinities have no JSON form; null replaces them.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json buffer_json(const HostBuffer& buffer) {
  uint64_t nan = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (size_t i = 0; i < buffer.count(); ++i) {
    const double value = value_at(buffer, i);
    if (std::isnan(value)) ++nan;
    low = std::fmin(low, value);
    high = std::fmax(high, value);
  }
  return {{"sha256", sha256_of(buffer.bytes)},
          {"checksum", fmt::format("{:016x}", checksum_of(buffer.bytes))},
          {"nan", nan},
          {"min", number(low)},
          {"max", number(high)}};
}

json correctness_json(const Correctness& one) {
  json object = {{"buffer", one.buffer},
                 {"pass", one.pass},
                 {"reason", one.reason.english()},
                 {"absolute_tolerance", one.tolerance.absolute},
                 {"relative_tolerance", one.tolerance.relative},
                 {"checked", one.checked},
                 {"elements", one.elements},
                 {"mismatches", one.mismatches},
                 {"nan", one.nan},
                 {"untouched", one.untouched},
                 {"largest_error", one.largest_error}};
  if (one.first)
    object["first_mismatch"] = {
        {"index", one.first->index}, {"expected", number(one.first->expected)}, {"got", number(one.first->got)}};
  return object;
}

json ledger_json(const RunResult& result) {
  json rows = json::array();
  for (const auto& line : result.traffic.lines)
    rows.push_back({{"file", line.file},
                    {"line", line.line},
                    {"space", name_of(line.space)},
                    {"kind", name_of(line.kind)},
                    {"requests", line.requests},
                    {"sectors", line.sectors},
                    {"wavefronts", line.wavefronts},
                    {"bank_conflicts", line.bank_conflicts()},
                    {"bytes_useful", line.useful_bytes},
                    {"bytes_moved", line.moved_bytes()},
                    {"changed_by_ptxas", describe_change(line)}});
  return rows;
}

json kernels_json(const CompiledModule& module) {
  json kernels = json::object();
  for (const auto& kernel : module.kernels)
    kernels[kernel_name(kernel.name)] = {{"registers", kernel.registers},
                                         {"static_shared_bytes", kernel.static_shared_bytes},
                                         {"local_bytes", kernel.local_bytes},
                                         {"spill_store_bytes", kernel.spill_store_bytes},
                                         {"spill_load_bytes", kernel.spill_load_bytes}};
  return kernels;
}

/// What Triton's compiler decided for each kernel.
json triton_json(const CompiledModule& module) {
  json kernels = json::object();
  for (const TritonCode& code : module.triton) {
    json constexprs = json::object();
    for (const auto& [name, value] : code.constexprs) constexprs[name] = value;
    kernels[code.kernel] = {{"num_warps", code.num_warps},
                            {"num_stages", code.num_stages},
                            {"shared_bytes", code.shared_bytes},
                            {"constexprs", constexprs},
                            {"ttgir", code.ttgir}};
  }
  return kernels;
}

/// Kernels may print any bytes, but JSON holds Unicode.
std::string readable(const std::string& bytes) { return json_from(json_text(json(bytes))).get<std::string>(); }

/// The time, and the speed in the lab's unit.
std::string timing_text(const RunResult& result) {
  const Lab* lab = lab_of(result.request);
  const double speed = lab != nullptr ? speed_of_run(*lab, result) : result.timing->gigabytes_per_second();
  return fmt::format("{:.4f} ms, {:.{}f} {}, {} [MEASURED]\n", result.timing->median_ms, speed,
                     lab != nullptr && lab->speed_unit == SpeedUnit::teraflops ? 1 : 0,
                     lab != nullptr ? speed_unit_of(*lab) : "GB/s",
                     result.timing->cold_l2 ? "cold L2" : "L2 not flushed");
}

/// A parameter's value as --set takes it; a number for a user's own file.
std::string setting_text(const Request& request, const std::string& name, int64_t value) {
  const Lab* lab = lab_of(request);
  return lab != nullptr ? param_text(*lab, name, value) : std::to_string(value);
}

/// The sizes, and the parameters that the rung uses. A user's own file says nothing about that: all of them.
std::string config_text(const RunResult& result) {
  const Lab* lab = lab_of(result.request);
  const Rung* rung = lab != nullptr && !result.request.own_lab ? find_rung(*lab, result.rung) : nullptr;
  std::string text;
  for (const auto& [name, value] : result.config.sizes) text += fmt::format(" {}={}", name, value);
  for (const auto& [name, value] : result.config.params)
    if (rung == nullptr || std::ranges::find(rung->params, name) != rung->params.end())
      text += fmt::format(" {}={}", name, setting_text(result.request, name, value));
  return text.empty() ? text : text.substr(1);
}

std::string grid_text(const Dim3& extent) {
  if (extent.z > 1) return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
  return extent.y > 1 ? fmt::format("{}x{}", extent.x, extent.y) : fmt::format("{}", extent.x);
}

std::string counters_text(const Counters& c) {
  std::string text =
      fmt::format("global memory: {} sectors read in {} requests, {} written in {}", c.global_load_sectors,
                  c.global_load_requests, c.global_store_sectors, c.global_store_requests);
  if (c.global_atomic_requests > 0)
    text += fmt::format(", {} updated by atomics in {}", c.global_atomic_sectors, c.global_atomic_requests);
  text += " [SIMULATED]\n";
  if (c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts == 0) return text;
  const bool atomics = c.shared_atomic_wavefronts > 0;
  text += fmt::format("shared memory: {} wavefronts to read, {} to write", c.shared_load_wavefronts,
                      c.shared_store_wavefronts);
  if (atomics) text += fmt::format(", {} for atomics", c.shared_atomic_wavefronts);
  text += fmt::format("; bank conflicts {}{} {}", c.shared_load_bank_conflicts, atomics ? "," : " and",
                      c.shared_store_bank_conflicts);
  if (atomics) text += fmt::format(" and {}", c.shared_atomic_bank_conflicts);
  return text + " [SIMULATED]\n";
}

std::string ledger_text(const RunResult& result) {
  std::string text = fmt::format("  {:>5} {:<17} {:>12} {:>14} {:>9} {:>14} {:>14}\n", "line", "access", "requests",
                                 "sectors,passes", "a request", "bytes useful", "bytes moved");
  for (const auto& line : result.traffic.lines) {
    // Shared memory has no sectors, and global memory has no passes over banks.
    const uint64_t steps = line.sectors + line.wavefronts;
    const double per_request = line.requests == 0 ? 0 : static_cast<double>(steps) / static_cast<double>(line.requests);
    text += fmt::format("  {:>5} {:<17} {:>12} {:>14} {:>9.2f} {:>14} {:>14}\n", line.line,
                        fmt::format("{} {}", name_of(line.space), name_of(line.kind)), line.requests, steps,
                        per_request, line.useful_bytes, line.moved_bytes());
    if (line.changed_by_ptxas) text += fmt::format("        changed by ptxas: {}\n", describe_change(line));
  }
  return text;
}

std::string correctness_text(const Correctness& one) {
  if (one.pass)
    return fmt::format("{}: correct, {} elements, largest error {:.3g} (allowed {:g} + {:g} |expected|)\n", one.buffer,
                       one.checked == one.elements ? fmt::format("{}", one.checked)
                                                   : fmt::format("{} of {}", one.checked, one.elements),
                       one.largest_error, one.tolerance.absolute, one.tolerance.relative);
  return fmt::format("{}: WRONG, {}\n", one.buffer, one.reason);
}

/// An output that is not compared with anything.
std::string statistics_text(const RunResult& result, const OutputStatistics& one) {
  std::string text = fmt::format("{}: {} elements", result.plan.buffers[one.buffer].name, one.count);
  if (one.finite > 0) text += fmt::format(", {:.6g} to {:.6g}, mean {:.6g}", one.low, one.high, one.mean);
  if (one.nan > 0) text += fmt::format(", {} NaN", one.nan);
  if (one.infinite > 0) text += fmt::format(", {} infinite", one.infinite);
  if (one.untouched > 0) text += fmt::format(", {} never written", one.untouched);
  return text + "; no reference to compare with\n";
}

bool is_unavailable(ErrorId id) {
  return id == ErrorId::nvrtc_missing || id == ErrorId::triton_missing || id == ErrorId::driver_missing ||
         id == ErrorId::no_gpu || id == ErrorId::reference_unavailable || id == ErrorId::no_display;
}

}  // namespace

ExitStatus exit_status(const RunResult& result) {
  if (!result.findings.empty()) return kMisbehaved;
  return !result.correctness.empty() && !result.passed() ? kMisbehaved : kClean;
}

ExitStatus exit_status(const Error& error) { return is_unavailable(error.id) ? kUnavailable : kBadInput; }

json to_json(const Finding& finding) {
  json object = {{"id", finding.id},         {"count", finding.count},          {"file", finding.file},
                 {"line", finding.line},     {"block", to_json(finding.block)}, {"thread", to_json(finding.thread)},
                 {"buffer", finding.buffer}, {"offset", finding.offset},        {"message", finding.message}};
  if (finding.header_line != 0) {
    object["header_file"] = finding.header_file;
    object["header_line"] = finding.header_line;
  }
  return object;
}

json to_json(const Error& error) {
  return {{"status", is_unavailable(error.id) ? "unavailable" : "error"},
          {"error", {{"id", id_of(error.id)}, {"message", error.message}, {"hint", error.hint}}}};
}

json to_json(const RunResult& result) {
  json object;
  object["status"] = exit_status(result) == kClean ? "ok" : "findings";
  object["device"] = {{"kind", name_of(result.device.kind)}, {"name", result.device.name}};
  object["badge"] = name_of(result.device.kind == DeviceKind::gpu ? Badge::measured : Badge::simulated);
  object["version"] = result.version;
  object["date"] = result.date;
  object["seed"] = result.request.seed;
  if (!result.request.lab.empty()) {
    object["lab"] = result.request.lab;
    object["rung"] = result.request.rung;
    object["command"] = reproducing_command(result.request);
  }
  object["sizes"] = result.config.sizes;
  object["parameters"] = result.config.params;
  if (result.pick) object["picked"] = {{"rung", result.rung}, {"why", result.pick->why.en}};
  object["modelled_gpu"] = {{"id", result.modelled_gpu.id}, {"name", result.modelled_gpu.name}};
  json launches = json::array();
  for (const auto& launch : result.plan.launches) {
    launches.push_back(
        {{"kernel", kernel_name(launch.kernel)}, {"grid", to_json(launch.grid)}, {"block", to_json(launch.block)}});
    if (launches.size() <= result.occupancy.size())
      launches.back()["occupancy"] = occupancy_json(result.occupancy[launches.size() - 1]);
  }
  object["launches"] = launches;
  object["shown_launch"] = result.launch;  // from 0, as in "launches": the one in the tile map
  if (result.block_times) object["block_times"] = block_times_json(*result.block_times);
  object["kernels"] = kernels_json(result.compiled);
  object["findings"] = json::array();
  for (const auto& finding : result.findings) object["findings"].push_back(to_json(finding));
  object["warnings"] = json::array();
  for (const Phrase& warning : result.warnings) object["warnings"].push_back(warning.english());
  object["output"] = readable(result.output);
  object["correctness"] = json::array();
  for (const auto& one : result.correctness) object["correctness"].push_back(correctness_json(one));
  if (result.observed) {
    object["counters"] = counters_json(result.traffic.counters);
    add_modelled_counters(object["counters"], result.hierarchy);
    object["hierarchy"] = hierarchy_json(result);
    object["traffic"] = ledger_json(result);
    object["tile_map"] = tile_json(result);
  } else {
    object["not_observed"] = result.not_observed_reason.english();
  }
  if (result.blocks_sampled != 0) {
    object["counters"] = counters_json(result.traffic.counters);
    object["counters_of_blocks"] = result.blocks_sampled;
  }
  if (!result.compiled.triton.empty()) object["triton"] = triton_json(result.compiled);
  if (result.block_order) add_order(*result.block_order, object);
  object["buffers"] = json::object();
  for (size_t i = 0; i < result.buffers.size(); ++i)
    object["buffers"][result.plan.buffers[i].name] = buffer_json(*result.buffers[i]);
  object["elapsed_ms"] = {{"compile", result.compile_ms}, {"run", result.run_ms}, {"total", result.total_ms}};
  if (result.timing)
    object["timing"] = {
        {"median_ms", result.timing->median_ms}, {"low_ms", result.timing->low_ms},
        {"high_ms", result.timing->high_ms},     {"gigabytes_per_second", result.timing->gigabytes_per_second()},
        {"cold_l2", result.timing->cold_l2},     {"sm_clock_mhz", result.timing->sm_clock_mhz}};
  return object;
}

std::string to_text(const RunResult& result, bool with_ledger) {
  std::string text;
  const Badge badge = result.device.kind == DeviceKind::gpu ? Badge::measured : Badge::simulated;
  const bool on_gpu = result.device.kind == DeviceKind::gpu;
  const std::string what =
      result.request.lab.empty() ? result.plan.source_file : result.request.lab + " " + result.request.rung;
  text += fmt::format("{} on {} [{}]\n", what, result.device.name, name_of(badge));
  if (const auto config = config_text(result); !config.empty()) text += config + "\n";
  for (const auto& launch : result.plan.launches) {
    text += fmt::format("{}<<<{}, {}>>>", kernel_name(launch.kernel), grid_text(launch.grid), grid_text(launch.block));
    // PTX of the user's own is not assembled for the simulator.
    const bool is_assembled = language_of(result.plan.source_file) != KernelLanguage::ptx || on_gpu;
    if (const KernelInfo* kernel = result.compiled.find(launch.kernel); kernel != nullptr && is_assembled)
      text += fmt::format("  {} registers, {} B shared, {} B spilled", kernel->registers,
                          kernel->static_shared_bytes + launch.shared_bytes, kernel->spill_store_bytes);
    text += "\n";
  }
  for (const TritonCode& code : result.compiled.triton) {
    text += fmt::format("{}: num_warps={} num_stages={}", code.kernel, code.num_warps, code.num_stages);
    for (const auto& [name, value] : code.constexprs) text += fmt::format(" {}={}", name, value);
    text += "\n";
  }
  if (!result.output.empty()) {
    text += fmt::format("printed by the kernel:\n{}", result.output);
    if (!result.output.ends_with('\n')) text += "\n";
  }
  for (const auto& finding : result.findings)
    text += fmt::format("{}{}\n", finding.message,
                        finding.count > 1 ? fmt::format(" (and {} more)", finding.count - 1) : "");
  for (const Phrase& warning : result.warnings) text += fmt::format("warning: {}\n", warning);
  for (const auto& one : result.correctness) text += correctness_text(one);
  // The purpose of a buffer is not declared here; one that was only read is not an output.
  for (const auto& one : result.statistics)
    if (one.buffer >= result.tiles.buffers.size() || !result.tiles.buffers[one.buffer].writes.empty())
      text += statistics_text(result, one);
  if (result.block_times) text += block_times_text(*result.block_times);
  if (result.observed) {
    text += counters_text(result.traffic.counters);
    if (with_ledger) {
      text += ledger_text(result) + tile_text(result);
      for (const Occupancy& occupancy : result.occupancy) text += occupancy_text(occupancy, result.modelled_gpu);
      text += hierarchy_text(result);
    }
  }
  if (result.blocks_sampled != 0) text += result.not_observed_reason.english() + "; nothing is compared\n";
  if (result.block_order) text += order_text(*result.block_order, with_ledger);
  if (result.timing) text += timing_text(result);
  text += fmt::format("compile {:.0f} ms{}, run {:.1f} ms\n", result.compile_ms,
                      result.compiled.from_cache ? " (cached)" : "", result.run_ms);
  return text;
}

std::string to_text(const Error& error) {
  return error.hint.empty() ? error.message + "\n" : error.message + "\n" + error.hint + "\n";
}

std::string reproducing_command(const Request& request) {
  if (const Lab* lab = request.own_lab.get(); lab != nullptr)
    if (const Rung* rung = find_rung(*lab, request.rung); rung != nullptr && rung->command)
      return rung->command(request.config, request.device, request.seed);
  std::string text = fmt::format("tilescope run {} --rung {}", request.lab, request.rung);
  for (const auto& [name, value] : request.config.sizes) text += fmt::format(" --size {}={}", name, value);
  for (const auto& [name, value] : request.config.params)
    text += fmt::format(" --set {}={}", name, setting_text(request, name, value));
  if (!request.gpu.empty()) text += " --set GPU=" + request.gpu;
  for (const auto& name : request.broken) text += " --break " + name;
  if (request.launch) text += fmt::format(" --launch {}", *request.launch + 1);
  text += fmt::format(" --seed {} --on {}", request.seed, name_of(request.device));
  return text;
}

}  // namespace tilescope
