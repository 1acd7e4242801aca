#include "engine/run/record_steps.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "engine/run/inputs.hpp"

namespace tilescope {
namespace {

/// What the buffer held before the run. An input still holds it.
Result<std::shared_ptr<const HostBuffer>> initial_contents(const RunResult& result, size_t index) {
  const BufferSpec& spec = result.plan.buffers[index];
  if (spec.role == Role::input && index < result.buffers.size() && result.buffers[index] != nullptr)
    return result.buffers[index];
  auto made = make_contents(spec, index, result.request.seed);
  if (!made) return tl::unexpected<Error>(made.error());
  return std::make_shared<const HostBuffer>(std::move(*made));
}

/// The run's own buffers are there already; these come on top, with their shadows.
Result<void> check_room(const Plan& plan) {
  const uint64_t most =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 4;
  uint64_t needed = 0;
  for (const BufferSpec& spec : plan.buffers) needed += 2 * static_cast<uint64_t>(spec.count()) * size_of(spec.type);
  if (needed > most) return fail(ErrorId::out_of_memory, needed, most);
  return {};
}

}  // namespace

Result<std::shared_ptr<const StepRecord>> record_steps(const RunResult& result, size_t launch, const StepWindow& window,
                                                       Executor& simulator, std::stop_token stop) {
  const Plan& plan = result.plan;
  if (launch >= plan.launches.size())
    return fail(ErrorId::bad_argument, "launch", fmt::format("the run has {}", plan.launches.size()));
  if (auto room = check_room(plan); !room) return tl::unexpected<Error>(room.error());
  std::vector<std::shared_ptr<DeviceBuffer>> buffers;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& spec = plan.buffers[i];
    auto contents = initial_contents(result, i);
    if (!contents) return tl::unexpected<Error>(contents.error());
    auto buffer = simulator.allocate(
        {.name = spec.name, .type = spec.type, .count = static_cast<size_t>(spec.count()), .index = i});
    if (!buffer) return tl::unexpected<Error>(buffer.error());
    auto sent = simulator.upload(**buffer, (*contents)->bytes, spec.fill == Fill::poison);
    if (!sent) return tl::unexpected<Error>(sent.error());
    if (stop.stop_requested()) return fail(ErrorId::cancelled);
    buffers.push_back(std::move(*buffer));
  }
  for (size_t i = 0; i <= launch; ++i) {
    LaunchOptions options;
    options.count_traffic = false;
    options.launch_index = static_cast<uint32_t>(i);
    if (i == launch) options.step_window = window;
    auto ran = simulator.launch(result.compiled, plan.launches[i], buffers, options, stop);
    if (!ran) return tl::unexpected<Error>(ran.error());
    if (i == launch) return ran->steps;
    if (ran->stopped_by_finding) break;
  }
  return fail(ErrorId::bad_argument, "launch", "an earlier launch was stopped by what the checks found");
}

}  // namespace tilescope
