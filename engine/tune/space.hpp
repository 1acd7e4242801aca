// The search space of a rung: the product of the values of its parameters, and which of them cannot run.
//
//   axis         a parameter of the rung that has several values and changes how it computes, not what
//   impossible   the lab refuses it, the compiler does, or a CTA does not fit on an SM; each with the limit that says
//   so facts        registers, shared memory, spills and CTAs per SM of those that compile
//
// Nothing is run here, so no GPU is needed; `add_facts` needs the compiler.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/run/engine.hpp"
#include "engine/tune/maps/tune_map.hpp"

namespace tilescope {

struct SpaceRequest {
  std::string lab, rung;
  Config config;                                      // sizes, and parameters that are not tried
  std::map<std::string, std::vector<int64_t>> tried;  // narrower values of some axes
  std::vector<std::string> fixed;                     // parameters that keep the configuration's value
  std::string gpu;                                    // the modelled GPU, as in Request
  DeviceKind device = DeviceKind::gpu;
  bool operator==(const SpaceRequest&) const = default;
};

/// More configurations are refused: with a second for each, four thousand take an hour.
constexpr size_t kMostConfigurations = 4096;

/// The axes of a rung with all their values, before any is fixed or narrowed.
std::vector<TuneAxis> axes_of(const Lab& lab, const Rung& rung);

/// The map of the space, with the lab's own refusals. Error: an unknown lab, rung, parameter or value; a rung that
/// picks; a rung without axes; too many configurations; none that is possible.
Result<TuneMap> make_space(const Engine& engine, const SpaceRequest& request);

/// The request of one configuration.
Request request_of(const SpaceRequest& space, const TuneMap& map, size_t entry);

/// What a refusal is about, from its sentence: the labs say it in words.
Limiter limiter_of(const Error& error);

/// Compiles one configuration and fills in its facts; one that does not compile, or of which no CTA fits, becomes
/// impossible. Error: there is no compiler, or the work was cancelled.
Result<void> add_facts(Engine& engine, const SpaceRequest& space, TuneMap& map, size_t entry, std::stop_token stop);

/// The same for many, several at a time. `progress` is called with the number that is done, from one thread at a time.
Result<void> add_facts(Engine& engine, const SpaceRequest& space, TuneMap& map, std::span<const size_t> entries,
                       const std::function<void(size_t)>& progress, std::stop_token stop);

}  // namespace tilescope
