#!/usr/bin/env bash
# Counts the device bytes of the points of assets/counters/block-orders.h200.csv on this machine's GPU with Nsight
# Compute, three times in three orders, and writes them as such a file.
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
for round in 1 2 3; do
  grep -E '^fp' "$points" | cut -d, -f1-11 | nl -s, | tr -d ' ' | shuf >"points$round"
  ncu --csv --page raw --print-units base --clock-control none --kernel-name regex:^matmul \
    --metrics dram__bytes_read.sum ./launch_points points$round >"counts$round"
done
python3 "$here/join.py" "$points" counts1 counts2 counts3 >"$out"
