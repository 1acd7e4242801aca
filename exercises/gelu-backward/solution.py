# dx[i] = dy[i] · (derivative of GELU at x[i]), for i < n. tanh(u) = 2 · sigmoid(2u) − 1.
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
    t = 2 * tl.sigmoid(2 * u) - 1
    inner = 0.7978845608 * (1 + 3 * 0.044715 * at * at)
    slope = 0.5 * (1 + t) + 0.5 * at * (1 - t * t) * inner
    tl.store(dx + i, tl.load(dy + i, mask=mask) * slope, mask=mask)
