#include "engine/gpu/timing.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tilescope {
TimedGraph::~TimedGraph() {
  CurrentContext current(*context_);
  if (current && executable_) context_->driver().graph_exec_destroy(executable_);
}

Result<std::unique_ptr<GpuTimer>> GpuTimer::open(std::shared_ptr<GpuContext> context) {
  std::unique_ptr<GpuTimer> timer(new GpuTimer(std::move(context)));
  auto flush = L2Flush::open(timer->context_);
  if (!flush) return forward(flush);
  timer->flush_ = std::move(*flush);
  return timer;
}

GpuTimer::~GpuTimer() {
  CurrentContext current(*context_);
  if (!current) return;
  for (CUevent event : events_) context_->driver().event_destroy(event);
}

Result<TimedWork> GpuTimer::launches(const CompiledModule& module, std::span<const Launch> launches,
                                     std::span<const AddressSet> sets) {
  auto loaded = LoadedModule::load(context_, module);
  if (!loaded) return forward(loaded);
  TimedWork work;
  for (const AddressSet& addresses : sets) {
    auto& prepared = work.launches.emplace_back();
    for (const Launch& launch : launches) {
      auto one = prepare_launch(*loaded, module, launch, addresses);
      if (!one) return forward(one);
      prepared.push_back(std::move(*one));
    }
  }
  return work;
}

TimedWork GpuTimer::copies(std::span<const CopyAddresses> sets, size_t bytes) {
  TimedWork work;
  work.copies.assign(sets.begin(), sets.end());
  work.copy_bytes = bytes;
  return work;
}

TimedWork GpuTimer::calls(EnqueueCall call, std::span<const AddressSet> sets) {
  TimedWork work;
  work.called_on.assign(sets.begin(), sets.end());
  work.call = std::move(call);
  return work;
}

Result<void> GpuTimer::execute(const TimedWork& work) {
  CurrentContext current(*context_);
  if (!current) return tl::unexpected(context_->error(Phrase("the run"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  const CUresult queued = enqueue_execution(work, 0);
  const CUresult finished = context_->driver().stream_synchronize(context_->stream());
  const CUresult status = queued != CUDA_SUCCESS ? queued : finished;
  if (status != CUDA_SUCCESS) return tl::unexpected(context_->error(Phrase("the run"), status));
  return {};
}

CUresult GpuTimer::enqueue_execution(const TimedWork& work, size_t set) const {
  const Driver& driver = context_->driver();
  if (work.call) return work.call(work.called_on[set]);
  if (work.launches.empty()) {
    const CopyAddresses& copy = work.copies[set];
    return driver.memcpy_dtod_async(copy.to, copy.from, work.copy_bytes, context_->stream());
  }
  for (const PreparedLaunch& launch : work.launches[set]) {
    if (CUresult status = enqueue(driver, launch, context_->stream()); status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

Result<void> GpuTimer::need_events(size_t count) {
  while (events_.size() < count) {
    CUevent event = nullptr;
    CUresult status = context_->driver().event_create(&event, CU_EVENT_DEFAULT);
    if (status != CUDA_SUCCESS) return tl::unexpected(context_->error(Phrase("creating an event"), status));
    events_.push_back(event);
  }
  return {};
}

/// Enqueues flush, start event, work and end event for every sample before it waits for the first.
Result<std::vector<double>> GpuTimer::measure(int samples, const std::function<CUresult()>& enqueue_one,
                                              int executions) {
  const Driver& driver = context_->driver();
  CUstream stream = context_->stream();
  const size_t count = static_cast<size_t>(samples) + 1;  // the first is not counted
  if (auto ok = need_events(2 * count); !ok) return forward(ok);
  CUresult status = CUDA_SUCCESS;
  const auto step = [&status](CUresult result) {
    if (status == CUDA_SUCCESS) status = result;
  };
  for (size_t i = 0; i < count && status == CUDA_SUCCESS; ++i) {
    step(flush_->enqueue(static_cast<unsigned char>(i)));
    step(driver.event_record(events_[2 * i], stream));
    step(enqueue_one());
    step(driver.event_record(events_[2 * i + 1], stream));
  }
  const CUresult finished = driver.stream_synchronize(stream);
  step(finished);
  std::vector<double> milliseconds;
  for (size_t i = 1; i < count && status == CUDA_SUCCESS; ++i) {
    float elapsed = 0;
    step(driver.event_elapsed_time(&elapsed, events_[2 * i], events_[2 * i + 1]));
    milliseconds.push_back(static_cast<double>(elapsed) / executions);
  }
  if (status != CUDA_SUCCESS) return tl::unexpected(context_->error(Phrase("the timed run"), status));
  return milliseconds;
}

Result<std::vector<double>> GpuTimer::cold(const TimedWork& work, int samples) {
  CurrentContext current(*context_);
  if (!current) return tl::unexpected(context_->error(Phrase("the timed run"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  return measure(
      samples, [&] { return enqueue_execution(work, 0); }, 1);
}

Result<std::unique_ptr<TimedGraph>> GpuTimer::capture(const TimedWork& work, int executions) {
  CurrentContext current(*context_);
  if (!current) return tl::unexpected(context_->error(Phrase("capturing a graph"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  const Driver& driver = context_->driver();
  std::unique_ptr<TimedGraph> graph(new TimedGraph(context_));
  graph->executions_ = executions;
  CUresult status = driver.stream_begin_capture(context_->stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  if (status != CUDA_SUCCESS) return tl::unexpected(context_->error(Phrase("capturing a graph"), status));
  for (int i = 0; i < executions && status == CUDA_SUCCESS; ++i) {
    status = enqueue_execution(work, static_cast<size_t>(i) % work.sets());
  }
  CUgraph captured = nullptr;
  const CUresult ended = driver.stream_end_capture(context_->stream(), &captured);  // ends the capture after an error,
                                                                                    // too
  if (status == CUDA_SUCCESS) status = ended;
  if (status == CUDA_SUCCESS) status = driver.graph_instantiate(&graph->executable_, captured, 0);
  if (captured) driver.graph_destroy(captured);
  if (status != CUDA_SUCCESS) return tl::unexpected(context_->error(Phrase("capturing a graph"), status));
  return graph;
}

Result<std::vector<double>> GpuTimer::batched(const TimedGraph& graph, int samples) {
  CurrentContext current(*context_);
  if (!current) return tl::unexpected(context_->error(Phrase("the timed run"), CUDA_ERROR_CONTEXT_IS_DESTROYED));
  return measure(
      samples, [&] { return context_->driver().graph_launch(graph.executable_, context_->stream()); },
      graph.executions_);
}

}  // namespace tilescope
