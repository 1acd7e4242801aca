#!/usr/bin/env python3
"""What the order of blocks means on a GPU, read from its counters, and what the block-order model says.

    bench/record_orders.py count --launcher build/release/launch_rung --out counters.json    on the GPU, needs ncu
    bench/record_orders.py model --tilescope build/release/tilescope counters.json           anywhere
    bench/record_orders.py table counters.json                                               as Markdown

`count` launches the lab grouped-order once per point under Nsight Compute, which flushes the caches before each launch,
and times each point in a second process that is not profiled. `model` adds what the model says of the same points.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from ncu_table import read_launches

METRICS = {
    "dram__bytes_read.sum": "device_bytes_read",
    "dram__bytes_write.sum": "device_bytes_written",
    "lts__t_bytes.sum": "l2_bytes",
    "lts__t_sector_hit_rate.pct": "l2_hit_rate_percent",
    "gpu__time_duration.sum": "profiled_ns",
}
WIDE = "BM=128 BN=256 BK=64 STAGES=3 WARPS=8"  # one block per multiprocessor of an H200
FLAT = "BM=64 BN=256 BK=64 STAGES=2 WARPS=4"  # two


def points():
    for n in (4096, 6144, 8192, 12288, 16384):
        for group in (1, 2, 4, 8, 16, 32):
            yield f"grouped M={n} N={n} K={n} GROUP_M={group} {WIDE}"
        yield f"hilbert M={n} N={n} K={n} {WIDE}"
    for m, n, k in ((8192, 8192, 8192), (16384, 16384, 16384), (4096, 131072, 2048)):
        for group in (1, 2, 4, 8, 16, 32):
            yield f"grouped M={m} N={n} K={k} GROUP_M={group} {FLAT}"
        yield f"hilbert M={m} N={n} K={k} {FLAT}"
    for m, n, k in ((5000, 7000, 6000), (12000, 6008, 8008), (4096, 16384, 4096)):
        for group in (1, 8):
            yield f"grouped M={m} N={n} K={k} GROUP_M={group} {WIDE}"


def count(options):
    folder = tempfile.mkdtemp()
    lines = os.path.join(folder, "points.txt")
    with open(lines, "w", encoding="utf-8") as file:
        file.write("\n".join(options.only or points()) + "\n")
    runs_file, times_file = os.path.join(folder, "runs.json"), os.path.join(folder, "times.json")
    # ncu sees only kernels of the process that it starts.
    profiled = subprocess.run(
        [options.ncu, "--csv", "--print-units", "base", "--metrics", ",".join(METRICS), "--clock-control", "none",
         "--kernel-name", "regex:^matmul", options.launcher, "grouped-order", lines, "--out", runs_file],
        env=dict(os.environ, TILESCOPE_HIDE="worker"), capture_output=True, text=True, check=False)
    if profiled.returncode != 0:
        sys.exit(profiled.stdout[-3000:] + profiled.stderr[-3000:])
    subprocess.run([options.launcher, "grouped-order", lines, "--out", times_file, "--time"], check=True)
    with open(runs_file, encoding="utf-8") as file:
        runs = json.load(file)
    with open(times_file, encoding="utf-8") as file:
        times = json.load(file)
    launches = read_launches(profiled.stdout)
    if len(launches) != len(runs):
        sys.exit(f"{len(launches)} launches were profiled of {len(runs)}")
    for run, timed, launch in zip(runs, times, launches):
        run["counters"] = {name: launch["metrics"][metric] for metric, name in METRICS.items()}
        run["median_ms"] = timed["median_ms"]
        print(point_of(run), run["counters"], run["median_ms"], flush=True)
    write(options.out, runs)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    counting = commands.add_parser("count")
    counting.add_argument("--launcher", default="build/release/launch_rung")
    counting.add_argument("--ncu", default="ncu")
    counting.add_argument("--out", default="counters.json")
    counting.add_argument("--only", nargs="*", help="points, instead of the usual ones")
    counting.set_defaults(run=count)
    modelling = commands.add_parser("model")
    modelling.add_argument("--tilescope", default="build/release/tilescope")
    modelling.add_argument("--again", action="store_true", help="also where the file has the model's figures")
    modelling.add_argument("file")
    modelling.set_defaults(run=model)
    printing = commands.add_parser("table")
    printing.add_argument("file")
    printing.set_defaults(run=table)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
