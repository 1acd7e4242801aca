#include "engine/sim/residency.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {

Residency resident_blocks(const BlockResources& block) {
  const uint32_t warps = (block.threads + 31) / 32;
  // Registers are given to a warp in units of 256.
  const uint32_t registers = warps * ((block.registers_per_thread * 32 + 255) / 256 * 256);
  const uint32_t shared = block.shared_bytes + ModelledGpu::kReservedSharedBytes;
  const struct {
    uint32_t blocks;
    std::string reason;
  } limits[] = {
      {ModelledGpu::kBlocks, fmt::format("{} blocks", ModelledGpu::kBlocks)},
      {ModelledGpu::kThreads / std::max(1U, warps * 32), fmt::format("{} threads", ModelledGpu::kThreads)},
      {registers == 0 ? ModelledGpu::kBlocks : ModelledGpu::kRegisters / registers,
       fmt::format("{} registers", ModelledGpu::kRegisters)},
      {ModelledGpu::kSharedBytes / shared, fmt::format("{} bytes of shared memory", ModelledGpu::kSharedBytes)}};
  const auto* least = std::min_element(std::begin(limits), std::end(limits),
                                       [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
  return {uint64_t{std::max(1U, least->blocks)} * ModelledGpu::kMultiprocessors,
          fmt::format("{} for each of {} multiprocessors", least->reason, ModelledGpu::kMultiprocessors)};
}

}  // namespace tilescope
