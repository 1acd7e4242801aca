#!/bin/bash
# A CUDA file of one's own in the real window, under Xvfb with a real pointer and keyboard: it runs, its form is typed
# into, it changes on disk meanwhile, breaks, disappears and comes back; another one is opened from the dialog.
#
#     tests/gui/drive_own_file.sh PROGRAM
#
# Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail
if [ -z "${OWN_FOLDER:-}" ]; then
  export OWN_FOLDER=$(mktemp -d)
  cat >"$OWN_FOLDER/scale.cu" <<'CUDA'
__global__ void scale(const float* x, float* y, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
CUDA
  cat >"$OWN_FOLDER/twice.cu" <<'CUDA'
__global__ void twice(float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}
CUDA
fi
set -- "$1" "$OWN_FOLDER/scale.cu"
source "$(dirname "$0")/window_driver.sh"
trap 'kill "$program" 2>/dev/null || true; rm -rf "$folder" "$OWN_FOLDER"' EXIT

# Types into a field of the form, in the place of what it holds. On a loaded machine keys are lost that are down for less than a frame.
type_into() {
  for _ in 1 2 3 4; do
    click "field.$1"
    sleep 0.3
    xdotool keydown ctrl keydown a
    sleep 0.3
    xdotool keyup a keyup ctrl
    sleep 0.2
    xdotool type --delay 60 "$2"
    for _ in $(seq 30); do
      grep -qF "\"$1\":\"$2\"" "$state" && return
      sleep 0.1
    done
  done
  fail "typing $2 into $1"
}

expect "the file runs by itself" '"busy":false.*"kernel":"scale".*"blocks":256,.*"findings":0,.*"stale":false'
find_window

type_into block.x 128
expect "the grid follows the block" '"blocks":512,.*"findings":0,'
settled "the block"
type_into grid.x 0
expect "a grid of nothing is wrong at its field" '"problems":\{"grid.x":"sandbox.too_small"\}'
expect "and the last result stays, stale" '"blocks":512,.*"stale":true'
type_into grid.x 'ceil(n/block.x)'
expect "the form is right again" '"problems":\{\}'
settled "the grid"

sed -i 's/factor \* x\[i\]/factor * x[i] + 1/; s/int n)/int n, float unused)/' "$OWN_FOLDER/scale.cu"
expect "a change on disk is read: another parameter" '"unused.value":"2"'
settled "the change"
expect "and the form is kept" '"block.x":"128"'

head -c 60 "$OWN_FOLDER/twice.cu" >"$OWN_FOLDER/half.cu"
cp "$OWN_FOLDER/scale.cu" "$OWN_FOLDER/whole.cu"
cp "$OWN_FOLDER/half.cu" "$OWN_FOLDER/scale.cu"
expect "half a file does not compile, and the result stays" '"error":"[^"]*scale.cu.*"stale":true'
cp "$OWN_FOLDER/whole.cu" "$OWN_FOLDER/scale.cu"
expect "the whole one does again" '"error":null.*"stale":false'

rm "$OWN_FOLDER/scale.cu"
expect "a file that is gone is noticed" '"gone":true'
cp "$OWN_FOLDER/whole.cu" "$OWN_FOLDER/scale.cu"
expect "and so is its return" '"gone":false'
settled "its return"

click own.open
expect "the dialog lists the folder" '"dialog.entry.twice.cu"'
xdotool type "twi"
xdotool key Tab
sleep 0.3
xdotool key Return
expect "Tab completes and Enter opens" '"kernel":"twice".*"findings":0,.*"rung":"twice"'
settled "the other file"
expect "the rail lists both" '"own.1".*"own.2"'
click own.1
expect "and leads back" '"kernel":"scale"'
settled "going back"

# An idle window draws nothing, though the file is watched.
xdotool mousemove $((window_x + 700)) $((window_y + 60))
draws_nothing "an idle window that watches a file"
