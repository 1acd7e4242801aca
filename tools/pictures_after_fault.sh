#!/bin/bash
# Tells which pictures are right on a GPU before and after a kernel has faulted, and where OpenGL waits: each case is a
# process of its own that prints every step with its times (tools/picture_probe.cpp says what the steps are).
#
#     tools/pictures_after_fault.sh FOLDER [OUT]
#
# FOLDER has the programs (build/release, configured with -DTILESCOPE_BENCH=ON); pictures of the window go to OUT. Needs
# a display that the GPU draws. At most four minutes. CUDA-OpenGL interop may be broken on the machine afterwards, until
# it starts again: run it where nobody minds, and on a machine where no kernel has faulted yet.
set -uo pipefail
programs=$(realpath "${1:?usage: pictures_after_fault.sh FOLDER [OUT]}")
out=$(realpath -m "${2:-.}")
export TILESCOPE_ROOT=${TILESCOPE_ROOT:-$(dirname "$(dirname "$(realpath "$0")")")}
mkdir -p "$out"
start=$(date +%s%N)
seconds_in_all=235

elapsed() { echo $((($(date +%s%N) - start) / 1000000000)); }
limit_of() { # SECONDS: as many, or as many as are left
  local left=$((seconds_in_all - $(elapsed)))
  echo $((left < $1 ? left : $1))
}

case_of() { # NAME SECONDS STEP…
  local name=$1 limit
  limit=$(limit_of "$2")
  shift 2
  ((limit > 3)) || { echo "== $(elapsed) s  $name: no time left"; return; }
  echo "== $(elapsed) s  $name"
  timeout --signal=KILL "$limit" "$programs/picture_probe" "$@" 2>&1
  local status=$?
  [ $status -eq 0 ] || echo "  ended with status $status at $(elapsed) s"
}

# A picture that lacks its heat maps is a smaller file.
shot_of() { # NAME SECONDS [VARIABLE=VALUE]…
  local name=$1 limit file=$out/$1.png
  limit=$(limit_of "$2")
  shift 2
  ((limit > 3)) || { echo "== $(elapsed) s  window $name: no time left"; return; }
  echo "== $(elapsed) s  window $name $*"
  local before
  before=$(date +%s%N)
  env "$@" timeout --signal=KILL "$limit" "$programs/tilescope" shot vector-add --on gpu --panel correctness \
    --out "$file" 2>&1 | sed 's/^/  /'
  echo "  took $((($(date +%s%N) - before) / 1000000)) ms, $(stat --format=%s "$file" 2>/dev/null || echo no) bytes"
}

echo "# $(date -u +%FT%TZ)"
nvidia-smi --query-gpu=name,driver_version,compute_mode,mig.mode.current --format=csv,noheader 2>/dev/null
drawing=(maps texture buffer:16384 buffer:4194304 maps)

echo "# No kernel has faulted"
case_of "OpenGL alone" 20 window "${drawing[@]}"
case_of "beside a CUDA context" 20 window cuda ask "${drawing[@]}"
case_of "beside a trial" 20 window trial maps wait:1 maps end "${drawing[@]}"
case_of "after interop" 20 window cuda interop again close "${drawing[@]}"
shot_of before 30

echo "# A kernel faults"
# A process that was there before and has nothing to do with CUDA draws again after the next case.
bystander_log=$(mktemp)
coproc BYSTANDER { timeout --signal=KILL 150 "$programs/picture_probe" window maps line "${drawing[@]}" >"$bystander_log" 2>&1; }
bystander=$BYSTANDER_PID
sleep 1
case_of "in a process that uses interop: another context of it, a new one, and that of interop" 75 \
  --limit 34 window window cuda context:0 interop context:1 maps context:0 fault context:1 "${drawing[@]}" \
  window "${drawing[@]}" context:0 maps again "${drawing[@]}"
echo "== $(elapsed) s  in a process that was there before, without CUDA"
echo >&"${BYSTANDER[1]}"
for _ in $(seq 100); do
  kill -0 "$bystander" 2>/dev/null || break
  sleep 0.1
done
cat "$bystander_log"
rm -f "$bystander_log"

echo "# After the fault, in new processes"
case_of "OpenGL alone" 34 --limit 30 window "${drawing[@]}"
case_of "beside a CUDA context" 34 --limit 30 window cuda "${drawing[@]}" ask "${drawing[@]}"
case_of "before and after another fault, without interop" 34 --limit 30 window cuda maps fault "${drawing[@]}"
shot_of copy 50 TILESCOPE_PICTURE=copy
case_of "beside a trial that is then killed" 30 --limit 25 window maps trial wait:3 maps kill maps wait:1 "${drawing[@]}"
shot_of default 50
case_of "beside a trial that ends by itself" 60 --limit 50 window trial wait:1 maps wait:3 maps end "${drawing[@]}"
case_of "through interop" 40 --limit 35 window:robust cuda interop "${drawing[@]}"
echo "# $(elapsed) s in all"
