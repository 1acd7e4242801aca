# Wrong: the last program reads past the end; only the store has a mask.
# Launch: vector_add[ceil(n / BLOCK)](a, b, out, n, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def vector_add(a, b, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(a + i) + tl.load(b + i), mask=i < n)
