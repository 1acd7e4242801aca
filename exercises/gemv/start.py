# y = A · x: a is rows × columns, row-major. A program computes one element of y.
# Launch: gemv[rows](a, x, y, rows, columns, BLOCK=256, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def gemv(a, x, y, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # TODO: loop over the columns of the row, BLOCK at a time; add up the products.
    tl.store(y + row, 0.0)
