# Slow: the results are right, but a program has a tile of rows of one column: its lanes are a whole row apart.
#
# Launch: swiglu[(columns, ceil(rows / BLOCK))](x, out, rows, columns, BLOCK=32, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def swiglu(x, out, rows, columns, BLOCK: tl.constexpr):
    c = tl.program_id(axis=0)
    r = tl.program_id(axis=1) * BLOCK + tl.arange(0, BLOCK)
    mask = r < rows
    gate = tl.load(x + r * 2 * columns + c, mask=mask)
    up = tl.load(x + r * 2 * columns + columns + c, mask=mask)
    tl.store(out + r * columns + c, gate * tl.sigmoid(gate) * up, mask=mask)
