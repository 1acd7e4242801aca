#!/bin/bash
# Taps of 5 to 60 milliseconds on every kind of control of the real window, under Xvfb. After each, the control must have
# done its work, and the picture that stands must be the one that another frame would draw.
#
#     tests/gui/drive_taps.sh PROGRAM [TAPS]
#
# Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail
# Most of the time it waits: without --thorough there are fewer.
usual=48
[[ -z ${TILESCOPE_THOROUGH:-} ]] || usual=200
export TAPS=${TAPS:-${2:-$usual}} # the script starts itself again under Xvfb
set -- "$1" --lab vector-add
source "$(dirname "$0")/window_driver.sh"
RANDOM=11 # the same taps every time

expect "the window opens and the first run passes" '"busy":false.*"pass":true'
find_window

# A key that does nothing makes the window draw.
draw_again() {
  xdotool keydown Shift_L keyup Shift_L
  keys=$((keys + 2))
  stands
}
picture() { grep -oE '"picture":"[0-9a-f]+"' "$state"; }
field() { grep -oE "\"$1\":(\"[^\"]*\"|[a-z0-9.]+|\[[^]]*\])" "$state" | head -1 | sed -E 's/^"[^"]*"://; s/"//g'; }

# Until the window has seen all button and key events that were sent, waits for more, and its picture has stood for 0.3
# seconds: what a worker finds out later also comes without an event.
buttons=0 keys=0
stands() {
  local last='' now
  for _ in $(seq 200); do
    at_rest
    now=$(picture)
    [[ $now == "$last" ]] && return
    last=$now
    sleep 0.3
  done
  fail "the picture never stands still"
}
# Where runs do not start by themselves, a result of an earlier rung stays.
at_rest() {
  for _ in $(seq 1200); do
    grep -qE "\"busy\":false.*\"idle\":true,\"input\":\{\"buttons\":$buttons,\"keys\":$keys\}" "$state" &&
      grep -qE '"stale":false|"auto_run":false' "$state" && return
    sleep 0.05
  done
  fail "the window does not come to rest"
}

# tap NAME: the pointer comes, a button goes down and up, whatever the window is doing.
tap() {
  local left top right bottom
  read -r left top right bottom <<<"$(mark "$1")"
  xdotool mousemove $((window_x + (left + right) / 2)) $((window_y + (top + bottom) / 2)) \
    mousedown 1 sleep "0.0$2" mouseup 1
  buttons=$((buttons + 2))
  stands
}

labs=(vector-add vector-multiply transpose softmax)
lengths=(05 10 15 20 25 30 35 40 45 50 55 60)
stale=0 lost=0
for number in $(seq "$TAPS"); do
  length=${lengths[RANDOM % ${#lengths[@]}]}
  before=$(grep -oE '"broken":\[[^]]*\]|"light":[a-z]+' "$state")
  case $((RANDOM % 7)) in
    0 | 1) lab=${labs[RANDOM % ${#labs[@]}]} control=lab.$lab wanted="\"lab\":\"$lab\"" ;;
    2) tab=$((RANDOM % 8)) control=tab.$tab wanted="\"tab\":$tab," ;;
    3)
      mapfile -t rungs < <(grep -oE '"rung\.[^"]+"' "$state" | tr -d '"')
      control=${rungs[RANDOM % ${#rungs[@]}]} wanted="\"rung\":\"${control#rung.}\",\"sizes\"|\"rung\":\"${control#rung.}\",\"scale\""
      ;;
    4) language=$([[ $(field language) == zh ]] && echo en || echo zh) control=language.$language wanted="\"language\":\"$language\"" ;;
    5) light=$([[ $(field light) == true ]] && echo false || echo true) control=theme wanted="\"light\":$light" ;;
    6) control=auto wanted= ;;
  esac
  tap "$control" "$length"
  [[ -z $wanted ]] || grep -qE "$wanted" "$state" || { lost=$((lost + 1)) && echo "lost: tap $number on $control, $length ms"; }
  stood=$(picture)
  draw_again
  [[ $(picture) == "$stood" ]] || { stale=$((stale + 1)) && echo "stale: tap $number on $control, $length ms"; }
done
((stale == 0 && lost == 0)) || fail "$stale of $TAPS taps left a stale picture, $lost were lost"
echo "ok: $TAPS taps of 5 to 60 ms, none lost, no stale picture"
