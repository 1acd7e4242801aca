"""Operators of one's own as torch.autograd.Function, compared with PyTorch's.

    python3 assets/python/autograd_functions.py

Each class has a forward and a backward pass. backward() gets the gradient of the result, and returns a gradient for
each argument of forward(), in their order. What backward() needs is kept by ctx.save_for_backward().
"""

import sys

import torch


class MyAdd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y  # nothing to save

    @staticmethod
    def backward(ctx, dout):
        return dout, dout  # one gradient for each argument


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.clamp(min=0)
        ctx.save_for_backward(y)  # the result says which elements were positive
        return y

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensors
        return torch.where(y > 0, dy, torch.zeros_like(dy))


class MyLayerNorm(torch.autograd.Function):
    EPSILON = 1e-5

    @staticmethod
    def forward(ctx, x, gamma, beta):
        mean = x.mean(1, keepdim=True)
        rstd = (x.var(1, correction=0, keepdim=True) + MyLayerNorm.EPSILON).rsqrt()
        ctx.save_for_backward(x, gamma, mean, rstd)  # mean and rstd: two numbers for each row
        return (x - mean) * rstd * gamma + beta

    @staticmethod
    def backward(ctx, dy):
        x, gamma, mean, rstd = ctx.saved_tensors
        normal = (x - mean) * rstd
        g = dy * gamma
        dx = rstd * (g - g.mean(1, keepdim=True) - normal * (g * normal).mean(1, keepdim=True))
        return dx, (dy * normal).sum(0), dy.sum(0)


def official_layer_norm(x, gamma, beta):
    return torch.nn.functional.layer_norm(x, (x.shape[1],), gamma, beta, MyLayerNorm.EPSILON)


def compare(name, mine, official, shapes, device):
    """Result and gradients of both from the same inputs; then mine against central differences, in double."""
    generator = torch.Generator().manual_seed(1)
    values = [torch.randn(shape, generator=generator).to(device) for shape in shapes]
    found = []
    for function in (mine, official):
        inputs = [value.clone().requires_grad_() for value in values]
        result = function(*inputs)
        upstream = torch.linspace(-1, 1, result.numel(), device=device).reshape(result.shape)
        result.backward(upstream)
        found.append([result.detach(), *[one.grad for one in inputs]])
    worst = 0.0
    for one, other in zip(*found):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
        worst = max(worst, float((one - other).abs().max()))
    doubles = [value.double().requires_grad_() for value in values]
    torch.autograd.gradcheck(mine, doubles)  # eps 1e-6, atol 1e-5
    print(f"{name}: largest difference from PyTorch {worst:.1e}; gradcheck passed")


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([5.0, 7.0], requires_grad=True)
    (MyAdd.apply(x, y) * torch.tensor([1.0, 10.0])).sum().backward()
    print("MyAdd: x.grad =", x.grad.tolist(), "y.grad =", y.grad.tolist())
    x = torch.tensor([-1.0, 2.0, 3.0], requires_grad=True)
    MyReLU.apply(x).sum().backward()
    print("MyReLU: x.grad =", x.grad.tolist())
    compare("MyAdd", MyAdd.apply, torch.add, [(4, 6), (4, 6)], device)
    compare("MyReLU", MyReLU.apply, torch.relu, [(4, 6)], device)
    compare("MyLayerNorm", MyLayerNorm.apply, official_layer_norm, [(4, 6), (6,), (6,)], device)
    print(f"PyTorch {torch.__version__} on {device}")


if __name__ == "__main__":
    sys.exit(main())
