#!/usr/bin/env bash
# tool_sitl_test.sh - the program `ap_json sitl`: what it says when it is used wrongly, or when a backend is wrong.
# usage: tool_sitl_test.sh PROGRAM_AP_JSON FOLDER_OF_EXAMPLES
ap_json=$1
examples=$2
. "$(dirname "$0")/common.sh"

ends_with 0 "$ap_json" --help
contains run.out sitl
ends_with 0 "$ap_json" --version
contains run.out "ap_json 1."
ends_with 0 "$ap_json" sitl --help
for word in "arm throttle" "rc N PWM" "wait SECONDS" "mode MANUAL" status quit Example differs; do contains run.out "$word"; done

ends_with 2 "$ap_json"
ends_with 2 "$ap_json" no-such-tool
ends_with 2 "$ap_json" sitl --no-such-option
ends_with 2 "$ap_json" sitl --channels 17
ends_with 2 "$ap_json" sitl --script "$work/no-such-file"
contains run.err "no-such-file"
ends_with 2 "$ap_json" sitl --address localhost
contains run.err '"localhost"'
ends_with 2 "$ap_json" sitl --speedup -1
ends_with 2 "$ap_json" sitl --instance 99999

start rover "$examples/simpleRover"
sitl() { "$ap_json" sitl --port "$port" --speedup 0 >"$work/run.out" 2>"$work/run.err"; }
says() { # says TEXT COMMANDS: such a command fails with these words
    printf '%s\n' "$2" | sitl && fail "took: $2"
    contains run.err "$1"
}
says 'unknown command "fly"' 'fly'
says 'arm throttle' 'arm'
says 'arm throttle' 'arm motors'
says 'is: disarm' 'disarm now'
says 'RC channels' 'rc 13 1500'
says 'PWM' 'rc 3 100'
says 'rc CHANNEL PWM' 'rc 3'
says 'rc CHANNEL PWM' 'rc 3 fast'
says 'MANUAL and HOLD' 'mode GUIDED'
says 'wait SECONDS' 'wait'
says 'wait SECONDS' 'wait -1'
says 'wait SECONDS' 'wait nan'
says 'unknown quantity' 'expect colour 1 1'
says 'expect NAME' 'expect vn 1'
printf 'wait 3\nexpect vn 5 0.1\n' | sitl
[ $? -eq 1 ] || fail "an expectation that is not met has to end with 1"
contains run.out "WRONG"
printf '# a comment\n\nmode HOLD\nwait 0.1\nhelp\nquit\nfly\n' | sitl || fail "comments, empty lines and quit"
printf 'arm throttle\ndisarm\n' | sitl || fail "disarm"
contains run.out "disarmed"
stop rover

# Nobody there: it says so instead of waiting for ever.
printf 'wait 1\n' | sitl && fail "waited successfully for nobody"
contains run.err "is the backend running"

# Ctrl-C ends it, also in the middle of a wait.
start rover "$examples/simpleRover"
printf 'wait 1000\n' >"$work/long"
"$ap_json" sitl --port "$port" --script "$work/long" >"$work/sitl.out" 2>"$work/sitl.err" &
tool=$!
pids="$pids $tool"
until grep -q 'time s' "$work/sitl.out"; do sleep 0.05; done
kill -INT "$tool"
wait "$tool"
[ $? -le 1 ] || fail "Ctrl-C did not end it cleanly"
contains sitl.out "lines accepted"
stop rover
echo "right"
