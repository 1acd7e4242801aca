# Wrong: no mask for the columns, so a program also writes the rows behind its own.
# Launch: embed[tokens](table, ids, out, tokens, width, BLOCK=512, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def embed(table, ids, out, tokens, width, BLOCK: tl.constexpr):
    t = tl.program_id(axis=0)
    row = tl.load(ids + t)
    for start in range(0, width, BLOCK):
        c = start + tl.arange(0, BLOCK)
        tl.store(out + t * width + c, tl.load(table + row * width + c, mask=c < width))
