# out[r][c] = silu(gate[r][c]) · up[r][c]. A row of x holds `columns` elements of gate, then `columns` of up.
#
# Launch: swiglu[(ceil(columns / BLOCK), rows)](x, out, rows, columns, BLOCK=256)
import triton
import triton.language as tl


@triton.jit
def swiglu(x, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=1)
    c = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)  # (BLOCK,)
    # TODO: load gate and up of these columns, and store silu(gate) · up.
    values = tl.load(x + r * columns + c, mask=c < columns)
    tl.store(out + r * columns + c, values, mask=c < columns)
