# Correct but slow: finds the largest score, then reads the row again to see where it stands.
# Launch: argmax[rows](x, out, rows, columns, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def argmax(x, out, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0)
    best = tl.full((BLOCK,), -(2**31), dtype=tl.int32)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        best = tl.maximum(best, tl.load(x + row * columns + c, mask=c < columns, other=-(2**31)))
    largest = tl.max(best, axis=0)
    column = tl.full((BLOCK,), 2**31 - 1, dtype=tl.int32)
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        scores = tl.load(x + row * columns + c, mask=c < columns, other=-(2**31))
        column = tl.minimum(column, tl.where(scores == largest, c, columns))
    tl.store(out + row, tl.min(column, axis=0))
