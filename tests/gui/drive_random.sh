#!/bin/bash
# Random input to the real window under Xvfb: keys, clicks, double clicks, drags, the wheel, sizes, languages, labs. The
# program must continue, draw when it is asked to, stay below half of the machine's memory (a large size takes some GB
# while it runs), and not grow: every five minutes it is brought back to the first lab with its default values, where it
# may use at most 1.3 times the memory of the first time.
#
#     tests/gui/drive_random.sh PROGRAM [SECONDS [SEED]]
#
# Prints a line a minute: actions so far, resident memory of the program and its child processes, milliseconds until a
# key press was drawn.
# Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail
export DURATION=${DURATION:-${2:-60}} SEED=${SEED:-${3:-1}} # the script starts itself again under Xvfb
set -- "$1" --lab vector-add
source "$(dirname "$0")/window_driver.sh"
export HOME=$folder
RANDOM=$SEED

expect "the window opens and the first run passes" '"busy":false.*"pass":true'
find_window
width=1600 height=1000
parts() { ps -o comm=,rss= -p "$program" --ppid "$program" | tr -s ' \n' ' '; }
kilobytes() { ps -o rss= -p "$program" --ppid "$program" | awk '{ sum += $1 } END { print sum }'; }
# Processor time used so far, in 10 ms.
ticks() {
  local one sum=0
  for one in $(pgrep -P "$program") "$program"; do
    sum=$((sum + $(awk '{ print $14 + $15 }' "/proc/$one/stat" 2>/dev/null || echo 0)))
  done
  echo $sum
}
# press MARK: clicks it, once it is there.
press() {
  for _ in $(seq 100); do
    grep -q "\"$1\":\[" "$state" 2>/dev/null && { click "$1"; return; }
    sleep 0.2
  done
  return 1
}
# The memory in a state that can be compared: the first lab, its default values, nothing under way.
rest() {
  xdotool mouseup 1 windowsize "$window" 1600 1000
  width=1600 height=1000
  sleep 1
  xdotool key Escape key Escape key Escape key ctrl+0
  sleep 1
  for name in more menu.reset_layout lab.vector-add more menu.reset_lab; do
    press "$name" || return 1
    sleep 1
  done
  xdotool key Escape
  expect "idle in the first lab" '"busy":false' >/dev/null
  local before
  for _ in $(seq 15); do
    before=$(ticks)
    sleep 2
    (($(ticks) - before < 10)) && break # a compilation that nobody waits for any more may still be ending
  done
  kilobytes
}
now_ms() { date +%s%3N; }
alive() { kill -0 "$program" 2>/dev/null || fail "the program ended after $actions actions; the last: ${last[*]}"; }
# drawn: the window draws within 20 seconds when a key is pressed; prints how many milliseconds it took.
drawn() {
  local before start
  start=$(now_ms)
  before=$(wc -l <"$folder/frames")
  xdotool keydown Shift_L keyup Shift_L
  for _ in $(seq 2000); do
    (($(wc -l <"$folder/frames") > before)) && { echo $(($(now_ms) - start)); return; }
    sleep 0.01
  done
  return 1
}

keys=(1 2 3 4 5 6 7 8 space Left Right Up Down Home End Escape F1 F5 d plus minus bracketleft bracketright Tab Return
  BackSpace Delete Page_Up Page_Down ctrl+p ctrl+e ctrl+f ctrl+z ctrl+y ctrl+a ctrl+plus ctrl+minus ctrl+0 shift+Left
  shift+Right ctrl+Home ctrl+End ctrl+g ctrl+h ctrl+j a x 0 semicolon)
wanted_marks='"(lab|rung|tab|slider|value|break|language|theme|auto|run|device|bottom|order|step|splitter|pages|comparison|palette|menu|source|predict|own|card|tiles)[^"]*":\['
actions=0
last=()
act() {
  local x=$((window_x + RANDOM % width)) y=$((window_y + RANDOM % height)) name
  case $((RANDOM % 16)) in
    0 | 1 | 2) last=(key "${keys[RANDOM % ${#keys[@]}]}") ;;
    3 | 4 | 5 | 6 | 7)
      # A thing that can be pressed, wherever it was in the last frame.
      name=$(grep -oE "$wanted_marks" "$state" 2>/dev/null | shuf -n 1 --random-source=<(yes "$RANDOM") | tr -d '":[') || true
      if [[ -n $name ]] && place=$(grep -oE "\"${name//./\\.}\":\[[^]]*\]" "$state" | head -1 | sed -E 's/.*\[(.*)\]/\1/; s/\.[0-9]*//g; s/,/ /g') && [[ -n $place ]]; then
        read -r left top right bottom <<<"$place"
        x=$((window_x + (left + right) / 2)) y=$((window_y + (top + bottom) / 2))
      fi
      last=(mousemove "$x" "$y" click 1)
      ;;
    8 | 9) last=(mousemove "$x" "$y" click 1) ;;
    10) last=(mousemove "$x" "$y" click --repeat 2 --delay 60 1) ;;
    11) last=(mousemove "$x" "$y" mousedown 1 mousemove_relative --sync -- $((RANDOM % 400 - 200)) $((RANDOM % 300 - 150)) mouseup 1) ;;
    12) last=(mousemove "$x" "$y" click --repeat $((1 + RANDOM % 5)) --delay 10 $((4 + RANDOM % 2))) ;;
    13) last=(mousemove "$x" "$y" click 3) ;;
    14) last=(type --delay 5 "$((RANDOM % 5000))") ;;
    15)
      if ((RANDOM % 6 == 0)); then
        width=$((900 + RANDOM % 1000)) height=$((560 + RANDOM % 600))
        last=(windowsize "$window" "$width" "$height")
      else
        last=(mousemove "$x" "$y")
      fi
      ;;
  esac
  # A drag whose pointer cannot move any further would wait for ever.
  timeout 5 xdotool "${last[@]}" 2>/dev/null || xdotool mouseup 1
  actions=$((actions + 1))
}

most=$(awk '/MemTotal/ { print int($2 / 2) }' /proc/meminfo)
start=$SECONDS
next=60
next_rest=${REST_EVERY:-300}
first=0
while ((SECONDS - start < DURATION)); do
  for _ in 1 2 3 4 5 6 7 8 9 10; do act; done
  alive
  if ((SECONDS - start >= next)); then
    milliseconds=$(drawn) || fail "the window did not draw for 20 seconds; the last action: ${last[*]}"
    memory=$(kilobytes)
    echo "$(((SECONDS - start) / 60)) min, $actions actions, $memory KiB, drawn after $milliseconds ms"
    ((memory <= most)) || fail "the program uses $memory KiB"
    next=$((next + 60))
  fi
  if ((SECONDS - start >= next_rest)); then
    memory=$(rest) || fail "it cannot be brought back to the first lab"
    echo "at rest: $memory KiB: $(parts)"
    ((first)) || first=$memory
    ((memory * 10 <= first * 13)) || fail "the program has grown from $first to $memory KiB"
    next_rest=$((next_rest + ${REST_EVERY:-300}))
  fi
done
alive
drawn >"$folder/drawn" || fail "the window did not draw for 20 seconds; the last action: ${last[*]}"
echo "ok: $actions random actions in $((SECONDS - start)) s, seed $SEED; $(kilobytes) KiB, drawn after $(cat "$folder/drawn") ms"
