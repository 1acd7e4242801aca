# Element-wise operators on two vectors in Triton: out[i] = a[i] OP b[i] for i < n.
# A program computes whole tiles of BLOCK_SIZE elements; the compiler distributes a tile over the threads.
import triton
import triton.language as tl


@triton.jit
def combine(x, y, OP: tl.constexpr):
    return x + y if OP == "add" else x * y


# Scheme 1: one program, one tile. The mask stops the lanes past the end, as `if (i < n)` does in CUDA.
@triton.jit
def tile_per_program(a, b, out, n, OP: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    i = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    mask = i < n
    x = tl.load(a + i, mask=mask)
    y = tl.load(b + i, mask=mask)
    tl.store(out + i, combine(x, y, OP), mask=mask)


# Scheme 2: one program, two tiles. All four loads are issued before the first result is stored.
@triton.jit
def two_tiles_per_program(a, b, out, n, OP: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    i = pid * 2 * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,) first tile
    j = i + BLOCK_SIZE  # second tile
    x0 = tl.load(a + i, mask=i < n)
    y0 = tl.load(b + i, mask=i < n)
    x1 = tl.load(a + j, mask=j < n)
    y1 = tl.load(b + j, mask=j < n)
    tl.store(out + i, combine(x0, y0, OP), mask=i < n)
    tl.store(out + j, combine(x1, y1, OP), mask=j < n)


# The grid-stride loop: a program's tiles lie one grid apart, and any grid covers any n.
@triton.jit
def tile_loop(a, b, out, n, OP: tl.constexpr, BLOCK_SIZE: tl.constexpr):
    first = tl.program_id(axis=0) * BLOCK_SIZE
    for start in range(first, n, tl.num_programs(axis=0) * BLOCK_SIZE):
        i = start + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
        mask = i < n
        x = tl.load(a + i, mask=mask)
        y = tl.load(b + i, mask=mask)
        tl.store(out + i, combine(x, y, OP), mask=mask)
