#!/usr/bin/env python3
"""join.py POINTS.csv COUNTS…: the points with what Nsight Compute counted in each round, for count.sh. A column of counts
has the name of its file."""
import csv
import sys

POINT = 12  # columns that describe a point: type to group, kept_out


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
    rounds = {name: counts(name) for name in sys.argv[2:]}
    number = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        for line in file:
            cells = line.strip().split(",")
            if line.startswith("type,"):
                print(",".join(cells[:POINT] + list(rounds)))
            elif line.startswith("fp"):
                number += 1
                print(",".join(cells[:POINT] + [str(one[number]) for one in rounds.values()]))
            else:
                print(line, end="")


main()
