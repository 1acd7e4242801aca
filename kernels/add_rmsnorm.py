# hidden = x + residual, then RMSNorm of every row of hidden, in Triton: as add_rmsnorm.cu, a program for each row, which
# it holds in one tile.
#
# BLOCK_SIZE   columns of the tile: the next power of two from `columns`
import triton
import triton.language as tl


@triton.jit
def add_rmsnorm_kernel(x, residual, gamma, out, hidden, columns, epsilon, BLOCK_SIZE: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64) * columns  # may exceed 32 bits
    c = tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    mask = c < columns
    left = tl.load(x + row + c, mask=mask, other=0.0).to(tl.float32)
    right = tl.load(residual + row + c, mask=mask, other=0.0).to(tl.float32)
    total = (left + right).to(hidden.dtype.element_ty)  # as memory holds it
    tl.store(hidden + row + c, total, mask=mask)
    values = total.to(tl.float32)
    scale = tl.rsqrt(tl.sum(values * values, axis=0) / columns + epsilon)
    weight = tl.load(gamma + c, mask=mask).to(tl.float32)
    tl.store(out + row + c, values * scale * weight, mask=mask)
