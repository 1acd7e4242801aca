# Wrong: gate and up are taken to alternate, element by element.
#
# Launch: swiglu[(ceil(columns / BLOCK), rows)](x, out, rows, columns, BLOCK=256)
import triton
import triton.language as tl


@triton.jit
def swiglu(x, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=1)
    c = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = c < columns
    gate = tl.load(x + (r * columns + c) * 2, mask=mask)
    up = tl.load(x + (r * columns + c) * 2 + 1, mask=mask)
    tl.store(out + r * columns + c, gate * tl.sigmoid(gate) * up, mask=mask)
