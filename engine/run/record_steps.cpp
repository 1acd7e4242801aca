#include "engine/run/record_steps.hpp"

#include <unistd.h>

#include <algorithm>

#include "engine/run/inputs.hpp"
#include "engine/run/limits.hpp"
#include "engine/run/source_text.hpp"

namespace tilescope {
namespace {

using Buffers = std::vector<std::shared_ptr<DeviceBuffer>>;

/// The buffer's contents before the run. If the whole grid was executed, an input still holds them.
Result<std::shared_ptr<const HostBuffer>> initial_contents(const RunResult& result, size_t index) {
  const BufferSpec& spec = result.plan.buffers[index];
  if (spec.role == Role::input && index < result.buffers.size() && result.buffers[index] != nullptr &&
      result.buffers[index]->count() == static_cast<size_t>(spec.count()))
    return result.buffers[index];
  auto made = make_contents(spec, index, result.request.seed);
  if (!made) return forward(made);
  return std::make_shared<const HostBuffer>(std::move(*made));
}

/// The run's own buffers already exist; these are allocated in addition, with their shadows.
Result<void> check_room(const Plan& plan) {
  const uint64_t most =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) / 4;
  uint64_t needed = 0;
  for (const BufferSpec& spec : plan.buffers) needed += 2 * static_cast<uint64_t>(spec.count()) * size_of(spec.type);
  if (needed > most) return fail(ErrorId::out_of_memory, needed, most);
  return {};
}

/// All buffers with their contents before the run.
Result<Buffers> fill_buffers(const RunResult& result, Executor& simulator, const std::stop_token& stop) {
  const Plan& plan = result.plan;
  if (auto room = check_room(plan); !room) return forward(room);
  Buffers buffers;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    const BufferSpec& spec = plan.buffers[i];
    auto contents = initial_contents(result, i);
    if (!contents) return forward(contents);
    auto buffer = simulator.allocate(
        {.name = spec.name, .type = spec.type, .count = static_cast<size_t>(spec.count()), .index = i});
    if (!buffer) return forward(buffer);
    auto sent = simulator.upload(**buffer, (*contents)->bytes, spec.fill == Fill::poison);
    if (!sent) return forward(sent);
    if (stop.stop_requested()) return fail(ErrorId::cancelled);
    buffers.push_back(std::move(*buffer));
  }
  return buffers;
}

/// The same values, but generated only where the block reads them: the whole would take seconds and gigabytes.
Result<Buffers> promise_buffers(const RunResult& result, Executor& simulator, const std::vector<size_t>& zeros) {
  Buffers buffers;
  for (size_t i = 0; i < result.plan.buffers.size(); ++i) {
    const BufferSpec& spec = result.plan.buffers[i];
    BufferRequest request{.name = spec.name, .type = spec.type, .count = static_cast<size_t>(spec.count()), .index = i};
    request.zeros = spec.fill == Fill::zero || std::find(zeros.begin(), zeros.end(), i) != zeros.end();
    if (!request.zeros && spec.fill != Fill::poison && spec.fill != Fill::file)
      request.contents = [spec, i, seed = result.request.seed](uint64_t first, std::span<std::byte> bytes) {
        const size_t element = size_of(spec.type), begin = static_cast<size_t>(first) / element;
        const HostBuffer part = make_part(spec, i, seed, begin, begin + bytes.size() / element);
        std::copy(part.bytes.begin(), part.bytes.end(), bytes.begin());
      };
    auto buffer = simulator.allocate(request);
    if (!buffer) return forward(buffer);
    if (!request.zeros && spec.fill == Fill::file) {
      auto contents = make_contents(spec, i, result.request.seed);
      if (!contents) return forward(contents);
      if (auto sent = simulator.upload(**buffer, contents->bytes, false); !sent) return forward(sent);
    }
    buffers.push_back(std::move(*buffer));
  }
  return buffers;
}

bool is_given(const Launch& launch, size_t buffer) {
  const auto points_to = [&](const BufferArgument& target) { return target.buffer == buffer; };
  return std::any_of(launch.arguments.begin(), launch.arguments.end(), [&](const Argument& argument) {
    if (const auto* pointer = std::get_if<BufferArgument>(&argument)) return points_to(*pointer);
    const auto& members = std::get<ScalarArgument>(argument).pointers;
    return std::any_of(members.begin(), members.end(), [&](const auto& member) { return points_to(member.target); });
  });
}

}  // namespace

std::vector<size_t> buffers_not_computed(const RunResult& result, size_t launch) {
  std::vector<size_t> buffers;
  const auto& launches = result.plan.launches;
  if (launch >= launches.size() || !is_too_large(lab_of(result.request), result.request.config)) return buffers;
  const auto before = launches.begin() + static_cast<std::ptrdiff_t>(launch);
  for (size_t i = 0; i < result.plan.buffers.size(); ++i) {
    if (result.plan.buffers[i].role == Role::input || !is_given(launches[launch], i)) continue;
    if (std::any_of(launches.begin(), before, [&](const Launch& one) { return is_given(one, i); }))
      buffers.push_back(i);
  }
  return buffers;
}

Result<std::shared_ptr<const StepRecord>> record_steps(const RunResult& result, size_t launch, const StepWindow& window,
                                                       Executor& simulator, std::stop_token stop) {
  const Plan& plan = result.plan;
  if (launch >= plan.launches.size())
    return fail(ErrorId::bad_argument, "launch", phrase("the run has {}", plan.launches.size()));
  const bool alone = is_too_large(lab_of(result.request), result.request.config);
  auto buffers = alone ? promise_buffers(result, simulator, buffers_not_computed(result, launch))
                       : fill_buffers(result, simulator, stop);
  if (!buffers) return forward(buffers);
  for (size_t i = alone ? launch : 0; i <= launch; ++i) {
    LaunchOptions options;
    options.count_traffic = false;
    options.launch_index = static_cast<uint32_t>(i);
    options.begins_run = alone;
    options.source = source_with_defines(plan);
    if (i == launch) options.step_window = window;
    auto ran = simulator.launch(result.compiled, plan.launches[i], *buffers, options, stop);
    if (!ran) return forward(ran);
    if (i == launch) return ran->steps;
    if (ran->stopped_by_finding) break;
  }
  return fail(ErrorId::bad_argument, "launch", "an earlier launch was stopped by what the checks found");
}

}  // namespace tilescope
