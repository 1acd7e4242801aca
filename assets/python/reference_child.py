"""The Python references: PyTorch, torch.compile, Triton and cuDNN, timed in a process of their own.

Tilescope starts this script and talks to it in JSON lines: one request a line on standard input, one answer a line on
standard output. Standard output is kept for that; whatever a library prints goes to standard error.

    {"id": 1, "command": "hello"}
    {"id": 2, "command": "prepare", "implementation": "torch", "operation": "add", "n": 1048576,
     "sizes": {"n": 1048576}, "params": {"BLOCK": 256}, "seed": 1, "sets": 1, "executions": 0, "flush_bytes": 268435456}
    {"id": 3, "command": "time", "implementation": "torch", "operation": "add", "samples": 10}
    {"id": 4, "command": "release"}

An answer has the request's id and either "ok": true or "ok": false with a "reason". Inputs are N(0, 1). An
implementation is checked against float64 before it may be timed. With executions = 0 every sample is one execution
after a flush of the L2; otherwise a sample is the replay of a graph of that many executions over rotated buffers.
"""

import json
import os
import sys
import time

from operations import EPSILON, OPERATIONS


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

        import triton_attention
        import triton_elementwise
        import triton_matmul
        import triton_rows
    except Exception as error:
        return None, "", f"Triton cannot be imported: {one_line(error)}"
    launches = {}
    for module in (triton_attention, triton_elementwise, triton_matmul, triton_rows):
        launches.update(module.LAUNCHES)
    return launches, triton.__version__, ""


def load_cudnn(torch):
    try:
        from cudnn_library import Cudnn

        return Cudnn(torch, EPSILON), ""
    except Exception as error:
        return None, f"cuDNN cannot be opened: {one_line(error)}"


class Child:
    CHECKED_ROWS = 256  # of a product, evenly spread: all of them in float64 would take minutes
    MOST_CHECKED = 1 << 27  # elements that are computed in float64 at once

    def __init__(self):
        self.torch, self.torch_reason = load_torch()
        self.triton, self.triton_version, self.triton_reason = None, "", self.torch_reason
        self.cudnn, self.cudnn_reason = None, self.torch_reason
        if not self.torch_reason:
            self.triton, self.triton_version, self.triton_reason = load_triton()
            self.cudnn, self.cudnn_reason = load_cudnn(self.torch)
        self.forget()

    def forget(self):
        self.shape = None  # what the buffers were made for
        self.sets = []  # of each set the inputs
        self.outputs = []  # and an output, for those that write to one that is there
        self.flush = None
        # (implementation, operation) -> (callable of one execution, graph or None, executions)
        self.works = {}

    def hello(self, request):
        return {
            "python": sys.version.split()[0],
            "torch": getattr(self.torch, "__version__", ""),
            "torch_reason": self.torch_reason,
            "triton": self.triton_version,
            "triton_reason": self.triton_reason,
            "cudnn_reason": self.cudnn_reason,
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
        if name in ("triton", "torch_compile") and self.triton_reason:
            raise Refused(self.triton_reason)
        operation = OPERATIONS.get(request["operation"])
        if operation is None:
            raise Refused(f"there is no operation '{request['operation']}'")
        operation = operation.at({**request.get("sizes", {}), **request.get("params", {})})
        self.make_buffers(operation, request)
        execute = self.implementation(name, operation, request["operation"])
        largest = self.check(name, execute, operation, request["operation"])
        executions = int(request["executions"])
        graph = self.capture(execute, executions) if executions else None
        self.works[name, request["operation"]] = (execute, graph, executions)
        return {"largest_error": largest, "host_us": self.host_time(execute)}

    def host_time(self, execute):
        """Microseconds that a call occupies the caller in Python: the median of 5 runs of 20 calls, none of them waits
        for the GPU."""
        torch, clock, runs, calls = self.torch, time.perf_counter, [], 20
        for _ in range(5):
            torch.cuda.synchronize()
            start = clock()
            for index in range(calls):
                execute(index % len(self.sets))
            runs.append((clock() - start) / calls * 1e6)
        torch.cuda.synchronize()
        return sorted(runs)[len(runs) // 2]

    def make_buffers(self, operation, request):
        torch = self.torch
        params = request.get("params", {})
        sizes = {"n": int(request["n"]), **{name: int(value) for name, value in request.get("sizes", {}).items()}}
        self.element = operation.element(torch, params)
        shapes = operation.shapes(sizes, params)
        layout = params.get("B_LAYOUT", 0)
        family = operation.family or request["operation"]
        shape = (family, self.element, shapes, layout, int(request["sets"]), int(request["seed"]))
        settings = torch.backends.cuda.matmul
        settings.allow_tf32 = operation.tensor_float
        # Parts of K are added up as floats, as everybody else here does it.
        settings.allow_fp16_reduced_precision_reduction = settings.allow_bf16_reduced_precision_reduction = False
        if self.shape != shape:
            self.release(request)
            generator = torch.Generator(device="cuda").manual_seed(int(request["seed"]))
            for _ in range(int(request["sets"])):
                made = [torch.randn(one, device="cuda", generator=generator, dtype=self.element) for one in shapes]
                self.sets.append(operation.arrange(torch, made, params))
                self.outputs.append(None)
            self.shape = shape
        if self.flush is None or self.flush.numel() != int(request["flush_bytes"]):
            self.flush = torch.zeros(int(request["flush_bytes"]), dtype=torch.uint8, device="cuda")

    def output(self, operation, index):
        """Memory for the result of an operation."""
        if self.outputs[index] is None:
            self.outputs[index] = operation.empty(self.torch, self.sets[index])
        return self.outputs[index]

    def implementation(self, name, operation, called):
        """A function of the set's index that computes the operation there and returns the result or results."""
        torch, sets = self.torch, self.sets
        if name == "torch":
            if operation.into is None:
                return lambda index: operation.eager(torch, *sets[index])
            return lambda index: operation.into(torch, self.output(operation, index), *sets[index])
        if name == "torch_compile":
            torch._dynamo.reset()
            compiled = torch.compile(lambda *inputs: operation.eager(torch, *inputs), dynamic=False)
            return lambda index: compiled(*sets[index])
        if name == "triton":
            launch = self.triton.get(called)
            if launch is None:
                raise Refused(f"there is no Triton reference for '{called}'")

            def run(index):
                launch(*sets[index], self.output(operation, index), **operation.options)
                return self.output(operation, index)

            return run
        if name == "cudnn":
            if self.cudnn_reason:
                raise Refused(self.cudnn_reason)
            make = self.cudnn.operation(called)
            if make is None:
                raise Refused(f"there is no cuDNN reference for '{called}'")
            try:
                queues = [make(*sets[i], self.output(operation, i)) for i in range(len(sets))]
            except RuntimeError as error:
                raise Refused(one_line(error)) from error

            def queue(index):
                queues[index]()
                return self.output(operation, index)

            return queue
        raise Refused(f"there is no implementation '{name}'")

    def check(self, name, execute, operation, called):
        """Against float64. An element that was not written is NaN, which is not within any bounds."""
        torch, largest = self.torch, 0.0
        for index, inputs in enumerate(self.sets):
            known = self.outputs[index]
            for output in known if isinstance(known, tuple) else (known,):
                if output is not None:
                    output.fill_(float("nan"))
            got = execute(index)
            got = got if isinstance(got, (tuple, list)) else (got,)
            for piece, expected, bound in self.expected(operation, called, inputs, got):
                error = (piece.double() - expected).abs()
                if not bool((error <= bound).all()):
                    raise Refused(f"the result of {name} for '{called}' is wrong")
                largest = max(largest, float(error.max()))
        torch.cuda.synchronize()
        return largest

    def expected(self, operation, called, inputs, got):
        """Pieces of the results with what they should be and how far off they may be."""
        torch = self.torch
        if operation.family is not None:
            yield from operation.pieces(torch, inputs, got, self.element)
            return
        rows = operation.rows(torch, got[0].shape[0], self.CHECKED_ROWS) if got[0].dim() else None
        if rows is not None:
            exact = operation.exact(torch, inputs[0][rows].double(), *[one.double() for one in inputs[1:]])
            yield got[0][rows], exact, operation.allowed(torch, exact, inputs, self.element)
            return
        first = inputs[0]
        whole = called in ("sum", "transpose", "layernorm_backward", "autograd_chain")
        length = max(1, self.MOST_CHECKED // max(1, first[0].numel()))
        steps = [slice(None)] if whole else [slice(i, i + length) for i in range(0, first.shape[0], length)]
        for part in steps:
            # Inputs as long as the first are cut with it; weights are not.
            cut = [one[part] if one.shape[0] == first.shape[0] and not whole and one.dim() == first.dim() else one for one in inputs]
            exact = operation.exact(torch, *[one.double() for one in cut])
            exact = exact if isinstance(exact, (tuple, list)) else (exact,)
            for result, value in zip(got, exact):
                yield result[part] if not whole else result, value, operation.allowed(torch, value, inputs, self.element)

    def capture(self, execute, executions):
        torch = self.torch
        graph = torch.cuda.CUDAGraph()
        # A result is kept until its set comes again. Else the next one would go to the same memory, which is still in the
        # L2 and never written back, while everybody else's results go to memory.
        results = [None] * len(self.sets)
        with torch.cuda.graph(graph):
            for i in range(executions):
                results[i % len(self.sets)] = execute(i % len(self.sets))
        return graph

    def empty_the_l2(self):
        """As the program does it: written, then read, so that no modified line is left to be written back."""
        self.flush.add_(1)
        self.torch.amax(self.flush.view(self.torch.int32), dim=0)

    def time(self, request):
        torch = self.torch
        name = request["implementation"]
        work = self.works.get((name, request.get("operation")))
        if work is None:
            raise Refused(f"{name} was not prepared")
        execute, graph, executions = work
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
    child = Child()
    for line in sys.stdin:
        request = json.loads(line)
        answers.write(json.dumps({"id": request.get("id"), **child.answer(request)}) + "\n")


if __name__ == "__main__":
    main()
