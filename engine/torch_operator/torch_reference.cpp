#include "engine/torch_operator/torch_reference.hpp"

#include <algorithm>

namespace tilescope {

const std::vector<TorchReference>& torch_references() {
  static const std::vector<TorchReference> all{
      {.lab = "pytorch-op",
       .name = "add_rmsnorm",
       .what = "RMSNorm of x + residual, and x + residual itself for the next layer",
       .inputs = {"x", "residual", "gamma"},
       .forward = R"(    hidden = x + residual
    out = torch.nn.functional.rms_norm(hidden, (hidden.shape[-1],), gamma, EPSILON)
    return out, hidden
)",
       .backward = R"(    hidden = x + residual
    scale = torch.rsqrt(hidden.square().mean(-1, keepdim=True) + EPSILON)
    normal = hidden * scale
    part = grad_out * gamma
    grad_sum = scale * (part - normal * (part * normal).mean(-1, keepdim=True)) + grad_hidden
    grad_gamma = (grad_out * normal).reshape(-1, gamma.numel()).sum(0)
    return grad_sum, grad_sum, grad_gamma
)"},
      {.lab = "vector-add",
       .what = "a + b",
       .inputs = {"a", "b"},
       .forward = "    return a + b\n",
       .backward = "    return grad_out, grad_out\n"},
      {.lab = "vector-multiply",
       .what = "a * b",
       .inputs = {"a", "b"},
       .forward = "    return a * b\n",
       .backward = "    return grad_out * b, grad_out * a\n"},
      {.lab = "sin-cos-add",
       .what = "sin(a) + cos(b)",
       .inputs = {"a", "b"},
       .forward = "    return torch.sin(a) + torch.cos(b)\n",
       .backward = "    return grad_out * torch.cos(a), -grad_out * torch.sin(b)\n"},
      {.lab = "gelu",
       .what = "the tanh form of GELU",
       .inputs = {"x"},
       .forward = "    return torch.nn.functional.gelu(x, approximate=\"tanh\")\n",
       .backward = R"(    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x**2)
    tangent = torch.tanh(inner)
    return grad_out * 0.5 * (1 + tangent + x * (1 - tangent**2) * slope)
)"},
      {.lab = "softmax",
       .what = "softmax of each row",
       .inputs = {"x"},
       .forward = "    return torch.softmax(x, dim=-1)\n",
       .backward = R"(    share = torch.softmax(x, dim=-1)
    return share * (grad_out - (grad_out * share).sum(-1, keepdim=True))
)"},
      {.lab = "rmsnorm",
       .what = "RMSNorm of each row",
       .inputs = {"x", "gamma"},
       .forward = "    return torch.nn.functional.rms_norm(x, (x.shape[-1],), gamma, EPSILON)\n",
       .backward = R"(    scale = torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON)
    normal = x * scale
    part = grad_out * gamma
    grad_x = scale * (part - normal * (part * normal).mean(-1, keepdim=True))
    return grad_x, (grad_out * normal).reshape(-1, gamma.numel()).sum(0)
)"},
      {.lab = "layernorm",
       .what = "LayerNorm of each row, with the row's mean and 1 / standard deviation",
       .inputs = {"x", "gamma", "beta"},
       .forward = R"(    mean = x.mean(-1, keepdim=True)
    rstd = torch.rsqrt((x - mean).square().mean(-1, keepdim=True) + EPSILON)
    return (x - mean) * rstd * gamma + beta, mean.reshape(-1), rstd.reshape(-1)
)",
       .backward = R"(    mean = x.mean(-1, keepdim=True)
    rstd = torch.rsqrt((x - mean).square().mean(-1, keepdim=True) + EPSILON)
    normal = (x - mean) * rstd
    part = grad_out * gamma
    grad_x = rstd * (part - part.mean(-1, keepdim=True) - normal * (part * normal).mean(-1, keepdim=True))
    shape = rstd.shape
    grad_x = grad_x + (grad_means.reshape(shape) - grad_rstds.reshape(shape) * rstd**2 * normal) / x.shape[-1]
    columns = gamma.numel()
    return grad_x, (grad_out * normal).reshape(-1, columns).sum(0), grad_out.reshape(-1, columns).sum(0)
)"},
      {.lab = "transpose",
       .what = "the transposed matrix",
       .inputs = {"in_"},
       .forward = "    return in_.t()\n",
       .backward = "    return grad_out.t()\n"},
      {.lab = "reduction-sum",
       .what = "the sum of all elements",
       .inputs = {"x"},
       .forward = "    return x.sum().reshape(1)\n",
       .backward = "    return grad_out.expand(x.shape)\n"},
      {.lab = "matmul-fp32",
       .what = "the product of two matrices",
       .inputs = {"a", "b"},
       .forward = "    return a @ b\n",
       .backward = "    return grad_c @ b.t(), a.t() @ grad_c\n"},
      {.lab = "fusion",
       .what = "the row sums of relu(x * s + b)",
       .inputs = {"x", "s", "b"},
       .forward = "    return torch.relu(x * s + b).sum(-1)\n",
       .backward = R"(    mask = (x * s + b > 0) * grad_total.unsqueeze(-1)
    return mask * s, (mask * x).sum(0), mask.sum(0)
)",
       .is_smooth = false},
  };
  return all;
}

const TorchReference* find_torch_reference(const std::string& lab) {
  const auto& all = torch_references();
  const auto found = std::ranges::find(all, lab, &TorchReference::lab);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace tilescope
