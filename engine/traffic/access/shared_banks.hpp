// The cost of one warp-level access to shared memory, defined like the hardware's counters
// (l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st} of Nsight Compute, sm_90).
//
// 32 banks of 4 bytes. Lanes of 4 bytes or less go in one pass, of 8 bytes in two half-warps, of 16 in four
// quarter-warps; a pass takes as many wavefronts as the largest number of distinct words in one bank. Loads of 8 and 16
// bytes in which neighbouring lanes have equal addresses take fewer passes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tilescope {

constexpr uint32_t kSharedBanks = 32, kBankWordBytes = 4;

struct SharedCost {
  uint32_t wavefronts = 0;
  uint32_t passes = 0;  // passes with an active lane; wavefronts beyond them are bank conflicts
};

/// offset: 32 byte offsets, read only for lanes in the mask; bytes_per_lane 1 … 16, naturally aligned.
SharedCost shared_cost(std::span<const uint64_t, 32> offset, uint32_t mask, uint32_t bytes_per_lane, bool store);

/// The lanes that access the banks together, and the number of words that the fullest bank delivers to them.
struct SharedPass {
  uint32_t lanes = 0;  // one bit each
  uint32_t wavefronts = 0;
};
/// The passes that shared_cost sums up, in order. `apart`: lanes with equal addresses do not merge, as in stores, the
/// matrices of an ldmatrix, and asynchronous copies.
std::vector<SharedPass> shared_passes(std::span<const uint64_t, 32> offset, uint32_t mask, uint32_t bytes_per_lane,
                                      bool apart);

}  // namespace tilescope
