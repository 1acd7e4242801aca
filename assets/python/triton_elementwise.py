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


@triton.jit
def sin_cos_add_kernel(a_pointer, b_pointer, out_pointer, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    a = tl.load(a_pointer + offsets, mask=mask)
    b = tl.load(b_pointer + offsets, mask=mask)
    tl.store(out_pointer + offsets, tl.sin(a) + tl.cos(b), mask=mask)


@triton.jit
def gelu_kernel(x_pointer, out_pointer, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < n
    x = tl.load(x_pointer + offsets, mask=mask).to(tl.float32)
    inner = 0.7978845608028654 * (x + 0.044715 * x * x * x)
    # tanh(u) = 1 - 2 / (exp(2u) + 1); the exponential of a large u is infinite, and the quotient then 0
    tanh = 1 - 2 / (tl.exp(2 * inner) + 1)
    tl.store(out_pointer + offsets, 0.5 * x * (1 + tanh), mask=mask)


@triton.jit
def sum_kernel(x_pointer, out_pointer, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(axis=0).to(tl.int64) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    tl.atomic_add(out_pointer, tl.sum(tl.load(x_pointer + offsets, mask=offsets < n, other=0.0), axis=0))


def total(x, out):
    out.zero_()
    block = 8192
    sum_kernel[(triton.cdiv(x.numel(), block),)](x, out, x.numel(), BLOCK_SIZE=block, num_warps=8)


def unary_launcher(kernel):
    def launch(x, out):
        n = out.numel()
        kernel[(triton.cdiv(n, BLOCK_SIZE),)](x, out, n, BLOCK_SIZE=BLOCK_SIZE)

    return launch


def launcher(kernel):
    def launch(a, b, out):
        n = out.numel()
        kernel[(triton.cdiv(n, BLOCK_SIZE),)](a, b, out, n, BLOCK_SIZE=BLOCK_SIZE)

    return launch


LAUNCHES = {
    "add": launcher(add_kernel),
    "mul": launcher(mul_kernel),
    "sin_cos_add": launcher(sin_cos_add_kernel),
    "gelu": unary_launcher(gelu_kernel),
    "sum": total,
}
