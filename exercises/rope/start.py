# Rotary embedding: element i of a vector and element i + dim / 2 are rotated by the angle of the token and of i.
# A program has one head of one token.
#
# Launch: rope[(heads, tokens)](x, cosine, sine, out, tokens, heads, dim, BLOCK=64, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def rope(x, cosine, sine, out, tokens, heads, dim, BLOCK: tl.constexpr):
    head = tl.program_id(axis=0)
    token = tl.program_id(axis=1)
    half = dim // 2
    i = tl.arange(0, BLOCK)  # (BLOCK,)
    mask = i < half
    start = (token * heads + head) * dim
    first = tl.load(x + start + i, mask=mask)
    # TODO: the second elements of the pairs, the tables, and both results.
    tl.store(out + start + i, first, mask=mask)
