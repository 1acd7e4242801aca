#!/usr/bin/env bash
# Counts the device bytes of the points of assets/counters/block-orders.h200.csv on this machine's GPU with Nsight
# Compute, and writes them as such a file: three times with the clock left alone, so that it falls during a launch, and
# three times with the clock locked, each time in a different order.
#
#     tools/orders/count.sh OUT.csv [POINTS.csv]      POINTS.csv: a file with the points; counts are left out
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
root=$here/../..
out=$(readlink -m "$1")
points=$(readlink -f "${2:-$root/assets/counters/block-orders.h200.csv}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$here/build.sh" "$points"
count() { # NAME CLOCK_CONTROL
  grep -E '^fp' "$points" | cut -d, -f1-11 | nl -s, | tr -d ' ' | shuf >points
  ncu --csv --page raw --print-units base --clock-control "$2" --kernel-name regex:^matmul \
    --metrics dram__bytes_read.sum ./launch_points points >"$1"
}
for round in 1 2 3; do
  count "falling_$round" none
  count "steady_$round" base
done
python3 "$here/join.py" "$points" falling_[123] steady_[123] >"$out"
