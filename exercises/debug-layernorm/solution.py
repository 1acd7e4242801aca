# LayerNorm of every row: out[r][c] = (x[r][c] - mean) / sqrt(variance + EPSILON) · gamma[c] + beta[c].
# A program has one row of at most BLOCK columns and holds it in one tile, so x is read only once although mean and
# variance are computed one after the other.
import triton
import triton.language as tl

EPSILON = tl.constexpr(1e-5)


# Launch: layernorm[rows](x, gamma, beta, out, columns, BLOCK=512, num_warps=4)
@triton.jit
def layernorm(x, gamma, beta, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64) * columns
    c = tl.arange(0, BLOCK)  # (BLOCK,)
    mask = c < columns
    values = tl.load(x + row + c, mask=mask, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    distance = tl.where(mask, values - mean, 0.0)  # the padding is not part of the row
    rstd = tl.rsqrt(tl.sum(distance * distance, axis=0) / columns + EPSILON)
    scale = tl.load(gamma + c, mask=mask)
    shift = tl.load(beta + c, mask=mask)
    tl.store(out + row + c, distance * rstd * scale + shift, mask=mask)
