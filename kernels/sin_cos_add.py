# out[i] = sin(a[i]) + cos(b[i]) for i < n, in Triton: one fused kernel.
# sin(a) and cos(b) are tiles in registers; neither goes to memory.
import triton
import triton.language as tl


@triton.jit
def fused(a, b, out, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    mask = i < n
    s = tl.sin(tl.load(a + i, mask=mask))
    c = tl.cos(tl.load(b + i, mask=mask))
    tl.store(out + i, s + c, mask=mask)
