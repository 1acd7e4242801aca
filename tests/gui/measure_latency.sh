#!/bin/bash
# From the slider to the picture, in any lab: moves of sliders with a real pointer, from an empty compile cache. Prints
# the median and the 95th percentile of the time from the request to the frame that shows its result, in milliseconds. A
# measurement, not a test: it passes whatever it finds.
#
#     tests/gui/measure_latency.sh PROGRAM                                         vector-add's tiles-per-cta
#     SLIDERS="BM=2 BN=3 GROUP_M=7" tests/gui/measure_latency.sh PROGRAM --lab grouped-order --rung grouped
#
# SLIDERS: those that are moved in turn, each with the number of places on its track that are pressed, evenly spaced.
# MOVES: how many are measured, 50 if left out. FIRST: how many are made before those and not measured, so that what
# they compile is in the cache. A press that changes nothing, or to values that the
# lab refuses, does not count. A slider has to be in sight when the window opens.
set -euo pipefail
[ $# -gt 1 ] || set -- "$1" --lab vector-add --rung tiles-per-cta
export NO_MODULES=1
source "$(dirname "$0")/window_driver.sh"

read -ra sliders <<<"${SLIDERS:-BLOCK=6 TILES=5}"
expect "the window opens and the first run passes" '"busy":false.*"pass":true' >/dev/null
find_window

# A press on the track of slider $1 at place $2 of $3 sets the value there.
press_track() {
  local left top right bottom
  read -r left top right bottom <<<"$(mark "slider.$1")"
  xdotool mousemove $((window_x + left + 7 + (right - left - 14) * $2 / ($3 - 1))) $((window_y + (top + bottom) / 2))
  sleep 0.05
  xdotool click 1
}
values() { grep -oE '"(params|sizes)":\{[^}]*\}' "$state"; }
# The values that are set are those of the picture: each stands there twice.
shown() {
  grep -qE '"busy":false.*"stale":false' "$state" && [ -z "$(values | sort | uniq -u)" ]
}

# The lab refuses these values, as a tile with more accumulators than registers: no move, as nothing runs.
refused() { grep -qE '"busy":false' "$state" && ! grep -qE '"error":("",|null)' "$state"; }

moves=${MOVES:-50}
first=${FIRST:-0}
press=0
: >"$folder/latencies"
while [ "$(wc -l <"$folder/latencies")" -lt $((first + moves)) ]; do
  slider=${sliders[$((press % ${#sliders[@]}))]}
  places=${slider#*=}
  [ "$press" -lt $((20 * (first + moves))) ] || fail "the sliders do not move"
  before=$(values | sort -u)
  # Another place each time, by steps that visit all of them.
  press_track "${slider%=*}" $((press / ${#sliders[@]} * (places - 1) % places)) "$places"
  press=$((press + 1))
  sleep 0.15
  for _ in $(seq 1500); do
    shown || refused && break
    sleep 0.02
  done
  refused && continue
  shown || fail "press $press on ${slider%=*}"
  [ "$before" != "$(values | sort -u)" ] || continue
  grep -oE '"latency_ms":[0-9.]*' "$state" | cut -d: -f2 >>"$folder/latencies"
done
tail -n "$moves" "$folder/latencies" | sort -n | awk -v n="$moves" '
  { value[NR] = $1 }
  END { printf "%d moves: median %.1f ms, 95th percentile %.1f ms, worst %.1f ms\n", n, value[int((n + 1) / 2)], value[int(n * 0.95 + 0.5)], value[n] }'
sort -n "$folder/frames" | awk '
  { value[NR] = $1 }
  END { printf "%d frames: median %.1f ms, 95th percentile %.1f ms\n", NR, value[int((NR + 1) / 2)], value[int(NR * 0.95 + 0.5)] }'
