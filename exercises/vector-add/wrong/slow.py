# Slow: one program for every 32 elements, but tiles of 256. Seven of eight programs find nothing to do.
# Launch: vector_add[ceil(n / 32)](a, b, out, n, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def vector_add(a, b, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(a + i, mask=mask) + tl.load(b + i, mask=mask), mask=mask)
