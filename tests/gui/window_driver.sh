# Functions for scripts that drive the real window under Xvfb; sourced with the program and its arguments as "$@".
# Afterwards $program is the process, $state its state file, $folder a folder of its own that goes with the script.
set -euo pipefail

for tool in xvfb-run xdotool; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
if [ -z "${WINDOW_DRIVER_INSIDE:-}" ]; then
  WINDOW_DRIVER_INSIDE=1 exec xvfb-run -a -s "-screen 0 1920x1200x24" "$0" "$@"
fi

folder=$(mktemp -d)
state=$folder/state.json
# Everything is the script's own but the compiled modules, which are kept from one run of the tests to the next;
# NO_MODULES=1 begins without any.
if [ -z "${NO_MODULES:-}" ]; then
  modules=${XDG_CACHE_HOME:-$HOME/.cache}/tilescope/modules
  mkdir -p "$modules" "$folder/cache/tilescope"
  ln -s "$(readlink -f "$modules")" "$folder/cache/tilescope/modules"
fi
export XDG_CONFIG_HOME=$folder XDG_DOCUMENTS_DIR=$folder XDG_CACHE_HOME=$folder/cache LC_ALL=C.UTF-8 TILESCOPE_FRAME_LOG=$folder/frames
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

# The settings hold PATTERN, after at most 20 seconds; they are written every few seconds.
remembers() { # WHAT PATTERN
  for _ in $(seq 200); do
    tr -d ' \n' <"$folder/tilescope/settings.json" 2>/dev/null | grep -qE "$2" && { echo "ok: the settings hold $1"; return; }
    sleep 0.1
  done
  fail "the settings do not hold $1: $(cat "$folder/tilescope/settings.json" 2>&1)"
}

# left top right bottom of a mark, in pixels of the window.
mark() {
  local place
  place=$(grep -oE "\"$1\":\[[^]]*\]" "$state" | sed -E 's/.*\[(.*)\]/\1/; s/\.[0-9]*//g; s/,/ /g')
  [ -n "$place" ] || fail "there is no mark $1"
  echo "$place"
}
# Waits until the mark stands still: what unfolds or scrolls moves it for a few frames.
click() {
  local found next
  found=$(mark "$1")
  for _ in $(seq 20); do
    sleep 0.25
    next=$(mark "$1")
    [ "$found" = "$next" ] && break
    found=$next
  done
  read -r left top right bottom <<<"$next"
  xdotool mousemove $((window_x + (left + right) / 2)) $((window_y + (top + bottom) / 2))
  sleep 0.1
  xdotool click 1
}

# The window stops drawing: three seconds without a frame, within about half a minute. The last frames of a change can come
# late on a busy machine.
draws_nothing() {
  local before after
  for _ in $(seq 10); do
    before=$(wc -l <"$folder/frames")
    sleep 3
    after=$(wc -l <"$folder/frames")
    [ "$before" = "$after" ] && { echo "ok: $1 draws nothing ($after frames so far)"; return; }
  done
  fail "$1 drew $((after - before)) frames in three seconds"
}

# The window, its place, and the keyboard.
find_window() {
  window=$(xdotool search --name '^Tilescope$' | tail -1)
  eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^[XY]=' | sed 's/^/window_/; s/X=/x=/; s/Y=/y=/')"
  xdotool windowfocus "$window" 2>/dev/null || true
}

# A screenshot, if the script has a folder PICTURES.
picture() {
  [ -n "${pictures:-}" ] || return 0
  mkdir -p "$pictures"
  xwd -silent -id "$window" 2>/dev/null | convert xwd:- "$pictures/$1.png" 2>/dev/null || true
}
# write LINE…: in place of the whole source.
editing=
write() {
  [ -n "$editing" ] || xdotool key ctrl+e
  editing=yes
  xdotool key ctrl+a
  for line; do
    xdotool type --delay 8 "$line"
    xdotool key Return
  done
}
# The keys of the state are in alphabetical order: judging, name, reason, state, …
judged() { # WHAT PATTERN
  expect "$1" "\"judging\":false[^}]*$2"
}
