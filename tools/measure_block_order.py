#!/usr/bin/env python3
"""The block-order model beside a GPU's counters: matmuls of the lab grouped-order, profiled with Nsight Compute.

    tools/measure_block_order.py --tilescope build/release/tilescope --csv block_order.csv \\
        --counters assets/counters/grouped-order.h200.json

For every size and order it runs `tilescope run grouped-order … --on gpu` under ncu and writes one line of CSV: what the
counters say of the first launch (caches flushed before it), and what the model says in the same run. ncu sees only
kernels of the process that it starts, so launches are kept in it with TILESCOPE_HIDE=worker.

With --counters, what was counted is also put into a file of the program's assets, which the Order view shows: as a set
of its own, in the place of an earlier one of the same kernel and GPU; other sets of the file stay.

docs/block-order.md holds what an H200 gave.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import time

from counter_files import counter_row, own_set, write_counters
from ncu_table import read_launches

METRICS = {
    "dram__bytes_read.sum": "device_bytes_read",
    "dram__bytes_write.sum": "device_bytes_written",
    "lts__t_bytes.sum": "l2_bytes",
    "lts__t_sectors_op_read.sum": "l2_sectors_read",
    "lts__t_sectors_srcunit_tex.sum": "l2_sectors_from_l1",
    "lts__t_sector_hit_rate.pct": "l2_hit_rate_percent",
    "l1tex__m_xbar2l1tex_read_bytes.sum": "bytes_to_l1",
    "gpu__time_duration.sum": "nanoseconds",
}
SQUARES = [2048, 3072, 4096, 5120, 6144, 8192, 10240, 12288, 16384]
GROUPS = [1, 2, 4, 8, 16, 32]
OTHERS = [  # not square, and no multiples of the tile
    (16384, 4096, 4096), (4096, 16384, 4096), (8192, 8192, 2048), (5000, 7000, 6000), (12000, 6008, 8008),
]
TILES = [(128, 256, 64, 4, 8), (128, 128, 32, 4, 4)]  # BM BN BK STAGES WARPS


def points(quick):
    """(sizes, rung, group, tile); the second tile at a few sizes only."""
    squares = [4096, 8192] if quick else SQUARES
    for n in squares:
        for group in GROUPS if not quick else [1, 8]:
            yield (n, n, n), "grouped", group, TILES[0]
        yield (n, n, n), "hilbert", 8, TILES[0]
    if quick:
        return
    for sizes in OTHERS:
        for group in [1, 4, 16]:
            yield sizes, "grouped", group, TILES[0]
    for n in [4096, 8192]:
        for group in [1, 8, 32]:
            yield (n, n, n), "grouped", group, TILES[1]


def run_arguments(sizes, rung, group, tile):
    names = ["BM", "BN", "BK", "STAGES", "WARPS"]
    arguments = ["run", "grouped-order", "--rung", rung, "--size"]
    arguments += [f"{name}={value}" for name, value in zip("MNK", sizes)]
    arguments += ["--set", f"GROUP_M={group}"] + [f"{name}={value}" for name, value in zip(names, tile)]
    return arguments + ["--json", "--traffic"]


def read_counters(output):
    """Of the first launch."""
    values = read_launches(output)[0]["metrics"]
    return {name: values[metric] for metric, name in METRICS.items() if metric in values}


def measure(options, arguments):
    environment = dict(os.environ, TILESCOPE_HIDE="worker")
    log = options.csv + ".ncu.log"
    command = [options.ncu, "--csv", "--log-file", log, "--print-units", "base", "--metrics", ",".join(METRICS), "--clock-control", "none",
               "--kernel-name", "regex:matmul", "--launch-count", "1", options.tilescope, *arguments, "--on", "gpu"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    begin = done.stdout.find("{")
    if done.returncode != 0 or begin < 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-1500:]}{done.stderr[-1500:]}")
    report = json.JSONDecoder().raw_decode(done.stdout[begin:])[0]
    with open(log, encoding="utf-8") as file:
        return read_counters(file.read()), report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tilescope", default="build/release/tilescope")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--csv", default="block_order.csv")
    parser.add_argument("--counters", metavar="FILE", help="put what was counted into this file of assets/counters too")
    parser.add_argument("--quick", action="store_true", help="a few points only")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further point after so many")
    parser.add_argument("--only", type=int, nargs="*", help="square sizes to measure, and nothing else")
    options = parser.parse_args()
    command = " ".join(["tools/measure_block_order.py", *sys.argv[1:]])
    columns = ["M", "N", "K", "rung", "GROUP_M", "BM", "BN", "BK", *METRICS.values(), "timed_ms",
               "model_device_bytes_read", "model_device_bytes_written", "model_l2_bytes_read", "model_l2_hit_rate",
               "resident_blocks", "model_over_counter"]
    worst, began, rows = 0, time.monotonic(), []
    with open(options.csv, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for sizes, rung, group, tile in points(options.quick):
            if options.only and sizes not in [(n, n, n) for n in options.only]:
                continue
            if time.monotonic() - began > options.seconds:
                break
            try:
                counters, report = measure(options, run_arguments(sizes, rung, group, tile))
            except (RuntimeError, OSError, KeyError, ValueError) as problem:
                print(f"{sizes} {rung} {group}: {problem}", file=sys.stderr)
                continue
            order = report["block_order"]
            launched = order["launched"]
            row = dict(zip(["M", "N", "K"], sizes), rung=rung, GROUP_M=group, BM=tile[0], BN=tile[1], BK=tile[2],
                       **counters)
            row["timed_ms"] = report.get("timing", {}).get("median_ms", "")
            for name in ("device_bytes_read", "device_bytes_written", "l2_bytes_read", "l2_hit_rate"):
                row["model_" + name] = launched[name]
            row["resident_blocks"] = order["resident_blocks"]
            row["model_over_counter"] = round(launched["device_bytes_read"] / counters["device_bytes_read"], 4)
            worst = max(worst, abs(row["model_over_counter"] - 1))
            writer.writerow(row)
            file.flush()
            rows.append(counter_row(row, rung, group, order["blocks_per_multiprocessor"],
                                    {**row, "STAGES": tile[3], "WARPS": tile[4]}))
            if options.counters:  # after each, so that nothing is lost where the time ends
                write_counters(options.counters, own_set(report["device"]["name"], rows, command))
            print(f"{sizes} {rung:8} {group:2} BN {tile[1]}  device read {counters['device_bytes_read'] / 1e9:8.4f} GB,"
                  f" model {launched['device_bytes_read'] / 1e9:8.4f} ({row['model_over_counter']:.3f})"
                  f"  {counters['nanoseconds'] / 1e6:.3f} ms", flush=True)
    print(f"largest deviation {100 * worst:.1f}%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
