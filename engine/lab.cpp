#include "engine/lab.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <tuple>

#include "engine/kernel_language.hpp"
#include "engine/names.hpp"

namespace tilescope {
namespace {

/// Filled before main by the static initialisers of labs/*.cpp, so it must be constructed on first use.
std::vector<Lab>& registry() {
  static std::vector<Lab> all;
  return all;
}

bool is_possible(const Param& param, int64_t value) {
  if (value < param.min || value > param.max) return false;
  if (param.scale == Scale::power_of_two) return std::has_single_bit(static_cast<uint64_t>(value));
  return (value - param.min) % param.step == 0;
}

Result<void> validate_size(const Size& size, int64_t value, DeviceKind device) {
  const int64_t largest = std::max(size.max_sim, size.max_gpu);
  if (value < size.min || value > largest)
    return fail(ErrorId::parameter_range, size.name, value, phrase("{} to {}", size.min, largest));
  if (device == DeviceKind::sim && value > size.max_sim)
    return fail(ErrorId::too_large_to_simulate, size.name, value, size.max_sim);
  if (value % size.multiple_of != 0)
    return fail(ErrorId::parameter_range, size.name, value,
                phrase("a multiple of {} from {} to {}", size.multiple_of, size.min, largest));
  return {};
}

}  // namespace

Phrase allowed_text(const Param& param) {
  if (!param.choices.empty()) return join_names(param.choices, [](const NamedValue& choice) { return choice.name; });
  if (param.scale == Scale::power_of_two) return phrase("a power of two from {} to {}", param.min, param.max);
  if (param.step != 1) return phrase("{} to {} in steps of {}", param.min, param.max, param.step);
  return phrase("{} to {}", param.min, param.max);
}

bool register_lab(Lab lab) {
  auto& all = registry();
  const auto key = [](const Lab& one) { return std::tie(one.stage, one.order, one.name); };
  const auto place =
      std::upper_bound(all.begin(), all.end(), lab, [&](const Lab& a, const Lab& b) { return key(a) < key(b); });
  all.insert(place, std::move(lab));
  return true;
}

const std::vector<Lab>& labs() { return registry(); }

const Lab* find_lab(const std::string& name) {
  for (const auto& lab : registry())
    if (lab.name == name) return &lab;
  return nullptr;
}

const Rung* find_rung(const Lab& lab, const std::string& name) {
  for (const auto& rung : lab.rungs)
    if (rung.name == name) return &rung;
  return nullptr;
}

Result<std::string> with_bugs(std::string text, const std::vector<BreakIt>& switches,
                              const std::vector<std::string>& on, const std::string& file) {
  for (const BreakIt& one : switches) {
    if (std::ranges::find(on, one.name) == on.end()) continue;
    std::vector<Plant> here;
    std::ranges::copy_if(one.plants, std::back_inserter(here), [&](const Plant& p) { return p.file == file; });
    auto planted = plant(std::move(text), here, one.title.en);
    if (!planted) return planted;
    text = std::move(*planted);
  }
  return text;
}

std::set<std::string> headers_with_bugs(const std::vector<BreakIt>& switches, const std::vector<std::string>& on) {
  std::set<std::string> headers;
  for (const BreakIt& one : switches)
    if (std::ranges::find(on, one.name) != on.end())
      for (const Plant& plant : one.plants)
        if (!plant.file.empty() && language_of(plant.file) == KernelLanguage::cuda) headers.insert(plant.file);
  return headers;
}

bool BreakIt::concerns(const std::string& rung) const {
  return rungs.empty() || std::find(rungs.begin(), rungs.end(), rung) != rungs.end();
}

bool Predict::concerns(const std::string& rung) const {
  return rungs.empty() || std::find(rungs.begin(), rungs.end(), rung) != rungs.end();
}

Config sweep_config(const Lab& lab, Config config, int64_t size) {
  if (!lab.points.empty()) {
    const auto place = std::clamp<int64_t>(size, 1, static_cast<int64_t>(lab.points.size())) - 1;
    for (const auto& [name, value] : lab.points[static_cast<size_t>(place)].sizes) config.sizes[name] = value;
    return config;
  }
  config.sizes[lab.sweep_size] = size;
  for (const auto& name : lab.sweep_with) config.sizes[name] = size;
  if (const auto& [name, total] = lab.sweep_total; !name.empty())
    config.sizes[name] = std::max<int64_t>(1, total / std::max<int64_t>(1, size));
  return config;
}

std::string sweep_name(const Lab& lab) {
  if (lab.points.empty()) return lab.sweep_size;
  std::string name;
  for (const Size& size : lab.sizes)
    if (lab.points.front().sizes.count(size.name) != 0) name += (name.empty() ? "" : " × ") + size.name;
  return name;
}

int64_t place_in_sweep(const Lab& lab, const Config& config) {
  if (lab.points.empty()) {
    const auto found = config.sizes.find(lab.sweep_size);
    return found != config.sizes.end() ? found->second : 0;
  }
  const auto distance = [&config](const SweepPoint& point) {
    double sum = 0;
    for (const auto& [name, value] : point.sizes) {
      const auto wanted = config.sizes.find(name);
      if (wanted == config.sizes.end()) continue;
      sum += std::abs(std::log2(static_cast<double>(std::max<int64_t>(value, 1))) -
                      std::log2(static_cast<double>(std::max<int64_t>(wanted->second, 1))));
    }
    return sum;
  };
  const auto nearest = std::min_element(lab.points.begin(), lab.points.end(),
                                        [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  return nearest - lab.points.begin() + 1;
}

std::vector<int64_t> sweep_of(const Lab& lab) {
  if (lab.points.empty()) {
    std::vector<int64_t> sizes;
    std::set_union(lab.sweep.begin(), lab.sweep.end(), lab.small_sizes.begin(), lab.small_sizes.end(),
                   std::back_inserter(sizes));
    return sizes;
  }
  std::vector<int64_t> numbers(lab.points.size());
  std::iota(numbers.begin(), numbers.end(), 1);
  return numbers;
}

std::vector<SweepPoint> map_points(const Lab& lab) {
  std::vector<SweepPoint> points;
  if (!lab.scheme_map) return points;
  const SchemeMap& map = *lab.scheme_map;
  for (const int64_t rows : map.row_values)
    for (const int64_t columns : map.column_values)
      if (rows <= map.most_elements / columns)
        points.push_back({fmt::format("{} × {}", rows, columns), {{map.rows, rows}, {map.columns, columns}}});
  return points;
}

Result<Resolved> resolve(const Lab& lab, const Rung& rung, const Config& config, const GpuSpec& gpu) {
  Resolved resolved{.lab = &lab, .rung = &rung, .config = config, .pick = {}};
  if (!rung.pick) return resolved;
  resolved.pick = rung.pick(config, gpu);
  resolved.rung = find_rung(lab, resolved.pick->rung);
  if (resolved.rung == nullptr || resolved.rung->pick)
    return fail(ErrorId::rung_not_found, lab.name, resolved.pick->rung,
                join_names(lab.rungs, [](const Rung& one) { return one.name; }));
  for (const auto& [name, value] : resolved.pick->params) resolved.config.params[name] = value;
  for (const auto& param : lab.params) {
    const int64_t value = resolved.config.param(param.name);
    if (!is_possible(param, value)) return fail(ErrorId::parameter_range, param.name, value, allowed_text(param));
  }
  return resolved;
}

const Rung& default_rung(const Lab& lab) {
  const Rung* named = find_rung(lab, lab.default_rung);
  return named != nullptr ? *named : lab.rungs.front();
}

std::string source_file_of(const Lab& lab) { return lab.source_text ? lab.kernel_file : "kernels/" + lab.kernel_file; }
std::string source_file_of(const Lab& lab, const Rung& rung) {
  return rung.kernel_file.empty() ? source_file_of(lab) : "kernels/" + rung.kernel_file;
}

Config default_config(const Lab& lab, DeviceKind device) {
  Config config;
  for (const auto& size : lab.sizes) config.sizes[size.name] = device == DeviceKind::gpu ? size.gpu_value : size.value;
  for (const auto& param : lab.params)
    config.params[param.name] = device == DeviceKind::gpu && param.gpu_value != 0 ? param.gpu_value : param.value;
  return config;
}

Config opening_config(const Lab& lab, DeviceKind device) {
  Config config = default_config(lab, device);
  if (device != DeviceKind::sim) return config;
  for (const auto& [name, value] : lab.opens_with) {
    if (const auto size = config.sizes.find(name); size != config.sizes.end()) size->second = value;
    if (const auto param = config.params.find(name); param != config.params.end()) param->second = value;
  }
  return config;
}

Result<void> validate(const Lab& lab, const Config& config, DeviceKind device) {
  const auto name_of_item = [](const auto& item) { return item.name; };
  for (const auto& [name, value] : config.sizes) {
    const auto size =
        std::find_if(lab.sizes.begin(), lab.sizes.end(), [&name = name](const Size& one) { return one.name == name; });
    if (size == lab.sizes.end())
      return fail(ErrorId::parameter_not_found, lab.name, name, join_names(lab.sizes, name_of_item));
    if (auto valid = validate_size(*size, value, device); !valid) return valid;
  }
  for (const auto& [name, value] : config.params) {
    const auto param = std::find_if(lab.params.begin(), lab.params.end(),
                                    [&name = name](const Param& one) { return one.name == name; });
    if (param == lab.params.end())
      return fail(ErrorId::parameter_not_found, lab.name, name, join_names(lab.params, name_of_item));
    if (!is_possible(*param, value)) return fail(ErrorId::parameter_range, name, value, allowed_text(*param));
  }
  return {};
}

std::string operation_of(const ReferenceSpec& reference, const Config& config) {
  return reference.operation_for ? reference.operation_for(config) : reference.operation;
}

Tolerance tolerance_of(const Lab& lab, const std::string& rung, const Config& config, DType type) {
  constexpr double kRounding = 0x1p-8;  // half of the last of bf16's 8 significant bits
  if (lab.tolerance_for) return lab.tolerance_for(rung, config, type);
  Tolerance tolerance = lab.tolerance;
  if (type == DType::bf16) tolerance.relative += kRounding;
  return tolerance;
}

std::vector<int64_t> values_of(const Param& param) {
  std::vector<int64_t> values;
  if (param.scale == Scale::power_of_two) {
    for (auto value = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(param.min, 1))));
         value <= param.max; value *= 2)
      values.push_back(value);
  } else {
    for (int64_t value = param.min; value <= param.max; value += param.step) values.push_back(value);
  }
  return values;
}

Param make_choice(std::string name, Text title, Text help, std::vector<NamedValue> choices) {
  Param param{
      .name = std::move(name), .title = std::move(title), .help = std::move(help), .value = 0, .min = 0, .max = 0};
  param.max = static_cast<int64_t>(choices.size()) - 1;
  param.choices = std::move(choices);
  return param;
}

std::string param_text(const Param& param, int64_t value) {
  const auto place = static_cast<size_t>(value);
  return value >= 0 && place < param.choices.size() ? param.choices[place].name : std::to_string(value);
}

std::string param_text(const Lab& lab, const std::string& param, int64_t value) {
  for (const Param& one : lab.params)
    if (one.name == param) return param_text(one, value);
  return std::to_string(value);
}

std::optional<int64_t> value_named(const Lab& lab, const std::string& param, const std::string& text) {
  for (const Param& one : lab.params)
    for (size_t i = 0; one.name == param && i < one.choices.size(); ++i)
      if (one.choices[i].name == text) return static_cast<int64_t>(i);
  return std::nullopt;
}

}  // namespace tilescope
