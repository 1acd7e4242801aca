// The settings at which questions are asked in tests, and which questions follow the sliders.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/lab.hpp"

namespace tilescope {

/// Settings at which the answers are compared with each other: the defaults, then each slider at each of its ends.
inline std::vector<Config> settings_of(const Lab& lab) {
  const Config usual = default_config(lab, DeviceKind::sim);
  std::vector<Config> all{usual};
  const auto add = [&](auto values, const std::string& name, int64_t value) {
    Config config = usual;
    (config.*values)[name] = value;
    if (validate(lab, config, DeviceKind::sim)) all.push_back(config);
  };
  for (const Size& size : lab.sizes)
    for (const int64_t value : size.offered)
      if (value <= size.max_sim) add(&Config::sizes, size.name, value);
  for (const Param& param : lab.params)
    for (const int64_t value : values_of(param)) add(&Config::params, param.name, value);
  return all;
}

/// Questions whose answer takes three values or more at these settings.
inline size_t questions_that_follow(const Lab& lab) {
  const std::vector<Config> settings = settings_of(lab);
  return static_cast<size_t>(std::ranges::count_if(lab.predicts, [&](const Predict& predict) {
    std::set<int64_t> answers;
    for (const Config& config : settings) answers.insert(predict.answer(config));
    return answers.size() >= 3;
  }));
}

}  // namespace tilescope
