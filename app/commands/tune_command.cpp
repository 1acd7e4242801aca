#include "app/commands/tune_command.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "app/commands/command_parts.hpp"
#include "app/commands/commands.hpp"
#include "app/sandbox/form/arguments.hpp"
#include "engine/bench/speed_unit.hpp"
#include "engine/json_text.hpp"
#include "engine/numbers.hpp"
#include "engine/report/report.hpp"
#include "engine/tune/maps/tune_file.hpp"
#include "engine/tune/maps/tuned.hpp"
#include "engine/tune/tuning.hpp"
#include "engine/units.hpp"

namespace tilescope {
namespace {

using nlohmann::ordered_json;

constexpr size_t kSeeds = 100;  // replays of each search

/// "BM=64,128": the values that are tried.
Result<std::pair<std::string, std::vector<int64_t>>> parse_tried(const std::string& text) {
  auto assignment = parse_assignment(text);
  if (!assignment) return tl::unexpected<Error>(assignment.error());
  std::vector<int64_t> values;
  for (size_t begin = 0; begin <= assignment->value.size();) {
    const size_t end = std::min(assignment->value.find(',', begin), assignment->value.size());
    auto value = parse_integer(assignment->name, assignment->value.substr(begin, end - begin));
    if (!value) return tl::unexpected<Error>(value.error());
    values.push_back(*value);
    begin = end + 1;
  }
  return std::pair{assignment->name, std::move(values)};
}

Result<SpaceRequest> make_space_request(const TuneOptions& options) {
  RunOptions run{.lab = options.lab, .rung = options.rung, .set = options.set, .size = options.size, .device = "gpu"};
  if (run.rung == "all") return fail(ErrorId::usage, "tune takes one rung");
  auto request = make_request(run);
  if (!request) return tl::unexpected<Error>(request.error());
  SpaceRequest space{.lab = request->lab, .rung = request->rung, .config = request->config, .gpu = request->gpu};
  std::vector<std::string> settings = options.set;
  if (auto gpu = take_gpu(settings); !gpu) return tl::unexpected<Error>(gpu.error());
  for (const std::string& text : settings)
    if (auto assignment = parse_assignment(text)) space.fixed.push_back(assignment->name);
  for (const std::string& text : options.tried) {
    auto tried = parse_tried(text);
    if (!tried) return tl::unexpected<Error>(tried.error());
    space.tried.insert(std::move(*tried));
  }
  return space;
}

/// The command that repeats the tuning, whatever file it was saved to.
std::string repeating_command(const TuneOptions& options, const SpaceRequest& space) {
  std::string text = fmt::format("tilescope tune {} --rung {}", space.lab, space.rung);
  for (const auto& set : options.set) text += " --set " + set;
  for (const auto& size : options.size) text += " --size " + size;
  for (const auto& tried : options.tried) text += " --try " + tried;
  if (options.search != "exhaustive") text += " --search " + options.search;
  if (options.trials > 0) text += fmt::format(" --trials {}", options.trials);
  if (options.budget > 0) text += fmt::format(" --budget {}", options.budget);
  if (options.seed != "1") text += " --seed " + options.seed;
  return text;
}

std::string values_text(const std::map<std::string, int64_t>& values) {
  std::string text;
  for (const auto& [name, value] : values) text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string space_text(const TuneMap& map) {
  std::string text;
  for (const TuneAxis& axis : map.axes) {
    std::string values;
    for (const int64_t value : axis.values) values += fmt::format("{}{}", values.empty() ? "" : ", ", value);
    text += fmt::format("  {:<10} {}\n", axis.name, values);
  }
  const size_t impossible = map.count(TuneState::impossible);
  text += fmt::format("{} configurations: {} possible, {} impossible", map.entries.size(),
                      map.entries.size() - impossible, impossible);
  const char* separator = " (";
  for (const auto& [limiter, count] : map.limiters()) {
    text += fmt::format("{}{} {}", separator, name_of(limiter), count);
    separator = ", ";
  }
  return text + (impossible > 0 ? ")\n" : "\n");
}

double teraflops_of(const Lab& lab, const Config& config, double milliseconds) {
  return lab.flops ? teraflops(lab, config, milliseconds) : 0;
}

/// What the lab's speed unit says of a time.
std::string speed_text(const Lab& lab, const Config& config, double milliseconds) {
  if (milliseconds <= 0) return "-";
  if (lab.speed_unit == SpeedUnit::teraflops)
    return fmt::format("{:.1f} TFLOP/s", teraflops_of(lab, config, milliseconds));
  return fmt::format("{:.0f} GB/s", lab.useful_bytes ? lab.useful_bytes(config) / (milliseconds * 1e6) : 0);
}

std::string facts_text(const Lab& lab, const TuneFacts& facts, const Config& config) {
  std::string text = fmt::format("{:>5} {:>10} {:>7} {:>8} {:>6.0f}%", facts.registers, facts.shared_bytes,
                                 facts.spill_bytes, facts.ctas_per_multiprocessor, facts.occupancy * 100);
  const double flops = lab.flops ? lab.flops(config) : 0;
  text += facts.requested_bytes > 0 && flops > 0 ? fmt::format(" {:>10.1f}", flops / facts.requested_bytes)
                                                 : fmt::format(" {:>10}", "-");
  return text;
}

std::string tune_head(const TuneMap& map, bool timed) {
  std::string text = " ";
  for (const TuneAxis& axis : map.axes)
    text += fmt::format(" {:>{}}", axis.name, std::max<size_t>(axis.name.size(), 4));
  if (timed) text += fmt::format(" {:>10} {:>22} {:>14} {:>10}", "ms", "95% interval", "speed", "first ms");
  return text + fmt::format(" {:>5} {:>10} {:>7} {:>8} {:>7} {:>10}\n", "regs", "shared, B", "spill,B", "CTAs/SM",
                            "occup.", "FLOP/byte");
}

std::string tune_row(const Lab& lab, const TuneMap& map, size_t index, const Config& config, bool timed) {
  const TuneEntry& entry = map.entries[index];
  std::string text = " ";
  for (size_t i = 0; i < map.axes.size(); ++i)
    text += fmt::format(" {:>{}}", entry.values[i], std::max<size_t>(map.axes[i].name.size(), 4));
  const bool again = entry.final_ms > 0;
  if (timed)
    text += fmt::format(" {:>10.5f} {:>22} {:>14} {:>10.5f}", entry.milliseconds(),
                        fmt::format("[{:.5f}, {:.5f}]", again ? entry.final_low_ms : entry.low_ms,
                                    again ? entry.final_high_ms : entry.high_ms),
                        speed_text(lab, config, entry.milliseconds()), entry.median_ms);
  return text + " " + (entry.facts ? facts_text(lab, *entry.facts, config) : "-") + "\n";
}

/// One impossible configuration of each kind, with its sentence.
std::string impossible_text(const TuneMap& map) {
  std::string text;
  for (const auto& [limiter, count] : map.limiters()) {
    const auto first = std::ranges::find_if(map.entries, [limiter = limiter](const TuneEntry& entry) {
      return entry.state == TuneState::impossible && entry.limiter == limiter;
    });
    text += fmt::format("  {:<14} {:>4}, for example {}: {}\n", name_of(limiter), count,
                        map.text_of(static_cast<size_t>(first - map.entries.begin())), first->why.english());
  }
  return text.empty() ? text : "impossible\n" + text;
}

std::string wrong_text(const TuneMap& map) {
  std::string text;
  for (size_t i = 0; i < map.entries.size(); ++i)
    if (map.entries[i].state == TuneState::wrong || map.entries[i].state == TuneState::failed)
      text += fmt::format("  {} {}: {}\n", map.text_of(i), name_of(map.entries[i].state), map.entries[i].why.english());
  return text.empty() ? text : "not right, and not counted\n" + text;
}

size_t replay_trials(const TuneMap& map, const TuneOptions& options) {
  const size_t timed = map.count(TuneState::timed);
  return options.trials > 0 ? options.trials : std::max<size_t>(4, timed / 8);
}

std::vector<RegretOfSeeds> replays_of(const TuneMap& map, const TuneOptions& options) {
  std::vector<RegretOfSeeds> all;
  if (!map.complete() || map.count(TuneState::timed) < 2) return all;
  for (const SearchKind kind : kSearchKinds)
    all.push_back(replay_seeds(map,
                               {.kind = kind,
                                .trials = kind == SearchKind::exhaustive ? 0 : replay_trials(map, options),
                                .seconds = options.budget},
                               kSeeds));
  return all;
}

std::string replays_text(const TuneMap& map, const std::vector<RegretOfSeeds>& all) {
  if (all.empty()) return {};
  std::string text = fmt::format(
      "searches replayed over this map with {} seeds, from its samples\n  {:<12} {:>8} {:>8} {:>10} {:>14} {:>12}\n",
      kSeeds, "search", "tried", "samples", "seconds", "median regret", "worst regret");
  for (const RegretOfSeeds& one : all)
    text += fmt::format("  {:<12} {:>8} {:>8} {:>10.1f} {:>13.1f}% {:>11.1f}%\n", name_of(one.kind), one.tried,
                        one.samples, one.seconds, one.median * 100, one.worst * 100);
  (void)map;
  return text;
}

ordered_json replays_json(const std::vector<RegretOfSeeds>& all) {
  ordered_json list = ordered_json::array();
  for (const RegretOfSeeds& one : all)
    list.push_back({{"search", name_of(one.kind)},
                    {"seeds", one.seeds},
                    {"tried", one.tried},
                    {"samples", one.samples},
                    {"seconds", one.seconds},
                    {"median_regret", one.median},
                    {"worst_regret", one.worst}});
  return list;
}

struct Answer {
  const TuneMap& map;
  const Tuning* tuning = nullptr;  // that of this session
  bool timed = true;
};

ordered_json answer_json(const Answer& answer, const TuneOptions& options) {
  const TuneMap& map = answer.map;
  ordered_json object{{"badge", name_of(answer.timed ? map.badge : Badge::modelled)}, {"map", to_json(map)}};
  ordered_json limiters = ordered_json::object();
  for (const auto& [limiter, count] : map.limiters()) limiters[std::string(name_of(limiter))] = count;
  object["possible"] = map.entries.size() - map.count(TuneState::impossible);
  object["impossible"] = limiters;
  if (const auto best = map.best()) {
    object["best"] = map.params_of(*best);
    object["best_ms"] = map.entries[*best].milliseconds();
  }
  if (answer.tuning != nullptr) {
    const Search& search = answer.tuning->search;
    object["search"] = {{"kind", name_of(search.kind)},
                        {"seed", search.seed},
                        {"tried", search.tried},
                        {"samples", search.samples},
                        {"out_of_budget", search.out_of_budget},
                        {"from_cache", answer.tuning->from_cache}};
    if (search.found) object["search"]["found"] = map.params_of(*search.found);
    if (!answer.tuning->cache_note.empty()) object["cache"] = answer.tuning->cache_note;
  }
  if (answer.timed) object["replays"] = replays_json(replays_of(map, options));
  return object;
}

std::string answer_text(const Lab& lab, const Answer& answer, const TuneOptions& options, const Config& config) {
  const TuneMap& map = answer.map;
  std::string text = fmt::format("{} {} at {}", map.lab, map.rung, values_text(map.sizes));
  text += answer.timed ? fmt::format(" on {} [{}], {}\n", map.gpu, name_of(map.badge), map.date.substr(0, 10))
                       : fmt::format(", compiled for the {} [{}]\n", map.gpu, name_of(Badge::modelled));
  text += space_text(map);
  std::vector<size_t> rows = map.ranking();
  if (!answer.timed) {
    rows.clear();
    for (size_t i = 0; i < map.entries.size(); ++i)
      if (map.entries[i].facts) rows.push_back(i);
    std::ranges::stable_sort(rows, std::ranges::greater(), [&](size_t index) {
      const TuneFacts& facts = *map.entries[index].facts;
      return std::pair(facts.spill_bytes == 0, facts.requested_bytes > 0 ? 1 / facts.requested_bytes : facts.occupancy);
    });
  }
  if (!rows.empty()) text += tune_head(map, answer.timed);
  for (size_t i = 0; i < std::min(rows.size(), options.rows); ++i) {
    Config of = config;
    for (const auto& [name, value] : map.params_of(rows[i])) of.params[name] = value;
    text += tune_row(lab, map, rows[i], of, answer.timed);
  }
  if (rows.size() > options.rows) text += fmt::format("  … and {} more\n", rows.size() - options.rows);
  text += wrong_text(map) + impossible_text(map);
  if (answer.timed) text += replays_text(map, replays_of(map, options));
  return text;
}

std::string search_text(const Tuning& tuning) {
  const Search& search = tuning.search;
  std::string text =
      fmt::format("{} search, seed {}: {} of {} tried, {} samples, {:.1f} s", name_of(search.kind), search.seed,
                  search.tried, tuning.map.entries.size() - tuning.map.count(TuneState::impossible), search.samples,
                  search.steps.empty() ? 0 : search.steps.back().seconds);
  if (search.found) {
    text += fmt::format("; found {}", tuning.map.text_of(*search.found));
    const double regret = regret_of(tuning.map, *search.found);
    if (tuning.map.complete() && std::isfinite(regret)) text += fmt::format(", regret {:.1f}%", regret * 100);
  }
  text += tuning.from_cache ? "; all from the cache\n" : "\n";
  return tuning.cache_note.empty() ? text : text + "cache: " + tuning.cache_note + "\n";
}

/// The possible configurations, compiled.
Result<TuneMap> static_map(Engine& engine, const SpaceRequest& space) {
  auto map = make_space(engine, space);
  if (!map) return map;
  if (auto described = describe_map(engine, space, *map); !described) return forward(described);
  if (auto gpu = engine.modelled_gpu(space.gpu)) map->gpu = gpu->name;
  std::vector<size_t> possible;
  for (size_t i = 0; i < map->entries.size(); ++i)
    if (map->entries[i].state != TuneState::impossible) possible.push_back(i);
  if (auto added = add_facts(engine, space, *map, possible, {}, {}); !added) return forward(added);
  return map;
}

/// The newest known map of exactly these sizes.
Result<TuneMap> known_map(Engine& engine, const SpaceRequest& space) {
  auto gpu = engine.modelled_gpu(space.gpu);
  if (!gpu) return forward(gpu);
  for (TuneMap& map : maps_of(*find_lab(space.lab), space.rung, space.config, *gpu))
    if (has_sizes(map, space.config)) return std::move(map);
  // A file that cannot be read may be the map that is missing.
  const TuningFolders folders = tuning_folders();
  for (const auto& folder : {folders.cache, folders.recordings})
    if (const TuneMaps read = read_tune_maps(folder, Badge::recorded); !read.refused.empty())
      return tl::unexpected<Error>(read.refused.front());
  return tl::unexpected<Error>(make_error(
      ErrorId::usage,
      {phrase("there is no map of {} {} at {}", space.lab, space.rung, values_text(space.config.sizes))},
      Phrase("Leave --replay out on a machine with a GPU to measure one, or use --static, which needs none.")));
}

int print(const Lab& lab, const Answer& answer, const TuneOptions& options, const Config& config, std::ostream& out) {
  out << (options.json ? json_text(answer_json(answer, options), 1) + "\n" : answer_text(lab, answer, options, config));
  return kClean;
}

int measure(Engine& engine, const TuneOptions& options, const SpaceRequest& space, uint64_t seed, std::ostream& out,
            std::ostream& problems) {
  const TuneRequest request{.space = space,
                            .search = {.kind = *search_kind_named(options.search),
                                       .seed = seed,
                                       .trials = options.trials,
                                       .seconds = options.budget},
                            .command = repeating_command(options, space),
                            .use_cache = !options.again};
  const auto progress = [&](const TuneProgress& now) {
    constexpr size_t kBetweenLines = 25;
    if (!now.finals && now.steps->size() % kBetweenLines == 0)
      problems << fmt::format("{} measured, {} possible\n", now.steps->size(), now.of) << std::flush;
  };
  const auto tuning = tune(engine, request, progress, {});
  if (!tuning) return report_error(tuning.error(), options.json, out, problems);
  if (!options.save.empty())
    if (auto written = write_tune_map(tuning->map, options.save); !written)
      return report_error(written.error(), options.json, out, problems);
  if (!options.json) out << search_text(*tuning);
  print(*find_lab(space.lab), {.map = tuning->map, .tuning = &*tuning}, options, space.config, out);
  if (!options.save.empty() && !options.json) out << "written to " << options.save << "\n";
  return kClean;
}

}  // namespace

int tune_command(Engine& engine, const TuneOptions& options, std::ostream& out, std::ostream& problems) {
  const auto space = make_space_request(options);
  if (!space) return report_error(space.error(), options.json, out, problems);
  const auto seed = parse_integer("--seed", options.seed);
  if (!seed) return report_error(seed.error(), options.json, out, problems);
  const Lab& lab = *find_lab(space->lab);
  if (auto possible = make_space(engine, *space); !possible)
    return report_error(possible.error(), options.json, out, problems);
  if (!options.only_static && !options.replay && engine.gpu())
    return measure(engine, options, *space, static_cast<uint64_t>(*seed), out, problems);
  if (options.only_static) {
    const auto map = static_map(engine, *space);
    if (!map) return report_error(map.error(), options.json, out, problems);
    return print(lab, {.map = *map, .timed = false}, options, space->config, out);
  }
  const auto map = known_map(engine, *space);
  if (map) return print(lab, {.map = *map}, options, space->config, out);
  if (options.replay) return report_error(map.error(), options.json, out, problems);
  Error none = engine.gpu().error();
  none.hint = "Without a GPU, --static says which configurations fit, and --replay shows recorded maps.";
  return report_error(none, options.json, out, problems);
}

}  // namespace tilescope
