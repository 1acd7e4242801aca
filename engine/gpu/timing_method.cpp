#include "engine/gpu/timing_method.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/gpu/buffer_sets.hpp"

namespace tilescope {
namespace {

constexpr double kShortestColdMs = 0.020;
constexpr double kGraphMs = 1.0;         // target duration of one replay
constexpr double kQuickBudgetMs = 25.0;  // for quick_timing
constexpr double kFlushMs = 0.2;         // writing and reading the flush buffer, including gaps

}  // namespace

TimingMethod choose_timing(double estimate_ms, uint64_t l2_bytes, uint64_t set_bytes) {
  if (estimate_ms >= kShortestColdMs) return {};
  // The estimate includes the cost of the events, so a graph takes less than the target; it is still long enough.
  const int executions = static_cast<int>(std::clamp(kGraphMs / std::max(estimate_ms, 1e-3), 50.0, 500.0));
  const int sets = sets_beyond(l2_bytes, set_bytes);
  return {.executions = (executions + sets - 1) / sets * sets, .sets = sets};
}

Result<Sampler> make_sampler(GpuTimer& timer, TimedWork work, const TimingMethod& method) {
  if (method.cold()) {
    return Sampler([&timer, work = std::move(work)](int count) { return timer.cold(work, count); });
  }
  auto captured = timer.capture(work, method.executions);
  if (!captured) return forward(captured);
  // The graph holds the launches by value, but their module must stay alive.
  return Sampler([&timer, work = std::move(work), graph = std::shared_ptr<TimedGraph>(std::move(*captured))](
                     int count) { return timer.batched(*graph, count); });
}

Result<QuickTiming> quick_timing(const CompiledModule& module, std::span<const Launch> launches,
                                 std::span<const std::shared_ptr<DeviceBuffer>> buffers, bool spare_contents) {
  const auto context = context_of(*buffers.front());
  auto timer = GpuTimer::open(context);
  if (!timer) return forward(timer);
  std::vector<AddressSet> sets(1);
  uint64_t set_bytes = 0;
  for (const auto& buffer : buffers) {
    sets[0].push_back(buffer->address());
    set_bytes += buffer->bytes();
  }
  std::optional<BufferSets> copies;
  const auto use_copies = [&](int count) -> Result<void> {
    auto made = BufferSets::copies_of(buffers, count);
    if (!made) return forward(made);
    copies = std::move(*made);
    sets = copies->addresses();
    return {};
  };
  if (spare_contents) {
    if (auto ok = use_copies(1); !ok) return forward(ok);
  }
  auto work = (*timer)->launches(module, launches, sets);
  if (!work) return forward(work);
  auto pilot = (*timer)->cold(*work, 2);
  if (!pilot) return forward(pilot);

  const double estimate_ms = *std::min_element(pilot->begin(), pilot->end());
  int l2_bytes = 0;
  context->driver().device_get_attribute(&l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, context->device());
  const TimingMethod method = choose_timing(estimate_ms, static_cast<uint64_t>(l2_bytes), set_bytes);
  if (!method.cold()) {
    if (auto ok = use_copies(method.sets); !ok) return forward(ok);
    work = (*timer)->launches(module, launches, sets);
    if (!work) return forward(work);
  }
  auto sampler = make_sampler(**timer, std::move(*work), method);
  if (!sampler) return forward(sampler);
  const double sample_ms = kFlushMs + estimate_ms * std::max(method.executions, 1);
  auto samples = (*sampler)(static_cast<int>(std::clamp(kQuickBudgetMs / sample_ms, 1.0, 25.0)));
  if (!samples) return forward(samples);
  return QuickTiming{std::move(*samples), method};
}

}  // namespace tilescope
