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

/// Sectors of a request of cp.async.cg (16 bytes past the L1 into shared memory), as the same counter counts them: one
/// for each 32-byte piece of shared memory that is filled, and once more for each further 128-byte line that it is
/// filled from. Where lanes write the same place, the last one is the only one that counts. So it is the destination
/// that says how many there are: as many as coalesce() says where source and destination are both aligned to 32 bytes
/// and run side by side, more where the destination is scattered, fewer where neighbours in it come from one line.
uint32_t sectors_past_l1(std::span<const uint64_t, 32> source, std::span<const uint64_t, 32> target, uint32_t mask);

}  // namespace tilescope
