#!/bin/bash
# From the slider to the picture: 50 moves of the block size and the tiles per CTA with a real pointer, from an empty
# compile cache. Prints the median and the 95th percentile of the time from the request to the frame that shows its
# result, in milliseconds. A measurement, not a test: it passes whatever it finds.
#
#     tests/gui/measure_latency.sh PROGRAM [ARGUMENTS …]
set -euo pipefail
source "$(dirname "$0")/window_driver.sh"

expect "the window opens and the first run passes" '"busy":false.*"pass":true' >/dev/null
find_window
click rung.tiles-per-cta
expect "the rung is run" '"result":\{.*"rung":"tiles-per-cta"' >/dev/null

# A press on the track, away from the handle, sets the value there.
press_track() {
  local left top right bottom
  read -r left top right bottom <<<"$(mark "$1")"
  xdotool mousemove $((window_x + left + 7 + (right - left - 14) * $2 / $3)) $((window_y + (top + bottom) / 2))
  sleep 0.05
  xdotool click 1
}

moves=${MOVES:-50}
move=0
: >"$folder/latencies"
while [ "$(wc -l <"$folder/latencies")" -lt "$moves" ]; do
  block=$((32 << (move * 5 % 6)))
  tiles=$((1 << (move * 3 % 5)))
  for part in block tiles; do
    if [ $part = block ]; then press_track slider.BLOCK $((move * 5 % 6)) 5; else press_track slider.TILES $((move * 3 % 5)) 4; fi
    for _ in $(seq 300); do
      grep -qE '"busy":false.*"stale":false' "$state" && break
      sleep 0.02
    done
  done
  expect "move $move" "\"busy\":false.*\"params\":\{\"BLOCK\":$block,\"TILES\":$tiles,.*\"result\":\{.*\"params\":\{\"BLOCK\":$block,\"TILES\":$tiles,.*\"stale\":false" >/dev/null
  grep -oE '"latency_ms":[0-9.]*' "$state" | cut -d: -f2 >>"$folder/latencies"
  move=$((move + 1))
done
sort -n "$folder/latencies" | awk -v n="$moves" '
  { value[NR] = $1 }
  END { printf "%d moves: median %.1f ms, 95th percentile %.1f ms, worst %.1f ms\n", n, value[int((n + 1) / 2)], value[int(n * 0.95 + 0.5)], value[n] }'
sort -n "$folder/frames" | awk '
  { value[NR] = $1 }
  END { printf "%d frames: median %.1f ms, 95th percentile %.1f ms\n", NR, value[int((NR + 1) / 2)], value[int(NR * 0.95 + 0.5)] }'
