#!/bin/bash
# What is typed in the window and saved in no file is there again after the process was killed: in a lab's kernel and in
# a file of one's own. And the window comes back where it was.
#
#     tests/gui/drive_edits.sh PROGRAM
#
# Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail
set -- "$1" --lab vector-add
source "$(dirname "$0")/window_driver.sh"

start_again() { # ARGUMENTS…
  kill -9 "$program"
  wait "$program" 2>/dev/null || true
  rm -f "$state"
  "$tilescope" "$@" --state-file "$state" >"$folder/output" 2>&1 &
  program=$!
  trap 'kill "$program" 2>/dev/null || true; rm -rf "$folder"' EXIT
}
# edit TEXT: at the start of the source. The keys wait for nothing: those that arrive while a frame is drawn keep their
# order and their modifiers.
edit() {
  xdotool key ctrl+e
  xdotool key ctrl+Home
  xdotool type --delay 30 "$1"
}
# edit_in_one_frame TEXT: the same keys, all within one frame that takes long.
edit_in_one_frame() {
  kill -STOP "$program"
  edit "$1" || echo "xdotool failed" # a stopped program would outlive the script
  kill -CONT "$program"
}

tilescope=$1
expect "the window opens and the first run passes" '"busy":false.*"pass":true'
find_window
edit '// kept of the lab'
expect "the edit is taken over at a pause" '"edited":"// kept of the lab'
for _ in $(seq 50); do grep -rqs 'kept of the lab' "$folder/tilescope/edits" && break; sleep 0.1; done
start_again --lab vector-add
expect "a killed window has the lab's edit again" '"edited":"// kept of the lab.*"message":"Unsaved edits'
settled "the restart"

cat >"$folder/own.cu" <<'CUDA'
__global__ void twice(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
CUDA
start_again "$folder/own.cu"
expect "a file of one's own opens" '"own":\{.*"kernel":"twice"'
settled "the own file"
find_window
edit_in_one_frame '// kept of the file'
expect "its edit is taken over at a pause" '"edited":"// kept of the file'
click lab.vector-multiply
expect "another lab is shown" '"lab":"vector-multiply"'
start_again "$folder/own.cu"
expect "a killed window has the file's edit again" '"edited":"// kept of the file'
grep -q 'kept of the file' "$folder/own.cu" && fail "the file itself was written"
settled "the second restart"

# Saved, it is no edit any more.
find_window
xdotool key ctrl+e ctrl+s
expect "a saved file has no edit" '"edited":null'
grep -q 'kept of the file' "$folder/own.cu" || fail "Ctrl+S did not write the file"
for _ in $(seq 50); do grep -rqs 'kept of the file' "$folder/tilescope/edits" || break; sleep 0.1; done
grep -rqs 'kept of the file' "$folder/tilescope/edits" && fail "a saved edit is still kept beside the file"

# Size and place.
xdotool windowsize --sync "$window" 1300 820 windowmove --sync "$window" 40 30
xdotool key ctrl+plus
expect "the scale goes up" '"scale":1.125'
remembers "the scale" '"scale":1.125'
remembers "the size and the place" '"window":\{"height":820,"left":40,"maximised":false,"top":30,"width":1300\}'
start_again --lab vector-add
expect "the scale is remembered" '"scale":1.125'
settled "the third restart"
find_window
eval "$(xdotool getwindowgeometry --shell "$window")"
((WIDTH == 1300 && HEIGHT == 820 && X == 40 && Y == 30)) || fail "the window is $WIDTH×$HEIGHT at $X, $Y"
echo "ok: the window is as large and stands where it was"
