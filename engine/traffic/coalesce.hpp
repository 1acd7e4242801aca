// What one warp-level global access costs, counted as the hardware's counters count it
// (l1tex__t_requests_pipe_lsu_mem_global_op_ld / _st and l1tex__t_sectors_… of Nsight Compute):
// a request is one executed instruction with at least one active lane, whatever its width; its sectors are the distinct
// aligned 32-byte pieces of memory that active lanes touch.
#pragma once

#include <cstdint>
#include <span>

namespace tilescope {

constexpr uint64_t kSectorBytes = 32;
constexpr uint64_t kLineBytes = 128;

struct GlobalCost {
  uint32_t sectors = 0;       // distinct 32-byte sectors
  uint32_t lines = 0;         // distinct 128-byte lines
  uint32_t useful_bytes = 0;  // distinct bytes that lanes asked for
};

/// address: 32 lane addresses, read only where the mask has a bit; bytes_per_lane 1 … 16, naturally aligned.
GlobalCost coalesce(std::span<const uint64_t, 32> address, uint32_t mask, uint32_t bytes_per_lane);

}  // namespace tilescope
