#include "engine/run/block_usage.hpp"

#include "engine/traffic/schedule/occupancy.hpp"
#include "engine/traffic/schedule/waves.hpp"

namespace tilescope {

BlockUsage usage_of(const CompiledModule& module, const Launch& launch) {
  BlockUsage usage;
  usage.threads = static_cast<uint32_t>(launch.block.count());
  usage.dynamic_shared_bytes = launch.shared_bytes;
  if (const KernelInfo* kernel = module.find(launch.kernel); kernel != nullptr) {
    usage.registers_per_thread = kernel->registers;
    usage.static_shared_bytes = kernel->static_shared_bytes;
    usage.barriers = kernel->barriers;
  }
  return usage;
}

void find_occupancy(RunResult& result) {
  for (const Launch& launch : result.plan.launches) {
    const uint64_t blocks = launch.grid.count();
    result.usage.push_back(usage_of(result.compiled, launch));
    result.occupancy.push_back(occupancy_of(result.modelled_gpu, result.usage.back(), blocks));
    result.waves.push_back(schedule_waves(result.modelled_gpu, result.usage.back(), result.occupancy.back(), blocks));
  }
}

}  // namespace tilescope
