#!/usr/bin/env bash
# bullet_rover_test.sh - the doctor finds nothing wrong with bullet_rover, and the stand-in SITL drives it.
# usage: bullet_rover_test.sh PROGRAM_BULLET_ROVER PROGRAM_AP_JSON
rover=$1
ap_json=$2
. "$(dirname "$0")/common.sh"

start rover "$rover"
ends_with 0 "$ap_json" check --port "$port" --speedup 0
contains run.out "no findings"
printf 'arm throttle\nrc 3 1600\nwait 3\nexpect vn 1.9 0.7\nrc 3 1500\nwait 8\nexpect vn 0 0.1\n' |
    "$ap_json" sitl --port "$port" --speedup 0 >"$work/sitl.out" 2>"$work/sitl.err" || fail "it did not drive and stop"
stop rover
contains rover.out "refused 0"
ends_with 0 "$rover" --help
contains run.out "--rate"
echo "right"
