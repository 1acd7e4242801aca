# RMSNorm of rows of 128 floats: out[r][c] = x[r][c] / sqrt(mean over row r of x² + epsilon) · gamma[c].
#
# Launch: rmsnorm[ceil(rows / ROWS)](x, gamma, out, rows, epsilon, ROWS=4, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def rmsnorm(x, gamma, out, rows, epsilon, ROWS: tl.constexpr):
    r = tl.program_id(axis=0) * ROWS + tl.arange(0, ROWS)  # (ROWS,)
    c = tl.arange(0, 128)  # (128,)
    offsets = r[:, None] * 128 + c[None, :]  # (ROWS, 128)
    mask = r[:, None] < rows
    values = tl.load(x + offsets, mask=mask)
    # TODO: divide by the root of the mean of the squares of each row.
    tl.store(out + offsets, values * tl.load(gamma + c)[None, :], mask=mask)
