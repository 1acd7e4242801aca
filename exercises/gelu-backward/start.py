# dx[i] = dy[i] · (derivative of GELU at x[i]), for i < n.
#
# Launch: gelu_backward[ceil(n / BLOCK)](dy, x, dx, n, BLOCK=256)
import triton
import triton.language as tl


@triton.jit
def gelu_backward(dy, x, dx, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)  # (BLOCK,)
    mask = i < n
    at = tl.load(x + i, mask=mask)
    # TODO: the derivative of x/2 · (1 + tanh(u)), where u = √(2/π) · (x + 0.044715 x³). tl.sigmoid is there:
    # tanh(u) = 2 · sigmoid(2u) − 1.
    slope = at
    tl.store(dx + i, tl.load(dy + i, mask=mask) * slope, mask=mask)
