#!/bin/bash
# Tuning and measuring an operator in the real window, with the mouse: the map of lab autotune, a configuration sent to
# the sliders; on a GPU a search that is started and stopped; then the view Operator and its measurement.
#
#     [PICTURES=FOLDER] [TONGUE=zh] [WAIT=20] tests/gui/drive_tune.sh PROGRAM
#
# WAIT: seconds until the search is stopped. With a folder PICTURES, and xwd and convert installed, it leaves screenshots
# there. Exit status 77 where Xvfb or xdotool is missing. Without a GPU the parts that need one are passed over; without
# PyTorch the measurement must say in a sentence what is missing.
set -euo pipefail
pictures=${PICTURES:-}
wait_s=${WAIT:-20}
set -- "$1" --lab autotune --language "${TONGUE:-en}"
source "$(dirname "$0")/window_driver.sh"

has() { grep -q "\"$1\":\[" "$state"; }

# open_view MARK: the tab whose view has the mark. Which number it has depends on the lab; on a busy machine a click that
# comes while a menu closes does nothing, so there are three rounds.
open_view() {
  local round tab
  for round in 1 2 3; do
    for tab in $(grep -oE '"tab\.[0-9]+"' "$state" | tr -d '"' | sort -t. -k2 -n -r); do
      click "$tab"
      for _ in $(seq 20); do
        has "$1" && { echo "ok: the view with $1 is tab $tab, in round $round"; return; }
        sleep 0.1
      done
    done
  done
  fail "no tab shows $1"
}

expect "the window opens and the first run passes" '"busy":false.*"pass":true'
find_window
open_view tune.sentence
picture tune-recorded
has tune.map || fail "the recorded map is not drawn"
click tune.use
expect "the best configuration was sent to the sliders" '"params":\{"BK":64,"BM":128,"BN":128'
settled "its run"
picture tune-used
click tune.map.0
sleep 1
picture tune-these-sizes

gpu=
if grep -q '"device":"gpu"' "$state"; then gpu=yes; fi
if [ -z "$gpu" ] && has device; then
  click device
  sleep 0.5
  if has device.gpu; then
    click device.gpu
    for _ in $(seq 50); do
      grep -q '"device":"gpu"' "$state" && { gpu=yes; break; }
      sleep 0.1
    done
  fi
  [ -n "$gpu" ] || xdotool key Escape
fi
if [ -n "$gpu" ]; then
  settled "the device is the GPU"
  click tune.search.exhaustive
  click tune.budget.600
  click tune.start
  expect "the search runs" '"tune.stop":\['
  sleep "$wait_s"
  picture tune-running
  click tune.stop
  expect "the search stops" '"tune.start":\['
  sleep 1
  picture tune-stopped
  has tune.progress && ! grep -q '"tune.stop"' "$state" && echo "note: the view says why it stopped"
  click tune.use
  settled "the best of the stopped search was sent to the sliders"
  picture tune-stopped-used
else
  has tune.start && fail "Start is offered without a GPU"
  click tune.compile
  expect "compiling begins" '"tune.stop":\['
  sleep 3
  picture tune-compiling
  click tune.stop
  expect "compiling stops" '"tune.compile":\['
  echo "skipped: there is no GPU to search on"
fi

xdotool key ctrl+p # its row of the rail may be out of sight
sleep 1
xdotool type --delay 20 PyTorch
sleep 0.5
xdotool key Return
expect "the lab pytorch-op is shown" '"lab":"pytorch-op"'
settled "the lab was chosen"
open_view operator_page.0
expect "the code is shown" '"operator_code":\['
picture operator-code
click operator_page.1
sleep 1
picture operator-graphs
click operator_page.2
expect "the page Cost is shown" '"operator_measure":\['
picture operator-cost
click operator_measure
# With PyTorch it measures for a minute or two, and then the table is new; without it a sentence says what is missing.
for _ in $(seq 3000); do
  has operator_trial_said && break
  grep -q '"operator_measured":\[' "$state" && break
  kill -0 "$program" 2>/dev/null || fail "measuring: the program ended"
  sleep 0.1
done
picture operator-measured
if has operator_trial_said; then
  echo "ok: what is missing is said in a sentence"
elif grep -q '"operator_measured":\[' "$state"; then
  echo "ok: the table shows the times of this machine"
else
  fail "measuring gave neither a table nor a sentence"
fi
draws_nothing "the view Operator"
