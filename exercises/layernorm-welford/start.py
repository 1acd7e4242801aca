# LayerNorm of every row: out[r][c] = (x[r][c] − mean) / sqrt(variance + epsilon) · gamma[c] + beta[c].
#
# Launch: layernorm[rows](x, gamma, beta, out, rows, columns, epsilon, BLOCK=1024)
import triton
import triton.language as tl


@triton.jit
def layernorm(x, gamma, beta, out, rows, columns, epsilon, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0) * columns
    c = tl.arange(0, BLOCK)  # (BLOCK,)
    mask = c < columns
    values = tl.load(x + start + c, mask=mask, other=0.0)
    # TODO: mean and variance. What do the elements past the end of the row add to each of them?
    weight = tl.load(gamma + c, mask=mask)
    bias = tl.load(beta + c, mask=mask)
    tl.store(out + start + c, values * weight + bias, mask=mask)
