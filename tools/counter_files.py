"""Files of hardware counters that the program shows (assets/counters, read by engine/bench/counters.hpp).

A file holds sets of one kernel on one GPU each; a set has a row for each launch that was counted.
"""
import json
import os
import time

FORMAT = 1  # RecordedCounters::kFormat
LAB = "grouped-order"


def counter_row(figures, rung, group, blocks_per_multiprocessor, values):
    """One launch. `figures`: the counters by their names, those that are missing were not counted; `values`: sizes and
    parameters by their names."""
    order = "hilbert" if rung == "hilbert" else "row-major" if rung == "row-major" or group == 1 else "grouped"
    return {
        "sizes": {name: values[name] for name in "MNK"},
        "params": {name: values[name] for name in ("BM", "BN", "BK", "STAGES", "WARPS")},
        "order": order,
        "group": group if order == "grouped" else 0,
        "blocks_per_multiprocessor": blocks_per_multiprocessor,
        "device_bytes_read": round(figures["device_bytes_read"]),
        "l2_bytes": round(figures.get("l2_bytes", 0)),
        "l2_hit_rate": round(figures.get("l2_hit_rate_percent", 0) / 100, 4),
        "nanoseconds": round(figures.get("nanoseconds", 0)),
    }


def own_set(gpu, rows, command, date=None):
    """Of the lab's own kernel."""
    return {
        "gpu": gpu,
        "date": date or time.strftime("%Y-%m-%d", time.gmtime()),
        "tool": "Nsight Compute",
        "command": command,
        "name": "Tilescope",
        "kernel": "kernels/grouped_matmul.cu",
        "own_kernel": True,
        "rows": rows,
    }


def with_set(document, new):
    """The document with the set in the place of one of the same kernel and GPU."""
    sets = [one for one in document.get("sets", []) if (one["gpu"], one["name"]) != (new["gpu"], new["name"])]
    return {"format": FORMAT, "lab": LAB, "sets": sets + [new]}


def counters_text(document):
    """JSON with a line for each row, so that a change of one row is a change of one line."""
    lines = ["{", f' "format": {document["format"]},', f' "lab": {json.dumps(document["lab"])},', ' "sets": [']
    for number, one in enumerate(document["sets"]):
        lines.append("  {")
        lines += [f"   {json.dumps(name)}: {json.dumps(value)}," for name, value in one.items() if name != "rows"]
        lines.append('   "rows": [')
        lines += [f"    {json.dumps(row)}{',' if i + 1 < len(one['rows']) else ''}" for i, row in enumerate(one["rows"])]
        lines += ["   ]", "  }" + ("," if number + 1 < len(document["sets"]) else "")]
    return "\n".join(lines + [" ]", "}"]) + "\n"


def write_counters(path, new):
    """Puts a set into a file; its other sets stay."""
    document = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if document.get("format") != FORMAT or document.get("lab") != LAB:
            raise ValueError(f"{path} holds no counters of {LAB} in format {FORMAT}")
    beside = path + ".partial"
    with open(beside, "w", encoding="utf-8") as file:
        file.write(counters_text(with_set(document, new)))
    os.replace(beside, path)
