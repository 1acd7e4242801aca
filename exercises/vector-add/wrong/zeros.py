# Wrong: writes zeros everywhere.
# Launch: vector_add[ceil(n / BLOCK)](a, b, out, n, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def vector_add(a, b, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.zeros((BLOCK,), dtype=tl.float32), mask=i < n)
