#include "engine/tune/maps/tuned.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <regex>
#include <set>
#include <utility>

#include "engine/numbers.hpp"
#include "engine/sha256.hpp"
#include "engine/text_file.hpp"
#include "engine/tune/maps/tune_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// The files of a folder and when they were written.
using Stamp = std::vector<std::pair<fs::path, fs::file_time_type>>;
Stamp stamp_of(const fs::path& folder) {
  Stamp stamp;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    const auto written = entry->last_write_time(gone);
    if (!gone && entry->path().extension() == ".json") stamp.emplace_back(entry->path(), written);
  }
  std::ranges::sort(stamp);
  return stamp;
}

/// The maps as they were last read. A run, a frame and a tuning may ask at the same time.
struct Known {
  std::mutex mutex;
  TuningFolders folders;
  Stamp recorded_stamp, cached_stamp;
  std::vector<TuneMap> maps;
};
Known& known() {
  static Known state;
  return state;
}

void refresh(Known& state) {
  Stamp recorded = stamp_of(state.folders.recordings), cached = stamp_of(state.folders.cache);
  if (recorded == state.recorded_stamp && cached == state.cached_stamp) return;
  state.maps = read_tune_maps(state.folders.cache, Badge::measured).maps;
  for (TuneMap& map : read_tune_maps(state.folders.recordings, Badge::recorded).maps)
    state.maps.push_back(std::move(map));
  state.recorded_stamp = std::move(recorded), state.cached_stamp = std::move(cached);
}

/// The same named choices, such as the element type, and the same of_problem parameters.
bool is_of_problem(const Lab& lab, const TuneMap& map, const Config& config) {
  return std::ranges::all_of(lab.params, [&](const Param& param) {
    if (param.choices.empty() && !param.of_problem) return true;
    const auto tuned = map.params.find(param.name), wanted = config.params.find(param.name);
    return tuned != map.params.end() && wanted != config.params.end() && tuned->second == wanted->second;
  });
}

/// How far apart the sizes are: the sum of the distances of their logarithms.
double distance(const TuneMap& map, const Config& config) {
  double sum = 0;
  for (const auto& [name, value] : config.sizes) {
    const auto tuned = map.sizes.find(name);
    if (tuned == map.sizes.end() || tuned->second <= 0 || value <= 0) return HUGE_VAL;
    sum += std::abs(std::log2(static_cast<double>(tuned->second) / static_cast<double>(value)));
  }
  return sum;
}

std::string sizes_text(const std::map<std::string, int64_t>& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, with_separators(value));
  return text;
}

void add_file(const fs::path& kernels, const std::string& file, std::set<std::string>& seen, std::string& all) {
  if (!seen.insert(file).second) return;
  const auto text = read_text(kernels / file);
  if (!text) return;
  all += file + '\n' + *text;
  static const std::regex include(R"re(#include\s+"([^"]+)")re");
  for (std::sregex_iterator found(text->begin(), text->end(), include), end; found != end; ++found)
    add_file(kernels, (*found)[1].str(), seen, all);
}

Text why_of(const TuneMap& map, const Config& config, const TuneEntry& best) {
  const std::string params = map.text_of(static_cast<size_t>(&best - map.entries.data()));
  const std::string tried = with_separators(map.count(TuneState::timed)), day = map.date.substr(0, 10),
                    tuned = sizes_text(map.sizes);
  if (has_sizes(map, config))
    return {fmt::format("{}: the fastest of {} configurations at {} on {}, {} {}.", params, tried, tuned, map.gpu,
                        map.badge == Badge::measured ? "measured" : "recorded", day),
            fmt::format("{}：在 {} 上对 {} {}的 {} 个配置里最快的一个，{}。", params, map.gpu, tuned,
                        map.badge == Badge::measured ? "实测" : "记录", tried, day)};
  return {fmt::format("These sizes were not tuned. The nearest that were: {}, on {}, {}. The fastest of {} "
                      "configurations was {}; it need not be the fastest here.",
                      tuned, map.gpu, day, tried, params),
          fmt::format("这组规模没有调过。最接近的一次是 {}，在 {} 上，{}：{} 个配置里最快的是 {}，在这里未必最快。",
                      tuned, map.gpu, day, tried, params)};
}

}  // namespace

void set_tuning_folders(TuningFolders folders) {
  Known& state = known();
  const std::lock_guard lock(state.mutex);
  state.folders = std::move(folders);
}
TuningFolders tuning_folders() {
  Known& state = known();
  const std::lock_guard lock(state.mutex);
  return state.folders;
}

std::string kernel_hash(const fs::path& kernels, const std::string& file) {
  std::set<std::string> seen;
  std::string all;
  add_file(kernels, file, seen, all);
  return all.empty() ? std::string() : sha256_of(all);
}

bool has_sizes(const TuneMap& map, const Config& config) { return map.sizes == config.sizes; }

std::vector<TuneMap> maps_of(const Lab& lab, const std::string& rung, const Config& config, const GpuSpec& gpu) {
  const Rung* of = find_rung(lab, rung);
  std::vector<TuneMap> maps;
  if (of == nullptr) return maps;
  Known& state = known();
  fs::path kernels;
  {
    const std::lock_guard lock(state.mutex);
    refresh(state);
    kernels = state.folders.kernels;
    for (const TuneMap& map : state.maps)
      if (map.lab == lab.name && map.rung == rung && map.best() && is_of_problem(lab, map, config)) maps.push_back(map);
  }
  std::optional<std::string> hash;
  std::erase_if(maps, [&](const TuneMap& map) {
    if (map.badge != Badge::measured) return false;
    if (!hash) hash = kernel_hash(kernels, of->kernel_file.empty() ? lab.kernel_file : of->kernel_file);
    return map.source_hash != *hash;
  });
  std::ranges::stable_sort(maps, [&](const TuneMap& a, const TuneMap& b) {
    const double near = distance(a, config), other = distance(b, config);
    if (near != other) return near < other;
    const bool here = a.gpu == gpu.driver_name, there = b.gpu == gpu.driver_name;
    if (here != there) return here;
    if (a.badge != b.badge) return a.badge == Badge::measured;
    return a.date > b.date;
  });
  return maps;
}

Pick pick_tuned(const Lab& lab, const std::string& rung, const Config& config, const GpuSpec& gpu) {
  Pick pick{.rung = rung};
  for (const TuneMap& map : maps_of(lab, rung, config, gpu)) {
    Config tuned = config;
    const size_t best = *map.best();
    const Rung* of = find_rung(lab, rung);
    const auto params = map.configuration_of(best, of->params);
    const bool known = std::ranges::all_of(params, [&](const auto& one) { return config.params.contains(one.first); });
    for (const auto& [name, value] : params) tuned.params[name] = value;
    if (!known || (of->check && !of->check(tuned))) continue;  // it does not fit these sizes
    pick.params = params;
    pick.why = why_of(map, config, map.entries[best]);
    return pick;
  }
  const std::string command = fmt::format("tilescope tune {} --rung {}", lab.name, rung);
  pick.why = {
      fmt::format("Nothing was tuned yet, so the sliders' values stay. '{}' tunes on this machine's GPU.", command),
      fmt::format("还没有调过，所以沿用滑块的值。“{}”会在这台机器的 GPU 上调优。", command)};
  return pick;
}

}  // namespace tilescope
