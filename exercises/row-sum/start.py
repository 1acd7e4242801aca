# out[r] = the sum of row r of x (rows × columns, row-major). A program has a row.
# Launch: row_sum[rows](x, out, rows, columns, BLOCK=256, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def row_sum(x, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=0)
    # TODO: the sum of row r
    tl.store(out + r, 0.0)
