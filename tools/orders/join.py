#!/usr/bin/env python3
"""join.py POINTS.csv COUNTS…: the points with what Nsight Compute counted in each round, for count.sh."""
import csv
import sys


def counts(name):
    """By number of the point: bytes read. The launcher prints a point's number when it has launched it."""
    with open(name, encoding="utf-8") as file:
        lines = file.read().splitlines()
    numbers = [int(line.split()[1]) for line in lines if line.startswith("launched ")]
    rows = list(csv.reader(line for line in lines if line.startswith('"')))
    column = rows[0].index("dram__bytes_read.sum")
    values = [int(float(row[column].replace(",", ""))) for row in rows[2:]]
    if len(values) != len(numbers):
        sys.exit(f"{name}: {len(values)} launches were profiled of {len(numbers)}")
    return dict(zip(numbers, values))


def main():
    rounds = [counts(name) for name in sys.argv[2:]]
    number = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            if not line.startswith("fp"):
                print(line, end="")
                continue
            number += 1
            cells = line.strip().split(",")
            print(",".join(cells[:11] + [str(one[number]) for one in rounds] + cells[-1:]))


main()
