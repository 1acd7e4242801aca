# Wrong: only the first term of the product rule.
#
# Launch: gelu_backward[ceil(n / BLOCK)](dy, x, dx, n, BLOCK=256)
import triton
import triton.language as tl


@triton.jit
def gelu_backward(dy, x, dx, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)  # (BLOCK,)
    mask = i < n
    at = tl.load(x + i, mask=mask)
    u = 0.7978845608 * (at + 0.044715 * at * at * at)
    slope = tl.sigmoid(2 * u)
    tl.store(dx + i, tl.load(dy + i, mask=mask) * slope, mask=mask)
