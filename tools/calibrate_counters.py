#!/usr/bin/env python3
"""What the simulator counts beside the hardware counters of an NVIDIA GPU; writes docs/counters.md.

    tools/calibrate_counters.py PROGRAM [--out docs/counters.md] [--json FILE] [--only TEXT]
    tools/calibrate_counters.py PROGRAM --kind lab --join earlier.json    only the labs; what else is in that file is kept

PROGRAM is record_counters (cmake -DTILESCOPE_BENCH=ON). Needs a GPU, Nsight Compute (ncu) on the PATH and the right to
read hardware counters. The program runs under ncu: every launch is counted by the simulator and by the hardware.
The exit status is 1 if a count differs where the machine code has the same memory operations as the PTX.
"""
import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile

from ncu_table import read_launches

COUNTERS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_load_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_store_bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
}
MODELLED = {
    "l1_read_hits": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
    "l2_read_sectors": "lts__t_sectors_op_read.sum",
    "l2_write_sectors": "lts__t_sectors_op_write.sum",
    "device_bytes_read": "dram__bytes_read.sum",
    "device_bytes_written": "dram__bytes_write.sum",
}
# A difference of up to this many passes is no more than how one access is split.
EXACT = {name for name in COUNTERS if name.startswith("global")}
TOLERANCE = 0.02
KINDS = {"pattern": "single access patterns", "corpus": "kernels of tests/differential", "lab": "rungs of the labs"}


def measure(program, kinds, metrics, only):
    """One run under ncu. The caches are emptied before each launch only where they are counted: it takes time."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "simulated.json")
        caches = "all" if any(metric in metrics for metric in MODELLED.values()) else "none"
        command = ["ncu", "--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", caches,
                   "--metrics", ",".join(metrics), program, "--out", out]
        for kind in kinds:
            command += ["--kind", kind]
        if only:
            command += ["--only", only]
        # The profiler follows the process it starts, so kernels are not to run in a worker of their own.
        environment = {**os.environ, "TILESCOPE_HIDE": "worker"}
        run = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if not os.path.exists(out):
            raise RuntimeError(f"{program} wrote nothing:\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}")
        with open(out, encoding="utf-8") as file:
            return json.load(file), read_launches(run.stdout), run.stderr


def join(report, launches):
    """Adds the hardware's counts to each case."""
    position = 0
    for case in report["cases"]:
        case["hardware"] = dict.fromkeys([*COUNTERS, *MODELLED], 0)
        for kernel in case["launches"]:
            if position == len(launches):
                raise RuntimeError(f"ncu saw {len(launches)} launches, {case['name']} comes after them")
            launch = launches[position]
            plain = kernel.isidentifier() and not kernel.startswith("_Z")
            if plain and not launch["kernel"].startswith(kernel):
                raise RuntimeError(f"launch {position} of {case['name']} is {launch['kernel']} and not {kernel}")
            for name, metric in {**COUNTERS, **MODELLED}.items():
                case["hardware"][name] += launch["metrics"].get(metric, 0)
            position += 1
    if position != len(launches):
        raise RuntimeError(f"ncu saw {len(launches)} launches, the cases have {position}")


def deviation(simulated, hardware):
    if simulated == hardware:
        return 0.0
    return abs(simulated - hardware) / max(hardware, 1)


def is_comparable(case):
    return not case.get("machine_code_differs")


def meets_goal(case, name):
    simulated, hardware = case["simulated"][name], case["hardware"][name]
    if name in EXACT:
        return simulated == hardware
    return deviation(simulated, hardware) <= TOLERANCE


def table(cases):
    lines = ["| counter | of the hardware | cases | equal | within 2% | largest deviation | sum, simulated / hardware |",
             "|---|---|---|---|---|---|---|"]
    for name, metric in COUNTERS.items():
        used = [case for case in cases if case["simulated"][name] or case["hardware"][name]]
        if not used:
            continue
        deviations = [deviation(case["simulated"][name], case["hardware"][name]) for case in used]
        simulated = sum(case["simulated"][name] for case in used)
        hardware = sum(case["hardware"][name] for case in used)
        lines.append(f"| {name} | `{metric}` | {len(used)} | {sum(d == 0 for d in deviations)} | "
                     f"{sum(d <= TOLERANCE for d in deviations)} | {max(deviations):.1%} | "
                     f"{simulated / hardware if hardware else float('nan'):.4f} |")
    return lines


# How often these look for the others' results is a matter of time, on the hardware as in the simulator.
WAITING = ("softmax several-ctas", "layernorm several-ctas", "rmsnorm scheme-3", "rmsnorm scheme-3-flags")
SPILLING = ("execution-model capped-registers",)  # what ptxas spills is in local memory, which no PTX tells
RACING = ("hash_table", "bellman_ford", "union_find", "spin_lock_lanes")
DIVERGENT = ("spmv_csr_scalar", "tree_lookup", "recursive_fibonacci", "half_warps", "layer_norm")
REASONS = {
    **dict.fromkeys(WAITING, "how often it polls the sync flags depends on timing"),
    **dict.fromkeys(RACING, "the work of a thread depends on the progress of the others"),
    **dict.fromkeys(DIVERGENT, "lanes diverge, and ptxas and the hardware decide where they reconverge"),
    "knapsack": "loads before a loop that some warps do not enter; ptxas may load inside",
}
COLLISIONS = ("wavefronts that wait for others, such as copies and cache lines that arrive in the same memory; "
              "not counted here")


def reason_for(case, name):
    """Why a count differs where the machine code has the same operations, as far as it is known."""
    if name.startswith("shared") and case["kind"] == "lab" and case["simulated"][name] < case["hardware"][name]:
        return COLLISIONS
    return REASONS.get(case["name"], "")


def list_differences(cases):
    lines = []
    for case in cases:
        for name in COUNTERS:
            if not meets_goal(case, name):
                reason = case.get("machine_code_differs") or reason_for(case, name)
                lines.append(f"| {case['name']} | {name} | {case['simulated'][name]:,} | "
                             f"{case['hardware'][name]:,.0f} | {reason} |")
    return lines




def is_modelled_alike(case):
    """Nsight Compute empties the caches before each launch; the model keeps them from launch to launch."""
    return len(case["launches"]) == 1 and case["name"] not in (*WAITING, *SPILLING)


def model_table(cases):
    lines = ["| case | L1 read hits, sectors | L2 read, sectors | L2 written, sectors | device read, bytes "
             "| device written, bytes |", "|---|---|---|---|---|---|"]
    for case in cases:
        if "modelled" not in case:
            continue
        cells = [f"{case['modelled'][name]:,} / {case['hardware'][name]:,.0f}" for name in MODELLED]
        lines.append(f"| {case['name']} | {' | '.join(cells)} |")
    return lines if len(lines) > 2 else []


def when(dates):
    """2026-11-22, or what was counted on which day."""
    days = sorted(set(dates.values()))
    if len(days) == 1:
        return f"on {days[0]}"
    return "; ".join(f"{' and '.join(title for kind, title in KINDS.items() if dates.get(kind) == day)} on {day}"
                     for day in days)


def write_document(path, report, command):
    cases = report["cases"]
    same = [case for case in cases if is_comparable(case)]
    lines = ["# The simulator's counters beside the hardware's", "",
             f"Written by `{command}` on one {report['gpu']}: {when(report['dates'])}.", "",
             "Requests and sectors of global memory are to be equal, wavefronts and bank conflicts of shared memory "
             "within 2%, wherever the machine code has the same memory operations as the PTX. Where ptxas has changed "
             "them the two count different programs; such lines are marked in the program, and such cases stand in "
             "a table of their own here.", ""]
    for kind, title in KINDS.items():
        chosen = [case for case in same if case["kind"] == kind]
        if chosen:
            lines += [f"## {title[0].upper()}{title[1:]}: {len(chosen)} cases", "", *table(chosen), ""]
    differences = list_differences(same)
    lines += ["## What does not meet the goal", ""]
    head = ["| case | counter | simulated | hardware | probable reason |", "|---|---|---|---|---|"]
    lines += [*head, *differences, ""] if differences else ["Nothing.", ""]
    changed = [case for case in cases if not is_comparable(case)]
    if changed:
        head = ["| case | counter | simulated | hardware | what ptxas changed |", "|---|---|---|---|---|"]
        lines += [f"## Where ptxas changed the memory operations: {len(changed)} cases", "", *head,
                  *list_differences(changed), ""]
    model = model_table([case for case in cases if is_modelled_alike(case)])
    if model:
        lines += ["## The model of the caches: modelled / hardware", "",
                  "Hit rates and device bytes come from a model of the caches (MODELLED), with the caches empty at the "
                  "start, as Nsight Compute leaves them. The hardware also reads the kernel's code, some kilobytes.",
                  "", *model, ""]
    other = model_table([case for case in cases if not is_modelled_alike(case)])
    if other:
        lines += ["## Modelled otherwise than counted: modelled / hardware", "",
                  "Rungs of several launches, before each of which Nsight Compute empties the caches, rungs whose "
                  "blocks wait for one another, where how often they look is a matter of time, and rungs whose registers "
                  "are spilled to memory. These are no measure of the model.", "", *other, ""]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--out", default="docs/counters.md")
    parser.add_argument("--json")
    parser.add_argument("--only")
    parser.add_argument("--kind", action="append", choices=KINDS, help="only these; all if left out")
    parser.add_argument("--join", help="JSON of an earlier run, for the kinds that are left out")
    arguments = parser.parse_args()
    wanted = arguments.kind or list(KINDS)
    report = {"cases": []}
    count = 0
    for all_kinds, metrics in ((["pattern", "corpus"], COUNTERS), (["lab"], {**COUNTERS, **MODELLED})):
        kinds = [kind for kind in all_kinds if kind in wanted]
        if not kinds:
            continue
        part, launches, messages = measure(arguments.program, kinds, list(metrics.values()), arguments.only)
        if messages:
            print(messages, file=sys.stderr)
        join(part, launches)
        count += len(launches)
        report = {"gpu": part["gpu"], "cases": report["cases"] + part["cases"]}
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    report["dates"] = dict.fromkeys(wanted, today)
    if arguments.join:
        with open(arguments.join, encoding="utf-8") as file:
            earlier = json.load(file)
        if earlier["gpu"] != report["gpu"]:
            sys.exit(f"{arguments.join} is of one {earlier['gpu']}, this machine has one {report['gpu']}")
        kept = [case for case in earlier["cases"] if case["kind"] not in wanted]
        report["cases"] = kept + report["cases"]
        report["dates"].update({case["kind"]: earlier["dates"][case["kind"]] for case in kept})
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump(report, file, indent=1)
    differing = write_document(arguments.out, report, "tools/calibrate_counters.py record_counters")
    print(f"{len(report['cases'])} cases, {count} launches; {differing} counts do not meet the goal")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
