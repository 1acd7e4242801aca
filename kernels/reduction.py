# Sum in Triton: out[0] = x[0] + x[1] + … + x[n − 1].
# tl.sum folds a tile: first the elements that a thread holds, then the lanes of a warp by shuffles, then the warps
# through shared memory. What remains to be written is how the programs combine their sums.
import triton
import triton.language as tl


# A sum that grows by atomics must start at zero: a launch of its own, as with CUDA.
@triton.jit
def clear(out):
    tl.store(out, 0.0)


# One program, one tile, one atomic. The additions happen in the order in which the programs reach them, so the last
# bits of the result may differ from run to run.
@triton.jit
def atomic_per_program(x, out, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    values = tl.load(x + i, mask=i < n, other=0.0)  # 0 past the end adds nothing
    tl.atomic_add(out, tl.sum(values, axis=0), sem="relaxed")  # nothing but the sum is published: no order is needed


# Two passes, both with this kernel: many programs leave one sum each, then a single program adds those. A program adds
# tile to tile in registers, and folds the total once, after the last tile.
@triton.jit
def sum_of_tiles(x, sums, n, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    total = tl.zeros((BLOCK_SIZE,), dtype=tl.float32)  # (BLOCK_SIZE,) running sums
    for start in range(pid * BLOCK_SIZE, n, tl.num_programs(axis=0) * BLOCK_SIZE):
        i = start + tl.arange(0, BLOCK_SIZE)
        total += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(sums + pid, tl.sum(total, axis=0))
