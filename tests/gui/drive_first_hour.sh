#!/bin/bash
# The first hour of a newcomer in the real window, from a fresh profile: the first steps, a prediction, a lesson, a step, a
# planted bug, an exercise judged wrong and then right, a review card, the certificate; then a kill -9 and a restart,
# which finds all of it again; and a damaged file of the progress.
#
#     [PICTURES=FOLDER] [SIZE="1280 800"] [TONGUE=zh] tests/gui/drive_first_hour.sh PROGRAM
#
# With a folder PICTURES, and xwd and convert installed, it leaves screenshots there. SIZE is the window's, TONGUE the
# language's. Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail
pictures=${PICTURES:-}
set -- "$1" --language "${TONGUE:-en}"
source "$(dirname "$0")/window_driver.sh"
tilescope=$1 kept=$folder/tilescope/progress.json number=0

picture() {
  [ -n "$pictures" ] || return 0
  mkdir -p "$pictures"
  number=$((number + 1))
  sleep 0.4 # tooltips and scrolling settle
  xwd -silent -id "$window" 2>/dev/null |
    convert xwd:- "$pictures/$(printf '%02d' "$number")-$1.png" 2>/dev/null || true
}
# A file of the profile holds PATTERN, after at most 30 seconds.
keeps() { # WHAT PATTERN FILE
  for _ in $(seq 300); do
    tr -d ' \n' <"$3" 2>/dev/null | grep -qE "$2" && { echo "ok: $1"; return; }
    sleep 0.1
  done
  fail "$1: $(cat "$3" 2>/dev/null)"
}
# The first mark, in alphabetical order, that matches.
first_mark() { grep -oE "\"$1\":\[" "$state" | head -1 | cut -d'"' -f2; }
# Scrolls at a mark until a different mark is inside of the window.
scroll_to() { # MARK BELOW
  local left top right bottom
  for _ in $(seq 40); do
    if grep -q "\"$1\":\[" "$state"; then
      read -r left top right bottom <<<"$(mark "$1")"
      [ "$bottom" -lt $((height - 30)) ] && [ "$top" -gt 50 ] && return
    fi
    xdotool mousemove $((window_x + width - 60)) $((window_y + height - 120)) click "$2"
    sleep 0.15
  done
  fail "cannot scroll to $1"
}
start_again() {
  kill -9 "$program"
  wait "$program" 2>/dev/null || true
  rm -f "$state"
  "$tilescope" --state-file "$state" >"$folder/output" 2>&1 &
  program=$!
  trap 'kill "$program" 2>/dev/null || true; rm -rf "$folder"' EXIT
}
find_window_of_size() {
  find_window
  if [ -n "${SIZE:-}" ]; then
    xdotool windowsize --sync "$window" $SIZE
    sleep 1
    find_window
  fi
  eval "$(xdotool getwindowgeometry --shell "$window" | grep -E '^(WIDTH|HEIGHT)=' | tr '[:upper:]' '[:lower:]')"
}

# ---- The first steps

expect "the first start shows the first steps" '"tour":\[false,false,false,false\]'
expect "beside a run that passes" '"busy":false.*"pass":true'
find_window_of_size
lab=$(grep -oE '"lab":"[^"]*"' "$state" | head -1 | cut -d'"' -f4)
picture first-screen

slider=$(first_mark 'slider\.[A-Z_]+')
read -r left top right bottom <<<"$(mark "$slider")"
xdotool mousemove $((window_x + left + (right - left) / 2)) $((window_y + (top + bottom) / 2)) mousedown 1
for part in 6 7 8 9; do
  xdotool mousemove $((window_x + left + (right - left) * part / 10)) $((window_y + (top + bottom) / 2))
  sleep 0.05
done
xdotool mouseup 1
expect "a slider that is moved ticks the first of them" '"tour":\[true,'
settled "the slider"
rung=$(grep -oE '"rung":"[^"]*"' "$state" | head -1 | cut -d'"' -f4)
other=$(grep -oE '"rung\.[^"]*":\[' "$state" | cut -d'"' -f2 | grep -vx "rung.$rung" | head -1)
click "$other"
expect "a different rung ticks the second" '"tour":\[true,true,'
settled "the rung"
picture rung

bug=$(first_mark 'break\.[A-Z_]+')
scroll_to "$bug" 5
click "$bug"
expect "a planted bug is found, and ticks the third" '"findings":[1-9].*"tour":\[true,true,true,'
keeps "the bug is kept as found" "\"$lab\":\{[^}]*\"broken\":\[\"${bug#break.}\"" "$kept"
picture bug
click "$bug"
expect "and goes away with its switch" '"broken":\[\]'
settled "the switch"

# ---- A prediction

scroll_to question.text 4
expect "a card asks what will happen" '"choice\.0"'
picture question
click choice.0
expect "the answer appears, and ticks the last of the first steps" '"answer":\[.*"tour":\[true,true,true,true\]'
keeps "the answer is kept" '"guesses":\{"[^"]*":\[\{"answer"' "$kept"
picture answered
click "tour close"
expect "the first steps are closed" '"tour":null'

# ---- The lesson

[ "$(grep -oE '"tab":[0-9]+' "$state")" = '"tab":0' ] || click tab.0
expect "the lesson is shown" '"tab":0'
picture lesson
xdotool mousemove $((window_x + width / 2)) $((window_y + 220))
for _ in $(seq 40); do
  xdotool click --repeat 20 --delay 5 5
  grep -q '"lesson_read": true' "$kept" && break
  sleep 0.2
done
keeps "a lesson that is scrolled to its end is read" "\"$lab\":\{.*\"lesson_read\":true" "$kept"
picture lesson-end

# ---- A step beside the view

click lab.softmax
expect "a different lab" '"lab":"softmax"'
settled "its first run"
click 'show steps'
expect "its steps stand beside the view" '"step a-row-apart"'
click 'step a-row-apart'
expect "a step unfolds" '"link.rung:thread-per-row"'
click 'link.rung:thread-per-row'
click 'link.tab:traffic'
settled "the rung of the step"
expect "the step ticks" '"step done"'
expect "its question is there" '"step choice 3"'
picture step
click 'step choice 3'
expect "the reason unfolds after the answer" '"steps because"'
keeps "the step is kept" '"softmax":\{.*"steps":\{"a-row-apart":\{"answer":3' "$kept"
click 'close steps'
expect "the steps are closed" '"show steps"'

# ---- An exercise

click exercises_1
expect "the exercises of a stage unfold" '"exercise.add-ten"'
click exercise.add-ten
expect "the task is shown" '"exercise":\{[^}]*"name":"add-ten"'
settled "the run of the start file"
picture task
write '// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)' \
  '__global__ void add_ten(const float* a, float* out, int n) { out[blockIdx.x * 256 + threadIdx.x] = a[blockIdx.x * 256 + threadIdx.x] + 10; }'
xdotool key ctrl+Return
judged "a text without its mask is refused, by a finding" '"reason":"out-of-bounds"'
picture refused
write '// Launch: add_ten<<<ceil(n / 256), 256>>>(a, out, n)' \
  '__global__ void add_ten(const float* a, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; if (i < n) out[i] = a[i] + 10; }'
xdotool key ctrl+Return
judged "the right kernel meets every goal" '"reason":"","state":3'
picture solved
xdotool key Escape

# ---- The review

click "review due cards"
expect "the cards of the lesson are due" '"start review"'
picture review
click "start review"
expect "a card is asked" '"card question"'
picture card
if grep -q '"card choice 0"' "$state"; then
  click "card choice 0"
else
  click "card field"
  sleep 0.3
  xdotool type 391
  xdotool key Return
fi
expect "its answer is explained" '"card because"'
keeps "the card is kept" '"cards":\{"[^"]*":\{"answered"' "$kept"
picture card-answered

# ---- What came of it

click "keep progress"
expect "the menu of the progress" '"palette.certificate"'
picture progress-menu
click palette.certificate
expect "the certificate asks for a name" '"learner"'
sleep 0.4
xdotool type "Ada Lovelace"
picture certificate-dialog
click certificate.save
expect "the certificate is saved" '"message":"[^"]*tilescope-certificate.png"'
saved=$(grep -oE '"message":"[^"]*tilescope-certificate.png"' "$state" | grep -oE '/[^"]*')
[ -s "$saved" ] || fail "there is no file $saved"
[ -z "$pictures" ] || cp "$saved" "$pictures/certificate.png"
picture progress
click "keep progress"
expect "the menu again" '"palette.progress_json"'
click palette.progress_json
expect "the progress is exported" '"message":"[^"]*tilescope-progress.json"'
before=$("$tilescope" progress --json | grep -v '"date"')
exported=$(grep -oE '"message":"[^"]*tilescope-progress.json"' "$state" | grep -oE '/[^"]*')
[ "$before" = "$(grep -v '"date"' "$exported")" ] || fail "the export differs from what the command prints"
echo "ok: as the command prints it"

start_again
expect "after a kill the exercise is there again" '"name":"add-ten".*"state":3'
settled "the restart"
find_window_of_size
after=$("$tilescope" progress --json | grep -v '"date"')
[ "$before" = "$after" ] || fail "the progress after the restart differs: $(diff <(echo "$before") <(echo "$after"))"
for done in '"bugs_found": *{ *"done": *1' '"exercises_correct": *{ *"done": *1' '"lesson_read": *true'; do
  tr -d '\n' <<<"$after" | grep -qE "$done" || fail "the progress lacks $done"
done
echo "ok: all that was earned is there"
xdotool mousemove $((window_x + 60)) $((window_y + height - 40))
sleep 1
picture restarted

# A damaged file is put aside and said.
printf '{"format": 1, "labs": {' >"$kept" # nothing is earned, so the window does not write it
start_again
case ${TONGUE:-en} in
zh) expect "a damaged file is said in the status bar" '"message":"无法读取 progress.json' ;;
*) expect "a damaged file is said in the status bar" '"message":"progress.json cannot be read and is kept as progress.json.damaged-' ;;
esac
ls "$kept".damaged-* >/dev/null || fail "the damaged file is gone"
