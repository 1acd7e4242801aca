// `tilescope speed VIEW LAB`: the Speed panel's views other than sweep and ladder, without a window.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/commands.hpp"
#include "engine/bench/fusion.hpp"
#include "engine/bench/recording.hpp"
#include "engine/bench/roofline.hpp"
#include "engine/bench/scheme_map.hpp"
#include "engine/bench/small_sizes.hpp"
#include "engine/bench/timed_place.hpp"
#include "engine/json_text.hpp"
#include "engine/report/report.hpp"

namespace tilescope {
namespace {

using nlohmann::json;

/// The inputs of a view.
struct Asked {
  Engine& engine;
  const Lab& lab;
  Request request;
  GpuSpec gpu;
  Recordings recordings;
  const SpeedReport* recording(bool map = false) const {
    return recordings.find(lab, request.config, map, gpu.driver_name, request.rung);
  }
};

/// A view as text and as JSON.
struct ShownSpeed {
  std::string text;
  json object = json::object();
};

std::string speed_sizes(const Config& config) {
  std::string text;
  for (const auto& [name, value] : config.sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string params_text(const Lab& lab, const std::map<std::string, int64_t>& params) {
  std::string text;
  for (const auto& [name, value] : params)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, param_text(lab, name, value));
  return text;
}

json time_json(const TimingPoint& point) {
  return {{"median_ms", point.median_ms},
          {"low_ms", point.low_ms},
          {"high_ms", point.high_ms},
          {"badge", name_of(Badge::recorded)}};
}

const char* how_to_record(bool map) {
  return map ? "tilescope bench {0} --map --json assets/recordings/{0}-map.json"
             : "tilescope bench {0} --json assets/recordings/{0}.json";
}
std::string nothing_text(const Asked& asked, bool map) {
  return fmt::format("no recording; on a machine with a GPU, from the program's folder: {}\n",
                     fmt::format(fmt::runtime(how_to_record(map)), asked.lab.name));
}

json launches_json(const std::vector<LaunchBytes>& launches) {
  json rows = json::array();
  for (const LaunchBytes& one : launches)
    rows.push_back({{"kernel", one.kernel}, {"bytes_read", one.read}, {"bytes_written", one.written}});
  return rows;
}

json speed_side_json(const FusionAccount& account, const FusionSide& side, const TimingPoint* time) {
  json object = {{"rung", side.rung},
                 {"launches", side.launches.size()},
                 {"bytes_read", side.read()},
                 {"bytes_written", side.written()},
                 {"by_launch", launches_json(side.launches)},
                 {"counted_by_launch", launches_json(side.counted)},
                 {"predicted_one_by_one_ms", account.predicted_ms(side, account.cost.one_by_one)},
                 {"predicted_in_graph_ms", account.predicted_ms(side, account.cost.in_graph)}};
  object["timed"] = time != nullptr ? time_json(*time) : json(nullptr);
  return object;
}

std::string ratio_row(const char* name, double unfused, double fused, const char* unit, int decimals) {
  return fmt::format("  {:<28} {:>14.{}f} {:>14.{}f} {:<3} {:>6.2f} x\n", name, unfused, decimals, fused, decimals,
                     unit, fused > 0 ? unfused / fused : 0);
}

std::string fusion_text(const Asked& asked, const FusionAccount& account, const TimingPoint* unfused,
                        const TimingPoint* fused) {
  const FusionSide &a = account.unfused, &b = account.fused;
  const auto launches = [](const FusionSide& side) { return static_cast<double>(side.launches.size()); };
  std::string text = fmt::format("{} at {} on {}\n  {:<28} {:>14} {:>14}\n", asked.lab.name,
                                 speed_sizes(account.config), account.gpu, "", a.rung, b.rung);
  text += ratio_row("launches", launches(a), launches(b), "", 0);
  text += ratio_row("read", a.read() * 1e-6, b.read() * 1e-6, "MB", 3);
  text += ratio_row("written", a.written() * 1e-6, b.written() * 1e-6, "MB", 3);
  text += account.scaled() ? fmt::format("  [{}] passes counted at {}, times the buffers\n", name_of(Badge::modelled),
                                         speed_sizes(account.simulated))
                           : fmt::format("  [{}]\n", name_of(Badge::simulated));
  const auto predicted = [&](const FusionSide& side, double cost) { return account.predicted_ms(side, cost); };
  text += ratio_row("predicted, one by one", predicted(a, account.cost.one_by_one),
                    predicted(b, account.cost.one_by_one), "ms", 4);
  text += ratio_row("predicted, in a CUDA graph", predicted(a, account.cost.in_graph),
                    predicted(b, account.cost.in_graph), "ms", 4);
  text += fmt::format("  [{}] launches x {:.2f} us or {:.2f} us (as measured on {}) + bytes / {:.0f} GB/s\n",
                      name_of(Badge::modelled), account.cost.one_by_one * 1e6, account.cost.in_graph * 1e6,
                      account.cost.measured_on, account.bytes_per_second * 1e-9);
  if (unfused != nullptr && fused != nullptr)
    text += ratio_row("timed", unfused->median_ms, fused->median_ms, "ms", 4) +
            fmt::format("  [{}]\n", name_of(Badge::recorded));
  else if (asked.recording() != nullptr)
    text += fmt::format("  not timed at this size; the recording's sizes are those of 'tilescope bench {}'\n",
                        asked.lab.name);
  else
    text += "  " + nothing_text(asked, false);
  for (const FusionSide* side : {&a, &b})
    for (size_t i = 0; i < side->launches.size(); ++i)
      text +=
          fmt::format("  {:<14} {:>2} {:<24} reads {:>12.3f} MB, writes {:>12.3f} MB\n", i == 0 ? side->rung : "",
                      i + 1, side->launches[i].kernel, side->launches[i].read * 1e-6, side->launches[i].written * 1e-6);
  return text;
}

Result<ShownSpeed> show_fusion(const Asked& asked) {
  auto account = account_fusion(asked.engine, asked.lab, asked.request.config, asked.request.gpu);
  if (!account) return tl::unexpected<Error>(account.error());
  const SpeedReport* report = asked.recording();
  const auto place = report != nullptr ? exact_place(asked.lab, *report, account->config) : std::nullopt;
  const auto time = [&](const FusionSide& side) { return place ? timed_point(*report, side.rung, *place) : nullptr; };
  const TimingPoint *unfused = time(account->unfused), *fused = time(account->fused);
  ShownSpeed shown{fusion_text(asked, *account, unfused, fused)};
  shown.object = {{"lab", asked.lab.name},
                  {"sizes", account->config.sizes},
                  {"counted_at", account->simulated.sizes},
                  {"bytes_badge", name_of(account->bytes_badge())},
                  {"gpu", account->gpu},
                  {"bytes_per_second", account->bytes_per_second},
                  {"launch_seconds", account->cost.one_by_one},
                  {"graph_launch_seconds", account->cost.in_graph},
                  {"launch_cost_measured_on", account->cost.measured_on},
                  {"unfused", speed_side_json(*account, account->unfused, unfused)},
                  {"fused", speed_side_json(*account, account->fused, fused)}};
  return shown;
}

/// Counts the bytes of every rung that the simulator can run at this size.
CountedBytes count_rungs(const Asked& asked) {
  CountedBytes counted;
  for (const Rung& rung : asked.lab.rungs) {
    Request request = asked.request;
    request.rung = rung.name;
    request.device = DeviceKind::sim;
    if (!validate(asked.lab, request.config, DeviceKind::sim)) continue;
    double bytes = 0;
    for (const BufferSpec& buffer : asked.lab.buffers(request.config)) bytes += static_cast<double>(buffer.count());
    if (bytes > 1 << 20 && !asked.lab.models_block_order) continue;
    auto run = asked.engine.run(request);
    if (!run) continue;
    if (const auto known = device_bytes_of(*run)) counted[rung.name] = *known;
  }
  return counted;
}

Result<ShownSpeed> show_roofline(const Asked& asked) {
  if (!has_roofline(asked.lab))
    return fail(ErrorId::usage, fmt::format("lab '{}' counts no operations", asked.lab.name));
  const SpeedReport* report = asked.recording();
  const Roofline roofline = make_roofline(asked.lab, asked.request.config, asked.gpu, report, count_rungs(asked));
  ShownSpeed shown;
  shown.text =
      fmt::format("{} at {}: {:.4g} operations; {}: {:.0f} GB/s\n", asked.lab.name, speed_sizes(asked.request.config),
                  roofline.flops, roofline.gpu, roofline.bytes_per_second * 1e-9);
  shown.object = {{"lab", asked.lab.name},   {"sizes", asked.request.config.sizes},
                  {"gpu", roofline.gpu},     {"bytes_per_second", roofline.bytes_per_second},
                  {"flops", roofline.flops}, {"roofs", json::array()},
                  {"points", json::array()}};
  for (const Roof& roof : roofline.roofs) {
    std::string names;
    for (const PeakRate rate : roof.rates) names += (names.empty() ? "" : ", ") + std::string(name_of(rate));
    shown.text += fmt::format("  roof {:<16} {:>8.1f} TFLOP/s\n", names, roof.flops_per_second * 1e-12);
    shown.object["roofs"].push_back({{"rates", names}, {"flops_per_second", roof.flops_per_second}});
  }
  for (const RooflinePoint& point : roofline.points) {
    shown.text += fmt::format("  {:<20} {:>9.3f} FLOP/byte ({} bytes)  at most {:>8.3f} TFLOP/s [{}]", point.name,
                              point.intensity, point.counted ? "counted" : "useful", point.attainable * 1e-12,
                              name_of(Badge::modelled));
    shown.text += point.time != nullptr ? fmt::format("  {:>8.3f} TFLOP/s [{}]\n", point.flops_per_second * 1e-12,
                                                      name_of(Badge::recorded))
                                        : "  not timed\n";
    json one = {{"name", point.name},
                {"is_rung", point.is_rung},
                {"bytes", point.bytes},
                {"bytes_are", point.counted ? "counted" : "useful"},
                {"flops_per_byte", point.intensity},
                {"peak", name_of(point.rate)},
                {"attainable_flops_per_second", point.attainable},
                {"badge", name_of(Badge::modelled)}};
    one["timed"] = point.time != nullptr ? time_json(*point.time) : json(nullptr);
    if (point.time != nullptr) one["flops_per_second"] = point.flops_per_second;
    shown.object["points"].push_back(std::move(one));
  }
  return shown;
}

json cell_json(const SchemeMap& map, const SchemeCell& cell) {
  json object = {{"rows", cell.rows}, {"columns", cell.columns}};
  const auto scheme = [&](const std::optional<size_t>& index) {
    return index ? json(map.schemes[*index].rung) : json(nullptr);
  };
  object["winner"] = scheme(cell.winner);
  object["picked"] = scheme(cell.picked);
  if (!cell.winner) return object;
  object["margin"] = cell.margin;
  object["tie"] = cell.tie;
  object["picked_loss"] = cell.picked_loss;
  for (size_t i = 0; i < map.schemes.size(); ++i)
    if (cell.times[i] != nullptr) {
      object["times"][map.schemes[i].rung] = time_json(*cell.times[i]);
      object["times"][map.schemes[i].rung]["params"] = cell.times[i]->params;
    }
  return object;
}

/// A grid of letters: the winner if there are times, with * if the lab's choice differs; else the choice.
std::string grid_text(const SchemeMap& map, const SchemeGrid& grid) {
  std::string text = fmt::format("  {:>10}", map.rows + "\\" + map.columns);
  for (const int64_t columns : grid.column_values) text += fmt::format(" {:>8}", columns);
  text += "  idle SMs\n";
  for (size_t row = 0; row < grid.row_values.size(); ++row) {
    text += fmt::format("  {:>10}", grid.row_values[row]);
    for (size_t column = 0; column < grid.column_values.size(); ++column) {
      const SchemeCell& cell = grid.cell(row, column);
      const auto shown = cell.winner ? cell.winner : cell.picked;
      std::string word = !cell.inside || !shown ? "" : map.schemes[*shown].mark + (cell.picked_another() ? "*" : "");
      if (cell.winner && !cell.tie) word += fmt::format(" {:.0f}%", 100 * cell.margin);
      text += fmt::format(" {:>8}", word);
    }
    text += fmt::format("  {:>8}\n", grid.idle[row]);
  }
  return text;
}

Result<ShownSpeed> show_map(const Asked& asked) {
  if (!asked.lab.scheme_map) return fail(ErrorId::usage, fmt::format("lab '{}' has no map of schemes", asked.lab.name));
  const SchemeMap& map = *asked.lab.scheme_map;
  const SpeedReport* report = asked.recording(true);
  const GpuSpec* recorded =
      report != nullptr && asked.engine.gpus() ? find_gpu_of_driver(*asked.engine.gpus(), report->gpu) : nullptr;
  const GpuSpec& gpu = recorded != nullptr ? *recorded : asked.gpu;
  const SchemeGrid grid = make_scheme_grid(asked.lab, asked.request.config, gpu, report);
  ShownSpeed shown;
  shown.text = fmt::format("{} on {}: {} cells, {} timed", asked.lab.name, gpu.name, grid.inside, grid.timed);
  if (report != nullptr)
    shown.text += fmt::format(" [{}]; '{}' takes the fastest in {}, one as good in {}, and loses {:.0f}% at most\n",
                              name_of(Badge::recorded), map.automatic, grid.picked_winner, grid.ties_picked,
                              100 * grid.worst_loss);
  else
    shown.text += fmt::format("; the letters are what '{}' takes [{}]\n  {}", map.automatic, name_of(Badge::modelled),
                              nothing_text(asked, true));
  shown.text += grid_text(map, grid);
  for (const SchemeMap::Scheme& scheme : map.schemes) shown.text += fmt::format("  {} {}\n", scheme.mark, scheme.rung);
  shown.object = {{"lab", asked.lab.name},
                  {"gpu", gpu.name},
                  {"cells", json::array()},
                  {"inside", grid.inside},
                  {"timed", grid.timed},
                  {"picked_winner", grid.picked_winner},
                  {"picked_as_good", grid.ties_picked},
                  {"worst_loss", grid.worst_loss}};
  for (const SchemeCell& cell : grid.cells)
    if (cell.inside) shown.object["cells"].push_back(cell_json(map, cell));
  for (size_t row = 0; row < grid.row_values.size(); ++row)
    shown.object["idle_multiprocessors"].push_back({{"rows", grid.row_values[row]}, {"idle", grid.idle[row]}});
  return shown;
}

Result<ShownSpeed> show_small(const Asked& asked) {
  if (asked.lab.small_sizes.empty())
    return fail(ErrorId::usage, fmt::format("lab '{}' has no table of small sizes", asked.lab.name));
  ShownSpeed shown;
  shown.object = {{"lab", asked.lab.name}, {"sizes", asked.lab.small_sizes}, {"rows", json::array()}};
  const SpeedReport* report = asked.recording();
  const SmallSizesTable table = report != nullptr ? make_small_sizes(asked.lab, *report) : SmallSizesTable{};
  if (report == nullptr || table.empty()) {
    shown.text = asked.lab.name + ": none of the small sizes was timed; " + nothing_text(asked, false);
    return shown;
  }
  shown.text = fmt::format("{} on {} [{}], {}; ms, * the best\n  {:<20}", asked.lab.name, report->gpu,
                           name_of(Badge::recorded), params_text(asked.lab, report->config.params), report->size_name);
  for (const int64_t size : table.sizes) shown.text += fmt::format(" {:>10} ", size);
  shown.text += "\n";
  for (const SmallSizesRow& row : table.rows) {
    shown.text += fmt::format("  {:<20}", row.name);
    json times = json::array();
    for (size_t i = 0; i < table.sizes.size(); ++i) {
      shown.text += row.times[i] != nullptr
                        ? fmt::format(" {:>10.5f}{}", row.times[i]->median_ms, row.best[i] ? "*" : " ")
                        : fmt::format(" {:>10} ", "-");
      times.push_back(row.times[i] != nullptr ? time_json(*row.times[i]) : json(nullptr));
    }
    shown.text += row.unavailable.empty() ? "\n" : "  " + row.unavailable + "\n";
    shown.object["rows"].push_back(
        {{"name", row.name}, {"is_rung", row.is_rung}, {"times", std::move(times)}, {"best", row.best}});
  }
  return shown;
}

}  // namespace

int speed_command(Engine& engine, const SpeedOptions& options, std::ostream& out, std::ostream& problems) {
  RunOptions run;
  run.lab = options.lab;
  run.set = options.set;
  run.size = options.size;
  run.device = name_of(DeviceKind::gpu);
  auto request = make_request(run);
  if (!request) return report_error(request.error(), options.json, out, problems);
  auto gpu = engine.modelled_gpu(request->gpu);
  if (!gpu) return report_error(gpu.error(), options.json, out, problems);
  const Asked asked{engine, *find_lab(options.lab), *request, *gpu,
                    read_recordings(engine.root() / "assets" / "recordings")};
  for (const Error& refused : asked.recordings.refused) problems << to_text(refused);
  auto shown = options.view == "fusion"     ? show_fusion(asked)
               : options.view == "roofline" ? show_roofline(asked)
               : options.view == "map"      ? show_map(asked)
                                            : show_small(asked);
  if (!shown) return report_error(shown.error(), options.json, out, problems);
  out << (options.json ? json_text(shown->object, 2) + "\n" : shown->text);
  return kClean;
}

}  // namespace tilescope
