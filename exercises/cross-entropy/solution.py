# Cross-entropy of every row: loss[r] = logsumexp(x[r]) − x[r][labels[r]].
# The tile holds a whole row. −∞ past its end changes neither the maximum nor the sum, because exp(−∞) = 0.
#
# Launch: cross_entropy[rows](x, labels, loss, rows, columns, BLOCK=1024)
import triton
import triton.language as tl


@triton.jit
def cross_entropy(x, labels, loss, rows, columns, BLOCK: tl.constexpr):
    row = tl.program_id(axis=0).to(tl.int64)  # 64 bits: large matrices have more than 2³¹ elements
    c = tl.arange(0, BLOCK)  # (BLOCK,)
    values = tl.load(x + row * columns + c, mask=c < columns, other=-float("inf"))
    maximum = tl.max(values, axis=0)
    total = tl.sum(tl.exp(values - maximum), axis=0)
    correct = tl.load(x + row * columns + tl.load(labels + row))
    tl.store(loss + row, tl.log(total) - (correct - maximum))
