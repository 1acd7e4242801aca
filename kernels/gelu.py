# GELU by its tanh formula in Triton: out = ½ x (1 + tanh(√(2/π) (x + 0.044715 x³))), in one fused kernel.
# The elements may be fp32, fp16 or bf16: the arithmetic is in fp32, and tl.store rounds to the type of `out`.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def inner(x):
    return 0.7978845608 * (x + 0.044715 * x * x * x)  # √(2/π) (x + 0.044715 x³)


# With the tanh of libdevice, NVIDIA's library of mathematical functions: the same code as tanhf in CUDA.
@triton.jit
def fused(x, out, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    mask = i < n
    values = tl.load(x + i, mask=mask).to(tl.float32)
    tl.store(out + i, 0.5 * values * (1 + libdevice.tanh(inner(values))), mask=mask)


# ½ (1 + tanh u) = 1 / (1 + e^(−2u)), the sigmoid of 2u. tl.sigmoid is an ex2.approx and a division.
@triton.jit
def fused_sigmoid(x, out, n, BLOCK_SIZE: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)  # (BLOCK_SIZE,)
    mask = i < n
    values = tl.load(x + i, mask=mask).to(tl.float32)
    tl.store(out + i, values * tl.sigmoid(2 * inner(values)), mask=mask)
