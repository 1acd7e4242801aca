#include "engine/report/hierarchy_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/units.hpp"

namespace tilescope {

using nlohmann::json;

namespace {

json level_json(const LevelTraffic& level) {
  return {{"read_sectors", level.read_sectors},     {"read_hits", level.read_hits},
          {"write_sectors", level.write_sectors},   {"write_hits", level.write_hits},
          {"atomic_sectors", level.atomic_sectors}, {"atomic_hits", level.atomic_hits},
          {"far_sectors", level.far_sectors}};
}

json use_json(const HierarchyUse& use) {
  return {{"l1", level_json(use.l1)},
          {"l2", level_json(use.l2)},
          {"device_bytes_read", use.device_bytes_read},
          {"device_bytes_written", use.device_bytes_written},
          {"bytes_left_in_l2", use.bytes_left_in_l2}};
}

std::string sectors_text(uint64_t sectors) { return bytes_text(static_cast<double>(sectors * 32)); }
std::string share_text(uint64_t part, uint64_t whole) {
  return whole == 0 ? "-" : percent_text(static_cast<double>(part) / static_cast<double>(whole));
}

std::string row(std::string_view level, std::string_view buffer, const LevelTraffic& traffic) {
  return fmt::format("  {:<7} {:<14} {:>12} {:>8} {:>12} {:>8} {:>12}\n", level, buffer,
                     sectors_text(traffic.read_sectors), share_text(traffic.read_hits, traffic.read_sectors),
                     sectors_text(traffic.write_sectors), share_text(traffic.write_hits, traffic.write_sectors),
                     sectors_text(traffic.atomic_sectors));
}

std::string device_row(std::string_view buffer, const HierarchyUse& use) {
  std::string text = fmt::format("  {:<7} {:<14} {:>12} {:>8} {:>12}", "device", buffer,
                                 bytes_text(static_cast<double>(use.device_bytes_read)), "",
                                 bytes_text(static_cast<double>(use.device_bytes_written)));
  if (use.bytes_left_in_l2 != 0)
    text += fmt::format("  and {} left in the L2", bytes_text(static_cast<double>(use.bytes_left_in_l2)));
  return text + "\n";
}

std::string rows(const HierarchyUse& use, std::string_view buffer) {
  return row("L1", buffer, use.l1) + row("L2", buffer, use.l2) + device_row(buffer, use);
}

bool is_used(const HierarchyUse& use) { return use.l1.sectors() != 0 || use.l2.sectors() != 0; }

}  // namespace

void add_modelled_counters(json& counters, const HierarchyTraffic& hierarchy) {
  if (!hierarchy.modelled) return;
  const HierarchyUse& total = hierarchy.total;
  const json modelled = {{"l1_hit_rate", total.l1.read_hit_rate()},
                         {"l2_hit_rate", total.l2.hit_rate()},
                         {"l2_bytes", total.l2.bytes()},
                         {"device_bytes_read", total.device_bytes_read},
                         {"device_bytes_written", total.device_bytes_written},
                         {"bytes_left_in_l2", total.bytes_left_in_l2}};
  json badges = json::object();
  for (const auto& [name, value] : modelled.items()) badges[name] = name_of(Badge::modelled);
  counters.update(modelled);
  counters["badges"] = badges;
}

json error_json(const ModelError& error) {
  return {{"typical_percent", error.typical_percent},
          {"largest_percent", error.largest_percent},
          {"cases", error.cases},
          {"counter", error.counter},
          {"gpu", error.gpu},
          {"date", error.date},
          {"command", error.command},
          {"document", error.document}};
}

json hierarchy_json(const RunResult& result) {
  const HierarchyTraffic& hierarchy = result.hierarchy;
  json object = {{"badge", name_of(Badge::modelled)}, {"gpu", result.modelled_gpu.id}};
  if (!hierarchy.modelled) {
    object["not_modelled"] = hierarchy.reason.english();
    return object;
  }
  object["errors"] = {{"l2_read_sectors", error_json(kL2ReadError)},
                      {"l2_write_sectors", error_json(kL2WriteError)},
                      {"device_bytes_read", error_json(kDeviceReadError)}};
  object["total"] = use_json(hierarchy.total);
  object["buffers"] = json::object();
  for (size_t i = 0; i < hierarchy.buffers.size(); ++i)
    object["buffers"][result.plan.buffers[i].name] = use_json(hierarchy.buffers[i]);
  if (is_used(hierarchy.other)) object["other"] = use_json(hierarchy.other);
  return object;
}

json occupancy_json(const Occupancy& occupancy) {
  return {{"badge", name_of(Badge::modelled)},
          {"blocks_per_multiprocessor", occupancy.blocks_per_multiprocessor},
          {"warps_per_multiprocessor", occupancy.warps_per_multiprocessor},
          {"occupancy", occupancy.occupancy},
          {"limit", name_of(occupancy.limit)},
          {"resident_blocks", occupancy.resident_blocks},
          {"waves", occupancy.waves},
          {"blocks_in_last_wave", occupancy.blocks_in_last_wave},
          {"tail_efficiency", occupancy.tail_efficiency},
          {"l1_bytes", occupancy.l1_bytes}};
}

json block_times_json(const BlockTimes& times) {
  return {{"badge", name_of(Badge::measured)},
          {"multiprocessors", times.multiprocessors},
          {"most_resident", times.most_resident},
          {"total_us", times.total_us},
          {"filled", times.filled}};
}

std::string block_times_text(const BlockTimes& times) {
  return fmt::format("{} blocks on {} multiprocessors in {:.1f} µs, at most {} on one at a time; {:.0f}% filled [{}]\n",
                     times.blocks.size(), times.multiprocessors, times.total_us, times.most_resident,
                     100 * times.filled, name_of(Badge::measured));
}

std::string occupancy_text(const Occupancy& occupancy, const GpuSpec& gpu) {
  if (occupancy.blocks_per_multiprocessor == 0)
    return fmt::format("no block fits a multiprocessor of an {}: too much of {} [{}]\n", gpu.name,
                       name_of(occupancy.limit), name_of(Badge::modelled));
  return fmt::format("{}: {} block{} on a multiprocessor, {:.0f}% of its warps, limited by {}; {:.2f} waves [{}]\n",
                     gpu.name, occupancy.blocks_per_multiprocessor, occupancy.blocks_per_multiprocessor == 1 ? "" : "s",
                     100 * occupancy.occupancy, name_of(occupancy.limit), occupancy.waves, name_of(Badge::modelled));
}

std::string hierarchy_text(const RunResult& result) {
  const HierarchyTraffic& hierarchy = result.hierarchy;
  if (!hierarchy.modelled) return fmt::format("  L1, L2 and device memory are not modelled: {}\n", hierarchy.reason);
  std::string text =
      fmt::format("  {:<7} {:<14} {:>12} {:>8} {:>12} {:>8} {:>12}  as {} [{}]\n", "level", "buffer", "read", "hits",
                  "written", "hits", "atomics", result.modelled_gpu.name, name_of(Badge::modelled));
  for (size_t i = 0; i < hierarchy.buffers.size(); ++i)
    if (is_used(hierarchy.buffers[i])) text += rows(hierarchy.buffers[i], result.plan.buffers[i].name);
  if (is_used(hierarchy.other)) text += rows(hierarchy.other, "(other)");
  return text + rows(hierarchy.total, "total") +
         fmt::format(
             "  beside counters of an {} ({}, {} cases): device reads within {}%, half of them {}%; L2 reads within "
             "{}%, "
             "{}%; L2 writes within {}%, {}%\n",
             kDeviceReadError.gpu, kDeviceReadError.date, kDeviceReadError.cases, kDeviceReadError.largest_percent,
             kDeviceReadError.typical_percent, kL2ReadError.largest_percent, kL2ReadError.typical_percent,
             kL2WriteError.largest_percent, kL2WriteError.typical_percent);
}

}  // namespace tilescope
