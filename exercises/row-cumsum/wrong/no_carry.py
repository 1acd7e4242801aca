# Every chunk starts again from zero.
# Launch: row_cumsum[rows](x, out, rows, columns, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def row_cumsum(x, out, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0) * columns
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)  # (BLOCK,)
        values = tl.load(x + row + c, mask=c < columns, other=0.0)
        tl.store(out + row + c, tl.cumsum(values, axis=0), mask=c < columns)
