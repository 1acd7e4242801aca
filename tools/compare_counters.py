#!/usr/bin/env python3
"""Global-memory requests and sectors: the simulator's counts beside the hardware counters of an NVIDIA GPU.

    tools/compare_counters.py PROGRAM [--triton] [--out FILE.json]

With --triton the cases are the Triton rungs of all labs at their default values instead; they need Python with triton.

Needs a GPU, Nsight Compute (ncu) on the PATH and the right to read hardware counters. Each case is run once under ncu
on the GPU and once on the simulator; the exit status is 1 if any count differs.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys

from ncu_table import read_launches

HERE = os.path.dirname(os.path.abspath(__file__))
# op_ld holds asynchronous copies (cp.async, LDGSTS in machine code) too.
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
}


def copy_case(offset, n=98432):
    words = ["exec", os.path.join(HERE, "misaligned.cu"), "--kernel", "copy_from", "--grid", str((n + 255) // 256),
             "--block", "256", "--arg", f"buf:f32:{n + offset}:normal:in", "--arg", f"buf:f32:{n}:poison:out",
             "--arg", f"i32:{offset}", "--arg", f"i32:{n}"]
    return (f"copy, reads {offset} floats off a sector", "copy_from", words)


def lab_case(lab, rung, kernel, **values):
    words = ["run", lab, "--rung", rung]
    for name, value in values.items():
        words += ["--size" if name == "n" else "--set", f"{name}={value}"]
    text = " ".join(f"{name}={value}" for name, value in values.items())
    return (f"{lab} {rung} {text}", kernel, words)


def cases():
    rungs = [("thread-per-element", "thread_per_element"), ("tile-per-cta", "tile_per_cta"),
             ("tiles-per-cta", "tiles_per_cta"), ("grid-stride", "grid_stride"), ("vector-loads", "vector_loads")]
    for lab in ("vector-add", "vector-multiply"):
        for rung, kernel in rungs:
            for n in (98432, 98437, 1000000):
                yield lab_case(lab, rung, kernel, n=n)
    for width in (1, 2, 4):
        yield lab_case("vector-add", "vector-loads", "vector_loads", n=1 << 20, VEC=width)
    for offset in (0, 1, 7, 8, 31):
        yield copy_case(offset)


def triton_cases(program):
    listed = json.loads(subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    for lab in listed["labs"]:
        for rung in lab["rungs"]:
            if rung["name"].startswith("triton-"):
                yield (f"{lab['name']} {rung['name']}", None, ["run", lab["name"], "--rung", rung["name"]])


def on_gpu(program, kernels, words):
    """The first launch of each kernel, profiled: the sums over them."""
    pattern = "regex:^(" + "|".join(kernels) + ")$"
    command = ["ncu", "--csv", "--clock-control", "none", "--launch-count", str(len(kernels)), "--kernel-name", pattern,
               "--metrics", ",".join(METRICS.values()), program, *words, "--on", "gpu"]
    # The profiler follows the process it starts, so kernels are not to run in a worker of their own.
    environment = {**os.environ, "TILESCOPE_HIDE": "worker"}
    text = subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stdout
    launches = read_launches(text)
    return {name: sum(int(launch["metrics"][metric]) for launch in launches) for name, metric in METRICS.items()}


def on_simulator(program, words):
    """The counters, and what a run on the GPU needs: the kernels in the order of their launches, and the sizes and
    parameters, whose defaults differ there."""
    run = subprocess.run([program, *words, "--on", "sim", "--traffic", "--json"], capture_output=True, text=True,
                         check=False)
    result = json.loads(run.stdout)
    kernels = [launch["kernel"] for launch in result["launches"]]
    settings = [word for option, table in (("--size", "sizes"), ("--set", "parameters"))
                for name, value in result.get(table, {}).items() for word in (option, f"{name}={value}")]
    return {name: result["counters"][name] for name in METRICS}, kernels, settings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--triton", action="store_true")
    parser.add_argument("--out")
    arguments = parser.parse_args()
    rows, differing = [], 0
    for title, kernel, words in (triton_cases(arguments.program) if arguments.triton else cases()):
        simulated, kernels, settings = on_simulator(arguments.program, words)
        hardware = on_gpu(arguments.program, [kernel] if kernel else kernels,
                          words + (settings if not kernel else []))
        equal = hardware == simulated
        differing += not equal
        rows.append({"case": title, "hardware": hardware, "simulated": simulated, "equal": equal})
        per_request = simulated["global_load_sectors"] / simulated["global_load_requests"]
        print(f"{'equal' if equal else 'DIFFERS':8} {per_request:6.3f} sectors/read request  {title}")
        if not equal:
            print(f"         hardware {hardware}\n         simulated {simulated}")
    print(f"{len(rows)} cases, {differing} differ")
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump({"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                       "command": " ".join(sys.argv), "rows": rows}, file, indent=1)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
