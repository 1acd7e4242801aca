#!/bin/bash
# Exercises in the real window, by keyboard and mouse: one from the stub to all goals, with a wrong text on the way, a
# version restored, and a kill -9 while typing; and a debug exercise.
#
#     [PICTURES=FOLDER] [TONGUE=zh] tests/gui/drive_exercise.sh PROGRAM
#
# With a folder PICTURES, and xwd and convert installed, it leaves screenshots there. TONGUE is the window's language.
# Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail
pictures=${PICTURES:-}
set -- "$1" --lab vector-add --language "${TONGUE:-en}"
source "$(dirname "$0")/window_driver.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

start_again() {
  kill -9 "$program"
  wait "$program" 2>/dev/null || true
  rm -f "$state"
  "$tilescope" --state-file "$state" >"$folder/output" 2>&1 &
  program=$!
  trap 'kill "$program" 2>/dev/null || true; rm -rf "$folder"' EXIT
}

tilescope=$1
expect "the window opens and the first run passes" '"busy":false.*"pass":true'
find_window
click exercises_1
expect "the exercises of stage 1 unfold" '"exercise.add-ten"'
click exercise.add-ten
expect "the task is shown" '"exercise":\{[^}]*"name":"add-ten"'
settled "the stub's run"
picture task
xdotool key ctrl+Return
judged "the stub is refused" '"reason":"result"'
picture stub
click hint
expect "a hint is shown" '"hints":1'

write '// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)' \
  '__global__ void add_ten(const float* a, float* out, int n) { out[blockIdx.x * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x] + 10; }'
xdotool key ctrl+Return
judged "without its mask it is refused, by a finding" '"reason":"out-of-bounds"'
picture finding

write '// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)' \
  '__global__ void add_ten(const float* a, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) out[i] = a[i] + 10; }'
xdotool key ctrl+Return
judged "the right kernel meets every goal" '"reason":"","state":3'
expect "every judged text is a version" '"versions":3'
picture goals
write '// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)' \
  '__global__ void add_ten(const float* a, float* out, int n) { volatile int go = 1; while (go) { } }'
xdotool key ctrl+Return
judged "a kernel that never ends is stopped" '"reason":"(time|step-limit|deadlock)"'
click version_2
expect "the second version is restored" '"edited":"[^"]*threadIdx.x\] = a'

click source.line.1 # the editor is open, and gets the keys again
write '// kept while typing'
for _ in $(seq 600); do grep -rqs 'kept while typing' "$folder/tilescope/edits" && break; sleep 0.1; done
start_again
expect "a killed window opens the exercise again, with its text" '"edited":"// kept while typing.*"name":"add-ten".*"state":3'
judged "it also has the outcome of the last judgement" '"reason":"(time|step-limit|deadlock)"'
picture restart
settled "the restart"
find_window
editing=

grep -q '"exercise.debug-saxpy"' "$state" || click exercises_1 # what was unfolded is remembered, a moment later
expect "the exercises are listed" '"exercise.debug-saxpy"'
click exercise.debug-saxpy
expect "a debug exercise is shown" '"name":"debug-saxpy"'
settled "its run"
picture bug
click source.line.18
expect "the line is chosen" '"bug_found":false'
click bug.kind
sleep 0.5
click bug.kind.missing-bounds-check
sleep 0.5
click bug_answer
expect "the bug is found" '"bug_found":true'
write '// Launch: saxpy<<<ceil(n / 256), 256>>>(alpha, x, y, out, n)' \
  '__global__ void saxpy(float alpha, const float* x, const float* y, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) out[i] = alpha * x[i] + y[i]; }'
xdotool key ctrl+Return
judged "the mended kernel meets every goal" '"reason":"","state":3'
picture mended
