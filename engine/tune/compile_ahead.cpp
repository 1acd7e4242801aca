#include "engine/tune/compile_ahead.hpp"

#include <utility>

namespace tilescope {

constexpr size_t kThreads = 4;  // as many as the compiler has processes

CompileAhead::CompileAhead(Engine& engine, SpaceRequest space, const TuneMap& map)
    : engine_(engine),
      space_(std::move(space)),
      map_(map),
      states_(map.entries.size(), State::unknown),
      errors_(map.entries.size()) {
  for (size_t i = 0; i < kThreads; ++i) threads_.emplace_back([this](const std::stop_token& ending) { work(ending); });
}

CompileAhead::~CompileAhead() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void CompileAhead::expect(std::span<const size_t> entries) {
  {
    const std::lock_guard lock(mutex_);
    for (const size_t entry : entries) {
      if (states_[entry] != State::unknown) continue;
      states_[entry] = State::queued;
      waiting_.push_back(entry);
    }
  }
  changed_.notify_all();
}

Result<TuneEntry> CompileAhead::get(size_t entry, const std::stop_token& stop) {
  expect(std::span(&entry, 1));
  std::unique_lock lock(mutex_);
  if (!changed_.wait(lock, stop, [&] { return states_[entry] == State::done; })) return fail(ErrorId::cancelled);
  if (errors_[entry]) return tl::unexpected<Error>(*errors_[entry]);
  return map_.entries[entry];
}

void CompileAhead::work(const std::stop_token& ending) {
  while (!ending.stop_requested()) {
    size_t entry = 0;
    {
      std::unique_lock lock(mutex_);
      if (!changed_.wait(lock, ending, [this] { return !waiting_.empty(); })) return;
      entry = waiting_.front();
      waiting_.pop_front();
    }
    const auto added = add_facts(engine_, space_, map_, entry, ending);
    {
      const std::lock_guard lock(mutex_);
      if (!added) errors_[entry] = added.error();
      states_[entry] = State::done;
    }
    changed_.notify_all();
  }
}

}  // namespace tilescope
