"""The table that Nsight Compute prints with --csv, for the scripts beside this file."""
import csv
import io

UNITS = {"Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6,
         "s": 1e9, "second": 1e9}  # of bytes and nanoseconds; all others are as printed


def read_launches(output):
    """Per launch, in order: the kernel's name, and its metrics in bytes, nanoseconds or as counted."""
    start = output.find('"ID"')
    if start < 0:
        raise RuntimeError("ncu measured nothing:\n" + output[-3000:])
    launches = {}
    for row in csv.DictReader(io.StringIO(output[start:])):
        if not (row.get("ID") or "").isdigit() or not row.get("Metric Name"):
            continue
        launch = launches.setdefault(int(row["ID"]), {"kernel": row["Kernel Name"], "metrics": {}})
        value = float(row["Metric Value"].replace(",", "")) * UNITS.get(row["Metric Unit"], 1)
        launch["metrics"][row["Metric Name"]] = value
    return [launches[number] for number in sorted(launches)]
