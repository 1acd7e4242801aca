"""The element-wise operators in Triton, as its tutorial writes them: one program per block of 1024 elements."""

import triton
import triton.language as tl

BLOCK_SIZE = 1024


@triton.jit
def add_kernel(a_pointer, b_pointer, out_pointer, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    a = tl.load(a_pointer + offsets, mask=mask)
    b = tl.load(b_pointer + offsets, mask=mask)
    tl.store(out_pointer + offsets, a + b, mask=mask)


@triton.jit
def mul_kernel(a_pointer, b_pointer, out_pointer, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    a = tl.load(a_pointer + offsets, mask=mask)
    b = tl.load(b_pointer + offsets, mask=mask)
    tl.store(out_pointer + offsets, a * b, mask=mask)


def launcher(kernel):
    def launch(a, b, out):
        n = out.numel()
        kernel[(triton.cdiv(n, BLOCK_SIZE),)](a, b, out, n, BLOCK_SIZE=BLOCK_SIZE)

    return launch


LAUNCHES = {"add": launcher(add_kernel), "mul": launcher(mul_kernel)}
