# Slow: a program handles 128 tokens, one column at a time, so the lanes of a warp are in 32 different rows.
# Launch: embed[ceil(tokens / BLOCK)](table, ids, out, tokens, width, BLOCK=128, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def embed(table, ids, out, tokens, width, BLOCK: tl.constexpr):
    t = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = t < tokens
    row = tl.load(ids + t, mask=mask, other=0)
    for c in range(0, width):
        tl.store(out + t * width + c, tl.load(table + row * width + c, mask=mask), mask=mask)
