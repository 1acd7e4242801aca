# out[t, c] = table[ids[t], c] for t < tokens and c < width. One program copies one row, BLOCK columns at a time.
# Launch: embed[tokens](table, ids, out, tokens, width, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def embed(table, ids, out, tokens, width, BLOCK: tl.constexpr):
    t = tl.program_id(axis=0)
    row = tl.load(ids + t).to(tl.int64)  # a large table has more than 2^31 elements
    for start in range(0, width, BLOCK):
        c = start + tl.arange(0, BLOCK)  # (BLOCK,)
        mask = c < width
        tl.store(out + t * width + c, tl.load(table + row * width + c, mask=mask), mask=mask)
