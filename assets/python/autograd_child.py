"""The gradients of a program of the tape by torch.autograd.

Tilescope starts this script and sends one JSON request a line; each answer is one line on standard output.

    {"id": 1, "folder": "/tmp/…", "rows": 40, "columns": 200, "result": "y", "upstream": "dy.f32",
     "inputs": [{"name": "x", "shape": "matrix", "file": "x.f32"}],
     "nodes": [{"output": "y", "operator": "gelu", "inputs": ["x"]}]}

The gradients are computed in float64, and written to NAME.f64 in the folder; the result y as well. The answer says how
far off PyTorch's own float32 is from that.
"""

import array
import json
import os
import sys

EPSILON = 1e-5  # of LayerNorm


def one_line(error):
    return (" ".join(str(error).split()) or type(error).__name__)[:300]


def read_floats(torch, path, device):
    with open(path, "rb") as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.float32).to(device)


def write_doubles(path, tensor):
    with open(path, "wb") as file:
        file.write(array.array("d", tensor.double().flatten().tolist()).tobytes())


def apply(torch, operator, operands):
    if operator == "add":
        return operands[0] + operands[1]
    if operator == "mul":
        return operands[0] * operands[1]
    if operator == "relu":
        return torch.relu(operands[0])
    if operator == "gelu":
        return torch.nn.functional.gelu(operands[0], approximate="tanh")
    x, gamma, beta = operands
    return torch.nn.functional.layer_norm(x, (x.shape[1],), gamma, beta, EPSILON)


def differentiate(torch, request, contents, upstream, kind):
    """The result, and the gradients by the name of the input."""
    leaves = {name: value.to(kind).requires_grad_() for name, value in contents.items()}
    values = dict(leaves)
    for node in request["nodes"]:
        values[node["output"]] = apply(torch, node["operator"], [values[name] for name in node["inputs"]])
    result = values[request["result"]]
    gradients = torch.autograd.grad(result, list(leaves.values()), upstream.to(kind))
    return {request["result"]: result.detach(), **dict(zip(leaves, gradients))}


def answer(request):
    try:
        import torch
    except Exception as error:
        return {"ok": False, "reason": f"PyTorch cannot be imported: {one_line(error)}"}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    folder, shape = request["folder"], (request["rows"], request["columns"])
    contents = {}
    for one in request["inputs"]:
        flat = read_floats(torch, os.path.join(folder, one["file"]), device)
        contents[one["name"]] = flat.reshape(shape) if one["shape"] == "matrix" else flat
    upstream = read_floats(torch, os.path.join(folder, request["upstream"]), device).reshape(shape)
    exact = differentiate(torch, request, contents, upstream, torch.float64)
    usual = differentiate(torch, request, contents, upstream, torch.float32)
    errors = {}
    for name, value in exact.items():
        write_doubles(os.path.join(folder, name + ".f64"), value)
        errors[name] = float((usual[name].double() - value).abs().max())
    return {"ok": True, "torch": torch.__version__, "device": device, "float32_errors": errors}


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints goes to standard error
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = answer(request)
        except Exception as error:
            reply = {"ok": False, "reason": f"{type(error).__name__}: {one_line(error)}"}
        answers.write(json.dumps({"id": request.get("id"), **reply}) + "\n")


if __name__ == "__main__":
    main()
