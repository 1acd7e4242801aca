# out[r][c] = silu(gate[r][c]) · up[r][c]. A row of x holds `columns` elements of gate, then `columns` of up.
#
# Launch: swiglu[(ceil(columns / BLOCK), rows)](x, out, rows, columns, BLOCK=256)
import triton
import triton.language as tl


@triton.jit
def swiglu(x, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=1).to(tl.int64)  # 64 bits: large matrices have more than 2³¹ elements
    c = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)  # (BLOCK,)
    mask = c < columns
    gate = tl.load(x + r * 2 * columns + c, mask=mask)
    up = tl.load(x + r * 2 * columns + columns + c, mask=mask)
    tl.store(out + r * columns + c, gate * tl.sigmoid(gate) * up, mask=mask)
