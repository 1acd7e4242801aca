"""The Python references: PyTorch and Triton, timed in a process of their own.

Tilescope starts this script and talks to it in JSON lines: one request a line on standard input, one answer a line on
standard output. Standard output is kept for that; whatever a library prints goes to standard error.

    {"id": 1, "command": "hello"}
    {"id": 2, "command": "prepare", "implementation": "torch", "operation": "add", "n": 1048576,
     "sizes": {"n": 1048576}, "seed": 1, "sets": 1, "executions": 0, "flush_bytes": 268435456}
    {"id": 3, "command": "time", "implementation": "torch", "samples": 10}
    {"id": 4, "command": "release"}

An answer has the request's id and either "ok": true or "ok": false with a "reason". Inputs are N(0, 1). An
implementation is checked against float64 before it may be timed. With executions = 0 every sample is one execution
after a flush of the L2; otherwise a sample is the replay of a graph of that many executions over rotated buffers.
"""

import json
import os
import sys

CHECK_CHUNK = 1 << 24  # elements compared at once, so that float64 copies stay small


class Refused(Exception):
    """A request that cannot be met; its text is the reason shown to the user."""


def one_line(error):
    text = " ".join(str(error).split()) or type(error).__name__
    return text[:300]


def load_torch():
    try:
        import torch
    except Exception as error:
        return None, f"PyTorch cannot be imported: {one_line(error)}"
    if not torch.cuda.is_available():
        return torch, f"PyTorch {torch.__version__} sees no CUDA device"
    return torch, ""


def load_triton():
    try:
        import triton

        import triton_elementwise
        import triton_matmul
    except Exception as error:
        return None, "", f"Triton cannot be imported: {one_line(error)}"
    return {**triton_elementwise.LAUNCHES, **triton_matmul.LAUNCHES}, triton.__version__, ""


class Child:
    MATMULS = ("matmul_f16",)  # of M x K and K x N
    CHECKED_ROWS = 256  # of a product, evenly spread: all of them in float64 would take minutes

    def __init__(self):
        self.torch, self.torch_reason = load_torch()
        self.triton, self.triton_version, self.triton_reason = None, "", self.torch_reason
        if not self.torch_reason:
            self.triton, self.triton_version, self.triton_reason = load_triton()
        self.forget()

    def forget(self):
        self.shape = None  # what the buffers were made for
        self.sets = []
        self.flush = None
        self.works = {}  # implementation -> (callable of one execution, graph or None, executions)

    def hello(self, request):
        return {
            "python": sys.version.split()[0],
            "torch": getattr(self.torch, "__version__", ""),
            "torch_reason": self.torch_reason,
            "triton": self.triton_version,
            "triton_reason": self.triton_reason,
            "gpu": "" if self.torch_reason else self.torch.cuda.get_device_name(0),
        }

    def release(self, request):
        self.forget()
        if not self.torch_reason:
            self.torch.cuda.empty_cache()
        return {}

    def prepare(self, request):
        name = request["implementation"]
        if self.torch_reason:
            raise Refused(self.torch_reason)
        if name == "triton" and self.triton_reason:
            raise Refused(self.triton_reason)
        self.make_buffers(request)
        execute = self.implementation(name, request["operation"])
        largest = self.check(name, execute, request["operation"])
        executions = int(request["executions"])
        graph = self.capture(execute, executions) if executions else None
        self.works[name] = (execute, graph, executions)
        return {"largest_error": largest, "checked": sum(buffers[-1].numel() for buffers in self.sets)}

    def extents(self, request):
        """Of the inputs, and of the output."""
        operation, sizes = request["operation"], request.get("sizes", {})
        if operation == "transpose":
            extents = (int(sizes["rows"]), int(sizes["columns"]))
            return [extents], extents[::-1]
        if operation in self.MATMULS:
            m, n, k = (int(sizes[name]) for name in "MNK")
            return [(m, k), (k, n)], (m, n)
        return [(int(request["n"]),)] * 2, (int(request["n"]),)

    def make_buffers(self, request):
        torch = self.torch
        inputs, output = self.extents(request)
        kind = torch.float16 if request["operation"] in self.MATMULS else torch.float32
        shape = (kind, inputs, output, int(request["sets"]), int(request["seed"]))
        if self.shape != shape:
            self.release(request)
            generator = torch.Generator(device="cuda").manual_seed(int(request["seed"]))
            for _ in range(int(request["sets"])):
                made = [torch.randn(one, device="cuda", generator=generator, dtype=kind) for one in inputs]
                self.sets.append((*made, torch.empty(output, device="cuda", dtype=kind)))
            self.shape = shape
        if self.flush is None or self.flush.numel() != int(request["flush_bytes"]):
            self.flush = torch.zeros(int(request["flush_bytes"]), dtype=torch.uint8, device="cuda")

    def implementation(self, name, operation):
        """A function of the set's index that computes out = a OP b there, or out = transposed a."""
        torch, sets = self.torch, self.sets
        if name == "torch" and operation == "transpose":
            return lambda index: sets[index][1].copy_(sets[index][0].t())  # x.t().contiguous() into memory that is there
        if name == "torch":
            function = {"add": torch.add, "mul": torch.mul, "matmul_f16": torch.matmul}.get(operation)
            if function is None:
                raise Refused(f"there is no PyTorch reference for '{operation}'")
            return lambda index: function(sets[index][0], sets[index][1], out=sets[index][2])
        if name == "triton":
            launch = self.triton.get(operation)
            if launch is None:
                raise Refused(f"there is no Triton reference for '{operation}'")
            return lambda index: launch(*sets[index])
        raise Refused(f"there is no implementation '{name}'")

    def check_product(self, name, execute, operation):
        torch = self.torch
        largest = 0.0
        for index, (a, b, out) in enumerate(self.sets):
            out.fill_(float("nan"))
            execute(index)
            rows = torch.arange(0, out.shape[0], max(1, out.shape[0] // self.CHECKED_ROWS), device="cuda")
            expected = a[rows].double() @ b.double()
            error = (out[rows].double() - expected).abs()
            # The bounds of the lab: a half's rounding, and the tensor cores' sums.
            if not bool((error <= 0.02 + 1e-3 * expected.abs()).all()) or bool(out.isnan().any()):
                raise Refused(f"the result of {name} for '{operation}' is wrong")
            largest = max(largest, float(error.max()))
        torch.cuda.synchronize()
        return largest

    def check(self, name, execute, operation):
        torch = self.torch
        if operation == "transpose":
            return self.check_transpose(name, execute)
        if operation in self.MATMULS:
            return self.check_product(name, execute, operation)
        exact = {"add": torch.add, "mul": torch.mul}[operation]
        largest = 0.0
        for index, (a, b, out) in enumerate(self.sets):
            out.fill_(float("nan"))
            execute(index)
            for begin in range(0, out.numel(), CHECK_CHUNK):
                part = slice(begin, begin + CHECK_CHUNK)
                expected = exact(a[part].double(), b[part].double())
                error = (out[part].double() - expected).abs()
                # NaN compares false, so an element that was not written fails here.
                if not bool((error <= 1e-6 + 1e-6 * expected.abs()).all()):
                    raise Refused(f"the result of {name} for '{operation}' is wrong")
                largest = max(largest, float(error.max()))
        torch.cuda.synchronize()
        return largest

    def check_transpose(self, name, execute):
        for index, (a, out) in enumerate(self.sets):
            out.fill_(float("nan"))
            execute(index)
            if not self.torch.equal(out, a.t()):
                raise Refused(f"the result of {name} for 'transpose' is wrong")
        return 0.0

    def capture(self, execute, executions):
        torch = self.torch
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for i in range(executions):
                execute(i % len(self.sets))
        return graph

    def empty_the_l2(self):
        """As the program does it: written, then read, so that no modified line is left to be written back."""
        self.flush.add_(1)
        self.torch.amax(self.flush.view(self.torch.int32), dim=0)

    def time(self, request):
        torch = self.torch
        name = request["implementation"]
        if name not in self.works:
            raise Refused(f"{name} was not prepared")
        execute, graph, executions = self.works[name]
        count = int(request["samples"]) + 1  # the first is not counted
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(count)]
        for start, end in events:
            self.empty_the_l2()
            start.record()
            if graph is None:
                execute(0)
            else:
                graph.replay()
            end.record()
        torch.cuda.synchronize()
        milliseconds = [start.elapsed_time(end) / (executions or 1) for start, end in events[1:]]
        return {"milliseconds": milliseconds}

    def answer(self, request):
        commands = {"hello": self.hello, "prepare": self.prepare, "time": self.time, "release": self.release}
        command = commands.get(request.get("command"))
        if command is None:
            return {"ok": False, "reason": f"there is no command {request.get('command')!r}"}
        try:
            return {"ok": True, **command(request)}
        except Refused as refusal:
            return {"ok": False, "reason": str(refusal)}
        except Exception as error:
            return {"ok": False, "reason": f"{type(error).__name__}: {one_line(error)}"}


def main():
    # The protocol keeps the real standard output; print() of any library goes to standard error.
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    child = Child()
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps({"id": request.get("id"), **child.answer(request)}) + "\n")


if __name__ == "__main__":
    main()
