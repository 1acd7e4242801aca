"""Attention as PyTorch runs it: FlashAttention-2, cuDNN, and matmul, softmax, matmul; forward and backward.

Tensors are [batch, heads, length, head dimension]. With a causal mask the last query sees the last key, as in the labs.
"""

import copy


def check_lengths(causal, q, k):
    if causal and q.shape[2] != k.shape[2]:
        raise ValueError("PyTorch aligns a causal mask with the first query, the lab with the last one; "
                         "they agree where queries and keys are as many")


def fused(backend):
    """scaled_dot_product_attention with one backend; where it cannot be had PyTorch says why."""

    def forward(torch, q, k, v, causal):
        from torch.nn.attention import SDPBackend, sdpa_kernel

        check_lengths(causal, q, k)
        options = {"enable_gqa": True} if q.shape[1] != k.shape[1] else {}
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal, **options)

    return forward


def not_seen(torch, queries, keys, device, first=0, rows=None):
    """Of the queries from `first` on, where a key comes too late."""
    row = torch.arange(first, first + (rows or queries), device=device)[:, None]
    return torch.arange(keys, device=device)[None, :] > row + keys - queries


def unfused(torch, q, k, v, causal):
    group = q.shape[1] // k.shape[1]
    if causal and q.shape[2] > k.shape[2]:
        raise ValueError("softmax of a query that sees no key is not a number")
    if group > 1:
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = torch.matmul(q, k.transpose(2, 3)) * q.shape[3] ** -0.5
    if causal:
        scores = scores.masked_fill(not_seen(torch, q.shape[2], k.shape[2], q.device), float("-inf"))
    return torch.matmul(torch.softmax(scores, 3), v)


def some_groups(q, k):
    """Batch and head of K of those that are checked: the first and the last one."""
    last = (k.shape[0] - 1, k.shape[1] - 1)
    return [(0, 0)] if last == (0, 0) else [(0, 0), last]


class Attention:
    """One of the operations; `at` gives a copy that knows the lab's sizes and parameters."""

    into, tensor_float = None, False
    backward = False

    def __init__(self, forward, rounds_scores=False):
        self.forward = forward
        self.rounds_scores = rounds_scores  # to the type of the elements, before the softmax

    def at(self, values):
        bound = copy.copy(self)
        bound.causal = values["CAUSAL"] == 1
        bound.options = {"causal": bound.causal}
        bound.graphs = {}
        return bound

    @property
    def family(self):  # operations of one family compute from the same inputs
        return "attention_backward" if self.backward else "attention"

    def element(self, torch, params):
        return torch.bfloat16 if params.get("DTYPE") == 1 else torch.float16

    def inputs(self, values):
        of_queries = (values["batch"], values["heads"], values["queries"], values["HEAD_DIM"])
        of_keys = (values["batch"], values["kv_heads"], values["keys"], values["HEAD_DIM"])
        return [of_queries, of_keys, of_keys]

    def shapes(self, sizes, params):
        return self.inputs({**params, **sizes})

    def arrange(self, torch, inputs, params):
        if not self.backward:  # every 32nd query is large, as in the lab
            inputs[0][:, :, 31::32] *= 64
        return inputs

    def empty(self, torch, inputs):
        return torch.empty_like(inputs[0])

    def eager(self, torch, q, k, v):
        return self.forward(torch, q, k, v, self.causal)

    def exact_rows(self, torch, q, k, first, rows):
        """Of some queries of one head the scores and the weights in float64."""
        scores = q[first:first + rows].double() @ k.double().T * q.shape[1] ** -0.5
        if self.causal:
            late = not_seen(torch, q.shape[0], k.shape[0], q.device, first, scores.shape[0])
            scores = scores.masked_fill(late, float("-inf"))
        return scores, torch.nan_to_num(torch.softmax(scores, 1))

    def pieces(self, torch, inputs, got, element):
        """Pieces of the results, what they should be, and how far off they may be: as the lab's rungs."""
        q, k, v = inputs[:3]
        unit = 2.0**-8 if element == torch.bfloat16 else 2.0**-11
        group = q.shape[1] // k.shape[1]
        for batch, kv_head in some_groups(q, k):
            of_k, of_v = k[batch, kv_head], v[batch, kv_head]
            for head in range(kv_head * group, (kv_head + 1) * group):
                for first in range(0, q.shape[2], 1024):
                    scores, weights = self.exact_rows(torch, q[batch, head], of_k, first, 1024)
                    exact = weights @ of_v.double()
                    bound = 5e-4 + 4 * unit + 1.01 * unit * exact.abs()
                    if self.rounds_scores:
                        # Rounded twice, the product and its scaled form: unit / 2 each. A weight is off by a factor of
                        # exp(2 · that) at most, its own and the sum's.
                        off = torch.where(scores.isinf(), 0, scores).abs().amax(1, keepdim=True) * unit
                        bound = bound + torch.expm1(2 * off) * (weights @ of_v.double().abs())
                    yield got[0][batch, head, first:first + 1024], exact, bound


class AttentionBackward(Attention):
    """The forward pass runs once for each set of inputs, and is not timed."""

    backward = True

    def inputs(self, values):
        shapes = super().inputs(values)
        return shapes + [shapes[0]]

    def at(self, values):
        bound = super().at(values)
        bound.options = {"causal": bound.causal, "kept": bound.graphs}
        return bound

    def empty(self, torch, inputs):
        return tuple(torch.empty_like(one) for one in inputs[:3])

    def eager(self, torch, q, k, v, d_o):
        graph = self.graphs.get(q.data_ptr())
        if graph is None:
            leaves = tuple(one.detach().requires_grad_() for one in (q, k, v))
            graph = self.graphs[q.data_ptr()] = (self.forward(torch, *leaves, self.causal), leaves)
        return torch.autograd.grad(graph[0], graph[1], d_o, retain_graph=True)

    def pieces(self, torch, inputs, got, element):
        q, k, v, d_o = inputs
        unit = 2.0**-8 if element == torch.bfloat16 else 2.0**-11
        group, scale = q.shape[1] // k.shape[1], q.shape[3] ** -0.5
        for batch, kv_head in some_groups(q, k):
            of_k, of_v = k[batch, kv_head].double(), v[batch, kv_head].double()
            dk, dv = torch.zeros_like(of_k), torch.zeros_like(of_v)
            for head in range(kv_head * group, (kv_head + 1) * group):
                for first in range(0, q.shape[2], 1024):
                    part = slice(first, first + 1024)
                    _, weights = self.exact_rows(torch, q[batch, head], k[batch, kv_head], first, 1024)
                    of_d_o, of_q = d_o[batch, head, part].double(), q[batch, head, part].double()
                    d_weights = of_d_o @ of_v.T
                    d_scores = weights * (d_weights - (d_weights * weights).sum(1, keepdim=True)) * scale
                    dv += weights.T @ of_d_o
                    dk += d_scores.T @ of_q
                    dq = d_scores @ of_k
                    yield got[0][batch, head, part], dq, 32 * unit + 4 * unit * dq.abs()
            yield got[1][batch, kv_head], dk, 32 * unit + 4 * unit * dk.abs()
            yield got[2][batch, kv_head], dv, 32 * unit + 4 * unit * dv.abs()


FORMS = {"flash": fused("FLASH_ATTENTION"), "cudnn": fused("CUDNN_ATTENTION"), "unfused": unfused}
OPERATIONS = {
    **{f"attention_{name}": Attention(form, name == "unfused") for name, form in FORMS.items()},
    **{f"attention_backward_{name}": AttentionBackward(form) for name, form in FORMS.items()},
    # Of Triton's the inputs and what they should give.
    "attention": Attention(unfused),
    "attention_backward": AttentionBackward(unfused),
}
