// tilescope graph --pairs, --loops: predicted beside measured times of fusion, and the fusion of two loop nests.
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/commands.hpp"
#include "app/commands/graph_command.hpp"
#include "engine/bench/fusion_pairs.hpp"
#include "engine/graph/loops_answer.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"
#include "engine/text_file.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kShownTile = 4;      // iterations of each loop in a tile
constexpr size_t kShownCapacity = 24;  // elements of the memory in which elements are kept
const Iteration kTiles{kShownTile, kShownTile, kShownTile};

std::string percent_text(const std::optional<double>& error) {
  return error ? fmt::format("{:+.0f}%", *error * 100) : std::string("-");
}
std::string micro_text(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.2f}", *seconds * 1e6) : std::string("-");
}
std::string times_text(const std::optional<double>& ratio) {
  return ratio ? fmt::format("{:.2f}x", *ratio) : std::string("-");
}

std::string pair_side_text(const std::string& size, const std::string& rung, const PairSide& side) {
  return fmt::format("  {:<20} {:<18} {:>3} {:>10} {:>9.2f} {:>9.2f} {:>9.2f} {:>10.2f} {:>10} {:>7}  {}\n", size, rung,
                     side.launches, bytes_text(side.bytes), side.launch_seconds * 1e6, side.bytes_seconds * 1e6,
                     side.flops_seconds * 1e6, side.seconds() * 1e6, micro_text(side.measured_seconds),
                     percent_text(side.error()), name_of(side.reason));
}

std::string pair_table_text(const PairTable& table) {
  std::string text = fmt::format(
      "{} {} on {}: predicted [{}], measured {} [{}]: {}\n  {:<20} {:<18} {:>3} {:>10} {:>9} {:>9} {:>9} {:>10} {:>10} "
      "{:>7}  {}\n",
      table.pair->lab, name_of(table.type), table.gpu, name_of(Badge::modelled), table.date.substr(0, 10),
      name_of(table.badge), table.command, "", "rung", "n", "bytes", "launch", "bytes", "FLOPs", "sum, us", "measured",
      "error", "why");
  for (const PairRow& row : table.rows) {
    if (row.unfused) text += pair_side_text(row.size, std::string(table.pair->unfused), *row.unfused);
    text += pair_side_text(row.unfused ? "" : row.size, std::string(table.pair->fused), row.fused);
    if (row.unfused)
      text += fmt::format("  {:<20} faster by {} predicted, {} measured\n", "", times_text(row.predicted_speedup()),
                          times_text(row.measured_speedup()));
  }
  return text;
}

ordered_json side_json(std::string_view rung, const PairSide& side) {
  ordered_json object{{"rung", rung},
                      {"launches", side.launches},
                      {"bytes", side.bytes},
                      {"flops", side.flops},
                      {"launch_seconds", side.launch_seconds},
                      {"bytes_seconds", side.bytes_seconds},
                      {"flops_seconds", side.flops_seconds},
                      {"predicted_seconds", side.seconds()}};
  if (side.measured_seconds) object["measured_seconds"] = *side.measured_seconds;
  if (const auto error = side.error()) object["error"] = *error;
  if (side.reason != PairReason::none) {
    object["reason"] = name_of(side.reason);
    object["what"] = sentence_of(side.reason).english();
  }
  return object;
}

ordered_json table_json(const PairTable& table) {
  ordered_json object{{"lab", table.pair->lab},
                      {"type", name_of(table.type)},
                      {"gpu", table.gpu},
                      {"date", table.date},
                      {"command", table.command},
                      {"predicted", name_of(Badge::modelled)},
                      {"measured", name_of(table.badge)},
                      {"sizes", ordered_json::array()}};
  for (const PairRow& row : table.rows) {
    ordered_json one{{"size", row.size}};
    if (row.unfused) one["unfused"] = side_json(table.pair->unfused, *row.unfused);
    one["fused"] = side_json(table.pair->fused, row.fused);
    object["sizes"].push_back(std::move(one));
  }
  return object;
}

std::string distance_text(const Dependence& one, size_t loops) {
  return one.distance ? text_of_iteration(*one.distance, loops) : std::string("varies");
}

std::string loops_text(const LoopPair& pair, const LoopFusion& fusion) {
  const size_t loops = pair.first.loops.size();
  std::string text;
  for (const Dependence& one : fusion.dependences)
    text += fmt::format("{}  {:<8} distance {:<12} {:>6} pairs, {} reversed\n", name_of(one.kind), one.array,
                        distance_text(one, loops), one.pairs, one.reversed);
  text += verdict_of(pair, fusion).english() + ".\n";
  if (!fusion.legal()) return text;
  text += threads_of(pair, fusion).english() + ".\n" + tiling_of(fusion).english() + ".\n\n" + fused_text(pair);
  if (fusion.can_tile) text += "\n" + tiled_text(pair, kTiles);
  const LoopMisses misses = count_misses(pair, kShownCapacity, kTiles);
  return text +
         fmt::format("\n{} accesses; with room for {} elements, loads of one nest after the other: {}, fused: {}{}\n",
                     misses.accesses, kShownCapacity, misses.separate, misses.fused,
                     fusion.can_tile ? fmt::format(", fused in tiles of {}: {}", kShownTile, misses.tiled) : "");
}

ordered_json loops_json(const LoopPair& pair, const LoopFusion& fusion) {
  ordered_json object{{"same_bounds", fusion.same_bounds},          {"legal", fusion.legal()},
                      {"one_kernel", fusion.one_kernel()},          {"can_tile", fusion.can_tile},
                      {"what", verdict_of(pair, fusion).english()}, {"dependences", ordered_json::array()}};
  for (const Dependence& one : fusion.dependences)
    object["dependences"].push_back({{"kind", name_of(one.kind)},
                                     {"array", one.array},
                                     {"distance", distance_text(one, pair.first.loops.size())},
                                     {"pairs", one.pairs},
                                     {"reversed", one.reversed}});
  if (fusion.legal()) object["fused"] = fused_text(pair);
  return object;
}

}  // namespace

int pairs_command(Engine& engine, bool as_json, std::ostream& out, std::ostream& problems) {
  if (!engine.gpus()) return report_error(engine.gpus().error(), as_json, out, problems);
  const Recordings recordings = read_recordings(engine.root() / "assets" / "recordings");
  const auto tables = compare_pairs(recordings, *engine.gpus());
  if (as_json) {
    ordered_json all = ordered_json::array();
    for (const PairTable& table : tables) all.push_back(table_json(table));
    out << json_text(all, 2) << "\n";
    return kClean;
  }
  for (const PairTable& table : tables) out << pair_table_text(table) << "\n";
  return kClean;
}

int loops_command(const std::string& file, bool as_json, std::ostream& out, std::ostream& problems) {
  const auto text = read_text(file);
  if (!text)
    return report_error(make_error(ErrorId::file_not_found, file, std::strerror(errno)), as_json, out, problems);
  const auto pair = loops_from_text(*text);
  if (!pair) return report_error(pair.error(), as_json, out, problems);
  const LoopFusion fusion = analyse(*pair);
  out << (as_json ? json_text(loops_json(*pair, fusion), 2) + "\n" : loops_text(*pair, fusion));
  return kClean;
}

}  // namespace tilescope
