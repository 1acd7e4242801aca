# Wrong: writes zeros everywhere.
# Launch: embed[tokens](table, ids, out, tokens, width, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def embed(table, ids, out, tokens, width, BLOCK: tl.constexpr):
    t = tl.program_id(axis=0)
    for start in range(0, width, BLOCK):
        c = start + tl.arange(0, BLOCK)
        tl.store(out + t * width + c, tl.zeros((BLOCK,), dtype=tl.float32), mask=c < width)
