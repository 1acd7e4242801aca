#include "app/session/tune_worker.hpp"

#include <exception>
#include <utility>

namespace tilescope {

void TuneWorker::set_wake(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void TuneWorker::start(TuneRequest request) {
  begin([this, request = std::move(request)](Engine& engine, const std::stop_token& stop) {
    return tune_on_gpu(engine, request, stop);
  });
}

void TuneWorker::compile(SpaceRequest space) {
  begin([this, space = std::move(space)](Engine& engine, const std::stop_token& stop) {
    return compile_all(engine, space, stop);
  });
}

std::shared_ptr<const TuneSnapshot> TuneWorker::snapshot() const {
  const std::lock_guard lock(mutex_);
  return snapshot_;
}

std::optional<Error> TuneWorker::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void TuneWorker::begin(Work work) {
  if (running_.exchange(true)) return;
  {
    const std::lock_guard lock(mutex_);
    error_.reset();
  }
  thread_ = std::jthread([this, work = std::move(work)](const std::stop_token& stop) {
    std::optional<Error> failed;
    try {
      const auto engine = Engine::open({.root = root_, .cache_folder = {}, .simulator_threads = 1});
      if (auto done = work(*engine, stop); !done && done.error().id != ErrorId::cancelled) failed = done.error();
    } catch (const std::exception& error) {
      failed = make_error(ErrorId::run_broke_off, error.what());
    }
    running_ = false;
    const std::lock_guard lock(mutex_);
    error_ = std::move(failed);
    if (wake_) wake_();
  });
}

void TuneWorker::keep(TuneSnapshot snapshot) {
  auto shared = std::make_shared<const TuneSnapshot>(std::move(snapshot));
  const std::lock_guard lock(mutex_);
  snapshot_ = std::move(shared);
  if (wake_) wake_();
}

Result<void> TuneWorker::tune_on_gpu(Engine& engine, const TuneRequest& request, const std::stop_token& stop) {
  TuneSnapshot last{.space = request.space, .kind = request.search.kind, .timed = true};
  const auto progress = [&](const TuneProgress& now) {
    last.map = now.map;
    last.steps = *now.steps;
    last.done = now.steps->size();
    last.of = now.of;
    last.finals = now.finals;
    keep(last);
  };
  auto tuning = tune(engine, request, progress, stop);
  if (!tuning) return forward(tuning);
  last.map = std::move(tuning->map);
  last.steps = std::move(tuning->steps);
  last.finals = false;
  keep(std::move(last));
  return {};
}

Result<void> TuneWorker::compile_all(Engine& engine, const SpaceRequest& space, const std::stop_token& stop) {
  auto map = make_space(engine, space);
  if (!map) return forward(map);
  if (auto described = describe_map(engine, space, *map); !described) return described;
  std::vector<size_t> possible;
  for (size_t i = 0; i < map->entries.size(); ++i)
    if (map->entries[i].state != TuneState::impossible) possible.push_back(i);
  constexpr size_t kPortion = 8;  // between two pictures: the map may be copied only while no thread writes it
  for (size_t begin = 0; begin < possible.size(); begin += kPortion) {
    const auto portion = std::span(possible).subspan(begin, std::min(kPortion, possible.size() - begin));
    if (auto added = add_facts(engine, space, *map, portion, {}, stop); !added) return added;
    keep({.space = space, .map = *map, .done = begin + portion.size(), .of = possible.size()});
  }
  return {};
}

}  // namespace tilescope
