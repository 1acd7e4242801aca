// The cache of tunings: one file for each key.
#include <nlohmann/json.hpp>
#include <system_error>

#include "engine/clock.hpp"
#include "engine/compile/triton/triton_compiler.hpp"
#include "engine/json_text.hpp"
#include "engine/kernel_language.hpp"
#include "engine/sha256.hpp"
#include "engine/tune/maps/tune_file.hpp"
#include "engine/tune/maps/tuned.hpp"
#include "engine/tune/tuning.hpp"

namespace tilescope {

std::string tune_key(const TuneMap& map) {
  nlohmann::json axes = nlohmann::json::array();
  for (const TuneAxis& axis : map.axes) axes.push_back({axis.name, axis.values});
  const nlohmann::json all{TuneMap::kFormat,  map.lab, map.rung, map.source_hash,    map.sizes,
                           map.params,        axes,    map.gpu,  map.driver_version, map.nvrtc_version,
                           map.triton_version};
  return sha256_of(json_text(all));
}

Result<void> describe_map(Engine& engine, const SpaceRequest& space, TuneMap& map) {
  const Lab* lab = find_lab(space.lab);
  const Rung* rung = lab != nullptr ? find_rung(*lab, space.rung) : nullptr;
  if (rung == nullptr) return fail(ErrorId::usage, phrase("there is no rung '{}' to tune", space.rung));
  const std::string file = rung->kernel_file.empty() ? lab->kernel_file : rung->kernel_file;
  map.source_hash = kernel_hash(engine.root() / "kernels", file);
  map.tilescope_version = TILESCOPE_VERSION;
  map.date = utc_now();
  if (language_of(file) == KernelLanguage::triton) {
    auto origin = engine.triton().triton_origin({});
    if (!origin) return forward(origin);
    map.triton_version = origin->triton;
  } else if (engine.compiler()) {
    map.nvrtc_version = (*engine.compiler())->version();
  }
  if (engine.gpu()) {
    const DeviceInfo device = (*engine.gpu())->device();
    map.gpu = device.name;
    map.driver_version = device.driver_version;
    map.sm_clock_mhz = device.sm_clock_mhz;
  }
  map.key = tune_key(map);
  return {};
}

std::filesystem::path cache_file(const std::filesystem::path& folder, const TuneMap& map) {
  return folder / fmt::format("{}.{}.{}.json", map.lab, map.rung, map.key.substr(0, 16));
}

bool load_cached(TuneMap& map, const std::filesystem::path& folder, std::string& why_not) {
  const std::filesystem::path file = cache_file(folder, map);
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return false;
  const auto cached = read_tune_map(file);
  if (!cached || cached->key != map.key) {
    why_not = cached ? fmt::format("{} is of a different tuning and is written anew", file.string())
                     : fmt::format("{}; it is written anew", cached.error().message);
    return false;
  }
  merge_entries(map, *cached);
  map.seconds = cached->seconds;
  return true;
}

Result<void> store_cached(TuneMap map, const std::filesystem::path& folder) {
  if (folder.empty()) return {};
  const auto other = read_tune_map(cache_file(folder, map));
  if (other) merge_entries(map, *other);
  return write_tune_map(map, cache_file(folder, map));
}

}  // namespace tilescope
