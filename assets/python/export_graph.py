"""Writes a PyTorch module as a graph of operators that `tilescope graph FILE.json` reads.

    import torch, export_graph
    model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 64))
    export_graph.export(model, (torch.randn(8, 64),), "mlp.json")

    python3 export_graph.py mlp.json        writes an example of its own: a layer of a Transformer

torch.fx records what the module calls, and one run with the example inputs gives the shapes. Modules of torch.nn become
the operators that they consist of: Linear is a matmul and an addition. What is not known is refused, with its name.
"""
import json
import math
import operator
import sys

import torch
import torch.fx
from torch import nn
from torch.fx.passes.shape_prop import ShapeProp

TYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.float64: "f64", torch.int64: "i64",
         torch.int32: "i32", torch.int8: "i8", torch.uint8: "u8", torch.bool: "u8"}

# What a function, a method or a module is called here, if it is one operator of its tensor inputs.
FUNCTIONS = {
    operator.add: "add", torch.add: "add", operator.sub: "sub", torch.sub: "sub", operator.mul: "mul", torch.mul: "mul",
    operator.truediv: "div", torch.div: "div", operator.neg: "neg", torch.neg: "neg", torch.maximum: "maximum",
    torch.exp: "exp", torch.sin: "sin", torch.cos: "cos", torch.tanh: "tanh", torch.sqrt: "sqrt", torch.rsqrt: "rsqrt",
    torch.relu: "relu", torch.sigmoid: "sigmoid", operator.pow: "pow", torch.pow: "pow",
    nn.functional.relu: "relu", nn.functional.gelu: "gelu", nn.functional.silu: "silu",
    nn.functional.dropout: "dropout", torch.matmul: "matmul", operator.matmul: "matmul", torch.bmm: "matmul",
    torch.reshape: "reshape", torch.transpose: "transpose", torch.permute: "transpose",
}
METHODS = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "exp": "exp", "tanh": "tanh", "relu": "relu", "pow": "pow",
    "sigmoid": "sigmoid", "rsqrt": "rsqrt", "sqrt": "sqrt", "matmul": "matmul", "bmm": "matmul", "view": "reshape",
    "reshape": "reshape", "flatten": "reshape", "unsqueeze": "reshape", "squeeze": "reshape", "transpose": "transpose",
    "permute": "transpose", "t": "transpose", "expand": "expand", "expand_as": "expand", "float": "cast", "half": "cast",
    "to": "cast", "type": "cast", "masked_fill": "mask", "contiguous": "transpose_copy",
}
MODULES = {nn.ReLU: "relu", nn.GELU: "gelu", nn.SiLU: "silu", nn.Tanh: "tanh", nn.Sigmoid: "sigmoid",
           nn.Dropout: "dropout"}
ALONG_ROWS = {"softmax", "sum", "mean", "max", "amax"}


class Refused(Exception):
    """A part of the module that has no operator here."""


class Exporter:
    def __init__(self, traced):
        self.traced, self.modules = traced, dict(traced.named_modules())
        self.tensors, self.nodes = [], []
        self.names = {}  # node of torch.fx → name of its tensor
        self.known = {}  # name of a tensor → its entry

    def tensor(self, name, like, role=None):
        if like.dtype not in TYPES:
            raise Refused(f"'{name}' has elements of {like.dtype}")
        if name not in self.known:
            entry = {"name": name, "shape": list(like.shape), "type": TYPES[like.dtype]}
            if role:
                entry["role"] = role
            self.known[name] = entry
            self.tensors.append(entry)
        return name

    def add(self, name, kind, inputs, like, module="", **attributes):
        node = {"name": name, "operator": kind, "inputs": inputs, "output": self.tensor(name, like)}
        if attributes:
            node["attributes"] = attributes
        if module:
            node["module"] = module
        self.nodes.append(node)
        return name

    def parameter(self, target, value):
        return self.tensor(target, value, "weight")

    def result(self, node):
        """A tensor with the shape and the type of what the node gave in the example run."""
        meta = node.meta.get("tensor_meta")
        if not hasattr(meta, "shape"):
            raise Refused(f"'{node.name}' does not give one tensor")
        return torch.empty(meta.shape, dtype=meta.dtype, device="meta")

    def linear(self, name, x, like, module, weight, bias, prefix):
        w = self.parameter(prefix + ".weight", weight)
        product = name if bias is None else name + ".matmul"
        self.add(product, "matmul", [x, w], like, module, transpose_b=1)
        if bias is not None:
            self.add(name, "add", [product, self.parameter(prefix + ".bias", bias)], like, module)

    def attention(self, node, like, module):
        """scaled_dot_product_attention as one fused operator; a mask is its fourth input."""
        q, k, v = (self.names[argument] for argument in node.args[:3])
        mask = node.args[3] if len(node.args) > 3 else node.kwargs.get("attn_mask")
        inputs = [q, k, v] + ([self.names[mask]] if isinstance(mask, torch.fx.Node) else [])
        self.add(node.name, "attention", inputs, like, module)

    def along_rows(self, node, kind, like, module):
        """Softmax, sum, mean and maximum, over the last axis only."""
        x = node.args[0]
        rank = len(self.known[self.names[x]]["shape"])
        axis = node.kwargs.get("dim", node.args[1] if len(node.args) > 1 else None)
        axes = [axis] if isinstance(axis, int) else list(axis or range(rank))
        if [a % rank for a in axes] != [rank - 1]:
            raise Refused(f"'{node.name}' reduces along axes {axes}; only the last axis is known here")
        keep = len(like.shape) == rank
        attributes = {"keep": 1} if keep and kind != "softmax" else {}
        self.add(node.name, {"amax": "max"}.get(kind, kind), [self.names[x]], like, module, **attributes)

    def call(self, node, kind, like, module):
        # Sizes and other numbers have no tensor.
        inputs = [self.names[a] for a in node.args if isinstance(a, torch.fx.Node) and a in self.names]
        if kind in ("add", "sub", "mul", "div", "maximum") and len(inputs) == 1:
            kind = "scale"  # the other operand is a number: one operation for each element, whichever it is
        if kind in ("pow", "dropout", "mask", "cast", "reshape", "transpose", "expand", "transpose_copy"):
            inputs = inputs[:1]
        self.add(node.name, kind, inputs, like, module)

    def module(self, node, like):
        layer, path = self.modules[node.target], node.target
        x = self.names[node.args[0]]
        if isinstance(layer, nn.Linear):
            self.linear(node.name, x, like, path, layer.weight, layer.bias, path)
        elif isinstance(layer, nn.Embedding):
            self.add(node.name, "embedding", [self.parameter(path + ".weight", layer.weight), x], like, path)
        elif isinstance(layer, nn.LayerNorm):
            if len(layer.normalized_shape) != 1:
                raise Refused(f"'{path}' normalizes over several axes")
            weights = [self.parameter(f"{path}.{name}", value) for name, value in layer.named_parameters()]
            self.add(node.name, "layernorm", [x] + weights, like, path)
        elif isinstance(layer, nn.Softmax):
            if layer.dim is None or layer.dim % len(like.shape) != len(like.shape) - 1:
                raise Refused(f"'{path}' is a softmax along an axis that is not the last")
            self.add(node.name, "softmax", [x], like, path)
        elif type(layer) in MODULES:
            self.add(node.name, MODULES[type(layer)], [x], like, path)
        else:
            raise Refused(f"the module '{path}' is a {type(layer).__name__}, which has no operator here")

    def function(self, node, like):
        name = getattr(node.target, "__name__", str(node.target)) if node.op == "call_function" else node.target
        module = ""
        if node.op == "call_function" and name == "scaled_dot_product_attention":
            self.attention(node, like, module)
        elif node.op == "call_function" and node.target is nn.functional.linear:
            x, w = (self.names[a] for a in node.args[:2])
            self.add(node.name, "matmul", [x, w], like, module, transpose_b=1)
        elif node.op == "call_function" and node.target in (torch.cat,):
            self.add(node.name, "concat", [self.names[a] for a in node.args[0]], like, module)
        elif node.op == "call_function" and node.target is operator.getitem:
            self.add(node.name, "slice", [self.names[node.args[0]]], like, module)
        elif name in ALONG_ROWS:
            self.along_rows(node, name, like, module)
        else:
            kind = FUNCTIONS.get(node.target) if node.op == "call_function" else METHODS.get(node.target)
            if kind is None:
                raise Refused(f"'{node.name}' calls {name}, which has no operator here")
            self.call(node, kind, like, module)

    def run(self):
        for node in self.traced.graph.nodes:
            if node.op == "output":
                continue
            if node.op in ("call_method", "call_function") and node.meta.get("tensor_meta") is None:
                continue  # a size or another number
            like = self.result(node)
            self.names[node] = node.name
            if node.op == "placeholder":
                self.tensor(node.name, like, "input")
            elif node.op == "get_attr":
                self.names[node] = self.tensor(node.target, like, "weight")
            elif node.op == "call_module":
                self.module(node, like)
            else:
                self.function(node, like)
        return {"tensors": self.tensors, "nodes": self.nodes}


def graph_of(module, inputs, name="model"):
    """The graph as a dictionary; raises Refused for what has no operator."""
    traced = torch.fx.symbolic_trace(module.eval())
    with torch.no_grad():
        ShapeProp(traced).propagate(*inputs)
    return {"format": 1, "name": name, **Exporter(traced).run()}


def export(module, inputs, path, name=None):
    graph = graph_of(module, inputs, name or type(module).__name__)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(graph, file, indent=1)
        file.write("\n")


class Layer(nn.Module):
    """One layer of a pre-norm Transformer, as an example."""

    def __init__(self, hidden=768, heads=12, mlp=3072):
        super().__init__()
        self.heads = heads
        self.norm_1, self.norm_2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.q, self.k, self.v, self.o = (nn.Linear(hidden, hidden) for _ in range(4))
        self.up, self.down, self.gelu = nn.Linear(hidden, mlp), nn.Linear(mlp, hidden), nn.GELU()

    def forward(self, x):
        batch, tokens, hidden = x.size(0), x.size(1), x.size(2)
        d = hidden // self.heads
        normed = self.norm_1(x)
        q, k, v = (f(normed).view(batch, tokens, self.heads, d).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(d)
        attended = torch.matmul(scores.softmax(dim=-1), v).transpose(1, 2)
        x = x + self.o(attended.reshape(batch, tokens, hidden))
        return x + self.down(self.gelu(self.up(self.norm_2(x))))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        export(Layer(), (torch.randn(1, 512, 768),), sys.argv[1], "Transformer layer from PyTorch")
    except Refused as problem:
        sys.exit(f"this module cannot be exported: {problem}")


if __name__ == "__main__":
    main()
