#!/usr/bin/env bash
# tool_check_test.sh - the program `ap_json check`: no findings on our examples, recordings examined, used wrongly.
# usage: tool_check_test.sh PROGRAM_AP_JSON FOLDER_OF_EXAMPLES
ap_json=$1
examples=$2
. "$(dirname "$0")/common.sh"

ends_with 0 "$ap_json" check --help
for word in --vehicle --script --record --recording --json --strays Example; do contains run.out "$word"; done
ends_with 2 "$ap_json" check --port 70000
ends_with 2 "$ap_json" check --vehicle submarine
ends_with 2 "$ap_json" check --address localhost
contains run.err '"localhost"'
ends_with 2 "$ap_json" check --script "$work/no-such-file"
contains run.err "no-such-file"
ends_with 2 "$ap_json" check --recording "$work/no-such-file"
contains run.err "no-such-file"
ends_with 2 "$ap_json" check --record "$work/no/such/folder"
contains run.err "cannot write"

# Our own examples have no fault, driven as fast as they go; with the experiments, strangers included.
start rover "$examples/simpleRover"
ends_with 0 "$ap_json" check --port "$port" --speedup 0 --strays --record "$work/drive.jsonl"
contains run.out "no findings"
contains run.out "passed strangers do not disturb"
stop rover
for rate in 100 1000; do
    start rover "$examples/simpleRover" --rate "$rate"
    ends_with 0 "$ap_json" check --port "$port" --speedup 0 --no-experiments --json
    contains run.out '"findings": []'
    stop rover
done
start minimal "$examples/minimal"
ends_with 0 "$ap_json" check --port "$port" --speedup 0 --no-experiments
contains run.out "no findings"
contains run.out "not examined"

# A vehicle that needs a higher rate.
ends_with 1 "$ap_json" check --port "$port" --speedup 0 --no-experiments --vehicle copter
contains run.out "[rate-too-low]"
contains run.out "PreArm"
ends_with 1 "$ap_json" check --port "$port" --speedup 0 --no-experiments --vehicle copter --json
contains run.out '"id": "rate-too-low"'
printf 'rc 3 1700\nwait 1\n' >"$work/script"
ends_with 0 "$ap_json" check --port "$port" --speedup 0 --no-experiments --script "$work/script"
contains run.err "rc 3 1700"
stop minimal

# The same from the recording; a fault put into it; damage.
ends_with 0 "$ap_json" check --recording "$work/drive.jsonl"
contains run.out "no findings"
# With z alone negated it is a frame with z up.
sed 's/,-9\.80665\]/,9.80665]/' "$work/drive.jsonl" >"$work/sign.jsonl"
ends_with 1 "$ap_json" check --recording "$work/sign.jsonl"
contains run.out "[specific-force-flu]"
head -c 20000 "$work/drive.jsonl" >"$work/cut.jsonl"
ends_with 1 "$ap_json" check --recording "$work/cut.jsonl"
contains run.err "--repair"
ends_with 0 "$ap_json" check --recording "$work/cut.jsonl" --repair

# Nobody there: a port that was just closed.
ends_with 1 "$ap_json" check --port "$port"
contains run.out "[no-answer]"

# Ctrl-C ends it, with what has been found so far.
start rover "$examples/simpleRover"
"$ap_json" check --port "$port" --still 1000 >"$work/check.out" 2>"$work/check.err" &
check=$!
pids="$pids $check"
until grep -q 'time s' "$work/check.err"; do sleep 0.05; done
kill -INT "$check"
wait "$check"
[ $? -le 1 ] || fail "Ctrl-C did not end it cleanly"
contains check.out "servo packets"
stop rover
echo "right"
