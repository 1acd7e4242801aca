#include <algorithm>
#include <optional>

#include "engine/bench/buffer_sets.hpp"
#include "engine/bench/measure.hpp"
#include "engine/bench/timing_point.hpp"
#include "engine/gpu/timing.hpp"

namespace tilescope {
namespace {

constexpr double kBudgetMs = 25;

/// Running it again changes what the buffers hold, so it must not run on those that are shown.
bool accumulates(const Plan& plan) {
  return std::any_of(plan.buffers.begin(), plan.buffers.end(),
                     [](const BufferSpec& buffer) { return buffer.role == Role::inout; });
}

}  // namespace

Result<TimingPoint> time_once(Engine& engine, const RunResult& run, std::stop_token stop) {
  if (!engine.gpu()) return tl::unexpected(engine.gpu().error());
  if (run.device_buffers.empty()) return fail(ErrorId::no_gpu, "the run was not made on it");
  const Lab* lab = find_lab(run.request.lab);
  auto timer = GpuTimer::open(context_of(*run.device_buffers.front()));
  if (!timer) return tl::unexpected(timer.error());

  std::vector<AddressSet> sets(1);
  for (const auto& buffer : run.device_buffers) sets[0].push_back(buffer->address());
  std::optional<BufferSets> copies;
  const auto use_copies = [&](int count) -> Result<void> {
    auto made = BufferSets::copies_of(run.device_buffers, count);
    if (!made) return tl::unexpected(made.error());
    copies = std::move(*made);
    sets = copies->addresses();
    return {};
  };
  if (accumulates(run.plan)) {
    if (auto ok = use_copies(1); !ok) return tl::unexpected(ok.error());
  }
  auto work = (*timer)->launches(run.compiled, run.plan.launches, sets);
  if (!work) return tl::unexpected(work.error());
  auto pilot = (*timer)->cold(*work, 2);
  if (!pilot) return tl::unexpected(pilot.error());
  if (stop.stop_requested()) return fail(ErrorId::cancelled);

  const double estimate_ms = bootstrap_median(*pilot).median;
  uint64_t set_bytes = 0;
  for (const auto& buffer : run.device_buffers) set_bytes += buffer->bytes();
  const Method method = choose_timing(estimate_ms, run.device.l2_bytes, set_bytes);
  if (!method.cold()) {
    if (auto ok = use_copies(method.sets); !ok) return tl::unexpected(ok.error());
    work = (*timer)->launches(run.compiled, run.plan.launches, sets);
    if (!work) return tl::unexpected(work.error());
  }
  auto sampler = make_sampler(**timer, std::move(*work), method);
  if (!sampler) return tl::unexpected(sampler.error());
  const double sample_ms = 0.1 + estimate_ms * std::max(method.executions, 1);
  auto samples = (*sampler)(static_cast<int>(std::clamp(kBudgetMs / sample_ms, 1.0, 25.0)));
  if (!samples) return tl::unexpected(samples.error());

  TimingPoint point = make_point(*samples, lab ? lab->useful_bytes(run.request.config) : 0, method);
  if (lab) point.size = run.request.config.size(lab->sweep_size);
  point.sm_clock_mhz = (*engine.gpu())->device().sm_clock_mhz;
  return point;
}

}  // namespace tilescope
