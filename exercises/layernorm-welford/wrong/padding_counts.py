# Wrong: past the end of the row the distance 0 − mean counts, too.
#
# Launch: layernorm[rows](x, gamma, beta, out, rows, columns, epsilon, BLOCK=1024)
import triton
import triton.language as tl


@triton.jit
def layernorm(x, gamma, beta, out, rows, columns, epsilon, BLOCK: tl.constexpr):
    start = tl.program_id(axis=0).to(tl.int64) * columns  # 64 bits: large matrices have more than 2³¹ elements
    c = tl.arange(0, BLOCK)  # (BLOCK,)
    mask = c < columns
    values = tl.load(x + start + c, mask=mask, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    distance = values - mean
    variance = tl.sum(distance * distance, axis=0) / columns
    weight = tl.load(gamma + c, mask=mask)
    bias = tl.load(beta + c, mask=mask)
    tl.store(out + start + c, distance * tl.rsqrt(variance + epsilon) * weight + bias, mask=mask)
