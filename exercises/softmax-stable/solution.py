# Softmax of every row: out[r][c] = exp(x[r][c] − maximum of row r) / sum over row r of exp(x[r][j] − maximum).
# The tile holds a whole row. −∞ past its end changes neither the maximum nor the sum, because exp(−∞) = 0.
#
# Launch: softmax[rows](x, out, rows, columns, BLOCK=1024)
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, rows, columns, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * columns  # 64 bits: large matrices have more than 2³¹ elements
    c = tl.arange(0, BLOCK)  # (BLOCK,)
    values = tl.load(x + start + c, mask=c < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + start + c, powers / tl.sum(powers, axis=0), mask=c < columns)
