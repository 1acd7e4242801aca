// The footprints of a whole grid from a few of its blocks, executed on the simulator; and with them the block-order
// model. Nothing is declared by the kernel's author: whatever kernel it is, either its blocks turn out to be shifts of
// one another, or the result says that they are not.
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
  KnownReplays* known = nullptr;  // of launches before this one
  std::function<void(double fraction)> progress = {};
};

struct ObservedGrid {
  GridFootprints footprints;
  LaunchWork work;  // of block 0
};

/// Executes every block up to where it has begun all its loads, and a few to their end. What is noted of it:
/// blocks_executed, blocks_begun and blocks_checked of `result`. An Error of not_modelled says why the blocks are no
/// shifts of one another.
Result<ObservedGrid> observe_grid(Executor& simulator, const OrderSubject& subject, const std::stop_token& stop,
                                  OrderModel& result);

/// The model of a launch; `cache.pace` follows from what a block computes and reads. Where there is none, `reason` says
/// why; an Error is only what would also stop a run.
Result<OrderModel> model_block_order(Executor& simulator, const OrderSubject& subject, const GpuSpec& gpu,
                                     uint32_t blocks_per_multiprocessor, const std::stop_token& stop);

}  // namespace tilescope
