# Softmax of every row: out[r][c] = exp(x[r][c] − maximum of row r) / sum over row r of exp(x[r][j] − maximum).
#
# Launch: softmax[rows](x, out, rows, columns, BLOCK=1024)
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, rows, columns, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0) * columns
    c = tl.arange(0, BLOCK)  # (BLOCK,)
    values = tl.load(x + start + c, mask=c < columns)
    # TODO: subtract the maximum, and divide by the sum. What do the elements past the end of the row have to be?
    tl.store(out + start + c, tl.exp(values), mask=c < columns)
