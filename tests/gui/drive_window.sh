#!/bin/bash
# Drives the real window with a real pointer and keyboard, under Xvfb: drags the block-size slider, switches rung and
# language, types a size, breaks the kernel, and checks in the state file that the values and the result followed.
#
#     tests/gui/drive_window.sh PROGRAM [ARGUMENTS …]
#
# Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail

for tool in xvfb-run xdotool; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
if [ -z "${DRIVE_WINDOW_INSIDE:-}" ]; then
  DRIVE_WINDOW_INSIDE=1 exec xvfb-run -a -s "-screen 0 1920x1200x24" "$0" "$@"
fi

folder=$(mktemp -d)
state=$folder/state.json
export XDG_CONFIG_HOME=$folder LC_ALL=C.UTF-8 TILESCOPE_FRAME_LOG=$folder/frames
"$@" --state-file "$state" >"$folder/output" 2>&1 &
program=$!
trap 'kill "$program" 2>/dev/null || true; rm -rf "$folder"' EXIT

fail() {
  echo "FAILED: $1"
  echo "state: $(cat "$state" 2>/dev/null)"
  echo "program's output: $(cat "$folder/output")"
  exit 1
}

# The state holds PATTERN, after at most 60 seconds.
expect() {
  for _ in $(seq 600); do
    grep -qE "$2" "$state" 2>/dev/null && { echo "ok: $1"; return; }
    kill -0 "$program" 2>/dev/null || fail "$1: the program ended"
    sleep 0.1
  done
  fail "$1"
}
# Nothing is under way and the picture is that of the values.
settled() { expect "settled after $1" '"busy":false.*"stale":false'; }

# left top right bottom of a mark, in pixels of the window.
mark() {
  local place
  place=$(grep -oE "\"$1\":\[[^]]*\]" "$state" | sed -E 's/.*\[(.*)\]/\1/; s/\.[0-9]*//g; s/,/ /g')
  [ -n "$place" ] || fail "there is no mark $1"
  echo "$place"
}
click() {
  read -r left top right bottom <<<"$(mark "$1")"
  xdotool mousemove $((window_x + (left + right) / 2)) $((window_y + (top + bottom) / 2))
  sleep 0.1
  xdotool click 1
}

expect "the window opens and the first run passes" '"busy":false.*"pass":true'
window=$(xdotool search --name '^Tilescope$' | tail -1)
eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^[XY]=' | sed 's/^/window_/; s/X=/x=/; s/Y=/y=/')"
xdotool windowfocus "$window" 2>/dev/null || true

# Drag the block size to its right end.
read -r left top right bottom <<<"$(mark slider.BLOCK)"
y=$((window_y + (top + bottom) / 2))
xdotool mousemove $((window_x + left + (right - left) * 6 / 10)) "$y"
sleep 0.1
xdotool mousedown 1
for part in 7 8 9 10; do
  xdotool mousemove $((window_x + left + (right - left) * part / 10 - 2)) "$y"
  sleep 0.05
done
xdotool mouseup 1
expect "the slider follows the pointer" '"params":\{"BLOCK":1024,[^}]*\},"result":\{.*"params":\{"BLOCK":1024,'
settled "the drag"

click rung.grid-stride
expect "the rung is switched and run" '"result":\{.*"rung":"grid-stride"'
settled "the rung"

click language.zh
expect "the language is Chinese" '"language":"zh"'
click language.en
expect "the language is English again" '"language":"en"'

xdotool key 3
expect "key 3 chooses the third tab" '"tab":2'
xdotool key 2
expect "key 2 chooses the second tab" '"tab":1'

# Type a size: double-click on the value.
click value.n
xdotool click 1
sleep 0.5
xdotool key ctrl+a
xdotool type 5000
xdotool key Return
expect "a size can be typed" '"checked":5000,.*"sizes":\{"n":5000\}'
settled "the size"

click break.DROP_MASK
expect "a planted bug has findings" '"broken":\["DROP_MASK"\].*"findings":[1-9]'
click break.DROP_MASK
expect "and is gone without it" '"broken":\[\].*"findings":0.*"pass":true'

# An idle window draws nothing.
xdotool mousemove $((window_x + 700)) $((window_y + 60))
settled "everything"
sleep 1
before=$(wc -l <"$folder/frames")
sleep 2
after=$(wc -l <"$folder/frames")
[ "$before" = "$after" ] || fail "an idle window drew $((after - before)) frames in two seconds"
echo "ok: an idle window draws nothing ($after frames so far)"

# The values are remembered.
sleep 5
xdotool mousemove $((window_x + 705)) $((window_y + 60))
for _ in $(seq 50); do
  grep -q '"rung": "grid-stride"' "$folder/tilescope/settings.json" 2>/dev/null && break
  sleep 0.2
done
grep -q '"rung": "grid-stride"' "$folder/tilescope/settings.json" || fail "the settings do not hold the rung"
echo "ok: the settings hold the rung"
