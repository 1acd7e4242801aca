#!/usr/bin/env bash
# Builds what counts the points of a file, in the current folder: launch_points, and a cubin for each tile.
#
#     tools/orders/build.sh POINTS.csv [KERNEL]      lines of type,bm,bn,bk,stages,warps,…
#
# KERNEL replaces kernels/grouped_matmul.cu for fp16.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
kernels=$here/../../kernels

nvcc -O2 -std=c++17 "$here/launch_points.cpp" -o launch_points -lcuda
# GROUP_M is a variable of the cubins, so that one serves all orders.
grep -E '^fp' "$1" | cut -d, -f1-6 | sort -u | while IFS=, read -r type bm bn bk stages warps; do
  source=${2:-$kernels/grouped_matmul.cu}
  [[ $type == fp32 ]] && source=$here/matmul_fp32.cu
  nvcc -cubin -arch=native -std=c++17 -O3 -I"$kernels" -include "$here/group.h" -DBM="$bm" -DBN="$bn" -DBK="$bk" \
    -DSTAGES="$stages" -DWARPS="$warps" "$source" \
    -o "$type-$bm-$bn-$bk-$stages-$warps.cubin"
done
