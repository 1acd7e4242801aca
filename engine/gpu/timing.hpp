// Timing of device work by CUDA events, with the methods behind every time that Tilescope shows:
//
//   cold     the L2 is flushed (l2_flush.hpp) before every execution, which is timed by itself
//   batched  many executions in one CUDA graph, over rotating buffers, timed together: for work so short that the
//            overhead of an event would show
//
//     auto timer = GpuTimer::open(context_of(*buffer));
//     auto work = (*timer)->launches(compiled, plan.launches, {{a, b, c}});   // one set of addresses
//     auto milliseconds = (*timer)->cold(*work, 10);
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/gpu/context.hpp"
#include "engine/gpu/l2_flush.hpp"
#include "engine/gpu/module.hpp"

namespace tilescope {

/// Buffer addresses, parallel to Plan::buffers.
using AddressSet = std::vector<uint64_t>;

struct CopyAddresses {
  uint64_t to = 0, from = 0;
};

/// Enqueues a library call on the buffers of one set, in the current context's stream.
using EnqueueCall = std::function<CUresult(const AddressSet&)>;

/// Work to time: for every address set, the launches of one execution, one copy, or one library call.
struct TimedWork {
  std::vector<std::vector<PreparedLaunch>> launches;  // [set][launch]
  std::vector<CopyAddresses> copies;                  // [set]
  size_t copy_bytes = 0;
  std::vector<AddressSet> called_on;  // [set]
  EnqueueCall call;
  size_t sets() const { return call ? called_on.size() : launches.empty() ? copies.size() : launches.size(); }
};

/// A graph of many executions, ready to be replayed.
class TimedGraph {
 public:
  ~TimedGraph();
  TimedGraph(const TimedGraph&) = delete;
  TimedGraph& operator=(const TimedGraph&) = delete;

 private:
  friend class GpuTimer;
  explicit TimedGraph(std::shared_ptr<GpuContext> context) : context_(std::move(context)) {}
  std::shared_ptr<GpuContext> context_;
  CUgraphExec executable_ = nullptr;
  int executions_ = 0;
};

class GpuTimer {
 public:
  static Result<std::unique_ptr<GpuTimer>> open(std::shared_ptr<GpuContext> context);
  ~GpuTimer();
  GpuTimer(const GpuTimer&) = delete;
  GpuTimer& operator=(const GpuTimer&) = delete;

  Result<TimedWork> launches(const CompiledModule& module, std::span<const Launch> launches,
                             std::span<const AddressSet> sets);
  /// The driver's own copy between two device addresses.
  static TimedWork copies(std::span<const CopyAddresses> sets, size_t bytes);
  /// Library calls, one for each set in turn.
  static TimedWork calls(EnqueueCall call, std::span<const AddressSet> sets);
  /// Executes the work once, on the first set, and waits for its end.
  Result<void> execute(const TimedWork& work);

  /// Milliseconds of each of `samples` executions over the first set, after one that is not counted.
  Result<std::vector<double>> cold(const TimedWork& work, int samples);
  /// Captures this many `executions` in a row, rotating over the sets.
  Result<std::unique_ptr<TimedGraph>> capture(const TimedWork& work, int executions);
  /// Milliseconds per execution of each of `samples` replays, after one that is not counted.
  Result<std::vector<double>> batched(const TimedGraph& graph, int samples);

  size_t flush_bytes() const { return flush_->bytes(); }

 private:
  explicit GpuTimer(std::shared_ptr<GpuContext> context) : context_(std::move(context)) {}
  Result<std::vector<double>> measure(int samples, const std::function<CUresult()>& enqueue_one, int executions);
  CUresult enqueue_execution(const TimedWork& work, size_t set) const;
  Result<void> need_events(size_t count);

  std::shared_ptr<GpuContext> context_;
  std::unique_ptr<L2Flush> flush_;
  std::vector<CUevent> events_;
};

}  // namespace tilescope
