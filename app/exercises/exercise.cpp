#include "app/exercises/exercise.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <tuple>

#include "app/exercises/exercise_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<Measure, std::string_view>, 19> kMeasures{{
    {Measure::sectors_per_request, "sectors per request"},
    {Measure::moved_per_useful, "moved bytes per useful byte"},
    {Measure::reads_per_element, "reads per element"},
    {Measure::writes_per_element, "writes per element"},
    {Measure::requests, "requests"},
    {Measure::atomics, "atomics"},
    {Measure::bank_conflicts, "bank conflicts"},
    {Measure::shared_wavefronts, "shared wavefronts"},
    {Measure::barriers, "barriers"},
    {Measure::instructions, "instructions"},
    {Measure::instructions_per_element, "instructions per element"},
    {Measure::device_bytes_per_least, "device bytes per least"},
    {Measure::registers, "registers"},
    {Measure::shared_bytes, "shared bytes"},
    {Measure::spilled_bytes, "spilled bytes"},
    {Measure::occupancy, "occupancy"},
    {Measure::blocks, "blocks"},
    {Measure::threads, "threads"},
    {Measure::launches, "launches"},
}};

/// A well-mixed number of a seed, a name and an index (the finalizer of MurmurHash3, by Austin Appleby).
uint64_t mixed(uint64_t seed, std::string_view name, uint64_t index) {
  uint64_t value = seed * 0x9e3779b97f4a7c15ULL + index;
  for (const char one : name) value = value * 131 + static_cast<unsigned char>(one);
  value = (value ^ (value >> 33)) * 0xff51afd7ed558ccdULL;
  value = (value ^ (value >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}

void read_folder(const fs::path& folder, ExerciseCatalogue& catalogue) {
  std::error_code failed;
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (fs::exists(entry.path() / "exercise.toml", failed)) folders.push_back(entry.path());
  std::ranges::sort(folders);
  for (const fs::path& one : folders) {
    auto exercise = read_exercise(one);
    if (!exercise) {
      catalogue.problems.push_back(exercise.error());
      continue;
    }
    std::erase_if(catalogue.exercises, [&](const Exercise& known) { return known.name == exercise->name; });
    catalogue.exercises.push_back(std::move(*exercise));
  }
}

}  // namespace

std::string_view name_of(Measure measure) {
  return std::ranges::find(kMeasures, measure, &std::pair<Measure, std::string_view>::first)->second;
}

std::optional<Measure> measure_named(std::string_view name) {
  const auto* found = std::ranges::find(kMeasures, name, &std::pair<Measure, std::string_view>::second);
  return found != kMeasures.end() ? std::optional(found->first) : std::nullopt;
}

Badge badge_of(Measure measure) {
  return measure == Measure::device_bytes_per_least || measure == Measure::occupancy ? Badge::modelled
                                                                                     : Badge::simulated;
}

bool Goal::met_by(double value) const {
  switch (bound) {
    case Bound::at_most:
      return value <= limit;
    case Bound::at_least:
      return value >= limit;
    case Bound::exactly:
      break;
  }
  return value == limit;
}

const std::vector<std::string>& bug_kinds() {
  static const std::vector<std::string> kinds{
      "missing-bounds-check", "off-by-one",        "wrong-grid",    "wrong-index",   "missing-barrier",
      "divergent-barrier",    "data-race",         "missing-fence", "inactive-lane", "wrong-mask",
      "uninitialized",        "wrong-start-value", "precision",     "wrong-formula"};
  return kinds;
}

const ExerciseParameter* Exercise::parameter(const std::string& wanted) const {
  const auto found = std::ranges::find(parameters, wanted, &ExerciseParameter::name);
  return found != parameters.end() ? &*found : nullptr;
}

fs::path Exercise::start(KernelLanguage language) const {
  return folder / (language == KernelLanguage::triton ? "start.py" : "start.cu");
}

fs::path Exercise::solution(KernelLanguage language) const {
  return folder / (language == KernelLanguage::triton ? "solution.py" : "solution.cu");
}

const Exercise* ExerciseCatalogue::find(const std::string& name) const {
  const auto found = std::ranges::find(exercises, name, &Exercise::name);
  return found != exercises.end() ? &*found : nullptr;
}

ExerciseCatalogue read_exercises(const fs::path& root) {
  ExerciseCatalogue catalogue;
  read_folder(root / "exercises", catalogue);
  if (const char* own = std::getenv("TILESCOPE_EXERCISES"); own != nullptr && *own != '\0') {
    std::error_code failed;
    if (fs::is_directory(own, failed))
      read_folder(own, catalogue);
    else
      catalogue.problems.push_back(
          make_error(ErrorId::file_not_found, own, phrase("{} names no folder", "TILESCOPE_EXERCISES")));
  }
  std::ranges::sort(catalogue.exercises, {},
                    [](const Exercise& one) { return std::tie(one.stage, one.order, one.name); });
  return catalogue;
}

std::map<std::string, int64_t> sizes_of(const ExerciseCase& one, uint64_t seed) {
  std::map<std::string, int64_t> sizes;
  for (const auto& [name, size] : one.sizes) {
    const auto choices = static_cast<uint64_t>(size.high - size.low + 1);
    sizes[name] = size.low + static_cast<int64_t>(mixed(seed, name, static_cast<uint64_t>(size.low)) % choices);
  }
  return sizes;
}

}  // namespace tilescope
