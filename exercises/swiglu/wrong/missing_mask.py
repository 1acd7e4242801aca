# Wrong: the mask compares with all of x, so that the tile at the end of a row runs into the next row.
#
# Launch: swiglu[(ceil(columns / BLOCK), rows)](x, out, rows, columns, BLOCK=256)
import triton
import triton.language as tl


@triton.jit
def swiglu(x, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=1)
    c = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    gate = tl.load(x + r * 2 * columns + c, mask=r * 2 * columns + columns + c < rows * 2 * columns)
    up = tl.load(x + r * 2 * columns + columns + c, mask=r * 2 * columns + columns + c < rows * 2 * columns)
    tl.store(out + r * columns + c, gate * tl.sigmoid(gate) * up, mask=r * columns + c < rows * columns)
