#!/usr/bin/env bash
# tool_replay_test.sh - the program `ap_json replay`: a recorded drive against the rover that drove it, and against what is
# not it; recorded states against a SITL.
# usage: tool_replay_test.sh PROGRAM_AP_JSON FOLDER_OF_EXAMPLES PROGRAM_MAKE_RECORDING
ap_json=$1
examples=$2
make_recording=$3
. "$(dirname "$0")/common.sh"

mkdir "$work/files"  # not in $work itself, whose files a failure shows
ends_with 0 "$ap_json" replay --help
for word in "--tolerance" "--speed" "--to" Example "Exit code"; do contains run.out "$word"; done
ends_with 2 "$ap_json" replay
ends_with 2 "$ap_json" replay "$work/no-such-file"
contains run.err "no-such-file"

for kind in drive idle restart repeats spoilt servos states; do
    "$make_recording" "$work/files/$kind.jsonl" "$kind" 4 || fail "no recording $kind"
done
ends_with 2 "$ap_json" replay "$work/files/drive.jsonl" --no-such-option
ends_with 2 "$ap_json" replay "$work/files/drive.jsonl" --address localhost
ends_with 2 "$ap_json" replay "$work/files/drive.jsonl" --port 0
ends_with 2 "$ap_json" replay "$work/files/drive.jsonl" --instance 6553
ends_with 2 "$ap_json" replay "$work/files/drive.jsonl" --speed -1
ends_with 2 "$ap_json" replay "$work/files/drive.jsonl" --to nobody
ends_with 2 "$ap_json" replay "$work/files/drive.jsonl" --tolerance colour=1
contains run.err "colour"
contains run.err "velocity"

# ---- to a backend

start rover "$examples/simpleRover"
rover=$pid
backend=$port
replay() { ends_with "$1" "$ap_json" replay "$work/files/$2.jsonl" --port "$backend" --speed 0 "${@:3}"; }

# Not a bit differs; also after a restart, and where SITL had to ask again.
for kind in drive restart repeats; do
    replay 0 "$kind" --tolerance 0
    contains run.out "the same within the tolerances"
    contains run.out "different 0"
done
replay 0 restart
contains run.out "restarts 1"
replay 0 drive --json
contains run.out '"first_difference": null'
contains run.out '"different": 0'
contains run.out '"complete": true'

# The first difference is named, and the tolerance decides.
replay 1 spoilt
contains run.out "first difference: frame 1199 (count 1199), at 3.000000 s: velocity.north"
contains run.out "DIFFERENT"
replay 1 spoilt --json
contains run.out '"field": "velocity.north"'
replay 0 spoilt --tolerance velocity=0.6
replay 1 spoilt --tolerance position=100

# One side only, nothing, rubbish, damage.
replay 2 servos
contains run.err "nothing could be compared"
replay 2 states
contains run.err "no servo packet"
head -n 1 "$work/files/drive.jsonl" >"$work/files/nothing.jsonl"
replay 2 nothing
contains run.err "nothing was played"
echo hello >"$work/files/rubbish.jsonl"
replay 2 rubbish
contains run.err "not a recording"
{ head -n 400 "$work/files/drive.jsonl"; echo '{"t":1'; tail -n +401 "$work/files/drive.jsonl"; } >"$work/files/damaged.jsonl"
replay 1 damaged
contains run.err "damaged at line 401"
replay 0 damaged --repair

# In the time of the flight: 4 simulated seconds at 8 times their speed.
begin=$(date +%s%N)
ends_with 0 "$ap_json" replay "$work/files/drive.jsonl" --port "$backend" --speed 8
[ $(($(date +%s%N) - begin)) -ge 480000000 ] || fail "--speed 8 was not kept"

# Ctrl-C in the middle shows what is known so far.
"$make_recording" "$work/files/long.jsonl" drive 30
"$ap_json" replay "$work/files/long.jsonl" --port "$backend" >"$work/long.out" 2>"$work/long.err" &
tool=$!
pids="$pids $tool"
until grep -q "playing to" "$work/long.err" || ! kill -0 "$tool"; do sleep 0.01; done
kill -INT "$tool"
wait "$tool"
[ $? -le 1 ] || fail "Ctrl-C did not end it cleanly"
contains long.out "ended early"

# A backend that stands still.
kill -STOP "$rover"
ends_with 2 "$ap_json" replay "$work/files/drive.jsonl" --port "$backend" --patience 0.3
contains run.err "is the backend running"
kill -CONT "$rover"
pid=$rover
stop rover

# ---- to a SITL

to_sitl() { # to_sitl CODE RECORDING SCRIPT OPTIONS...: a stand-in for SITL flies on the recorded states
    local expected=$1 recording=$2 script=$3
    shift 3
    rm -f "$work/to_sitl.err"  # one of before would tell an old port
    "$ap_json" replay "$work/files/$recording.jsonl" --to sitl --port 0 "$@" >"$work/to_sitl.out" 2>"$work/to_sitl.err" &
    local tool=$!
    pids="$pids $tool"
    local port=""
    while [ -z "$port" ]; do
        kill -0 "$tool" 2>/dev/null || fail "replay --to sitl ended before it listened"
        port=$(sed -n 's/^listening on UDP [0-9.]*:\([0-9]*\)$/\1/p' "$work/to_sitl.err" 2>/dev/null)
        [ -n "$port" ] || sleep 0.01
    done
    printf '%s\n' "$script" >"$work/script"
    "$ap_json" sitl --port "$port" --speedup 0 --script "$work/script" >"$work/sitl.out" 2>"$work/sitl.err" &
    local sitl=$!
    pids="$pids $sitl"
    wait "$tool"
    local code=$?
    kill -INT "$sitl" 2>/dev/null
    wait "$sitl"
    [ "$code" -eq "$expected" ] || fail "replay --to sitl $recording ended with $code, not $expected"
}
to_sitl 0 idle 'wait 100' --tolerance servo=0
contains to_sitl.out "the same within the tolerances"
contains to_sitl.out "servo 3"
to_sitl 1 drive 'wait 100' --json
contains to_sitl.out '"field": "servo 3"'
to_sitl 0 drive 'wait 100' --tolerance servo=400
to_sitl 0 restart 'wait 100'
contains to_sitl.err "was played up to there"
to_sitl 2 states 'wait 100'
contains to_sitl.err "nothing could be compared"
ends_with 2 "$ap_json" replay "$work/files/servos.jsonl" --to sitl --port 0
contains run.err "no state"

# A busy port is said so.
start rover "$examples/simpleRover"
ends_with 2 "$ap_json" replay "$work/files/idle.jsonl" --to sitl --port "$port"
contains run.err "cannot listen"
stop rover
echo "right"
