#!/usr/bin/env bash
# drop_in_test.sh - a program written for ArduPilot's class libAP_JSON, against the stand-in SITL.
# usage: drop_in_test.sh OLD_MINIMAL PROGRAM_AP_JSON
old_minimal=$1
ap_json=$2
. "$(dirname "$0")/common.sh"

start backend "$(dirname "$ap_json")/../examples/minimal"  # only to find a free port
stop backend
"$old_minimal" "$port" >"$work/old.out" 2>"$work/old.err" &
pid=$!
pids="$pids $pid"
printf 'wait 0.2\nstatus\n' | "$ap_json" sitl --port "$port" >"$work/sitl.out" 2>"$work/sitl.err" || fail "not accepted"
contains sitl.out "rejected 0"
contains sitl.out "[rng_6]"
grep -Eq 'clock 0\.[0-9]+ s' "$work/sitl.out" || fail "SITL's clock began at the epoch"
{
    sleep 0.2 # the stand-in of before ends; this one is a restarted SITL
    echo "wait 20"
} | "$ap_json" sitl --port "$port" --speedup 0 >"$work/sitl2.out" 2>"$work/sitl2.err" &
pids="$pids $!"
wait "$pid" || fail "the old program ended with $?"
contains old.out "[libAP_JSON] connected to ArduPilot at 127.0.0.1:"
contains old.out "servo 1 is "
[ "$(grep -c '^\[libAP_JSON\]' "$work/old.out")" -le 6 ] || fail "it prints too much"
echo "right"
