# out[i] = a[i] + b[i] for i < n. One program, one tile of BLOCK elements.
# Launch: vector_add[ceil(n / BLOCK)](a, b, out, n, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def vector_add(a, b, out, n, BLOCK: tl.constexpr):
    pid = tl.program_id(axis=0)
    i = pid * BLOCK + tl.arange(0, BLOCK)  # (BLOCK,)
    mask = i < n
    x = tl.load(a + i, mask=mask)
    y = tl.load(b + i, mask=mask)
    tl.store(out + i, x + y, mask=mask)
