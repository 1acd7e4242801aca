#include "engine/report/order_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/traffic/block_order/model_error.hpp"
#include "engine/units.hpp"

namespace tilescope {

using nlohmann::json;

namespace {

std::string order_name(const OrderTraffic& order) {
  switch (order.kind) {
    case OrderTraffic::Kind::launched:
      return "as launched";
    case OrderTraffic::Kind::row_major:
      return "row-major";
    case OrderTraffic::Kind::grouped:
      return fmt::format("grouped by {}", order.group);
    case OrderTraffic::Kind::hilbert:
      break;
  }
  return "Hilbert";
}

json order_json(const OrderTraffic& order) {
  json waves = json::array(), buffers = json::array();
  for (const auto& wave : order.waves)
    waves.push_back({{"first_block", wave.first_block},
                     {"blocks", wave.blocks},
                     {"needed_bytes", wave.needed_bytes},
                     {"strips", wave.strips},
                     {"device_bytes_read", wave.device_bytes_read}});
  for (const auto& buffer : order.buffers)
    buffers.push_back({{"name", buffer.name},
                       {"l2_bytes_read", buffer.l2_bytes_read},
                       {"l2_bytes_written", buffer.l2_bytes_written},
                       {"device_bytes_read", buffer.device_bytes_read},
                       {"device_bytes_written", buffer.device_bytes_written}});
  return {{"order", order_name(order)},
          {"device_bytes_read", order.device_bytes_read},
          {"device_bytes_written", order.device_bytes_written},
          {"l2_bytes_read", order.l2_bytes_read},
          {"l2_bytes_written", order.l2_bytes_written},
          {"l2_hit_rate", order.l2_hit_rate},
          {"largest_wave_bytes", order.largest_wave_bytes},
          {"strip_bytes", order.strip_bytes()},
          {"buffers", buffers},
          {"waves", waves}};
}

json operands_json(const OrderModel& order) {
  json operands = json::array();
  for (const auto& operand : order.operands)
    operands.push_back({{"name", operand.name},
                        {"strips", operand.strips},
                        {"strip_bytes", operand.strip_bytes.empty() ? 0 : operand.strip_bytes.front()}});
  return operands;
}

json bounds_json(const OrderModel& order) {
  return {{"together", order.bounds.together}, {"apart", order.bounds.apart}, {"sure", order.is_sure()}};
}

json kept_out_json(const KeptOutError& error) {
  return {{"cases", error.cases},
          {"within_15_percent", error.within_15_percent},
          {"sure_cases", error.sure_cases},
          {"sure_within_15_percent", error.sure_within_15_percent},
          {"in_range", error.in_range},
          {"sure_in_range", error.sure_in_range},
          {"median_percent", error.median_percent},
          {"ninth_decile_percent", error.ninth_decile_percent},
          {"largest_percent", error.largest_percent},
          {"counter", error.counter},
          {"gpu", error.gpu},
          {"date", error.date},
          {"command", error.command},
          {"document", error.document}};
}

/// How sure the model is, and how often it was right when it was as sure.
std::string certainty_text(const OrderModel& order) {
  const KeptOutError& error = kOrderKeptOut;
  const bool sure = order.is_sure();
  std::string text = fmt::format("{}: {} are read if the blocks stay together, {} if they drift apart (",
                                 sure ? "sure" : "NOT sure", three_figures(static_cast<double>(order.bounds.together)),
                                 three_figures(static_cast<double>(order.bounds.apart)));
  text += fmt::format("of {} such launches on an {}, ", error.cases_if(sure), error.gpu);
  if (!sure) text += fmt::format("{} read this much, give or take 15%, and ", error.in_range_if(sure));
  return text + fmt::format("{} were within 15% of the model's figure)\n", error.within_if(sure));
}

std::string steady_text(const OrderModel& order) {
  return fmt::format(
      "{} are read if the launch follows others, which keeps the clock steady; all other figures are those of a launch "
      "after a pause\n",
      three_figures(static_cast<double>(order.read_at_steady_clock)));
}

std::string row_text(const OrderTraffic& order) {
  return fmt::format("  {:<14} {:>12.4f} {:>12.4f} {:>12.4f} {:>10.3f} {:>9.1f}% {:>12.1f}\n", order_name(order),
                     static_cast<double>(order.device_bytes_read) / 1e9, static_cast<double>(order.strip_bytes()) / 1e9,
                     static_cast<double>(order.device_bytes_written) / 1e9,
                     static_cast<double>(order.l2_bytes_read) / 1e9, 100 * order.l2_hit_rate,
                     static_cast<double>(order.largest_wave_bytes) / 1e6);
}

}  // namespace

void add_order(const OrderModel& order, json& run) {
  json object = {{"badge", name_of(Badge::modelled)},        {"blocks", order.blocks},
                 {"blocks_executed", order.blocks_executed}, {"blocks_begun", order.blocks_begun},
                 {"blocks_checked", order.blocks_checked},   {"gpu", order.gpu},
                 {"milliseconds", order.milliseconds}};
  if (!order.modelled()) {
    object["reason"] = order.reason.english();
    run["block_order"] = object;
    return;
  }
  object["l2_bytes"] = order.l2_bytes;
  object["l2_partitions"] = order.l2_partitions;
  object["blocks_per_multiprocessor"] = order.blocks_per_multiprocessor;
  object["resident_blocks"] = order.resident_blocks;
  object["residency"] = order.residency.english();
  object["steps"] = order.steps;
  object["tile_rows"] = order.tile_rows;
  object["tile_columns"] = order.tile_columns;
  object["operands"] = operands_json(order);
  object["launched"] = order_json(order.launched);
  object["device_bytes_read_bounds"] = bounds_json(order);
  object["device_bytes_read_at_steady_clock"] = order.read_at_steady_clock;
  for (const auto& other : order.others) object["others"].push_back(order_json(other));
  object["errors"] = {{"device_bytes_read", kept_out_json(kOrderKeptOut)},
                      {"device_bytes_read_at_steady_clock", kept_out_json(kSteadyOrderKeptOut)}};
  object["conclusion"] = order.conclusion().en;
  run["block_order"] = object;
  // Values of the whole grid; they replace those of a replay of only the executed blocks.
  const json modelled = {{"device_bytes_read", order.launched.device_bytes_read},
                         {"device_bytes_written", order.launched.device_bytes_written},
                         {"l2_bytes", order.launched.l2_bytes_read + order.launched.l2_bytes_written},
                         {"l2_bytes_read", order.launched.l2_bytes_read},
                         {"l2_bytes_written", order.launched.l2_bytes_written},
                         {"l2_hit_rate", order.launched.l2_hit_rate}};
  for (const auto& [name, value] : modelled.items()) run["badges"][name] = name_of(Badge::modelled);
  run["counters"].update(modelled);
}

std::string order_text(const OrderModel& order, bool all) {
  if (!order.modelled()) return order.reason.english() + "\n";
  std::string text = fmt::format("{} [{}]\n", order.conclusion().en, name_of(Badge::modelled));
  if (all || !order.is_sure()) text += "  " + certainty_text(order) + "  " + steady_text(order);
  if (!all) return text;
  text += fmt::format(
      "  footprints of {} blocks, {} of them executed to the end ({} to check the others); {} on the {} at a time: "
      "{}\n",
      order.blocks, order.blocks_executed, order.blocks_checked, order.resident_blocks, order.gpu, order.residency);
  text += fmt::format("  {:<14} {:>12} {:>12} {:>12} {:>10} {:>10} {:>12}\n", "order", "GB read", "GB of strips",
                      "GB written", "GB of L2", "L2 hits", "MB per wave");
  text += row_text(order.launched);
  for (const auto& other : order.others) text += row_text(other);
  return text;
}

}  // namespace tilescope
