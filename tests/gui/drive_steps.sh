#!/bin/bash
# The steps of a lab in the real window: followed by their links, answered, and still there after a restart.
#
#     [PICTURES=FOLDER] tests/gui/drive_steps.sh PROGRAM
#
# With a folder PICTURES, and xwd and convert installed, it leaves screenshots there. Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail
pictures=${PICTURES:-}
tilescope=$1
set -- "$1" --lab softmax
source "$(dirname "$0")/window_driver.sh"


expect "the window opens and the first run passes" '"busy":false.*"pass":true'
find_window
click 'show steps'
expect "the steps stand beside the view" '"steps do"'
picture begin
click 'step a-row-apart'
expect "the second step unfolds" '"link.rung:thread-per-row"'
click 'link.rung:thread-per-row'
click 'link.tab:traffic'
settled "the rung of the step"
expect "the step ticks" '"step done"'
expect "its question is there" '"step choice 3"'
expect "the open question that hides the sectors is outlined" '"steps first"'
click skip_question
for _ in $(seq 100); do grep -q '"steps first"' "$state" || break; sleep 0.1; done
sleep 0.5 # everything below it has moved up
expect "what the step speaks of is outlined" '"look here"'
picture done
click 'step choice 3'
expect "the reason unfolds after the answer" '"steps because"'
picture answered
click 'next step'
expect "the third step opens" '"link.rung:cta-per-row"'
click 'link.rung:cta-per-row'
settled "the rung of the third step"
expect "and ticks, in the view that stayed" '"step done"'
picture third

for _ in $(seq 150); do
  grep -qs '"a-row-apart": {' "$folder/tilescope/progress.json" && break
  sleep 0.1
done
grep -q '"a-row-apart": {' "$folder/tilescope/progress.json" || fail "the answer was kept"
remembers "that the steps are open" '"steps_shown":true'
kill "$program"
wait "$program" 2>/dev/null || true
rm -f "$state"
"$tilescope" --state-file "$state" >"$folder/output" 2>&1 &
program=$!
expect "after a restart the steps are there again" '"steps do"'
find_window
click 'close steps'
expect "they are closed" '"show steps"'
