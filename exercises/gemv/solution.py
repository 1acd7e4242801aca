# y = A · x: a is rows × columns, row-major. A program of one warp computes one element of y.
# Launch: gemv[rows](a, x, y, rows, columns, BLOCK=256, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def gemv(a, x, y, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    a += row.to(tl.int64) * columns
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        inside = column < columns
        # What lies behind the row becomes zero, which adds nothing.
        sums += tl.load(a + column, mask=inside, other=0.0) * tl.load(x + column, mask=inside, other=0.0)
    tl.store(y + row, tl.sum(sums, axis=0))
