# Slow: the results are right, but a second tile loads the halves the other way round: x is read twice.
#
# Launch: rope[(heads, tokens)](x, cosine, sine, out, tokens, heads, dim, BLOCK=128, num_warps=1)
import triton
import triton.language as tl


@triton.jit
def rope(x, cosine, sine, out, tokens, heads, dim, BLOCK: tl.constexpr):
    head = tl.program_id(axis=0)
    token = tl.program_id(axis=1).to(tl.int64)  # 64 bits: long sequences have more than 2³¹ elements
    half = dim // 2
    d = tl.arange(0, BLOCK)  # (BLOCK,)
    mask = d < dim
    is_first = d < half
    i = tl.where(is_first, d, d - half)
    start = (token * heads + head) * dim
    own = tl.load(x + start + d, mask=mask)
    other = tl.load(x + start + tl.where(is_first, d + half, d - half), mask=mask)
    c = tl.load(cosine + token * half + i, mask=mask)
    s = tl.load(sine + token * half + i, mask=mask)
    tl.store(out + start + d, own * c + tl.where(is_first, -other, other) * s, mask=mask)
