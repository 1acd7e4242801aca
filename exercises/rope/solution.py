# Rotary embedding: element i of a vector and element i + dim / 2 are rotated by the angle of the token and of i.
# A program has one head of one token. BLOCK is at least dim / 2, and one warp is enough for so few elements.
#
# Launch: rope[(heads, tokens)](x, cosine, sine, out, tokens, heads, dim, BLOCK=64, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def rope(x, cosine, sine, out, tokens, heads, dim, BLOCK: tl.constexpr):
    head = tl.program_id(axis=0)
    token = tl.program_id(axis=1).to(tl.int64)  # 64 bits: long sequences have more than 2³¹ elements
    half = dim // 2
    i = tl.arange(0, BLOCK)  # (BLOCK,)
    mask = i < half
    start = (token * heads + head) * dim
    first = tl.load(x + start + i, mask=mask)
    second = tl.load(x + start + half + i, mask=mask)
    c = tl.load(cosine + token * half + i, mask=mask)
    s = tl.load(sine + token * half + i, mask=mask)
    tl.store(out + start + i, first * c - second * s, mask=mask)
    tl.store(out + start + half + i, second * c + first * s, mask=mask)
