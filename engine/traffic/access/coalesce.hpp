// The cost of one warp-level global access, defined like the hardware's counters
// (l1tex__t_requests_pipe_lsu_mem_global_op_ld / _st and l1tex__t_sectors_… of Nsight Compute): a request is one
// executed instruction with at least one active lane, whatever its width; its sectors are the distinct aligned 32-byte
// sectors of memory that active lanes touch.
#pragma once

#include <cstdint>
#include <span>

namespace tilescope {

constexpr uint64_t kSectorBytes = 32;
constexpr uint64_t kLineBytes = 128;

struct GlobalCost {
  uint32_t sectors = 0;       // distinct 32-byte sectors
  uint32_t lines = 0;         // distinct 128-byte lines
  uint32_t useful_bytes = 0;  // distinct bytes that lanes requested
};

/// address: 32 lane addresses, read only for lanes in the mask; bytes_per_lane 1 … 16, naturally aligned.
GlobalCost coalesce(std::span<const uint64_t, 32> address, uint32_t mask, uint32_t bytes_per_lane);

/// Sectors of a request of cp.async.cg (16 bytes, bypassing the L1, into shared memory), as the same counter counts
/// them: one for each 32-byte segment of shared memory that is filled, plus one for each further 128-byte line that it
/// is filled from. If lanes write the same address, only the last one counts. So the destination decides the number: it
/// equals coalesce() if source and destination are both 32-byte aligned and contiguous, it is larger if the destination
/// is scattered, and smaller if neighbours in it come from one line.
uint32_t sectors_past_l1(std::span<const uint64_t, 32> source, std::span<const uint64_t, 32> target, uint32_t mask);

}  // namespace tilescope
