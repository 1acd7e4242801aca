"""Operators on the rows of a matrix in Triton, after its tutorials: one program per row."""

import triton
import triton.language as tl

LONGEST = 65536  # elements that a program holds at a time


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    offsets = tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + offsets, mask=offsets < columns, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + offsets, powers / tl.sum(powers, axis=0), mask=offsets < columns)


@triton.jit
def layernorm_kernel(x, gamma, beta, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    x += row * columns
    out += row * columns
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        values = tl.load(x + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
        distance = tl.where(offsets < columns, values - mean, 0.0)
        squares += distance * distance
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        values = tl.load(x + offsets, mask=inside, other=0.0).to(tl.float32)
        weight = tl.load(gamma + offsets, mask=inside).to(tl.float32)
        shift = tl.load(beta + offsets, mask=inside).to(tl.float32)
        tl.store(out + offsets, (values - mean) * scale * weight + shift, mask=inside)


@triton.jit
def rmsnorm_kernel(x, gamma, out, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)
    x += row * columns
    out += row * columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        values = tl.load(x + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
        squares += values * values
    scale = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        values = tl.load(x + offsets, mask=inside, other=0.0).to(tl.float32)
        tl.store(out + offsets, values * scale * tl.load(gamma + offsets, mask=inside).to(tl.float32), mask=inside)


def warps_of(block):
    return min(max(block // 256, 1), 16)


def softmax(x, out):
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    if block > LONGEST:
        raise ValueError(f"a program holds a whole row, and {columns} elements are too many; {LONGEST} at most")
    softmax_kernel[(rows,)](x, out, columns, BLOCK=block, num_warps=warps_of(block))


def layernorm(x, gamma, beta, out):
    from operations import EPSILON

    rows, columns = x.shape
    block = min(triton.next_power_of_2(columns), LONGEST // x.element_size() // 4)
    layernorm_kernel[(rows,)](x, gamma, beta, out, columns, EPSILON, BLOCK=block, num_warps=warps_of(block))


def rmsnorm(x, gamma, out):
    from operations import EPSILON

    rows, columns = x.shape
    block = min(triton.next_power_of_2(columns), LONGEST // x.element_size() // 4)
    rmsnorm_kernel[(rows,)](x, gamma, out, columns, EPSILON, BLOCK=block, num_warps=warps_of(block))


LAUNCHES = {"softmax": softmax, "layernorm": layernorm, "rmsnorm": rmsnorm}
