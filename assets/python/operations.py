"""What the references compute: inputs, the form that PyTorch runs, the same in float64, and how far apart both may be.

An operation's sizes are the lab's. Elements are float32, or bfloat16 where the lab's DTYPE is 1, unless the operation
names its type itself.
"""

import math

import attention

EPSILON = 1e-5  # of the normalisations, as the labs have it


class Operation:
    """`inputs` gives shapes from sizes. `eager` and `exact` are called with (torch, *inputs); they return one tensor or
    several. `into` writes to an output that is there, where PyTorch has such a form. Operations of one `family` compute
    from the same inputs; without one an operation has inputs of its own."""

    family = None
    options = {}  # what a Triton launch is told beside its tensors

    def __init__(self, inputs, eager, exact=None, into=None, absolute=1e-6, relative=1e-6, prepare=None, kind=None,
                 spread=None):
        self.inputs, self.eager, self.into, self.prepare, self.kind = inputs, eager, into, prepare, kind
        self.spread = spread  # mean and deviation of each input, where they are not 0 and 1
        self.exact = exact or eager
        self.absolute, self.relative = absolute, relative

    def at(self, values):
        """The operation at the lab's sizes and parameters."""
        return self

    def empty(self, torch, inputs):
        """Memory for the result, of the shape that PyTorch gives it."""
        return torch.empty_like(self.eager(torch, *inputs))

    def element(self, torch, params):
        if self.kind is not None:
            return getattr(torch, self.kind)
        return torch.bfloat16 if params.get("DTYPE") == 1 else torch.float32

    tensor_float = False  # whether products of float32 may be rounded to TF32

    def shapes(self, sizes, params):
        return self.inputs(sizes)

    def arrange(self, torch, inputs, params):
        """The inputs as the operation takes them and the lab has them, from tensors of N(0, 1)."""
        if self.spread:
            for one, (mean, deviation) in zip(inputs, self.spread(inputs)):
                one.mul_(deviation).add_(mean)
        return self.prepare(torch, inputs) if self.prepare else inputs

    def rows(self, torch, count, most):
        """Those of the first output's rows that are checked; None for all."""
        return None

    def allowed(self, torch, expected, inputs, element):
        """Largest error at each element of the output."""
        if element == torch.bfloat16:  # a rounding of the result: 8 bits
            return 1e-3 + 2.0**-7 * expected.abs()
        return self.absolute + self.relative * expected.abs()


class Sum(Operation):
    def allowed(self, torch, expected, inputs, element):
        # Rounding errors of a sum grow with what is added, not with what comes out.
        return 1e-6 * inputs[0].double().abs().sum() + 1e-6


class LayerNormBackward(Operation):
    def empty(self, torch, inputs):
        return tuple(torch.empty_like(one) for one in self.eager(torch, *inputs))

    def allowed(self, torch, expected, inputs, element):
        bound = super().allowed(torch, expected, inputs, element)
        if element == torch.bfloat16 and expected.dim() == 1:
            # dgamma and dbeta: parts of the sum over the rows, of size √rows, may be rounded on their way.
            bound = bound + 2.0**-8 * math.sqrt(inputs[0].shape[0])
        return bound


class Chain(Operation):
    def allowed(self, torch, expected, inputs, element):
        """In bfloat16 each of the chain's operators rounds, as in the lab autograd; gradients of gamma and beta are
        sums over the rows of numbers that were rounded."""
        bound = super().allowed(torch, expected, inputs, element)
        if element != torch.bfloat16:
            return bound
        return bound + 2.0**-8 * (8 * math.sqrt(inputs[0].shape[0]) if expected.dim() == 1 else 24 + 4 * expected.abs())


class AddRmsNorm(Operation):
    def empty(self, torch, inputs):
        return tuple(torch.empty_like(one) for one in self.eager(torch, *inputs))

    def allowed(self, torch, expected, inputs, element):
        if element == torch.bfloat16:  # the sum is rounded before it is normalised, and the result once more
            return 1e-3 + 3 * 2.0**-8 * expected.abs()
        return super().allowed(torch, expected, inputs, element)


class Product(Operation):
    """A · B of M × K and K × N elements; with B_LAYOUT 1 B's memory is N × K. Followed by `layer`, if there is one: the
    activation of what a bias was added to."""

    KINDS = {"f16": "float16", "bf16": "bfloat16", "tf32": "float32", "f32": "float32"}
    ROUNDING = {"f16": 2.0**-11, "bf16": 2.0**-8, "tf32": 2.0**-23, "f32": 2.0**-23}

    def __init__(self, name, layer=None):
        self.name, self.layer, self.tensor_float = name, layer, name == "tf32"
        into = None if layer else lambda torch, out, a, b: torch.matmul(a, b, out=out)
        super().__init__(None, self.compute, self.compute_exactly, into=into, kind=self.KINDS[name])

    def shapes(self, sizes, params):
        m, n, k = sizes["M"], sizes["N"], sizes["K"]
        of_b = (n, k) if params.get("B_LAYOUT") == 1 else (k, n)
        return [(m, k), of_b] + ([(n,)] if self.layer else [])

    def arrange(self, torch, inputs, params):
        a, b, *bias = inputs
        if params.get("B_LAYOUT") == 1:
            b = b.t()
        if self.layer:  # as a layer is initialised: sums are about 1
            b = b.mul_(a.shape[1] ** -0.5)
        return [a, b, *bias]

    def compute(self, torch, a, b, bias=None):
        if not self.layer:
            return torch.matmul(a, b)
        return self.layer(torch, torch.nn.functional.linear(a, b.t(), bias))

    def compute_exactly(self, torch, a, b, bias=None):
        product = torch.matmul(a, b)
        return self.layer(torch, product + bias) if self.layer else product

    def rows(self, torch, count, most):
        return torch.arange(0, count, max(1, count // most), device="cuda")

    def allowed(self, torch, expected, inputs, element):
        # The bounds of the labs: sums in float of N(0, √K), the rounding of operands to TF32, and of the result. A
        # layer's result may be rounded before the activation too. Who hands floats to the tensor cores as they are has
        # them cut off, not rounded: every product is up to 2^-9 of itself too near to 0, and so is their sum.
        depth = inputs[0].shape[1]
        absolute = 1e-6 + 6 * math.sqrt(depth) * math.ceil(depth / 8) * 2.0**-23
        if self.tensor_float:
            absolute += (2 * math.sqrt(depth) + 12) * 2.0**-10 + 2.0**-9 * expected.abs()
        if self.layer:
            absolute = absolute / math.sqrt(depth) + 2.0**-10 + 12 * self.ROUNDING[self.name]
        return absolute + 2 * self.ROUNDING[self.name] * expected.abs()


def relu(torch, x):
    return torch.nn.functional.relu(x)


def gelu(torch, x):
    return torch.nn.functional.gelu(x, approximate="tanh")


def vectors(count):
    return lambda sizes: [(sizes["n"],)] * count


def matrix(sizes):
    return [(sizes["rows"], sizes["columns"])]


def with_weights(count):
    return lambda sizes: matrix(sizes) + [(sizes["columns"],)] * count


# Means and deviations as the labs have them: weights are about 1 or 0; x is far from 0 where its type has the bits.
GAMMA, BETA = (1, 0.5), (0, 0.5)


def far_from_zero(inputs):
    x = inputs[0]
    return [(1 if x.element_size() == 2 or x.shape[1] < 32 else 100, 1), GAMMA, BETA]


def layer_norm(torch, x, gamma, beta):
    return torch.nn.functional.layer_norm(x, (x.shape[1],), gamma, beta, EPSILON)


def rms_norm(torch, x, gamma):
    return torch.nn.functional.rms_norm(x, (x.shape[1],), gamma, EPSILON)


def add_rms_norm(torch, x, residual, gamma):
    """The result, and x + residual."""
    hidden = x + residual
    return rms_norm(torch, hidden, gamma), hidden


def with_statistics(torch, inputs):
    """x, dy, gamma: mean and 1 / standard deviation of x's rows come with the forward pass."""
    x, dy, gamma = inputs
    statistics = torch.native_layer_norm(x, (x.shape[1],), gamma, None, EPSILON)[1:]
    return [x, dy, gamma, *statistics]


def layer_norm_backward(torch, x, dy, gamma, mean, deviation):
    beta = torch.zeros_like(gamma)
    return torch.ops.aten.native_layer_norm_backward(dy, x, [x.shape[1]], mean, deviation, gamma, beta, [True] * 3)


def layer_norm_backward_exact(torch, x, dy, gamma, *_):
    mean, variance = x.mean(1, keepdim=True), x.var(1, correction=0, keepdim=True)
    normal = (x - mean) * (variance + EPSILON).rsqrt()
    part = dy * gamma
    dx = (part - part.mean(1, keepdim=True) - normal * (part * normal).mean(1, keepdim=True)) * (variance + EPSILON).rsqrt()
    return dx, (dy * normal).sum(0), dy.sum(0)


def chain_and_gradients(torch, x, w, b, gamma, beta, dy):
    """y = layernorm(gelu(x · w + b) + x) and the gradients of its inputs, as a step of training computes them."""
    leaves = [one.detach().requires_grad_() for one in (x, w, b, gamma, beta)]
    x, w, b, gamma, beta = leaves
    y = layer_norm(torch, gelu(torch, x * w + b) + x, gamma, beta)
    return (y.detach(), *torch.autograd.grad(y, leaves, dy))


OPERATIONS = {
    "add": Operation(vectors(2), lambda torch, a, b: torch.add(a, b), into=lambda torch, out, a, b: torch.add(a, b, out=out)),
    "mul": Operation(vectors(2), lambda torch, a, b: torch.mul(a, b), into=lambda torch, out, a, b: torch.mul(a, b, out=out)),
    # x.t().contiguous() into memory that is there
    "transpose": Operation(matrix, lambda torch, a: a.t().contiguous(), into=lambda torch, out, a: out.copy_(a.t()),
                           absolute=0, relative=0),
    **{f"matmul_{name}": Product(name) for name in Product.KINDS},
    **{f"linear_relu_{name}": Product(name, relu) for name in ("f16", "bf16")},
    **{f"linear_gelu_{name}": Product(name, gelu) for name in ("f16", "bf16")},
    "sum": Sum(vectors(1), lambda torch, x: torch.sum(x)),
    "sin_cos_add": Operation(vectors(2), lambda torch, a, b: torch.sin(a) + torch.cos(b)),
    "gelu": Operation(vectors(1), lambda torch, x: torch.nn.functional.gelu(x, approximate="tanh")),
    "softmax": Operation(matrix, lambda torch, x: torch.softmax(x, dim=1), relative=2e-5, spread=lambda _: [(100, 1)]),
    "layernorm": Operation(with_weights(2), layer_norm, absolute=5e-4, relative=1e-5, spread=far_from_zero),
    "layernorm_backward": LayerNormBackward(lambda sizes: matrix(sizes) * 2 + [(sizes["columns"],)], layer_norm_backward,
                                            layer_norm_backward_exact, prepare=with_statistics, absolute=1e-2,
                                            relative=1e-3, spread=lambda _: [(0, 1), (0, 1), GAMMA]),
    # Gradients of gamma and beta are sums over the rows.
    "autograd_chain": Chain(lambda sizes: matrix(sizes) * 3 + [(sizes["columns"],)] * 2 + matrix(sizes),
                            chain_and_gradients, absolute=2e-3, relative=1e-4),
    "rmsnorm": Operation(with_weights(1), rms_norm, absolute=1e-5, relative=1e-5, spread=lambda _: [(0, 1), GAMMA]),
    "add_rmsnorm": AddRmsNorm(lambda sizes: matrix(sizes) * 2 + [(sizes["columns"],)], add_rms_norm, absolute=1e-5,
                              relative=1e-5, spread=lambda _: [(0, 1), (0, 1), GAMMA]),
    **attention.OPERATIONS,
}
