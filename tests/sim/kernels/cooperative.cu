// Groups of threads as cooperative_groups.h makes them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace groups = cooperative_groups;

extern "C" __global__ void whole_grid(int* values, int rounds) {
  const auto grid = groups::this_grid();
  const auto rank = grid.thread_rank();
  for (int i = 0; i < rounds; ++i) {
    const int next = values[(rank + 1) % grid.size()] + 1;
    grid.sync();
    values[rank] = next;
    grid.sync();
  }
}

extern "C" __global__ void tiles(const int* in, int* out) {
  const auto block = groups::this_thread_block();
  const auto tile = groups::tiled_partition<16>(block);
  int sum = in[block.thread_rank()];
  for (int offset = 8; offset > 0; offset /= 2) sum += tile.shfl_down(sum, offset);
  sum = tile.shfl(sum, 0);
  block.sync();
  out[block.thread_rank()] =
      sum + 1000 * groups::reduce(tile, static_cast<int>(tile.thread_rank()), groups::greater<int>());
}

extern "C" __global__ void count_with_few_atomics(const int* in, int* count, int* places, int n) {
  const int i = static_cast<int>(groups::this_grid().thread_rank());
  if (i < n && in[i] > 50) {
    const auto active = groups::coalesced_threads();
    int place = 0;
    if (active.thread_rank() == 0) place = atomicAdd(count, static_cast<int>(active.size()));
    places[i] = active.shfl(place, 0) + static_cast<int>(active.thread_rank());
    active.sync();
  }
}

extern "C" __global__ void registers(unsigned* out) {
  unsigned values[8];
  asm volatile("mov.u32 %0, %%smid;" : "=r"(values[0]));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(values[1]));
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(values[2]));
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(values[3]));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(values[4]));
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(values[5]));
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(values[6]));
  asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(values[7]));
  for (int i = 0; i < 8; ++i) out[(blockIdx.x * blockDim.x + threadIdx.x) * 8 + i] = values[i];
}
