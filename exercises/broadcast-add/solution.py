# out[r, c] = a[r] + b[c] for r < rows and c < columns. One program handles one row, BLOCK columns at a time.
# Launch: broadcast_add[rows](a, b, out, rows, columns, BLOCK=1024, num_warps=4)
import triton
import triton.language as tl


@triton.jit
def broadcast_add(a, b, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(axis=0)
    x = tl.load(a + r)  # one number for the whole row
    for start in range(0, columns, BLOCK):
        c = start + tl.arange(0, BLOCK)  # (BLOCK,)
        mask = c < columns
        y = tl.load(b + c, mask=mask)
        tl.store(out + r * columns + c, x + y, mask=mask)
