# Wrong: no mask, and the last tile reads and writes past the last row.
#
# Launch: rmsnorm[ceil(rows / ROWS)](x, gamma, out, rows, epsilon, ROWS=4, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def rmsnorm(x, gamma, out, rows, epsilon, ROWS: tl.constexpr):
    r = tl.program_id(axis=0).to(tl.int64) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    c = tl.arange(0, 128)  # (128,)
    offsets = r[:, None] * 128 + c[None, :]  # (ROWS, 128)
    values = tl.load(x + offsets)
    scale = tl.rsqrt(tl.sum(values * values, axis=1) / 128 + epsilon)  # (ROWS,)
    tl.store(out + offsets, values * scale[:, None] * tl.load(gamma + c)[None, :])
