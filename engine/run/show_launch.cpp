#include "engine/run/show_launch.hpp"

#include "engine/run/kernels.hpp"
#include "engine/run/limits.hpp"
#include "engine/traffic/access/tile_map.hpp"

namespace tilescope {

uint32_t launch_to_show(const RunResult& result, const Rung* rung) {
  const auto& launches = result.plan.launches;
  if (launches.empty()) return 0;
  if (const auto& wanted = result.request.launch; wanted && *wanted < launches.size()) return *wanted;
  if (!result.findings.empty() && result.findings.front().launch < launches.size())
    return result.findings.front().launch;
  return static_cast<uint32_t>(
      shown_launch(launches, rung == nullptr ? std::vector<std::string>{} : rung->shown_kernels));
}

bool same_but_launch(Request a, const Request& b) {
  a.launch = b.launch;
  return a == b;
}

RunResult show_launch(const RunResult& result, const Request& request) {
  RunResult shown = result;
  shown.request = request;
  const Lab* lab = lab_of(request);
  shown.launch = launch_to_show(shown, lab == nullptr ? nullptr : find_rung(*lab, shown.rung));
  if (shown.launch == result.launch) return shown;
  if (shown.observed)
    shown.tiles = make_tile_map(shown.trace, shown.plan.launches[shown.launch], shown.launch, shown.plan.buffers);
  if (shown.blocks_sampled != 0) note_sample(shown);
  return shown;
}

}  // namespace tilescope
