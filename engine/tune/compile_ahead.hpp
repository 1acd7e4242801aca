// Compiles the configurations of a space on several threads, ahead of the search that will run them.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "engine/tune/space.hpp"

namespace tilescope {

class CompileAhead {
 public:
  /// `map` is copied; the engine must outlive this.
  CompileAhead(Engine& engine, SpaceRequest space, const TuneMap& map);
  ~CompileAhead();
  CompileAhead(const CompileAhead&) = delete;
  CompileAhead& operator=(const CompileAhead&) = delete;

  /// Entries that will be asked for, in this order.
  void expect(std::span<const size_t> entries);
  /// Waits until the entry has its facts, or is found to be impossible.
  Result<TuneEntry> get(size_t entry, const std::stop_token& stop);

 private:
  void work(const std::stop_token& ending);

  Engine& engine_;
  const SpaceRequest space_;
  TuneMap map_;  // a thread writes only the entry that it has taken from the queue
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<size_t> waiting_;
  enum class State : uint8_t { unknown, queued, done };
  std::vector<State> states_;
  std::vector<std::optional<Error>> errors_;
  std::vector<std::jthread> threads_;  // declared last: they end before the members that they use
};

}  // namespace tilescope
