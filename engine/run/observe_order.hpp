// Derives the footprints of a whole grid from a few of its blocks, executed on the simulator, and runs the block-order
// model on them. The kernel's author declares nothing: for any kernel, either its blocks turn out to be shifted copies
// of each other, or the result says that they are not.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>

#include "engine/executor.hpp"
#include "engine/order_result.hpp"
#include "engine/traffic/block_order/issue_order.hpp"

namespace tilescope {

struct OrderSubject {
  const CompiledModule& module;
  const Launch& launch;
  std::span<const BufferSpec> specs;
  std::span<const std::shared_ptr<DeviceBuffer>> buffers;  // the simulator's; the kernel writes to them
  uint32_t launch_index = 0;
  KnownReplays* known = nullptr;  // from earlier launches
  std::function<void(double fraction)> progress = {};
};

struct ObservedGrid {
  GridFootprints footprints;
  LaunchWork work;  // block 0's
};

/// Executes every block up to the point where it has begun all its loads, and a few blocks to their end. Records
/// blocks_executed, blocks_begun and blocks_checked in `result`. An Error not_modelled says why the blocks are not
/// shifted copies of each other.
Result<ObservedGrid> observe_grid(Executor& simulator, const OrderSubject& subject, const std::stop_token& stop,
                                  OrderModel& result);

/// The model of a launch; `cache.pace` is derived from what a block computes and reads. If there is no model, `reason`
/// says why; an Error is returned only for what would also stop a run.
Result<OrderModel> model_block_order(Executor& simulator, const OrderSubject& subject, const GpuSpec& gpu,
                                     uint32_t blocks_per_multiprocessor, const std::stop_token& stop);

}  // namespace tilescope
