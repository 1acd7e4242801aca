#!/usr/bin/env python3
"""The model of the caches beside the hardware's counters of an NVIDIA GPU.

    tools/calibrate_caches.py PROGRAM [--out FILE.json] [--only TEXT]

Needs a GPU of assets/gpus.toml, Nsight Compute (ncu) on the PATH and the right to read hardware counters. Each case of
tools/kernels/cache_patterns.cu runs once under ncu, which flushes the caches first, and once on the simulator.
"""
import argparse
import json
import os
import subprocess
import sys

from ncu_table import read_launches

HERE = os.path.dirname(os.path.abspath(__file__))
FILE = os.path.join(HERE, "kernels", "cache_patterns.cu")
METRICS = {
    "l1_read_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1_read_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l2_read_sectors": "lts__t_sectors_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_op_write.sum",
    "l2_bytes": "lts__t_bytes.sum",
    "l2_hit_percent": "lts__t_sector_hit_rate.pct",
    "device_bytes_read": "dram__bytes_read.sum",
    "device_bytes_written": "dram__bytes_write.sum",
}
MIB = 1 << 20


def case(name, kernel, grid, block, *arguments):
    words = ["exec", FILE, "--kernel", kernel, "--grid", str(grid), "--block", str(block)]
    for argument in arguments:
        words += ["--arg", argument]
    return name, kernel, words


def read_case(kernel, mib, step, passes, grid):
    words = mib * MIB // 4
    name = f"{kernel} {mib} MiB, every {step * 4} bytes, {passes} times, {grid} blocks"
    return case(name, kernel, grid, 1024, f"buf:f32:{words}:zero:in", "buf:f32:32:zero:out", f"i32:{words}",
                f"i32:{step}", f"i32:{passes}")


def cases():
    for step in (1, 8, 16, 32, 64):
        yield read_case("read_parts", 32, step, 1, 128)
    for mib in (16, 24, 28, 32, 40, 48, 56, 64):
        yield read_case("read_all", mib, 8, 2, 16)
        yield read_case("read_parts", mib, 8, 2, 128)
    for kib in (64, 128, 192, 240, 252):
        words = kib * 256
        yield case(f"read_all {kib} KiB twice, one block", "read_all", 1, 1024, f"buf:f32:{words}:zero:in",
                   "buf:f32:32:zero:out", f"i32:{words}", "i32:1", "i32:2")
    for mib in (8, 32, 96):
        yield case(f"write_words {mib} MiB", "write_words", mib * MIB // 1024, 256, f"buf:f32:{mib * MIB // 4}:zero:out",
                   "i32:1")
    for step in (8, 16, 32):
        yield case(f"write_words 1 of {step}, 16 MiB", "write_words", 16 * MIB // 1024 // step, 256,
                   f"buf:f32:{4 * MIB}:zero:out", f"i32:{step}")
    yield case("write_bytes 1 of 32, 16 MiB", "write_bytes", 16 * MIB // 256 // 32, 256, f"buf:u8:{16 * MIB}:zero:out",
               "i32:32")
    yield case("write_halves 16 MiB", "write_halves", 16 * MIB // 1024, 32, f"buf:f32:{4 * MIB}:zero:out")
    for mib in (8, 64):
        yield case(f"copy {mib} MiB", "copy", mib * MIB // 4096, 256, f"buf:f32:{mib * MIB // 4}:zero:in",
                   f"buf:f32:{mib * MIB // 4}:zero:out")
    yield case("add_to_all 1 MiB, 16 blocks", "add_to_all", 16, 1024, f"buf:f32:{MIB // 4}:zero:out", f"i32:{MIB // 4}")
    for n in (1024, 2048, 4096):
        yield case(f"transpose {n}", "transpose", f"{n // 32},{n // 32}", "32,8", f"buf:f32:{n * n}:zero:in",
                   f"buf:f32:{n * n}:zero:out", f"i32:{n}")
    for block in ("32,8", "16,16", "32,32"):
        x, y = (int(extent) for extent in block.split(","))
        yield case(f"matmul 256, blocks of {block}", "matmul", f"{256 // x},{256 // y}", block,
                   "buf:f32:65536:zero:a", "buf:f32:65536:zero:b", "buf:f32:65536:zero:c", "i32:256")


def on_gpu(program, kernel, words):
    command = ["ncu", "--csv", "--clock-control", "none", "--launch-count", "1", "--kernel-name", kernel, "--metrics",
               ",".join(METRICS.values()), program, *words, "--on", "gpu"]
    # The profiler follows the process it starts, so kernels are not to run in a worker of their own.
    environment = {**os.environ, "TILESCOPE_HIDE": "worker"}
    text = subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stdout
    values = read_launches(text)[0]["metrics"]
    return {name: values.get(metric) for name, metric in METRICS.items()}


def on_simulator(program, words):
    run = subprocess.run([program, *words, "--on", "sim", "--traffic", "--json"], capture_output=True, text=True,
                         check=False)
    hierarchy = json.loads(run.stdout)["hierarchy"]
    if "total" not in hierarchy:
        return {}
    total = hierarchy["total"]
    l1, l2 = total["l1"], total["l2"]
    asked = l2["read_sectors"] + l2["write_sectors"] + l2["atomic_sectors"]
    hits = l2["read_hits"] + l2["write_hits"] + l2["atomic_hits"]
    return {"l1_read_sectors": l1["read_sectors"], "l1_read_hits": l1["read_hits"],
            "l2_read_sectors": l2["read_sectors"], "l2_write_sectors": l2["write_sectors"], "l2_bytes": 32 * asked,
            "l2_hit_percent": 100 * hits / asked if asked else None,
            "device_bytes_read": total["device_bytes_read"], "device_bytes_written": total["device_bytes_written"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    rows = []
    for name, kernel, words in cases():
        if options.only not in name:
            continue
        row = {"case": name, "gpu": on_gpu(options.program, kernel, words),
               "model": on_simulator(options.program, words)}
        rows.append(row)
        print(name, flush=True)
        for metric in METRICS:
            measured, modelled = row["gpu"][metric], row["model"].get(metric)
            error = f"{100 * (modelled / measured - 1):+.1f}%" if measured and modelled is not None else ""
            print(f"    {metric:<22} {measured!s:>16} {modelled!s:>16} {error:>9}", flush=True)
        if options.out:
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
