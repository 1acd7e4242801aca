#!/bin/bash
# Drives the real window with a real pointer and keyboard, under Xvfb: drags the block-size slider, switches rung and
# language, types a size, breaks the kernel, and checks in the state file that the values and the result followed.
#
#     tests/gui/drive_window.sh PROGRAM [ARGUMENTS …]
#
# Exit status 77 where Xvfb or xdotool is missing.
set -euo pipefail
[[ " $* " == *" --lab "* ]] || set -- "$@" --lab vector-add # whose sliders, rungs and switches are meant below
source "$(dirname "$0")/window_driver.sh"

expect "the window opens and the first run passes" '"busy":false.*"pass":true'
find_window

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
expect "the slider follows the pointer" '"params":\{"BLOCK":1024,[^}]*\},.*"result":\{.*"params":\{"BLOCK":1024,'
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

# Type a size: a click on the value.
click value.n
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
draws_nothing "an idle window"

# The values are remembered.
xdotool mousemove $((window_x + 705)) $((window_y + 60))
remembers "the rung" '"rung":"grid-stride"'
