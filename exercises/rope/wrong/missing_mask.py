# Wrong: the mask is that of a whole vector, so a program with dim / 2 < BLOCK writes past its vector.
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
    mask = i < dim
    start = (token * heads + head) * dim
    first = tl.load(x + start + i, mask=mask)
    second = tl.load(x + start + half + i, mask=mask)
    c = tl.load(cosine + token * half + i, mask=mask)
    s = tl.load(sine + token * half + i, mask=mask)
    tl.store(out + start + i, first * c - second * s, mask=mask)
    tl.store(out + start + half + i, second * c + first * s, mask=mask)
