# out[r][c] = x[r][0] + … + x[r][c]. A program has a row and passes over it in chunks.
# Launch: row_cumsum[rows](x, out, rows, columns, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def row_cumsum(x, out, rows, columns, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0) * columns
    c = tl.arange(0, BLOCK)  # (BLOCK,)
    # TODO: all chunks of the row, each with its prefix sums and what comes before
    tl.store(out + start + c, tl.load(x + start + c, mask=c < columns), mask=c < columns)
