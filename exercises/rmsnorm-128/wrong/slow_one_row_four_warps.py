# Slow: the results are right, but the four warps of a program share the only row of its tile, and need a barrier.
#
# Launch: rmsnorm[ceil(rows / ROWS)](x, gamma, out, rows, epsilon, ROWS=1, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def rmsnorm(x, gamma, out, rows, epsilon, ROWS: tl.constexpr):
    r = tl.program_id(axis=0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    c = tl.arange(0, 128)  # (128,)
    offsets = r[:, None] * 128 + c[None, :]  # (ROWS, 128)
    mask = r[:, None] < rows
    values = tl.load(x + offsets, mask=mask, other=0.0)
    scale = tl.rsqrt(tl.sum(values * values, axis=1) / 128 + epsilon)  # (ROWS,)
    tl.store(out + offsets, values * scale[:, None] * tl.load(gamma + c)[None, :], mask=mask)
