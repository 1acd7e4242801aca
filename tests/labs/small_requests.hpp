// Requests of a lab that are cheap to simulate, and what tells whether two requests do the same work.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

#include "engine/run/engine.hpp"

namespace tilescope {

inline int64_t elements_of(const Lab& lab, const Config& config) {
  int64_t elements = 0;
  for (const BufferSpec& buffer : lab.buffers(config)) elements += buffer.count();
  return elements;
}

/// Halves the largest size until little is left to simulate: still several blocks, the last of them partial.
inline void make_small(const Lab& lab, Config& config) {
  constexpr double kMostFlops = 2e7;
  constexpr int64_t kMostElements = 200'000, kLeast = 130;
  while (elements_of(lab, config) > kMostElements || (lab.flops && lab.flops(config) > kMostFlops)) {
    const auto largest = std::max_element(lab.sizes.begin(), lab.sizes.end(), [&](const auto& one, const auto& other) {
      return config.size(one.name) < config.size(other.name);
    });
    const int64_t smaller = (config.size(largest->name) / 2 / largest->multiple_of + 1) * largest->multiple_of;
    if (smaller < std::max(largest->min, kLeast) || smaller >= config.size(largest->name)) return;
    config.sizes[largest->name] = smaller;
  }
}

inline double threads_of(Engine& engine, const Request& request) {
  double threads = 0;
  if (const Result<Plan> plan = engine.plan(request))
    for (const Launch& launch : plan->launches)
      threads += static_cast<double>(launch.grid.count()) * static_cast<double>(launch.block.count());
  return threads;
}

/// Many CTAs of many threads for each row are one of these values, but need not be launched for 200 rows.
inline void make_short(Engine& engine, const Lab& lab, Request& request) {
  constexpr double kMostThreads = 1 << 20;
  constexpr int64_t kLeast = 8;
  double threads = threads_of(engine, request);
  while (threads > kMostThreads) {
    std::optional<Config> shortest;
    for (const Size& size : lab.sizes) {
      Request shorter = request;
      int64_t& value = shorter.config.sizes[size.name];
      value = (value / 2 / size.multiple_of + 1) * size.multiple_of;
      if (value < std::max(size.min, kLeast) || value >= request.config.size(size.name)) continue;
      if (const double left = threads_of(engine, shorter); left < threads) {
        threads = left;
        shortest = shorter.config;
      }
    }
    if (!shortest) return;
    request.config = *shortest;
  }
}

/// What the kernels of a request compute, and with which constants: more CTAs than there are tiles make no difference,
/// nor does a parameter that is set to its default.
inline std::string work_of(Engine& engine, const Request& request) {
  const Result<Plan> plan = engine.plan(request);
  if (!plan) return plan.error().message;
  std::string work;
  for (const Define& define : plan->defines) work += fmt::format("{}={} ", define.name, define.value);
  for (const auto& [name, size] : request.config.sizes) work += fmt::format("{}={} ", name, size);
  for (const Launch& launch : plan->launches) {
    const auto& [grid, block] = std::tie(launch.grid, launch.block);
    work += fmt::format("{} <<<{}x{}x{}, {}x{}x{}, {}>>>", launch.kernel, grid.x, grid.y, grid.z, block.x, block.y,
                        block.z, launch.shared_bytes);
    for (const Argument& argument : launch.arguments)
      if (const auto* scalar = std::get_if<ScalarArgument>(&argument))
        for (const std::byte byte : scalar->bytes) work += fmt::format(" {:02x}", std::to_integer<int>(byte));
  }
  return work;
}

}  // namespace tilescope
