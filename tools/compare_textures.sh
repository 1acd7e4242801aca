#!/bin/bash
# Compares what texture fetches give in the simulator and on a GPU: one line for each combination of shape, filter,
# addressing, texels and coordinates, with how many of the values differ and by how much at most.
#
#     tools/compare_textures.sh [TILESCOPE] [OUT]
#
# TILESCOPE is the program (./tilescope of the tree if left out); the values go to OUT, as NAME.sim.bin and NAME.gpu.bin.
# The coordinates step through the texture and beyond it by fractions that put some on the edges of texels, and the
# weights of a linear filter between the steps of 1/256. Values that are read as they are have to be the same; those of
# a linear filter may differ in the last bits. The exit status is 1 where something did not run.
set -uo pipefail
root=$(dirname "$(dirname "$(realpath "$0")")")
program=${1:-$root/tilescope}
out=$(realpath -m "${2:-/tmp/compare_textures}")
mkdir -p "$out"
failed=0

case_of() { # NAME TYPE-OF-RESULTS KERNEL TEXTURE [PARAMETER=SPEC]…
  local name=$1 type=$2 kernel=$3 texture=$4 on
  shift 4
  local arguments=() argument
  for argument in "$@"; do arguments+=(--arg "$argument"); done
  local count=1024
  [ "$type" = u32 ] && count=256 # uchar4
  for on in sim gpu; do
    if ! "$program" exec "$root/tests/sim/kernels/textures.cu" --kernel "$kernel" --grid 1 --block 256 --on "$on" \
      --arg "texture=tex:$texture" "${arguments[@]}" --arg "buf:$type:$count:poison:out" --dump "out=$out/$name.$on.bin" \
      >"$out/$name.$on.txt" 2>&1; then
      echo "$name: $on: $(head -n 2 "$out/$name.$on.txt" | tr '\n' ' ')"
      failed=1
      return
    fi
  done
  python3 - "$name" "$type" "$out" "$texture" <<'PYTHON'
import array
import sys

name, kind, folder, texture = sys.argv[1:]
code = {"f32": "f", "i32": "i", "u32": "I"}[kind]
sim, gpu = (array.array(code, open(f"{folder}/{name}.{on}.bin", "rb").read()) for on in ("sim", "gpu"))
channels = 4 if kind != "u32" else 1
differ = [i for i in range(len(sim)) if sim[i] != gpu[i]]
line = f"{name:<26} {texture:<52} {len(differ):4d} of {len(sim)} differ"
if differ:
    worst = max(differ, key=lambda i: abs(sim[i] - gpu[i]))
    line += (f", most in thread {worst // channels} channel {worst % channels}: "
             f"sim {sim[worst]!r} gpu {gpu[worst]!r}")
print(line)
PYTHON
}

over='x=buf:f32:256:iota(-3,0.0625)'        # unnormalized, from -3 to 13: multiples of 1/16
fine='x=buf:f32:256:iota(-1,0.0283203125)'  # multiples of 29/1024: between the steps of the weights
norm='x=buf:f32:256:iota(-2,0.015625)'      # normalized, from -2 to 2
fineN='x=buf:f32:256:iota(-2,0.0166015625)' # multiples of 17/1024
down='y=buf:f32:256:uniform(-2,6)'
downN='y=buf:f32:256:uniform(-2,2)'

case_of point-clamp        f32 one f32x4:8:normal "$over"
case_of point-border       f32 one f32x4:8:normal:border "$over"
case_of point-clamp-norm   f32 one f32x4:8:normal:normalized "$norm"
case_of point-wrap         f32 one f32x4:8:normal:normalized:wrap "$norm"
case_of point-mirror       f32 one f32x4:8:normal:normalized:mirror "$norm"
case_of point-border-norm  f32 one f32x4:8:normal:normalized:border "$norm"
case_of point-wrap-odd     f32 one f32x4:7:normal:normalized:wrap "$fineN"
case_of point-mirror-odd   f32 one f32x4:7:normal:normalized:mirror "$fineN"
case_of channels-1         f32 one f32:8:normal "$over"
case_of channels-2         f32 one f32x2:8:normal "$over"
case_of linear-clamp       f32 one f32x4:8:normal:linear "$over"
case_of linear-fine        f32 one f32x4:8:iota:linear "$fine"
case_of linear-border      f32 one f32x4:8:normal:linear:border "$fine"
case_of linear-wrap        f32 one f32x4:8:normal:linear:normalized:wrap "$norm"
case_of linear-mirror      f32 one f32x4:8:normal:linear:normalized:mirror "$norm"
case_of linear-wrap-odd    f32 one f32x4:7:iota:linear:normalized:wrap "$fineN"
case_of linear-half        f32 one f16x4:8:normal:linear "$fine"
case_of linear-u8          f32 one u8x4:8:iota\(3,8\):linear:float "$fine"
case_of linear-i8          f32 one i8x4:8:iota\(-128,8\):linear:float "$fine"
case_of linear-u16         f32 one u16x4:8:iota\(0,2114\):linear:float "$fine"
case_of linear-i16         f32 one i16x2:8:iota\(-32768,4000\):linear:float "$fine"
case_of fraction-u8        f32 one u8x4:8:uniform:float "$over"
case_of fraction-i8        f32 one i8x4:8:iota\(-128,8\):float "$over"
case_of fraction-i16       f32 one i16x4:8:iota\(-32768,2114\):float "$over"
case_of whole-i32          i32 whole i32x4:8:uniform "$over"
case_of whole-i32-1        i32 whole i32:8:uniform:border "$over"
case_of whole-i16          i32 whole i16x2:8:iota\(-32768,4000\) "$over"
case_of whole-i8           i32 whole i8x4:8:iota\(-128,8\):border "$over"
case_of bytes-u8           u32 bytes u8x4:8:uniform "$over"
case_of plane-point        f32 two f32x4:8x5:normal "$over" "$down"
case_of plane-linear       f32 two f32x4:8x5:normal:linear "$fine" "$down"
case_of plane-linear-wrap  f32 two f32:8x5:normal:linear:normalized:wrap "$fineN" "$downN"
case_of plane-mirror-u8    f32 two u8x4:8x5:uniform:linear:float:normalized:mirror "$fineN" "$downN"
case_of plane-border       f32 two f32x2:8x5:normal:linear:border "$fine" "$down"
case_of plane-level        f32 two_level f32:8x5:normal:linear "$fine" "$down"
case_of plane-gradients    f32 two_gradients f32:8x5:normal:linear "$fine" "$down"
case_of space-point        f32 three f32:8x5x3:normal "$over" "$down" 'z=buf:f32:256:uniform(-1,4)'
case_of space-linear       f32 three f32:8x5x3:normal:linear "$fine" "$down" 'z=buf:f32:256:uniform(-1,4)'
case_of layers-1           f32 one_layered f32:8x3:normal:layered:linear "$fine" 'layer=buf:i32:256:uniform(-1,4)'
case_of layers-2           f32 two_layered f32:8x5x3:normal:layered:linear "$fine" "$down" 'layer=buf:i32:256:uniform(-1,4)'
case_of fetch              f32 fetch f32x4:200:normal:linear-memory 'x=buf:i32:256:iota(-20)'
case_of fetch-1            f32 fetch f32:200:normal:linear-memory 'x=buf:i32:256:iota(-20)'
case_of fetch-u8           f32 fetch u8x4:200:uniform:linear-memory:float 'x=buf:i32:256:iota(-20)'
exit $failed
