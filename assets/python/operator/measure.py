"""What torch.compile makes of the operator in this folder, and what a call costs.

    python3 measure.py                         a table
    python3 measure.py OTHER … --json FILE     also the operators of other exported folders, each in a process of its own

The operator stands between two of PyTorch's own: step(x, …) = operator(silu(x), …) · 2. For each way to call it:

    breaks    graph breaks in step: places at which torch.compile stops and goes back to Python
    kernels   nodes that launch a kernel, in a CUDA graph of one call of the compiled step
    call      µs on the host for a call of the operator alone, without torch.compile
    step      µs on the host for a call of step
    compiled  the same, after torch.compile
    replay    µs on the GPU for a step in the replay of a CUDA graph of the compiled step

Times on the host are the median of 25 rounds of 200 calls. No call waits for the GPU.
"""

import argparse
import ctypes
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

try:
    import torch

    import cases
    import reference
    import torch_op
except ImportError as missing:
    sys.exit(f"measure.py: this Python has no module '{missing.name}'; use one with PyTorch, and Triton for a Triton kernel")

ROUNDS, CALLS, REPLAYED = 25, 200, 20
KERNEL_NODE = 0  # of enum CUgraphNodeType
CHILD_SECONDS = 240


def make_step(operator):
    """All results are used, so that no way may leave one out."""

    def step(first, *rest):
        result = operator(torch.nn.functional.silu(first), *rest)
        results = result if isinstance(result, (tuple, list)) else (result,)
        return (results[0] * 2, *results[1:])

    return step


def readable(module):
    """The graph as Python, without the comments that name files."""
    lines = module.print_readable(print_output=False).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#"))


def one_line(reason):
    return " ".join(str(reason).split())[:400]


def captured(step, inputs):
    """What Dynamo captures: graphs, and the reasons for which it stopped."""
    torch._dynamo.reset()
    found = torch._dynamo.explain(step)(*inputs)
    return {
        "graph_breaks": found.graph_break_count,
        "graphs": [readable(one) for one in found.graphs],
        "reasons": [one_line(one.reason) for one in found.break_reasons],
    }


def lowered(step, inputs):
    """The graphs that a compiler behind AOTAutograd is given: operators in place of functions, without mutation."""
    from torch._dynamo.backends.common import aot_autograd

    texts = []

    def keep(module, _):
        texts.append(readable(module))
        return module.forward

    torch._dynamo.reset()
    torch.compile(step, backend=aot_autograd(fw_compiler=keep))(*inputs)
    return texts


def host_us(function, inputs):
    for _ in range(20):
        function(*inputs)
    rounds = []
    for _ in range(ROUNDS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(CALLS):
            function(*inputs)
        rounds.append((time.perf_counter() - start) / CALLS * 1e6)
    torch.cuda.synchronize()
    return statistics.median(rounds)


def capture(function, inputs, calls, **options):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            function(*inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph(**options)
    kept = []
    with torch.cuda.graph(graph):
        for _ in range(calls):
            kept.append(function(*inputs))
    return graph, kept


def kernels_of(function, inputs):
    """Nodes of a captured call that launch a kernel."""
    graph, _ = capture(function, inputs, 1, keep_graph=True)
    driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_size_t()
    handle = ctypes.c_void_p(graph.raw_cuda_graph())
    driver.cuGraphGetNodes(handle, None, ctypes.byref(count))
    nodes = (ctypes.c_void_p * count.value)()
    driver.cuGraphGetNodes(handle, nodes, ctypes.byref(count))
    kernels = 0
    for node in nodes:
        kind = ctypes.c_int(-1)
        driver.cuGraphNodeGetType(ctypes.c_void_p(node), ctypes.byref(kind))
        kernels += kind.value == KERNEL_NODE
    return kernels


def replay_us(function, inputs):
    graph, _ = capture(function, inputs, REPLAYED)
    graph.replay()
    rounds = []
    for _ in range(ROUNDS):
        start, end = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
        torch.cuda.synchronize()
        start.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        rounds.append(start.elapsed_time(end) * 1000 / REPLAYED)
    return statistics.median(rounds)


def measured(name, language, operator, inputs):
    row = {"variant": name, "language": language, "problems": []}

    def attempt(key, work):
        try:
            row[key] = work()
        except Exception as error:  # what cannot be measured is left out, with the reason
            row["problems"].append(f"{key}: {type(error).__name__}: {one_line(error)}")

    step = make_step(operator)
    attempt("call_us", lambda: host_us(operator, inputs))
    attempt("step_us", lambda: host_us(step, inputs))
    attempt("captured", lambda: captured(step, inputs))
    attempt("lowered", lambda: lowered(step, inputs))
    torch._dynamo.reset()
    compiled = torch.compile(step)
    attempt("compiled_us", lambda: host_us(compiled, inputs))
    attempt("kernels", lambda: kernels_of(compiled, inputs))
    attempt("replay_us", lambda: replay_us(compiled, inputs))
    return row


def own_rows(with_eager):
    inputs = cases.inputs(cases.MEASURED, "cuda")
    rows = []
    with torch.no_grad():
        if with_eager:
            rows.append(measured("eager", "pytorch", reference.forward, inputs))
        if with_eager or torch_op.WAY == "triton_op":  # a launch in a different language
            rows.append(measured("launch", torch_op.LANGUAGE, torch_op.launch, inputs))
        rows.append(measured(torch_op.WAY, torch_op.LANGUAGE, torch_op.call, inputs))
    return rows


def rows_of(folder):
    script = pathlib.Path(folder) / "measure.py"
    if not script.is_file():
        sys.exit(f"measure.py: {folder} is not a folder that export-op has written")
    child = subprocess.run([sys.executable, script, "--own"], capture_output=True, text=True, timeout=CHILD_SECONDS)
    if child.returncode != 0:
        sys.exit(f"measure.py: {folder}: {(child.stderr.strip().splitlines() or ['no output'])[-1]}")
    return json.loads(child.stdout.strip().splitlines()[-1])


def merged(rows):
    """Each variant once: a launch of the same language is the same launch."""
    found = {}
    for row in rows:
        found.setdefault((row["variant"], row["language"]), row)
    return list(found.values())


def triton_version():
    try:
        import triton

        return triton.__version__
    except ImportError:
        return ""


def table(rows):
    def cell(row, key):
        value = row.get(key)
        return "-" if value is None else f"{value:.1f}" if isinstance(value, float) else str(value)

    print(f"{'':<22}{'breaks':>8}{'kernels':>9}{'call':>9}{'step':>9}{'compiled':>10}{'replay':>9}")
    for row in rows:
        breaks = row.get("captured", {}).get("graph_breaks", "-")
        keys = ("call_us", "step_us", "compiled_us", "replay_us")
        call, step, compiled, replay = [cell(row, key) for key in keys]
        name = row["variant"] + ("" if row["language"] == "pytorch" else f" ({row['language']})")
        print(f"{name:<22}{breaks:>8}{cell(row, 'kernels'):>9}{call:>9}{step:>9}{compiled:>10}{replay:>9}")
        for problem in row["problems"]:
            print(f"    {problem}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("others", nargs="*", help="other folders that export-op has written")
    parser.add_argument("--json", help="write a recording")
    parser.add_argument("--line", action="store_true", help="print the recording as one line of JSON, and nothing else")
    parser.add_argument("--own", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit(f"measure.py: PyTorch {torch.__version__} sees no GPU, and there is nothing to measure without one")
    if options.own:
        print(json.dumps(own_rows(with_eager=False)))
        return
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    if options.line:
        os.dup2(2, 1)  # what a library prints goes to standard error
    rows = own_rows(with_eager=True)
    for folder in options.others:
        rows += rows_of(folder)
    rows = merged(rows)
    recording = {
        "operator": torch_op.NAME,
        "lab": torch_op.LAB,
        "command": torch_op.COMMAND,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "gpu": torch.cuda.get_device_name(0),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "triton": triton_version(),
        "python": sys.version.split()[0],
        "sizes": cases.MEASURED,
        "rounds": ROUNDS,
        "calls": CALLS,
        "variants": rows,
    }
    if options.line:
        answers.write(json.dumps(recording) + "\n")
        answers.flush()
    else:
        table(rows)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(recording, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
