#!/usr/bin/env python3
"""What the order of blocks means on a GPU, read from its counters, and what the block-order model says.

    tools/record_orders.py count --out counters.json                                         on the GPU, needs ncu, nvcc
    tools/record_orders.py model --tilescope build/release/tilescope counters.json           anywhere
    tools/record_orders.py table counters.json                                               as Markdown
    tools/record_orders.py ship counters.json --to assets/counters/grouped-order.h200.json   for the Order view

`count` launches the kernel of the lab grouped-order once per point under Nsight Compute, which flushes the caches
before each launch, and times each point in other processes that are not profiled: three rounds in random order, of
which the median counts. `model` adds what the model says of the same points.
`ship` puts the points into the program's file of counters, in the place of earlier ones of the same kernel and GPU.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from counter_files import counter_row, own_set, write_counters
from ncu_table import read_launches

METRICS = {
    "dram__bytes_read.sum": "device_bytes_read",
    "dram__bytes_write.sum": "device_bytes_written",
    "lts__t_bytes.sum": "l2_bytes",
    "lts__t_sector_hit_rate.pct": "l2_hit_rate_percent",
    "gpu__time_duration.sum": "profiled_ns",
}
# BM, BN, BK, STAGES, WARPS; CTAs per multiprocessor of an H200
WIDE = (128, 256, 64, 3, 8, 1)
FLAT = (64, 256, 64, 2, 4, 2)


def points():
    """(tile, M, N, K, group); group 0: Hilbert's curve."""
    for tile in (WIDE, FLAT):
        for n in (2048, 4096, 8192, 12288, 16384):
            for group in (1, 2, 4, 8, 16, 32, 64, 0):
                yield tile, n, n, n, group
    for group in (1, 4, 16, 32):
        yield FLAT, 4096, 131072, 2048, group
    for m, n, k in ((5000, 7000, 6000), (12000, 6008, 8008), (4096, 16384, 4096)):
        for group in (1, 8):
            yield WIDE, m, n, k, group


def run_of(point, gpu):
    (bm, bn, bk, stages, warps, _), m, n, k, group = point
    params = {"BM": bm, "BN": bn, "BK": bk, "STAGES": stages, "WARPS": warps}
    return {"rung": "grouped" if group else "hilbert", "sizes": {"M": m, "N": n, "K": k},
            "params": {**params, "GROUP_M": group} if group else params, "gpu": gpu,
            "date": time.strftime("%Y-%m-%d", time.gmtime())}


def count(options):
    here = os.path.dirname(os.path.abspath(__file__))
    folder = tempfile.mkdtemp()
    everything = list(points())
    lines = [",".join(str(one) for one in ("fp16", *tile, m, n, k, group)) for tile, m, n, k, group in everything]
    write_lines(os.path.join(folder, "shapes"), lines)
    write_lines(os.path.join(folder, "points"), [f"{number},{line}" for number, line in enumerate(lines)])

    def ask(*command):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout[-3000:] + done.stderr[-3000:])
        return done.stdout

    ask(os.path.join(here, "orders", "build.sh"), "shapes")
    gpu = ask("nvidia-smi", "--query-gpu=name", "--format=csv,noheader").splitlines()[0]
    launches = read_launches(ask(
        options.ncu, "--csv", "--print-units", "base", "--metrics", ",".join(METRICS), "--clock-control", "none",
        "--kernel-name", "regex:^matmul", "./launch_points", "points"))
    times = [[] for _ in everything]
    for turn in range(3):
        shuffled = random.Random(turn).sample(list(enumerate(lines)), len(lines))
        write_lines(os.path.join(folder, "points"), [f"{number},{line}" for number, line in shuffled])
        for line in ask("./launch_points", "points", "--time").splitlines():
            times[int(line.split()[1])].append(float(line.split()[2]))
    if len(launches) != len(everything) or any(len(rounds) != 3 for rounds in times):
        sys.exit(f"{len(launches)} launches were profiled of {len(everything)}, or some not timed")
    runs = [run_of(point, gpu) for point in everything]
    for run, launch, rounds in zip(runs, launches, times):
        run["counters"] = {name: launch["metrics"][metric] for metric, name in METRICS.items()}
        run["median_ms"] = statistics.median(rounds)
        run["rounds_ms"] = rounds
        print(point_of(run), run["counters"], run["median_ms"], flush=True)
    write(options.out, runs)


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def write(path, runs):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(runs, file, indent=1)
        file.write("\n")


def point_of(run):
    return " ".join([run["rung"]] + [f"{name}={value}" for part in ("sizes", "params") for name, value in run[part].items()])


def model(options):
    with open(options.file, encoding="utf-8") as file:
        runs = json.load(file)
    for run in runs:
        if "model" in run and not options.again:
            continue
        command = [options.tilescope, "run", "grouped-order", "--rung", run["rung"], "--traffic", "--json", "--size"]
        command += [f"{name}={value}" for name, value in run["sizes"].items()]
        command += ["--set", "GPU=h200"] + [f"{name}={value}" for name, value in run["params"].items()]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        begin = done.stdout.find("{")
        if begin < 0:
            sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        order = json.JSONDecoder().raw_decode(done.stdout[begin:])[0]["block_order"]
        run["model"] = {name: order["launched"][name] for name in
                        ("device_bytes_read", "device_bytes_written", "l2_bytes_read", "l2_hit_rate")}
        run["model"]["resident_blocks"] = order["resident_blocks"]
        run["model"]["blocks_per_multiprocessor"] = order["blocks_per_multiprocessor"]
        write(options.file, runs)
        print(point_of(run), f"{run['model']['device_bytes_read'] / run['counters']['device_bytes_read']:.3f}", flush=True)


def table(options):
    with open(options.file, encoding="utf-8") as file:
        runs = json.load(file)
    print("| M × N × K | tile | order | counted | modelled | | L2 bytes | L2 hit rate | time |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|")
    for run in runs:
        sizes, params, counters = run["sizes"], run["params"], run["counters"]
        order = f"groups of {params['GROUP_M']}" if run["rung"] == "grouped" else run["rung"]
        modelled = run["model"]["device_bytes_read"]
        print(f"| {sizes['M']} × {sizes['N']} × {sizes['K']} | {params['BM']} × {params['BN']} × {params['BK']} | {order} "
              f"| {counters['device_bytes_read'] / 1e9:.3f} GB | {modelled / 1e9:.3f} GB "
              f"| {100 * (modelled / counters['device_bytes_read'] - 1):+.1f}% | {counters['l2_bytes'] / 1e9:.2f} GB "
              f"| {counters['l2_hit_rate_percent']:.1f}% | {run['median_ms']:.3f} ms |")


def ship(options):
    with open(options.file, encoding="utf-8") as file:
        runs = json.load(file)
    if any("blocks_per_multiprocessor" not in run.get("model", {}) for run in runs):
        sys.exit(f"{options.file} does not say how many blocks a multiprocessor holds: run 'model --again' on it first")
    for gpu in sorted({run["gpu"] for run in runs}):
        own = [run for run in runs if run["gpu"] == gpu]
        rows = [counter_row({**run["counters"], "nanoseconds": run["median_ms"] * 1e6}, run["rung"],
                            run["params"].get("GROUP_M", 0), run["model"]["blocks_per_multiprocessor"],
                            {**run["sizes"], **run["params"]}) for run in own]
        date = max(run["date"] for run in own)[:10]
        write_counters(options.to, own_set(gpu, rows, "tools/record_orders.py count", date))
        print(f"{len(rows)} points of {gpu} in {options.to}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    counting = commands.add_parser("count")
    counting.add_argument("--ncu", default="ncu")
    counting.add_argument("--out", default="counters.json")
    counting.set_defaults(run=count)
    modelling = commands.add_parser("model")
    modelling.add_argument("--tilescope", default="build/release/tilescope")
    modelling.add_argument("--again", action="store_true", help="also where the file has the model's figures")
    modelling.add_argument("file")
    modelling.set_defaults(run=model)
    printing = commands.add_parser("table")
    printing.add_argument("file")
    printing.set_defaults(run=table)
    shipping = commands.add_parser("ship")
    shipping.add_argument("--to", required=True, help="the file of counters")
    shipping.add_argument("file")
    shipping.set_defaults(run=ship)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
