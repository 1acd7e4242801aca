# Wrong: adds the squares of all rows of the tile, not of each.
#
# Launch: rmsnorm[ceil(rows / ROWS)](x, gamma, out, rows, epsilon, ROWS=4, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def rmsnorm(x, gamma, out, rows, epsilon, ROWS: tl.constexpr):
    r = tl.program_id(axis=0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    c = tl.arange(0, 128)  # (128,)
    offsets = r[:, None] * 128 + c[None, :]  # (ROWS, 128)
    mask = r[:, None] < rows
    values = tl.load(x + offsets, mask=mask, other=0.0)
    scale = tl.rsqrt(tl.sum(values * values) / (128 * ROWS) + epsilon)
    tl.store(out + offsets, values * scale * tl.load(gamma + c)[None, :], mask=mask)
