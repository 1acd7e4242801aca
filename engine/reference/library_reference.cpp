#include "engine/reference/library_reference.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/gpu/buffer_sets.hpp"

namespace tilescope {
namespace {

/// Some libraries let the caller choose among their algorithms: the fastest comes first, and its name says so.
Result<std::vector<LibraryCall>> rank(const ReferenceTask& task, std::vector<LibraryCall> calls,
                                      const AddressSet& addresses) {
  constexpr int kSamples = 5;
  std::multimap<double, LibraryCall> timed;
  for (LibraryCall& one : calls) {
    auto times = task.timer.cold(GpuTimer::calls(one.call, std::span(&addresses, 1)), kSamples);
    if (!times || times->empty()) continue;  // the library proposes it and then rejects it
    const auto middle = times->begin() + static_cast<std::ptrdiff_t>(times->size() / 2);
    std::nth_element(times->begin(), middle, times->end());
    timed.emplace(*middle, LibraryCall{.call = std::move(one.call),
                                       .name = fmt::format("{}, the fastest of {}", one.name, calls.size())});
  }
  if (timed.empty()) return fail(ErrorId::reference_unavailable, task.name, "none of its algorithms runs");
  std::vector<LibraryCall> ranked;
  for (auto& [ms, call] : timed) ranked.push_back(std::move(call));
  return ranked;
}

}  // namespace

Result<PreparedReference> prepare_work(const ReferenceTask& task, TimedWork work, std::shared_ptr<const void> memory) {
  auto take = make_sampler(task.timer, std::move(work), task.method);
  if (!take) return forward(take);
  return PreparedReference{
      .take = [memory = std::move(memory), sample = std::move(*take)](int count) { return sample(count); }};
}

Result<PreparedReference> LibraryReference::prepare(const ReferenceTask& task, const std::stop_token& stop) {
  auto made = BufferSets::copies_of(task.buffers, task.method.cold() ? 1 : task.method.sets);
  if (!made) return forward(made);
  const auto copies = std::make_shared<const BufferSets>(std::move(*made));
  Result<std::vector<LibraryCall>> possible = calls(task, context_of(*task.buffers.front()), stop);
  if (!possible) return forward(possible);
  const AddressSet& tried_on = copies->addresses().front();
  const bool to_choose = possible->size() > 1 || !possible->front().name.empty();
  auto ranked = to_choose ? rank(task, std::move(*possible), tried_on) : std::move(possible);
  if (!ranked) return forward(ranked);
  for (LibraryCall& one : *ranked) {
    TimedWork work = GpuTimer::calls(std::move(one.call), copies->addresses());
    auto right = task.agrees(work, tried_on);
    if (!right) return forward(right);
    if (!*right) continue;
    auto prepared = prepare_work(task, std::move(work), copies);
    if (!prepared) return prepared;
    const bool passed_over = &one != &ranked->front();
    prepared->note = std::move(one.name) + (passed_over ? " whose result is that of the rungs" : "");
    return prepared;
  }
  return fail(ErrorId::reference_unavailable, task.name, "its result is not that of the rungs");
}

}  // namespace tilescope
